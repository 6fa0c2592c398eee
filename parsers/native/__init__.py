"""The built-in parser for PDFs with a text layer: geometry and fonts, no model."""

from __future__ import annotations

from docpipe.parsers.native.parser import NativeParser

__all__ = ["NativeParser"]
