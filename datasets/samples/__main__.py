"""python -m docpipe.datasets.samples OUT: write the sample PDFs into the folder OUT."""

from __future__ import annotations

import sys
from pathlib import Path

from docpipe.datasets.samples import write_samples

if len(sys.argv) != 2:
    sys.exit("usage: python -m docpipe.datasets.samples OUT")
for path in write_samples(Path(sys.argv[1])):
    print(f"{path}  {path.stat().st_size:,} bytes")
