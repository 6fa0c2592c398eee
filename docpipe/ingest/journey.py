"""One document's way through the workers: open, read and OCR its pages, compose, find fields."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable
from pathlib import Path
from typing import Literal

import msgspec

from docpipe.config import OCR_SHARE, Limits
from docpipe.ingest import jobs
from docpipe.ingest.report import Done
from docpipe.library.store import Entry
from docpipe.records import Issue
from docpipe.workers import Outcome, Task

# Composing may fail where the facts of all pages do not fit: then with more memory, then plainly.
_COMPOSE_ATTEMPTS: tuple[tuple[str, bool], ...] = (
    ("parse", False),
    ("large", False),
    ("large", True),
)


class Journey:
    """Gives out the tasks of one document and takes their outcomes, until it is `done`.

    The clock of the document counts working time: the time its tasks took, whoever else was
    waited for. Each page for OCR adds to it: a long scan is no bad file. When it has run out, the
    pages not yet read are given up. With `fields` they are looked for in the document at the end;
    a document that was `composed` before lacks nothing else.
    """

    def __init__(
        self,
        job: jobs.Job,
        name: str,
        target: Path,
        limits: Limits,
        *,
        fields: bool = False,
        composed: jobs.Composed | None = None,
    ) -> None:
        self.job = job
        self.name = name
        self.pages_done = 0
        self.done: Done | None = None
        self._target = target
        self._limits = limits
        self._stage: Literal["open", "pages", "compose", "fields"] = "open"
        self._fields = fields
        self._composed = composed
        if composed is not None:
            self._stage = "fields"
        self._running = 0
        self._to_read: deque[int] = deque()
        self._to_ocr: deque[int] = deque()
        self._allowed = limits.document_timeout
        self._failures: list[Issue] = []
        self._attempts = deque(_COMPOSE_ATTEMPTS)
        self._seconds = 0.0
        self._peak_mb = 0

    def next_task(self) -> Task | None:
        """A task that can start now."""
        task = self._choose()
        self._running += task is not None
        return task

    def take(self, task: Task, outcome: Outcome) -> None:
        """The outcome of one of the tasks."""
        self._running -= 1
        self._seconds += outcome.seconds
        self._peak_mb = max(self._peak_mb, outcome.peak_mb)
        match task.call:
            case jobs.OPEN:
                self._take_opened(outcome)
            case jobs.COMPOSE:
                self._take_composed(outcome)
            case jobs.EXTRACT:
                self._take_fields(outcome)
            case _:
                self._take_page(task, outcome)

    def _choose(self) -> Task | None:
        if self._stage == "open":
            return None if self._running else self._task("parse", jobs.OPEN)
        if self._stage == "pages":
            if self._left() <= 0:
                self._give_up()
            if self._to_ocr:
                return self._page_task("ocr", jobs.OCR, self._to_ocr.popleft())
            if self._to_read:
                return self._page_task("parse", jobs.READ, self._to_read.popleft())
            if not self._running:
                self._stage = "compose"
        if self._stage == "compose" and not self._running and self.done is None:
            return self._compose_task()
        if self._stage == "fields" and not self._running and self.done is None:
            timeout = self._limits.document_timeout
            return Task("entities", jobs.EXTRACT, (self._target,), timeout, self.job.id)
        return None

    def _task(self, kind: str, call: str) -> Task:
        timeout = self._limits.page_timeout
        return Task(kind, call, (self.job,), timeout, self.job.id)

    def _page_task(self, kind: str, call: str, number: int) -> Task:
        timeout = min(self._limits.page_timeout, self._left())
        return Task(kind, call, (self.job, number), timeout, self.job.id, number)

    def _compose_task(self) -> Task:
        kind, plain = self._attempts.popleft()
        failures = sorted(self._failures, key=lambda issue: (issue.page or 0, issue.stage))
        arguments = (self.job, self.name, tuple(failures), self._target, plain)
        return Task(kind, jobs.COMPOSE, arguments, self._limits.document_timeout, self.job.id)

    def _left(self) -> float:
        return self._allowed - self._seconds

    def _queue_ocr(self, numbers: Iterable[int]) -> None:
        for number in numbers:
            self._to_ocr.append(number)
            self._allowed += self._limits.page_timeout * OCR_SHARE

    def _give_up(self) -> None:
        message = f"the document took more than {self._allowed:g} s"
        for stage, waiting in (("parse", self._to_read), ("ocr", self._to_ocr)):
            self._failures += [Issue(stage, "timeout", message, number) for number in waiting]
            waiting.clear()

    def _take_opened(self, outcome: Outcome) -> None:
        if outcome.issue is not None:
            self._finish(jobs.failure(outcome.issue))
            return
        opened: jobs.Opened = outcome.value
        self.job = msgspec.structs.replace(self.job, passwords=opened.passwords)
        self._to_read.extend(opened.to_read)
        self._queue_ocr(opened.to_ocr)
        self._stage = "pages"

    def _take_page(self, task: Task, outcome: Outcome) -> None:
        assert task.page is not None
        if outcome.issue is not None:
            self._failures.append(outcome.issue)
        elif task.call == jobs.READ and outcome.value:
            self._queue_ocr([task.page])
            return
        self.pages_done += 1

    def _take_composed(self, outcome: Outcome) -> None:
        if outcome.issue is None:
            self._composed = composed = outcome.value
            if self._fields and composed.status != "failed":
                self._stage = "fields"
            else:
                self._finish(composed)
            return
        self._failures.append(outcome.issue)
        if not self._attempts:
            self._finish(jobs.failure(outcome.issue))

    def _take_fields(self, outcome: Outcome) -> None:
        assert self._composed is not None
        composed, issue = self._composed, outcome.issue
        if issue is not None:
            composed = msgspec.structs.replace(
                composed,
                status="partial",
                reason=composed.reason or issue.code,
                message=composed.message or f"no fields: {issue.message}",
            )
        self._finish(composed)

    def _finish(self, composed: jobs.Composed) -> None:
        entry = Entry(
            id=self.job.id,
            name=self.name,
            status=composed.status,
            reason=composed.reason,
            message=composed.message,
            pages=composed.pages,
            routes=composed.routes,
            issues=composed.issues,
            settings="",
        )
        self.done = Done(entry, round(self._seconds, 3), self._peak_mb)
