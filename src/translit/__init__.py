"""translit: a small, fast, explainable Transformer translator."""

__version__ = "0.1.0"
