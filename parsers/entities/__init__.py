"""Entities and fields: a spatial transformer over lines of text, and matching of one-off fields.

Paper: "Lightweight Spatial Modeling for Combinatorial Information Extraction From Documents"
(KNN-Former, arXiv 2405.06701). Its full text was not at hand. Docstrings mark what the paper states
[P], what reviews and listings say of it [R], and what is a decision of docpipe's own [D]; no number
marked [D] is the paper's.
"""
