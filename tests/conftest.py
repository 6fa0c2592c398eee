"""Shared fixtures, and the count of tests that need the development data."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

DATA = os.environ.get("DOCPIPE_DATA", "")


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    if DATA and Path(DATA).is_dir():
        return
    skip = pytest.mark.skip(reason="DOCPIPE_DATA does not name the development data (docs/data.md)")
    for item in items:
        if item.get_closest_marker("data"):
            item.add_marker(skip)


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    ran = sum("data" in report.keywords for report in terminalreporter.stats.get("passed", []))
    failed = sum("data" in report.keywords for report in terminalreporter.stats.get("failed", []))
    skipped = sum("data" in report.keywords for report in terminalreporter.stats.get("skipped", []))
    terminalreporter.write_line(f"tests on development data: {ran + failed} ran, {skipped} skipped")


@pytest.fixture(autouse=True)
def _same_data(monkeypatch: pytest.MonkeyPatch) -> None:
    """Benches name their data in the environment, for trainings; the next test has its own."""
    monkeypatch.setenv("DOCPIPE_DATA", DATA)


@pytest.fixture(scope="session")
def data() -> Path:
    """The folder of development data; tests that use it are marked `data`."""
    return Path(DATA)


@pytest.fixture(autouse=True)
def offline(monkeypatch: pytest.MonkeyPatch) -> None:
    """No test may reach a model hub."""
    monkeypatch.setenv("HF_HUB_OFFLINE", "1")
