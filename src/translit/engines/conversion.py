"""Our weights in CTranslate2's format, made once, cached, never stale.

A conversion lives in ``$XDG_CACHE_HOME/translit`` under the hash of everything it was made from. Hashing the
weights at every start would cost more than translating a sentence, so a small note remembers which hash belongs to
files of this place, size, inode and times.
"""

from __future__ import annotations

import contextlib
import hashlib
import os
import shutil
import sys
import tempfile
import time
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import ctranslate2

from translit.engines.base import MAX_POSITIONS
from translit.errors import TranslitError
from translit.model_directory import CONFIG, SOURCE, TARGET, WEIGHTS, ModelDirectory

if TYPE_CHECKING:
    import numpy as np

CONVERTER = 2  # raise it when the same weights convert to something else, or no longer convert
KEPT = 8  # conversions kept in the cache; older ones are deleted

_PART = "part-"  # the name of an unfinished conversion begins so
_ABANDONED = 3600.0  # seconds after which an unfinished conversion belongs to a process that was killed
_SETTLED = 2.0  # seconds after which a file's times can be trusted to change when the file does


def converted(directory: ModelDirectory, compute_type: str) -> Path:
    """The folder of ``directory``'s model in CTranslate2's format; converts it when there is none yet.

    ``compute_type`` is "int8" or "float32". Raises TranslitError when the weights do not fit config.json.
    """
    home = _writable_cache()
    if home is None:
        if known := existing(directory, compute_type):  # made by somebody who may write there
            return known
        home = _private_folder()
    note = home / "notes" / _fingerprint(directory, compute_type)
    if known := _noted(note):
        return known
    folder = home / content_hash(directory, compute_type)
    if not folder.is_dir():
        _build(directory, compute_type, folder)
        _forget_old(home)
    if _settled(directory):
        _write_note(note, folder.name)
    return folder


def existing(directory: ModelDirectory, compute_type: str) -> Path | None:
    """The conversion in the user's cache, if there is one; nothing is written."""
    home = _user_cache()
    if home is None:
        return None
    if known := _noted(home / "notes" / _fingerprint(directory, compute_type)):
        return known
    folder = home / content_hash(directory, compute_type)
    return folder if os.path.isdir(folder) else None  # Path.is_dir would fail where nothing may be read


def _noted(note: Path) -> Path | None:
    """The folder that a note names, if both are there."""
    with contextlib.suppress(OSError):
        folder = note.parent.parent / note.read_text("ascii")
        if (folder / "model.bin").is_file():
            return folder
    return None


def _conversions(home: Path) -> list[Path]:
    """Every conversion in the cache ``home``, newest first."""
    models = [p for p in home.glob("*/model.bin") if not p.parent.name.startswith(_PART)]
    return [p.parent for p in _newest_first(models)]


def _newest_first(paths: Iterable[Path]) -> list[Path]:
    """``paths`` by their times, without those that another process has just renamed or deleted."""
    times: dict[Path, float] = {}
    for path in paths:
        with contextlib.suppress(OSError):
            times[path] = path.stat().st_mtime
    return sorted(times, key=lambda path: times[path], reverse=True)


# ── Where and under which name ──────────────────────────────────────────────────────────────────────────────


def _user_cache() -> Path | None:
    """Whether it is there or not; None for a user without a home, as in a container run under any number."""
    base = os.environ.get("XDG_CACHE_HOME")
    try:
        return (Path(base) if base else Path.home() / ".cache") / "translit" / "ctranslate2"
    except RuntimeError:
        return None


def _writable_cache() -> Path | None:
    """The user's cache, None where it cannot be written."""
    home = _user_cache()
    if home is not None:
        with contextlib.suppress(OSError):
            (home / "notes").mkdir(parents=True, exist_ok=True)
            if os.access(home, os.W_OK):
                return home
    return None


def _private_folder() -> Path:
    """A cache for this process alone."""
    import atexit

    private = Path(tempfile.mkdtemp(prefix="translit-"))
    (private / "notes").mkdir()
    atexit.register(shutil.rmtree, private, ignore_errors=True)
    return private


def _files(directory: ModelDirectory) -> list[Path]:
    return [directory.path / name for name in (CONFIG, WEIGHTS, SOURCE, TARGET)]


def _version(compute_type: str) -> str:
    return f"{CONVERTER} {ctranslate2.__version__} {compute_type}"


def _fingerprint(directory: ModelDirectory, compute_type: str) -> str:
    """Changes whenever a file of the model is written, replaced or moved, even if size and mtime stay."""
    parts = [_version(compute_type)]
    for path in _files(directory):
        s = path.stat()
        parts.append(f"{path.resolve()} {s.st_dev} {s.st_ino} {s.st_size} {s.st_mtime_ns} {s.st_ctime_ns}")
    return hashlib.sha256("\n".join(parts).encode("utf-8", "surrogatepass")).hexdigest()[:32]


def _settled(directory: ModelDirectory) -> bool:
    """False while a second write could leave the times of the first behind (file-system clocks are coarse)."""
    return all(time.time() - path.stat().st_mtime > _SETTLED for path in _files(directory))


def content_hash(directory: ModelDirectory, compute_type: str) -> str:
    """The hash of everything that a conversion depends on."""
    digest = hashlib.sha256(_version(compute_type).encode())
    for path in _files(directory):
        content = path.read_bytes()
        digest.update(f"\n{path.name} {len(content)}\n".encode())
        digest.update(content)
    return digest.hexdigest()[:32]


def _write_note(note: Path, name: str) -> None:
    part = note.with_suffix(f".{os.getpid()}")
    with contextlib.suppress(OSError):  # without the note the next start is slower, nothing else
        part.write_text(name, "ascii")
        part.replace(note)


def _forget_old(home: Path) -> None:
    for part in home.glob(f"{_PART}*"):
        with contextlib.suppress(OSError):  # its process has just finished
            if time.time() - part.stat().st_mtime > _ABANDONED:
                shutil.rmtree(part, ignore_errors=True)
    for folder in _conversions(home)[KEPT:]:
        shutil.rmtree(folder, ignore_errors=True)
    for note in _newest_first((home / "notes").iterdir())[4 * KEPT :]:
        note.unlink(missing_ok=True)


# ── The conversion ──────────────────────────────────────────────────────────────────────────────────────────


def _build(directory: ModelDirectory, compute_type: str, folder: Path) -> None:
    """Write the conversion all or nothing: under another name first."""
    part = Path(tempfile.mkdtemp(prefix=_PART, dir=folder.parent))
    try:
        convert(directory, part, compute_type)
        part.chmod(0o755)
        with contextlib.suppress(OSError):  # somebody else was faster, with the same content
            part.replace(folder)
    except OSError as error:
        raise TranslitError(
            f"{folder.parent}: cannot write the converted model: {error.strerror}; free some space, or set "
            "XDG_CACHE_HOME to another folder"
        ) from None
    finally:
        shutil.rmtree(part, ignore_errors=True)


def convert(directory: ModelDirectory, output: Path, compute_type: str = "int8") -> None:
    """Write ``directory``'s model into the folder ``output`` in CTranslate2's format, without torch."""
    with _without_torch():
        from ctranslate2.specs import common_spec, transformer_spec

    model = directory.model
    weights = directory.weights()
    spec = transformer_spec.TransformerSpec.from_config(
        (model.encoder_layers, model.decoder_layers),
        model.n_heads,
        pre_norm=model.norm == "pre",
        activation={"relu": common_spec.Activation.RELU, "gelu": common_spec.Activation.GELU}[
            model.activation
        ],
    )
    _fill(spec, _Weights(weights), model.d_model)
    try:
        spec.register_source_vocabulary(directory.source_tokenizer.vocabulary)
        spec.register_target_vocabulary(directory.target_tokenizer.vocabulary)
        spec.validate()
    except ValueError as error:
        raise TranslitError(
            f"{directory.path / WEIGHTS}: does not fit {CONFIG}: {error}; restore one of the two files"
        ) from None
    spec.optimize(quantization=compute_type)
    spec.save(str(output))


@contextlib.contextmanager
def _without_torch() -> Iterator[None]:
    """``ctranslate2.specs`` imports torch (1.8 s) when it can, and works as well without it."""
    if "torch" in sys.modules or "ctranslate2.specs.model_spec" in sys.modules:
        yield
        return
    sys.modules["torch"] = None  # type: ignore[assignment]  # the documented way to make an import fail
    try:
        yield
    finally:
        del sys.modules["torch"]


class _Weights:
    """Arrays by name, in fp32."""

    def __init__(self, arrays: dict[str, np.ndarray]) -> None:
        self.arrays = arrays

    def __getitem__(self, name: str) -> np.ndarray:
        return self.arrays[name].astype("float32")

    def __contains__(self, name: str) -> bool:
        return name in self.arrays

    def joined(self, *names: str) -> np.ndarray:
        """Several arrays on top of each other."""
        import numpy as np

        return np.concatenate([self[name] for name in names])


def _fill(spec: Any, weights: _Weights, d_model: int) -> None:
    positions = _sinusoidal_positions(MAX_POSITIONS, d_model)
    for side, half, embeddings in (
        ("encoder", spec.encoder, spec.encoder.embeddings[0]),
        ("decoder", spec.decoder, spec.decoder.embeddings),
    ):
        half.scale_embeddings = True  # token embedding · √d_model
        half.position_encodings.encodings = positions
        embeddings.weight = weights[f"{'source' if side == 'encoder' else 'target'}_embedding.tokens.weight"]
        if half.pre_norm:
            _norm(half.layer_norm, weights, f"{side}_norm")
        for i, layer in enumerate(half.layer):
            _layer(layer, weights, f"{side}.{i}", decoder=side == "decoder")
    tied = "target_embedding.tokens.weight"
    spec.decoder.projection.weight = weights["output.weight" if "output.weight" in weights else tied]


def _layer(layer: Any, weights: _Weights, place: str, *, decoder: bool) -> None:
    attention = f"{place}.self_attention"
    _linear(layer.self_attention.linear[0], weights, *(f"{attention}.w_{x}" for x in "qkv"))
    _linear(layer.self_attention.linear[1], weights, f"{attention}.w_o")
    _norm(layer.self_attention.layer_norm, weights, f"{place}.add_norm_1.norm")
    if decoder:
        attention = f"{place}.cross_attention"
        _linear(layer.attention.linear[0], weights, f"{attention}.w_q")
        _linear(layer.attention.linear[1], weights, f"{attention}.w_k", f"{attention}.w_v")
        _linear(layer.attention.linear[2], weights, f"{attention}.w_o")
        _norm(layer.attention.layer_norm, weights, f"{place}.add_norm_2.norm")
    _linear(layer.ffn.linear_0, weights, f"{place}.feed_forward.w_1")
    _linear(layer.ffn.linear_1, weights, f"{place}.feed_forward.w_2")
    _norm(layer.ffn.layer_norm, weights, f"{place}.add_norm_{3 if decoder else 2}.norm")


def _linear(spec: Any, weights: _Weights, *places: str) -> None:
    spec.weight = weights.joined(*(f"{place}.weight" for place in places))
    spec.bias = weights.joined(*(f"{place}.bias" for place in places))


def _norm(spec: Any, weights: _Weights, place: str) -> None:
    spec.gamma, spec.beta = weights[f"{place}.weight"], weights[f"{place}.bias"]


def _sinusoidal_positions(length: int, d_model: int) -> np.ndarray:
    """As ``model.embedding.sinusoidal_positions``, in numpy: (length, d_model)."""
    import numpy as np

    position = np.arange(length, dtype=np.float32)[:, None]  # (length, 1)
    frequency = np.exp(np.float32(-np.log(10_000)) * np.arange(0, d_model, 2, dtype=np.float32) / d_model)
    angle = position * frequency  # (length, d/2)
    return np.stack((np.sin(angle), np.cos(angle)), axis=-1).reshape(length, d_model)
