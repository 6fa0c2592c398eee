"""Layout, text, tables and formulas of a page image by one encoder-decoder.

Paper: "DocFusion: A Unified Framework for Document Parsing Tasks" (arXiv 2412.12505). Written from
a description of it, of its released configuration and of the layout of its checkpoint. Docstrings
mark what the paper states [P], what its released configuration says [C], and what is a decision of
docpipe's own [D]; no number marked [D] is the paper's.
"""
