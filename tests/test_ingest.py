"""Folders into a library: every input accounted for, whatever happens."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import msgspec
import pytest
from PIL import Image

from docpipe import codec
from docpipe.config import StageConfig, from_mapping
from docpipe.content import page_text
from docpipe.errors import ConfigError, InputError
from docpipe.ingest import IngestReport, ReportLine
from docpipe.ingest import ingest as run_ingest
from docpipe.library import Library
from docpipe.library.store import Store
from docpipe.pipeline import parse
from tests.libraries import contents, ingest, settings
from tests.pdfs import write_pdf


def statuses(report: IngestReport) -> dict[str, tuple[str, str | None]]:
    return {line.path: (line.status, line.reason) for line in report.lines}


def texts(root: Path, name: str) -> list[str]:
    return [page_text(page) for page in Library.open(root).document(name).pages]


@pytest.fixture(scope="module")
def hostile_folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("hostile")
    write_pdf(folder / "a good.pdf", ["one", "two"])
    write_pdf(folder / "crash.pdf", ["before", "EXIT", "SEGFAULT", "after"])
    write_pdf(folder / "eat.pdf", ["before", "EAT", "KILLED", "after"])
    write_pdf(folder / "fail.pdf", ["FAIL"])
    write_pdf(folder / "hang.pdf", ["before", "HANG", "after"])
    write_pdf(folder / "locked.pdf", ["secret"], password="sesame")
    write_pdf(folder / "scan.pdf", ["SCAN one", "SCANFAIL two", "SCANHANG three", "four"])
    write_pdf(folder / "sub" / "b good.pdf", ["three"])
    (folder / "empty.pdf").touch()
    (folder / "sub" / "copy.pdf").write_bytes((folder / "a good.pdf").read_bytes())
    (folder / "text.pdf").write_text("I am no PDF")
    (folder / "letter.docx").write_bytes(b"PK")
    (folder / "notes.txt").write_text("not a document for us")
    (folder / ".hidden.pdf").write_text("left out")
    return folder


@pytest.fixture(scope="module")
def hostile_run(
    hostile_folder: Path, tmp_path_factory: pytest.TempPathFactory
) -> tuple[Path, IngestReport]:
    root = tmp_path_factory.mktemp("library")
    return root, ingest(hostile_folder, root, config=settings(page_timeout=1.5), jobs=2)


def test_every_input_has_one_line(hostile_run: tuple[Path, IngestReport]) -> None:
    root, report = hostile_run
    assert statuses(report) == {
        "a good.pdf": ("ok", None),
        "crash.pdf": ("partial", "internal"),
        "eat.pdf": ("partial", "memory"),
        "empty.pdf": ("failed", "empty_file"),
        "fail.pdf": ("failed", "internal"),
        "hang.pdf": ("partial", "timeout"),
        "letter.docx": ("skipped", "not_a_pdf"),
        "locked.pdf": ("failed", "needs_password"),
        "scan.pdf": ("partial", "internal"),
        "sub/b good.pdf": ("ok", None),
        "sub/copy.pdf": ("duplicate", None),
        "text.pdf": ("failed", "not_a_pdf"),
    }
    assert [line.path for line in report.lines] == sorted(statuses(report))
    lines = (root / "report.jsonl").read_bytes().splitlines()
    assert tuple(codec.decode(line, ReportLine) for line in lines) == report.lines
    assert not report.all_good
    assert report.made == 10


def test_the_other_pages_go_on(hostile_run: tuple[Path, IngestReport]) -> None:
    root, _ = hostile_run
    assert texts(root, "hang.pdf") == ["before", "", "after"]
    assert texts(root, "eat.pdf") == ["before", "", "", "after"]
    assert texts(root, "crash.pdf") == ["before", "", "", "after"]
    hang = Library.open(root).document("hang.pdf")
    assert hang.pages[1].quality.verdict == "unreadable"
    assert hang.pages[1].quality.reasons == ("timeout",)
    assert [(issue.code, issue.page) for issue in hang.issues] == [("timeout", 2)]


def test_failed_ocr_keeps_the_text_layer(hostile_run: tuple[Path, IngestReport]) -> None:
    root, report = hostile_run
    assert texts(root, "scan.pdf") == ["SCAN one", "SCANFAIL two", "SCANHANG three", "four"]
    scan = Library.open(root).document("scan.pdf")
    assert [(i.stage, i.code, i.page) for i in scan.issues] == [
        ("ocr", "internal", 2),
        ("ocr", "timeout", 3),
    ]
    [line] = [line for line in report.lines if line.path == "scan.pdf"]
    assert line.routes == {"none": 2, "ocr": 1, "text_layer": 1}


def test_the_log_stays_when_it_explains_a_failure(hostile_run: tuple[Path, IngestReport]) -> None:
    root, _ = hostile_run
    assert "ZeroDivisionError" in (root / "work" / "workers.log").read_text()
    assert [path.name for path in (root / "work").iterdir()] == ["workers.log"]


def test_nothing_is_read_twice(
    hostile_folder: Path, hostile_run: tuple[Path, IngestReport]
) -> None:
    root, first = hostile_run
    before = contents(root)
    again = ingest(hostile_folder, root, config=settings(page_timeout=1.5))
    assert (again.made, again.unchanged) == (0, 10)
    assert statuses(again) == statuses(first)
    assert contents(root) == before


def test_a_document_has_a_time_limit(tmp_path: Path) -> None:
    write_pdf(tmp_path / "in" / "slow.pdf", ["SLOW"] * 20)
    write_pdf(tmp_path / "in" / "z.pdf", ["quick"])
    report = ingest(tmp_path / "in", tmp_path / "lib", config=settings(document_timeout=1.0))
    assert statuses(report) == {"slow.pdf": ("partial", "timeout"), "z.pdf": ("ok", None)}
    document = Library.open(tmp_path / "lib").document("slow.pdf")
    assert len(document.pages) == 20
    read = [page.number for page in document.pages if page.quality.verdict == "ok"]
    assert 1 <= len(read) <= 4
    assert read == list(range(1, len(read) + 1))


def test_without_ocr_engine_the_report_says_so(tmp_path: Path) -> None:
    write_pdf(tmp_path / "in" / "a.pdf", ["SCAN one", "two"])
    options = {"parser": {"name": "tests.hostile:HostileParser"}}
    broken = from_mapping(options | {"ocr": {"name": "tests.hostile:HostileOcr", "broken": True}})
    report = ingest(tmp_path / "in", tmp_path / "lib", config=broken)
    assert statuses(report) == {"a.pdf": ("partial", "internal")}
    assert "no engine" in str(report.lines[0].message)
    assert texts(tmp_path / "lib", "a.pdf") == ["SCAN one", "two"]


def test_a_parser_that_cannot_be_built_is_a_clear_error(tmp_path: Path) -> None:
    write_pdf(tmp_path / "in" / "a.pdf", ["one"])
    broken = from_mapping({"parser": {"name": "tests.hostile:HostileParser", "broken": True}})
    with pytest.raises(ConfigError, match="this parser cannot be built"):
        ingest(tmp_path / "in", tmp_path / "lib", config=broken)


def test_any_number_of_jobs_gives_the_same_bytes(tmp_path: Path) -> None:
    for name in "edcba":
        write_pdf(tmp_path / "in" / f"{name}.pdf", ["SLOW", f"page of {name}", "SCAN", "FAIL"])
    for jobs in (1, 3):
        ingest(tmp_path / "in", tmp_path / f"{jobs}", jobs=jobs)
    one, three = contents(tmp_path / "1"), contents(tmp_path / "3")
    log = "work/workers.log"
    assert one.pop(log)
    assert three.pop(log)
    assert one == three


def test_files_change_appear_and_vanish(tmp_path: Path) -> None:
    folder, root = tmp_path / "in", tmp_path / "lib"
    write_pdf(folder / "changes.pdf", ["old walrus"])
    write_pdf(folder / "goes.pdf", ["here"])
    write_pdf(folder / "stays.pdf", ["always"])
    ingest(folder, root)
    write_pdf(folder / "changes.pdf", ["new penguin"])
    write_pdf(folder / "comes.pdf", ["there"])
    (folder / "goes.pdf").unlink()
    report = ingest(folder, root)
    assert (report.made, report.unchanged, report.removed) == (2, 1, 1)
    library = Library.open(root)
    names = [library.document(id).name for id in library.documents()]
    assert names == ["changes.pdf", "comes.pdf", "goes.pdf", "stays.pdf"]
    assert not any("walrus" in hit.chunk.text for hit in library.search("walrus"))
    assert library.search("penguin")[0].chunk.text == "new penguin"
    assert len(list((root / "documents").iterdir())) == 4
    pruned = ingest(folder, root, prune=True)
    assert pruned.removed == 1
    names = [entry.name for entry in Library.open(root).status()]
    assert names == ["changes.pdf", "comes.pdf", "stays.pdf"]
    fresh = tmp_path / "fresh"
    ingest(folder, fresh)
    assert contents(fresh) == contents(root)


def test_other_settings_read_again_and_limits_only_what_failed(tmp_path: Path) -> None:
    folder, root = tmp_path / "in", tmp_path / "lib"
    write_pdf(folder / "good.pdf", ["one"])
    write_pdf(folder / "slow.pdf", ["NAP", "two"])
    first = ingest(folder, root, config=settings(page_timeout=1))
    assert statuses(first)["slow.pdf"] == ("partial", "timeout")
    second = ingest(folder, root, config=settings(page_timeout=20))
    assert (second.made, second.unchanged) == (1, 1)
    assert second.all_good
    named = from_mapping({"parser": {"name": "tests.hostile:HostileParser", "name_": 1}})
    with pytest.raises(ConfigError, match="name_"):
        ingest(folder, root, config=named)


def test_another_embedder_makes_the_index_anew(tmp_path: Path) -> None:
    folder, root = tmp_path / "in", tmp_path / "lib"
    write_pdf(folder / "a.pdf", ["a walrus"])
    ingest(folder, root)
    dense = msgspec.structs.replace(
        settings(), dense=True, embedder=StageConfig("docpipe.testing:FakeEmbedder")
    )
    assert ingest(folder, root, config=dense).unchanged == 1
    [hit] = Library.open(root, config=dense).search("walrus")
    assert hit.retriever == "hybrid"
    by_rank = msgspec.structs.replace(dense, fusion="rrf")
    [hit] = Library.open(root, config=by_rank).search("walrus")
    assert hit.score == pytest.approx(2 / 61)
    ingest(folder, root)
    [hit] = Library.open(root).search("walrus")
    assert hit.retriever == "lexical"


def test_locked_files_are_tried_again_when_a_password_is_given(tmp_path: Path) -> None:
    folder, root = tmp_path / "in", tmp_path / "lib"
    write_pdf(folder / "a.pdf", ["secret one", "secret two"], password="sesame")
    assert statuses(ingest(folder, root)) == {"a.pdf": ("failed", "needs_password")}
    assert statuses(ingest(folder, root, passwords=["x"])) == {
        "a.pdf": ("failed", "wrong_password")
    }
    assert ingest(folder, root, passwords=["x", "sesame"]).all_good
    assert texts(root, "a.pdf") == ["secret one", "secret two"]
    assert all(b"sesame" not in data for data in contents(root).values())


def test_pages_can_be_chosen(tmp_path: Path) -> None:
    write_pdf(tmp_path / "in" / "a.pdf", ["one", "two", "three"])
    store = Library.create(tmp_path / "lib")._store
    run_ingest(tmp_path / "in", store, config=settings(), jobs=1, pages="1,3")
    assert texts(tmp_path / "lib", "a.pdf") == ["one", "three"]
    for pages in ("9", "one"):
        report = run_ingest(tmp_path / "in", store, config=settings(), resume=False, pages=pages)
        assert statuses(report) == {"a.pdf": ("failed", "pages")}


def test_two_ingests_do_not_mix(tmp_path: Path) -> None:
    write_pdf(tmp_path / "in" / "a.pdf", ["one"])
    library = Library.create(tmp_path / "lib", config=settings())
    with library._store.locked(), pytest.raises(ConfigError) as caught:
        library.ingest(tmp_path / "in")
    assert caught.value.code == "locked"


def test_originals_are_copied_and_kept(tmp_path: Path) -> None:
    folder, root = tmp_path / "in", tmp_path / "lib"
    path = write_pdf(folder / "a.PDF", ["one"])
    ingest(folder, root)
    assert not (root / "originals").exists()
    ingest(folder, root, copy=True)
    ingest(folder, root, resume=False)
    [copy] = (root / "originals").iterdir()
    assert copy.read_bytes() == path.read_bytes()
    path.unlink()
    assert Library.open(root).page_image("a.PDF", 1).size == (600, 400)
    ingest(folder, root, prune=True)
    assert not (root / "originals").exists()


def test_what_is_read_in_a_folder(tmp_path: Path) -> None:
    folder = tmp_path / "in"
    path = write_pdf(folder / "with extension.pdf", ["1"])
    write_pdf(folder / "without extension", ["2"])
    write_pdf(tmp_path / "outside.pdf", ["3"])
    (folder / "link out.pdf").symlink_to(tmp_path / "outside.pdf")
    (folder / "link in.pdf").symlink_to(path)
    (folder / "nowhere.pdf").symlink_to(folder / "nothing.pdf")
    (folder / "loop").symlink_to(folder)
    os.mkfifo(folder / "pipe.pdf")
    root = folder / "library"  # inside the folder: must not be read itself
    report = ingest(folder, root, copy=True)
    assert statuses(report) == {
        "link in.pdf": ("ok", None),
        "link out.pdf": ("skipped", "symlink"),
        "nowhere.pdf": ("failed", "source_missing"),
        "pipe.pdf": ("failed", "source_missing"),
        "with extension.pdf": ("duplicate", None),
        "without extension": ("ok", None),
    }
    assert statuses(ingest(folder, root)) == statuses(report)
    named = ingest(folder / "link out.pdf", tmp_path / "other")
    assert statuses(named) == {"link out.pdf": ("ok", None)}
    with pytest.raises(InputError, match="does not exist"):
        ingest(tmp_path / "nothing", root)


def test_a_file_whose_only_page_is_damaged_is_beyond_recovery(tmp_path: Path) -> None:
    path = tmp_path / "in" / "cut.png"
    path.parent.mkdir()
    Image.effect_noise((200, 200), 90).save(path)
    path.write_bytes(path.read_bytes()[:5000])
    report = ingest(tmp_path / "in", tmp_path / "lib")
    assert statuses(report) == {"cut.png": ("failed", "damaged_unrecoverable")}


def test_file_names_that_are_not_text(tmp_path: Path) -> None:
    write_pdf(tmp_path / "in" / "plain.pdf", ["one"])
    os.rename(tmp_path / "in" / "plain.pdf", os.fsencode(tmp_path / "in") + b"/b\xe4d.pdf")
    report = ingest(tmp_path / "in", tmp_path / "lib")
    assert statuses(report) == {"b\\xe4d.pdf": ("ok", None)}
    assert ingest(tmp_path / "in", tmp_path / "lib").unchanged == 1
    assert Library.open(tmp_path / "lib").page_image("b\\xe4d.pdf", 1, dpi=72).size == (300, 200)


@pytest.fixture
def closed(monkeypatch: pytest.MonkeyPatch) -> set[str]:
    """Names of files and folders that may not be read, also not by a superuser."""
    names: set[str] = set()
    scan, opening = os.scandir, Path.open

    def refuse(path: Any) -> None:
        if not isinstance(path, int) and os.path.basename(path) in names:
            raise PermissionError(13, "Permission denied", str(path))

    def scandir(path: Any) -> Any:
        refuse(path)
        return scan(path)

    def open_(path: Path, *arguments: Any, **options: Any) -> Any:
        refuse(path)
        return opening(path, *arguments, **options)

    monkeypatch.setattr(os, "scandir", scandir)
    monkeypatch.setattr(Path, "open", open_)
    return names


def test_what_cannot_be_read_is_named_and_never_pruned(tmp_path: Path, closed: set[str]) -> None:
    folder, root = tmp_path / "in", tmp_path / "lib"
    for name in ("a.pdf", "private/b.pdf", "c.pdf", "gone.pdf"):
        write_pdf(folder / name, [name])
    ingest(folder, root)
    closed |= {"private", "a.pdf"}
    (folder / "gone.pdf").unlink()
    report = ingest(folder, root, prune=True)
    assert not report.all_good
    assert statuses(report) == {
        "a.pdf": ("failed", "source_missing"),
        "c.pdf": ("ok", None),
        "private": ("failed", "source_missing"),
    }
    messages = [line.message for line in report.lines]
    assert messages == [
        "a.pdf cannot be read: permission denied",
        None,
        "the folder cannot be read: permission denied",
    ]
    names = [entry.name for entry in Library.open(root).status()]
    assert names == ["a.pdf", "c.pdf", "b.pdf"]
    with pytest.raises(InputError, match=r"a\.pdf cannot be read: permission denied") as caught:
        parse(folder / "a.pdf")
    assert caught.value.code == "source_missing"


def test_ingesting_again_heals_a_damaged_library(tmp_path: Path) -> None:
    folder, root = tmp_path / "in", tmp_path / "lib"
    write_pdf(folder / "a.pdf", ["a walrus"])
    write_pdf(folder / "b.pdf", ["a penguin"])
    ingest(folder, root)
    good = contents(root)

    def cut(path: Path) -> None:
        path.write_bytes(path.read_bytes()[:-9])

    [document, _] = (root / "documents").iterdir()
    [segment, _] = (root / "index" / "segments").iterdir()
    [units] = (root / "index").glob("merged-*/terms.units")
    for path, damage in (
        (document, cut),
        (document, Path.unlink),
        (document, lambda path: path.write_text("{}")),
        (segment, Path.unlink),
        (segment, cut),
        (root / "index" / "manifest.json", cut),
        (units, cut),
        (units, Path.unlink),
    ):
        damage(path)
        report = ingest(folder, root)
        assert report.made == (path == document)
        assert contents(root) == good


def test_wrong_options_of_ocr_are_told_before_anything_is_read(tmp_path: Path) -> None:
    write_pdf(tmp_path / "in" / "a.pdf", ["a page that needs no OCR"])
    parser = {"parser": {"name": "tests.hostile:HostileParser"}}
    for ocr in ({"name": "nope"}, {"name": "tests.hostile:HostileOcr", "engine": "nope"}):
        with pytest.raises(ConfigError, match=r"unknown parser 'nope'|has no option") as caught:
            ingest(tmp_path / "in", tmp_path / "lib", config=from_mapping(parser | {"ocr": ocr}))
        assert caught.value.hint.startswith(("known: ", "options: "))
    assert [path.name for path in (tmp_path / "lib" / "work").iterdir()] == ["workers.log"]


def test_folders_can_be_left_out(tmp_path: Path) -> None:
    write_pdf(tmp_path / "a.pdf", ["one"])
    write_pdf(tmp_path / "out" / "made.pdf", ["two"])
    (tmp_path / "other").symlink_to(tmp_path / "out")
    store = Library.create(tmp_path / "lib")._store
    report = run_ingest(
        tmp_path, store, config=settings(), jobs=1, leave_out=[tmp_path / "other"], index=False
    )
    assert list(statuses(report)) == ["a.pdf"]


def test_missing_targets_are_found_before_anything_is_written(tmp_path: Path) -> None:
    store = Store(tmp_path / "lib")
    with pytest.raises(InputError, match="nothing does not exist"):
        run_ingest(tmp_path / "nothing", store, config=settings())
    assert not list(tmp_path.iterdir())


def test_a_full_disk_is_an_error_with_a_way_out(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write_pdf(tmp_path / "in" / "a.pdf", ["one"])

    def full(*_: Any) -> None:
        raise OSError(28, "No space left on device")

    library = Library.create(tmp_path / "lib", config=settings())
    for name in ("docpipe.ingest.journal.append", "docpipe.library.store._write"):
        with monkeypatch.context() as patch:
            patch.setattr(name, full)
            with pytest.raises(ConfigError, match="no space left") as caught:
                library.ingest(tmp_path / "in", jobs=1)
        assert caught.value.code == "cannot_write"
        assert caught.value.hint
    assert library.ingest(tmp_path / "in", jobs=1).all_good
