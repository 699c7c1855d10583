"""A folder for plain CTranslate2: the conversion of our fast engine, with the tokenizers and how to use them."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import ctranslate2

from translit.engines.conversion import convert
from translit.export.readme import write_readme
from translit.model_directory import ModelDirectory
from translit.text.tokenizer import Tokenizer

_README = """\
# $title in CTranslate2's format ($quantization)

`translit export --to ctranslate2` wrote this folder. It needs no translit, only:

    pip install ctranslate2 sentencepiece

```python
import ctranslate2
import sentencepiece

folder = "."
source = sentencepiece.SentencePieceProcessor(f"{folder}/source.spm")
target = sentencepiece.SentencePieceProcessor(f"{folder}/target.spm")
translator = ctranslate2.Translator(folder)

pieces = source.encode("I love you.", out_type=str) + ["</s>"]
found = translator.translate_batch([pieces], beam_size=4, length_penalty=$length_penalty, max_input_length=0)
print(target.decode(found[0].hypotheses[0]))
```

$rules
"""


def write(directory: ModelDirectory, folder: Path, quantization: str) -> CTranslate2Export:
    """Convert into ``folder``; ``quantization`` says how the weights are stored."""
    convert(directory, folder, quantization)
    write_readme(folder, _README, directory, quantization=quantization)
    return CTranslate2Export(directory, folder)


class CTranslate2Export:
    """See ``translit.export.check.Exported``."""

    def __init__(self, directory: ModelDirectory, folder: Path) -> None:
        self._source, self._target = directory.source_tokenizer, directory.target_tokenizer
        self._translator = ctranslate2.Translator(str(folder))

    def greedy(self, sources: Sequence[Sequence[int]], limit: int) -> list[list[int]]:
        found = self._translator.translate_batch(
            _pieces(self._source, sources), beam_size=1, max_decoding_length=limit, max_input_length=0
        )
        return [self._target.ids(result.hypotheses[0]) for result in found]

    def log_probs(
        self, sources: Sequence[Sequence[int]], targets: Sequence[Sequence[int]]
    ) -> list[list[float]]:
        found = self._translator.score_batch(
            _pieces(self._source, sources), _pieces(self._target, targets), max_input_length=0
        )
        return [list(result.log_probs) for result in found]  # CTranslate2 adds </s> to the targets itself


def _pieces(tokenizer: Tokenizer, rows: Sequence[Sequence[int]]) -> list[list[str]]:
    return [tokenizer.pieces(row) for row in rows]
