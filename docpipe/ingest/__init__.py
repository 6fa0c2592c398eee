"""Reading folders of files into a library, in worker processes, with limits and resume."""

from docpipe.ingest.inputs import check_targets
from docpipe.ingest.report import IngestReport, ReportLine
from docpipe.ingest.run import Progress, ingest

__all__ = ["IngestReport", "Progress", "ReportLine", "check_targets", "ingest"]
