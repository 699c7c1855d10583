"""translit: a small, fast, explainable Transformer translator.

>>> from translit import Translator
>>> Translator().translate(["I love you"])[0].text
'我爱你'
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from translit.translator import Translation, Translator

__version__ = "0.1.0"
__all__ = ["Translation", "Translator", "__version__"]


def __getattr__(name: str) -> Any:
    """Load the translator only when somebody asks for it: ``translit --help`` must not."""
    if name in ("Translation", "Translator"):
        from translit import translator

        return getattr(translator, name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
