"""Worker processes that can be killed: a bad page costs that page and nothing else."""

from docpipe.workers.pool import WorkerPool
from docpipe.workers.process import describe
from docpipe.workers.task import Kind, Outcome, Task

__all__ = ["Kind", "Outcome", "Task", "WorkerPool", "describe"]
