"""The README.md of an exported model."""

from __future__ import annotations

from pathlib import Path
from string import Template

from translit.model_directory import ModelDirectory

_RULES = """\
What translit does around the model, and a program of your own should do too:

* before: Unicode NFC, straight quotes, runs of spaces as one space, no space at either end
  (`unicodedata.normalize("NFC", text)` and a replacement or two);
* one sentence at a time, of at most $max_tokens tokens; the model has seen nothing longer;
* the first token must not be `</s>`, and some limit must end a translation that does not end by itself;
* no `<s>` before the source, but `</s>` (id 3) behind it; a translation begins with `<s>` (id 2); `<pad>` is 0;
* `source.spm` and `target.spm` are SentencePiece models without normalisation of their own, with bytes for
  whatever they do not know, so that there is no unknown token."""


def write_readme(folder: Path, text: str, directory: ModelDirectory, **values: object) -> None:
    """Write ``text`` to README.md, with $title, $rules, $length_penalty and ``values`` filled in."""
    from translit.config import DataConfig

    data = directory.info.get("data")
    max_tokens = data.get("max_tokens") if isinstance(data, dict) else None
    filled = Template(text).substitute(
        title=f"{directory.source_language} → {directory.target_language}",
        source_language=directory.source_language,
        target_language=directory.target_language,
        length_penalty=directory.length_penalty,
        rules=Template(_RULES).substitute(max_tokens=max_tokens or DataConfig.max_tokens),
        **values,
    )
    (folder / "README.md").write_text(filled, "utf-8")
