"""From a model folder to a folder in another format: written, compared with our engine, and only then put in place."""

from __future__ import annotations

import importlib
import importlib.util
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from translit.errors import TranslitError
from translit.export.check import Comparison, compare
from translit.model_directory import SOURCE, TARGET, ModelDirectory

QUANTIZATIONS = ("int8", "int16", "float16", "float32")  # how CTranslate2 can store weights
CARD = "MODEL_CARD.md"  # README.md of the model; the README.md of an export says how to use it


@dataclass(frozen=True)
class Format:
    """Something that a model can be exported to."""

    title: str
    writer: str  # module with ``write(directory, folder) -> Exported``
    needs: tuple[str, ...] = ()  # modules that the extra of the same name installs


FORMATS = {
    "ctranslate2": Format("CTranslate2", "translit.export.to_ctranslate2"),
    "onnx": Format("ONNX", "translit.export.to_onnx", ("onnx", "onnxscript", "onnxruntime")),
    "huggingface": Format("Hugging Face Transformers", "translit.export.to_huggingface", ("transformers",)),
}


def export(directory: ModelDirectory, to: str, output: Path, quantization: str | None = None) -> Comparison:
    """Write ``directory``'s model to the new folder ``output`` in the format ``to`` (see ``FORMATS``).

    ``quantization`` is one of ``QUANTIZATIONS``, for CTranslate2 only, where None means int8. The folder appears
    when all is written and computes what our torch engine computes; otherwise nothing is left behind, and the
    comparison says how far it was off. Raises TranslitError for a request that cannot be met.
    """
    settings = _settings(to, quantization)
    exact = to != "ctranslate2" or settings["quantization"] == "float32"
    with _draft(output) as folder:
        writer = importlib.import_module(FORMATS[to].writer)
        for name in (SOURCE, TARGET):
            shutil.copyfile(directory.path / name, folder / name)
        if (directory.path / "README.md").is_file():
            shutil.copyfile(directory.path / "README.md", folder / CARD)
        comparison = compare(directory, writer.write(directory, folder, **settings), exact=exact)
        if comparison.agrees:
            for path in folder.iterdir():
                path.chmod(0o644)  # safetensors writes files that nobody else may read
            folder.replace(output)
    return comparison


def _settings(to: str, quantization: str | None) -> dict[str, str]:
    """What the writer needs to know; a TranslitError where the request makes no sense here."""
    if to not in FORMATS:
        raise TranslitError(f"--to is {to!r}; choose one of {', '.join(FORMATS)}")
    if missing := [name for name in FORMATS[to].needs if importlib.util.find_spec(name) is None]:
        raise TranslitError(
            f"export to {to} needs {', '.join(missing)}; install it with: pip install 'translit-nmt[{to}]'"
        )
    if to != "ctranslate2":
        if quantization is not None:
            raise TranslitError(f"--quantization is for ctranslate2; {to} gets float32, leave the option out")
        return {}
    if quantization not in (None, *QUANTIZATIONS):
        raise TranslitError(f"--quantization is {quantization!r}; choose one of {', '.join(QUANTIZATIONS)}")
    return {"quantization": quantization or "int8"}


@contextmanager
def _draft(output: Path) -> Iterator[Path]:
    """A new folder beside ``output``, to be renamed to it; gone afterwards if it was not."""
    if output.is_file() or (output.is_dir() and any(output.iterdir())):
        raise TranslitError(f"{output}: is already there; remove it, or choose another folder")
    try:
        output.parent.mkdir(parents=True, exist_ok=True)
        folder = Path(tempfile.mkdtemp(prefix=f".{output.name}.", dir=output.parent))
    except OSError as error:
        raise TranslitError(f"{output}: cannot write: {error.strerror}; choose another folder") from None
    try:
        folder.chmod(0o755)
        yield folder
    except OSError as error:
        raise TranslitError(
            f"{output}: cannot write: {error.strerror}; free some space, or choose another folder"
        ) from None
    finally:
        shutil.rmtree(folder, ignore_errors=True)
