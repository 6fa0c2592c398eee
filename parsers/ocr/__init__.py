"""The parser for pages whose text is only in the picture."""

from __future__ import annotations

from docpipe.parsers.ocr.parser import OcrParser

__all__ = ["OcrParser"]
