"""ingest, status, search and ask as a person uses them."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from docpipe import codec
from docpipe.records import Trajectory

Docpipe = Callable[..., Any]


def test_ingest_accounts_for_every_file_and_exits_with_1(
    docpipe: Docpipe, folder: Path, tmp_path: Path
) -> None:
    library = tmp_path / "lib"
    run = docpipe("ingest", folder, "--library", library, "--jobs", "2", "--json")
    assert run.code == 1
    lines = {line["path"]: line for line in json.loads(run.out)["lines"]}
    assert {path: (line["status"], line["reason"]) for path, line in lines.items()} == {
        "broken.pdf": ("failed", lines["broken.pdf"]["reason"]),
        "mill.pdf": ("ok", None),
        "secret.pdf": ("failed", "needs_password"),
        "sub/river.pdf": ("ok", None),
    }
    assert lines["broken.pdf"]["reason"] in ("no_pages", "damaged_unrecoverable")
    assert len((library / "report.jsonl").read_text().splitlines()) == 4

    again = docpipe("ingest", folder, "--library", library, "--password", "open")
    assert again.code == 1
    assert "4 files" in again.out
    assert "secret.pdf" in again.out
    assert "Traceback" not in again.err
    status = json.loads(docpipe("status", "--library", library, "--json").out)
    assert {entry["name"] for entry in status if entry["status"] == "ok"} == {
        "mill.pdf",
        "river.pdf",
        "secret.pdf",
    }


def test_ask_cites_page_box_and_quote(docpipe: Docpipe, library: Path, tmp_path: Path) -> None:
    question = "How many people did the Aldern mill employ in 1921?"
    run = docpipe("ask", question, "--library", library, "--pictures", tmp_path / "pictures")
    assert run.code == 0
    assert "37" in run.out.splitlines()[0]
    assert "mill.pdf, page 2, box [" in run.out
    assert "employed 37 people" in run.out
    assert len(list((tmp_path / "pictures").glob("*-p2.png"))) == 1

    answer = json.loads(docpipe("ask", question, "--library", library, "--json").out)
    assert answer["answerable"] is True
    assert answer["value"] in (37, "37")
    assert answer["evidence"][0]["page"] == 2
    assert answer["evidence"][0]["name"] == "mill.pdf"
    trajectory = json.loads(docpipe("ask", question, "-L", library, "--json", "--trace").out)
    actions = [step["action"]["action"] for step in trajectory["steps"]]
    assert (actions[0], actions[-1]) == ("search", "finish")
    assert "read" in actions


def test_ask_shows_what_it_did_and_keeps_it_as_lines(
    docpipe: Docpipe, library: Path, tmp_path: Path
) -> None:
    question = "How many people did the Aldern mill employ in 1921?"
    kept = tmp_path / "trace.jsonl"
    for _ in range(2):
        run = docpipe("ask", question, "-L", library, "--trace", "--trace-file", kept)
    assert f"1. search   “{question}”" in run.err
    assert "read     mill.pdf, page 2" in run.err
    assert "finish   " in run.err
    assert "37" in run.out.splitlines()[0]
    lines = kept.read_bytes().splitlines()
    assert len(lines) == 2
    assert codec.decode(lines[0], Trajectory).question == question
    assert docpipe("ask", question, "-L", library, "--trace-file", tmp_path).code == 2


def test_ask_within_one_document_and_refusal(docpipe: Docpipe, library: Path) -> None:
    question = "How many people did the Aldern mill employ in 1921?"
    run = docpipe("ask", question, "-L", library, "-d", "river.pdf", "--json")
    answer = json.loads(run.out)
    assert run.code == 0
    assert answer["answerable"] is False
    assert answer["value"] is None


def test_search_shows_places(docpipe: Docpipe, library: Path) -> None:
    run = docpipe("search", "river length km", "--library", library)
    assert run.code == 0
    assert run.out.startswith("[1] river.pdf, page 1")
    (place,) = json.loads(docpipe("search", "mill", "-L", library, "-k", "1", "--json").out)
    assert place["name"] == "mill.pdf"
    assert place["page"] == 1
    assert place["regions"][0][0] == 1
    assert "nothing found" in docpipe("search", "zeppelin", "-L", library).out


@pytest.mark.parametrize("command", ["status", "search", "ask"])
def test_no_library_is_said_in_one_line(docpipe: Docpipe, tmp_path: Path, command: str) -> None:
    arguments = [] if command == "status" else ["x"]
    run = docpipe(command, *arguments, "--library", tmp_path / "absent")
    assert run.code == 2
    assert "no library" in run.err
    assert "docpipe ingest" in run.err
    assert "Traceback" not in run.err
    assert run.out == ""


def test_unknown_document_and_setting(docpipe: Docpipe, library: Path) -> None:
    run = docpipe("ask", "x", "-L", library, "-d", "other.pdf")
    assert run.code == 2
    assert "other.pdf" in run.err
    run = docpipe("ask", "x", "-L", library, "--set", "reader.colour=red")
    assert run.code == 2
    assert "colour" in run.err


def test_language_models_need_a_configuration(docpipe: Docpipe, library: Path) -> None:
    run = docpipe("ask", "x", "-L", library, "--set", "reader.name=language_model")
    assert (run.code, "language_model" in run.err) == (2, True)
    run = docpipe(
        *("ask", "x", "-L", library, "--set", "reader.name=language_model"),
        *("--set", "language_model.name=openai"),
    )
    assert (run.code, "needs 'model'" in run.err) == (2, True)


def test_impossible_limits_and_blank_questions(
    docpipe: Docpipe, folder: Path, library: Path, tmp_path: Path
) -> None:
    for setting in ("limits.page_timeout=nan", "limits.parse_memory=0", "limits.max_pages=-1"):
        run = docpipe("ingest", folder, "-L", tmp_path / "lib", "--set", setting)
        assert (run.code, setting.split(".")[1].split("=")[0] in run.err) == (2, True)
    assert docpipe("ask", " ", "-L", library).code == 2
    run = docpipe("ingest", tmp_path / "absent", "-L", tmp_path / "lib")
    assert run.code == 1
    assert not (tmp_path / "lib").exists()


def test_file_names_cannot_command_the_terminal(docpipe: Docpipe, tmp_path: Path) -> None:
    from tests.cli.conftest import write_pdf

    write_pdf(tmp_path / "in" / "\x1b[31mred\x07.pdf", [["A red mill."]])
    run = docpipe("ingest", tmp_path / "in", "-L", tmp_path / "lib")
    run.out += docpipe("search", "mill", "-L", tmp_path / "lib").out
    assert "\\x1b[31mred\\x07.pdf" in run.out
    assert "\x1b" not in run.out
