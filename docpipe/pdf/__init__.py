"""Opening input files: PDFs through PyMuPDF, PNG, JPEG and TIFF through Pillow.

`open_document` is the one way in. Whatever it opens offers its pages as `stages.PageView`s, in
docpipe's coordinates and with clean text, and what only the whole file knows: page labels, outline,
metadata, attachments. Nothing is executed, followed or written.
"""

from __future__ import annotations

from docpipe.pdf.document import (
    OpenDocument,
    PdfDocument,
    document_id,
    open_document,
    unreadable,
)
from docpipe.pdf.images import ImageDocument

__all__ = [
    "ImageDocument",
    "OpenDocument",
    "PdfDocument",
    "document_id",
    "open_document",
    "unreadable",
]
