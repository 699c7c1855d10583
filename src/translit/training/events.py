"""The metrics of a run as event files for TensorBoard (an extra), beside its ``metrics.jsonl``."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from translit.errors import TranslitError

# metrics.jsonl's names → TensorBoard's, grouped as its page shows them
_CHARTS = {
    "loss": "loss/training",
    "dev_loss": "loss/dev",
    "bleu": "score/BLEU",
    "chrf": "score/chrF2",
    "lr": "optimizer/learning rate",
    "gradient_norm": "optimizer/gradient norm",
    "tokens_per_second": "speed/tokens per second",
}


class EventFiles:
    """Writes records as they come; look at them with ``tensorboard --logdir runs``."""

    def __init__(self, run: Path, first_step: int) -> None:
        """Go on in the run directory from ``first_step``: what was logged beyond it before a crash is hidden."""
        self._writer = _writer_class()(str(run), purge_step=first_step)

    def write(self, record: dict[str, Any]) -> None:
        """A record of training, or of a look at the dev set."""
        for name, chart in _CHARTS.items():
            if name in record:
                self._writer.add_scalar(chart, record[name], record["step"])
        for i, sample in enumerate(record.get("samples", ())):
            text = f"{sample['source']}  →  {sample['translation']}"
            self._writer.add_text(f"samples/{i}", text, record["step"])

    def close(self) -> None:
        self._writer.close()


def require_tensorboard() -> None:
    """Raise TranslitError unless TensorBoard is installed."""
    _writer_class()


def _writer_class() -> Any:
    try:
        from torch.utils.tensorboard import SummaryWriter
    except ImportError:
        raise TranslitError(
            "training.tensorboard needs TensorBoard; install it with: pip install 'translit-nmt[tensorboard]'"
        ) from None
    return SummaryWriter
