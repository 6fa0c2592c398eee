"""A pretrained layout model beside the rules: where it looks, and what it may change.

The model (PyMuPDF's, packaged with it) names the regions of a page. On the development sets it is
worse than the rules at tables' cells and reading order and no better at headings and other roles
(docs/results/parsing.md), and so it has a say only on whether a table is there: one that rests on
alignment alone and that the model takes for text is none, and one that the model sees where the
rules found nothing is read there.
"""

from docpipe.parsers.native.layout.doubt import is_doubtful
from docpipe.parsers.native.layout.model import LayoutModel, LayoutRegion
from docpipe.parsers.native.layout.tables import judged_tables

__all__ = ["LayoutModel", "LayoutRegion", "is_doubtful", "judged_tables"]
