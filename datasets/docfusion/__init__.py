"""Training data of DocFusion: synthetic samples, labels read off born-digital PDFs, public sets.

Four tasks, as in DocFusion (arXiv:2412.12505): boxes on a page, and the contents of crops of text,
formulas and tables. docs/docfusion-data.md describes the synthetic profiles.
"""
