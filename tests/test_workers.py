"""A worker that hangs, dies or eats memory costs its own task."""

from __future__ import annotations

import os
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from docpipe.errors import ConfigError, StageError
from docpipe.workers import Kind, Outcome, Task, WorkerPool, describe


def task(name: str, *arguments: object, timeout: float | None = 20.0, kind: str = "work") -> Task:
    return Task(kind, f"tests.calls:{name}", arguments, timeout, page=3)


def run(pool: WorkerPool, tasks: list[Task]) -> list[tuple[Task, Outcome]]:
    waiting, ended = list(tasks), []
    while waiting or pool.running:
        while waiting and pool.room:
            pool.start(waiting.pop(0))
        ended += pool.wait()
    return ended


@pytest.fixture
def pool(tmp_path: Path) -> Iterator[WorkerPool]:
    kinds = {
        "work": Kind(600),
        "short": Kind(600, tasks_per_worker=2),
        "broken": Kind(600, ("tests.calls:broken_setup", ()), required=False),
        "needed": Kind(600, ("tests.calls:broken_setup", ())),
    }
    with WorkerPool(2, kinds, tmp_path / "log") as pool:
        yield pool


def test_one_bad_task_costs_no_other(pool: WorkerPool) -> None:
    bad = [
        task("hang", timeout=0.5),
        task("leave", 7),
        task("kill", 11),
        task("kill", 9),
        task("eat", 4000),
        task("fail"),
    ]
    good = [task("double", number) for number in range(12)]
    mixed = [task for pair in zip(good, bad + bad, strict=True) for task in pair]
    ended = run(pool, mixed)
    assert sorted(o.value for t, o in ended if o.issue is None) == [2 * n for n in range(12)]
    codes = [o.issue.code for t, o in ended if o.issue and not isinstance(t.arguments, int)]
    assert sorted(codes) == sorted(
        2 * ["timeout", "internal", "internal", "memory", "memory", "internal"]
    )
    assert all(o.issue.page == 3 for _, o in ended if o.issue)


def test_the_log_and_not_the_output_has_the_traceback(
    pool: WorkerPool, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    [(_, outcome)] = run(pool, [task("fail")])
    assert outcome.issue is not None
    assert outcome.issue.message == "ValueError: no such luck"
    assert "no such luck" in (tmp_path / "log").read_text()
    assert capfd.readouterr() == ("", "")


def test_a_timeout_kills_in_time_and_with_helpers(pool: WorkerPool) -> None:
    run(pool, [task("double", 1)])  # the start of a worker is not on the task's clock
    started = time.monotonic()
    [(_, outcome)] = run(pool, [task("hang_in_a_helper", timeout=0.5)])
    assert outcome.issue is not None
    assert outcome.issue.code == "timeout"
    assert 0.5 <= time.monotonic() - started < 1.5


def test_workers_are_kept_and_recycled(pool: WorkerPool) -> None:
    kept = {o.value for _, o in [run(pool, [task("process_id")])[0] for _ in range(4)]}
    assert len(kept) == 1
    recycled = [run(pool, [task("process_id", kind="short")])[0][1].value for _ in range(4)]
    assert len(set(recycled)) == 2


def test_tasks_of_a_topic_go_to_the_worker_that_had_it(pool: WorkerPool) -> None:
    def on(topic: str) -> Task:
        return Task("work", "tests.calls:process_id", (), 20.0, topic)

    first = {t.topic: o.value for t, o in run(pool, [on("a"), on("b")])}
    assert len(set(first.values())) == 2
    assert run(pool, [on("b")])[0][1].value == first["b"]
    assert run(pool, [on("a")])[0][1].value == first["a"]


def test_peak_memory_is_that_of_the_task(pool: WorkerPool) -> None:
    outcomes = [run(pool, [task("eat", size)])[0][1] for size in (200, 1)]
    assert outcomes[0].peak_mb >= 200
    assert outcomes[1].peak_mb < 200


def test_a_kind_that_cannot_start_fails_its_tasks_only(pool: WorkerPool) -> None:
    ended = run(pool, [task("double", n, kind=k) for n in (1, 2) for k in ("broken", "work")])
    assert sorted(o.value for t, o in ended if t.kind == "work") == [2, 4]
    messages = [o.issue.message for t, o in ended if t.kind == "broken" and o.issue]
    assert messages == ["ValueError: cannot be built"] * 2
    with pytest.raises(ConfigError, match="cannot be built"):
        run(pool, [task("double", 1, kind="needed")])


def test_a_worker_that_died_idle_costs_no_task(pool: WorkerPool) -> None:
    pid = run(pool, [task("process_id")])[0][1].value
    os.kill(pid, 9)
    time.sleep(0.1)
    [(_, outcome)] = run(pool, [task("process_id")])
    assert outcome.issue is None
    assert outcome.value != pid


def test_messages_are_the_same_in_every_run(pool: WorkerPool) -> None:
    [(_, timeout)] = run(pool, [task("hang", timeout=0.31)])
    [(_, failure)] = run(pool, [task("fail_with_address")])
    assert timeout.issue
    assert failure.issue
    assert timeout.issue.message == "took longer than the time limit"
    assert failure.issue.message == "ValueError: <object object at 0x…>"


def test_a_failure_for_want_of_memory_is_called_so() -> None:
    causes = (MemoryError(), RuntimeError("code=2: malloc (9 bytes) failed"), ValueError("bad"))
    errors = [StageError("pdf", 1, "page cannot be read", code="damaged_page") for _ in causes]
    for error, cause in zip(errors, causes, strict=True):
        error.__cause__ = cause
    issues = [describe(error, "parse") for error in (*errors, MemoryError(), ValueError())]
    assert [(issue.stage, issue.code) for issue in issues] == [
        ("pdf", "memory"),
        ("pdf", "memory"),
        ("pdf", "damaged_page"),
        ("parse", "memory"),
        ("parse", "internal"),
    ]


def test_workers_use_one_thread(pool: WorkerPool) -> None:
    assert run(pool, [task("threads")])[0][1].value == "1"


def test_closing_kills_what_runs(pool: WorkerPool) -> None:
    pid = run(pool, [task("process_id")])[0][1].value
    pool.start(task("hang"))
    pool.close()
    with pytest.raises(ProcessLookupError):
        os.kill(pid, 0)
