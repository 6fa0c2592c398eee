"""An opened library: documents, search, answers, page images."""

from __future__ import annotations

import os
import shutil
from pathlib import Path
from typing import Any

import pytest

from docpipe import codec
from docpipe.config import from_mapping
from docpipe.errors import ConfigError, InputError, SchemaError
from docpipe.library import Library
from docpipe.library.store import Entry, Manifest, Store, path_from, path_text
from docpipe.records import Finish
from docpipe.testing import FakeAgent
from tests.pdfs import write_pdf

CONFIG = from_mapping({"parser": {"name": "docpipe.testing:FakeParser"}, "ocr_mode": "off"})


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("library")
    write_pdf(folder / "in" / "mill.pdf", ["The old mill was built in 1871.", "Its owner is Ada."])
    write_pdf(folder / "in" / "more" / "tax.pdf", ["The tax return is due in May."])
    write_pdf(folder / "in" / "more" / "twin.pdf", ["A twin of another file."])
    write_pdf(folder / "in" / "twin.pdf", ["Another twin altogether."])
    (folder / "in" / "empty.pdf").touch()
    Library.create(folder / "lib", config=CONFIG).ingest(folder / "in", jobs=1)
    return folder


@pytest.fixture
def library(made: Path, tmp_path: Path) -> Library:
    """A copy of the library that may be changed."""
    shutil.copytree(made / "lib", tmp_path / "lib")
    return Library.open(tmp_path / "lib", config=CONFIG)


def test_documents_come_by_path(library: Library) -> None:
    names = [library.document(id).name for id in library.documents()]
    assert names == ["mill.pdf", "tax.pdf", "twin.pdf", "twin.pdf"]
    assert [entry.status for entry in library.status()] == ["failed", "ok", "ok", "ok", "ok"]


def test_documents_are_found_by_id_name_and_path(library: Library) -> None:
    id = library.find("mill.pdf")
    assert library.document(id) == library.document("mill.pdf")
    assert library.document("more/twin.pdf") != library.document("in/twin.pdf")
    for name in ("twin.pdf", "nothing.pdf", "empty.pdf", ""):
        with pytest.raises(ConfigError) as caught:
            library.document(name)
        assert caught.value.code == "unknown_document"


def test_search_finds_within_documents(library: Library) -> None:
    [hit, *_] = library.search("old mill")
    assert hit.chunk.document == library.find("mill.pdf")
    assert library.chunk(hit.chunk.id) == hit.chunk
    within = library.search("mill tax", documents=["tax.pdf"])
    assert {hit.chunk.document for hit in within} == {library.find("tax.pdf")}


def test_ask_cites_what_is_there(library: Library) -> None:
    answer = library.ask("Who is the owner?")
    assert answer.answerable
    assert "Ada" in answer.text
    assert answer.evidence[0].document == library.find("mill.pdf")
    assert answer.evidence[0].page == 2
    elsewhere = library.ask("Who is the owner?", documents=["tax.pdf"])
    assert all(item.document == library.find("tax.pdf") for item in elsewhere.evidence)


def test_another_agent_can_run(library: Library) -> None:
    trajectory = library.run("old mill", agent=FakeAgent())
    assert isinstance(trajectory.steps[-1].action, Finish)
    assert "old mill" in trajectory.answer.text


def test_page_images_need_the_original(made: Path, library: Library) -> None:
    assert library.page_image("mill.pdf", 2, dpi=72).size == (300, 200)
    with pytest.raises(ConfigError, match="no page 3"):
        library.page_image("mill.pdf", 3)
    path = made / "in" / "mill.pdf"
    kept = path.read_bytes()
    for change in (lambda: path.write_bytes(b"%PDF-other"), path.unlink):
        change()
        with pytest.raises(InputError) as caught:
            library.page_image("mill.pdf", 1)
        assert caught.value.code == "source_missing"
    path.write_bytes(kept)
    assert library.ask("Who is the owner?").answerable


def test_remove_drops_a_document_from_everything(library: Library) -> None:
    id = library.find("mill.pdf")
    library.remove("mill.pdf")
    assert id not in list(library.documents())
    assert id not in {hit.chunk.document for hit in library.search("old mill built")}
    assert not (library.root / "documents" / f"{id}.json").exists()
    assert len(list(Library.open(library.root).documents())) == 3


def test_a_file_that_could_not_be_read_is_removed_by_id(library: Library) -> None:
    failed = next(entry for entry in library.status() if entry.status == "failed")
    library.remove(failed.id)
    assert failed.id not in {entry.id for entry in Library.open(library.root).status()}
    assert len(list(library.documents())) == 4


def test_what_another_process_wrote_is_seen_after_a_refresh(library: Library) -> None:
    other = Library.open(library.root)
    library.remove("mill.pdf")
    assert len(list(other.documents())) == 4
    other.refresh()
    assert len(list(other.documents())) == 3


def test_create_takes_an_empty_folder_only(tmp_path: Path, library: Library) -> None:
    assert len(list(Library.create(library.root).documents())) == 4
    assert list(Library.create(tmp_path / "new" / "one").documents()) == []
    (tmp_path / "full").mkdir()
    (tmp_path / "full" / "thesis.doc").touch()
    with pytest.raises(ConfigError, match="not empty"):
        Library.create(tmp_path / "full")
    with pytest.raises(ConfigError) as caught:
        Library.open(tmp_path / "nowhere")
    assert caught.value.code == "no_library"


def test_newer_and_damaged_files_are_refused_with_a_hint(library: Library) -> None:
    manifest = library.root / "library.json"
    good = manifest.read_bytes()
    newer = codec.encode(codec.decode(good, dict) | {"schema": 99, "colour": "red"})
    for data, code in ((newer, "newer_schema"), (good[:-20], "schema"), (b"", "schema")):
        manifest.write_bytes(data)
        with pytest.raises(SchemaError) as caught:
            Library.open(library.root)
        assert caught.value.code == code
        assert str(manifest) in caught.value.message
        assert "_Versioned" not in caught.value.message
        assert caught.value.hint
    manifest.write_bytes(good)
    path = library.root / "documents" / f"{library.find('mill.pdf')}.json"
    for damage in (lambda: path.write_bytes(path.read_bytes()[:50]), path.unlink):
        damage()
        with pytest.raises(SchemaError) as caught:
            library.document("mill.pdf")
        assert str(path) in caught.value.message
        assert caught.value.hint
    assert library.search("tax return", documents=["tax.pdf"])


def test_a_library_that_may_not_be_written_says_so(
    library: Library, monkeypatch: pytest.MonkeyPatch
) -> None:
    opening = Path.open

    def refuse(path: Path, mode: str = "r", *arguments: Any, **options: Any) -> Any:
        if mode != "r" and path.is_relative_to(library.root):
            raise OSError(30, "Read-only file system", str(path))
        return opening(path, mode, *arguments, **options)

    monkeypatch.setattr(Path, "open", refuse)
    with pytest.raises(ConfigError, match="read-only file system") as caught:
        library.remove("mill.pdf")
    assert caught.value.code == "read_only"
    assert caught.value.hint


def test_paths_are_kept_as_text(tmp_path: Path) -> None:
    for name in (b"plain.pdf", "größe 100%.pdf".encode(), b"b\xe4d%20.pdf", b"back\\xe4.pdf"):
        path = tmp_path / os.fsdecode(name)
        assert path_from(path_text(path)) == path
        path_text(path).encode("utf-8")


def test_opening_does_not_read_the_documents(tmp_path: Path) -> None:
    entry = Entry(id="", name="a.pdf", status="ok", routes={}, settings="")
    replace = [
        Entry(**{f: getattr(entry, f) for f in entry.__struct_fields__} | {"id": f"{n:016x}"})
        for n in range(1000)
    ]
    (tmp_path / "lib").mkdir()
    Store(tmp_path / "lib").write_manifest(Manifest(entries=tuple(replace)))
    assert len(list(Library.open(tmp_path / "lib").documents())) == 1000
