"""Made-up documents with the labels of their entities, to train and measure field extraction.

`generate` gives invoices, identity documents, forms and till receipts in many designs and
languages. Training and test documents share neither designs nor the words of their values. The
same documents can be written as PDFs.
"""

from docpipe.datasets.synthetic_kie.generate import SCHEMAS, Draft, Schema, drafts, generate
from docpipe.datasets.synthetic_kie.pdf import write_pdf
from docpipe.datasets.synthetic_kie.vocabulary import Split

__all__ = ["SCHEMAS", "Draft", "Schema", "Split", "drafts", "generate", "write_pdf"]
