"""Opening files: what is refused and why, and what pages offer in docpipe's coordinates."""

from __future__ import annotations

import io
import random
import warnings
import zlib
from collections.abc import Callable
from pathlib import Path

import pymupdf
import pytest
from hypothesis import given
from hypothesis import strategies as st
from PIL import Image

from docpipe.errors import InputError, StageError
from docpipe.geometry import BBox
from docpipe.pdf import document_id, open_document
from docpipe.pdf.streams import MAX_CONTENT
from docpipe.pdf.text import clean
from docpipe.stages import PageView

Build = Callable[[pymupdf.Document], None]


@pytest.fixture
def pdf(tmp_path: Path) -> Callable[..., Path]:
    """Writes the PDF that a function builds."""

    def write(build: Build, name: str = "file.pdf", **save: object) -> Path:
        document = pymupdf.open()
        build(document)
        path = tmp_path / name
        document.save(path, **save)
        return path

    return write


def one_page(document: pymupdf.Document) -> None:
    page = document.new_page(width=600, height=800)
    page.insert_text((100, 100), "hello world", fontsize=12)


def code(path: Path, **options: object) -> str:
    with pytest.raises(InputError) as caught:
        open_document(path, **options).close()  # type: ignore[arg-type]
    assert caught.value.hint
    return caught.value.code


def png(width: int = 30, height: int = 20, **save: object) -> bytes:
    stream = io.BytesIO()
    Image.new("RGB", (width, height), "red").save(stream, "PNG", **save)
    return stream.getvalue()


def test_refusals_carry_the_right_code(tmp_path: Path, pdf: Callable[..., Path]) -> None:
    def file(name: str, data: bytes) -> Path:
        path = tmp_path / name
        path.write_bytes(data)
        return path

    jpeg = io.BytesIO()
    Image.new("RGB", (9, 9)).save(jpeg, "JPEG")
    assert code(file("empty.pdf", b"")) == "empty_file"
    assert code(file("text.pdf", b"only some text\n" * 200)) == "not_a_pdf"
    assert code(file("photo.pdf", jpeg.getvalue())) == "not_a_pdf"
    assert code(file("broken.png", png()[:30])) == "damaged_unrecoverable"
    assert code(file("cut.pdf", b"%PDF-1.7\n1 0 obj\n<< /Type /Cat")) == "damaged_unrecoverable"
    assert code(tmp_path / "absent.pdf") == "source_missing"
    path = pdf(lambda document: [one_page(document) for _ in range(3)])
    assert code(path, max_pages=2) == "too_large"
    assert code(path, max_bytes=100) == "too_large"


def test_a_pdf_without_pages(tmp_path: Path) -> None:
    path = tmp_path / "none.pdf"
    catalog = b"1 0 obj\n<</Type/Catalog/Pages 2 0 R>>\nendobj\n"
    pages = b"2 0 obj\n<</Type/Pages/Kids[]/Count 0>>\nendobj\n"
    body = b"%PDF-1.4\n" + catalog + pages
    table = b"xref\n0 3\n0000000000 65535 f \n%010d 00000 n \n%010d 00000 n \n" % (
        body.index(catalog),
        body.index(pages),
    )
    trailer = b"trailer\n<</Size 3/Root 1 0 R>>\nstartxref\n%d\n%%%%EOF\n" % len(body)
    path.write_bytes(body + table + trailer)
    assert code(path) == "no_pages"


def test_passwords(pdf: Callable[..., Path]) -> None:
    both = {
        "encryption": pymupdf.PDF_ENCRYPT_AES_256,
        "user_pw": "sesame",
        "owner_pw": "boss",
    }
    locked = pdf(one_page, **both)
    assert code(locked) == "needs_password"
    assert code(locked, password="open") == "wrong_password"
    with open_document(locked, "sesame") as document:
        assert [word.text for word in document.page(1).words()] == ["hello", "world"]
        assert document.metadata()["encrypted"] == "user"
    owned = pdf(one_page, "owned.pdf", encryption=pymupdf.PDF_ENCRYPT_AES_256, owner_pw="boss")
    with open_document(owned) as document:
        assert document.metadata()["encrypted"] == "owner"


def test_a_lost_header_is_no_obstacle(pdf: Callable[..., Path]) -> None:
    path = pdf(one_page)
    path.write_bytes(b"\n" * 500 + path.read_bytes())
    with open_document(path) as document:
        assert document.page(1).words()
    path.write_bytes(path.read_bytes().replace(b"%PDF-1.7", b"%XXX-1.7"))
    with open_document(path) as document:
        assert document.page(1).words()
        assert "repaired" in {issue.code for issue in document.issues()}


def dark_box(page: PageView) -> BBox:
    """Where the rendered page is not white, in points."""
    image = page.render(72).convert("L").point(lambda value: 255 * (value < 128))
    left, top, right, bottom = image.getbbox() or (0, 0, 0, 0)
    return BBox(left, top, right, bottom)


@pytest.mark.parametrize("rotation", [0, 90, 180, 270])
def test_boxes_are_where_the_displayed_page_shows_them(
    pdf: Callable[..., Path], rotation: int
) -> None:
    def build(document: pymupdf.Document) -> None:
        page = document.new_page(width=600, height=800)
        page.insert_text((150, 300), "Wordy", fontsize=30)
        page.set_cropbox(pymupdf.Rect(50, 100, 550, 700))
        page.set_rotation(rotation)

    with open_document(pdf(build)) as document:
        page = document.page(1)
        assert (page.width, page.height) == ((500, 600) if rotation % 180 == 0 else (600, 500))
        assert page.rotation == rotation
        (word,), (span,) = page.words(), page.spans()
        assert word.bbox.expand(1).contains(dark_box(page))
        assert span.bbox.expand(1).contains(dark_box(page))
        turned = {0: (1.0, 0.0), 90: (0.0, 1.0), 180: (-1.0, 0.0), 270: (0.0, -1.0)}
        assert span.direction == turned[rotation]


@pytest.mark.parametrize("rotation", [0, 90])
def test_drawings_images_links_widgets_and_notes(pdf: Callable[..., Path], rotation: int) -> None:
    def build(document: pymupdf.Document) -> None:
        page = document.new_page(width=600, height=800)
        page.insert_image(pymupdf.Rect(100, 200, 160, 240), stream=png())
        page.draw_line((100, 300), (400, 300), color=(1, 0, 0), width=2)
        page.draw_rect(pymupdf.Rect(100, 400, 300, 420), color=None, fill=(0, 0, 1))
        target = pymupdf.Rect(100, 500, 200, 520)
        origin = pymupdf.Point(0, 0)
        page.insert_link({"kind": pymupdf.LINK_URI, "uri": "https://example.org", "from": target})
        page.insert_link({"kind": pymupdf.LINK_GOTO, "page": 0, "from": target, "to": origin})
        page.add_highlight_annot(pymupdf.Rect(100, 600, 200, 620)).set_info(content="see this")
        field = pymupdf.Widget()
        field.field_name, field.field_value = "name", "Ada\x07 Lovelace"
        field.field_type = pymupdf.PDF_WIDGET_TYPE_TEXT
        field.rect = pymupdf.Rect(100, 700, 300, 720)
        page.add_widget(field)
        box = pymupdf.Widget()
        box.field_name, box.field_value = "agree", True
        box.field_type = pymupdf.PDF_WIDGET_TYPE_CHECKBOX
        box.rect = pymupdf.Rect(400, 700, 420, 720)
        page.add_widget(box)
        page.set_rotation(rotation)

    def shown(x0: float, y0: float, x1: float, y1: float) -> BBox:
        return BBox(x0, y0, x1, y1) if rotation == 0 else BBox.of(800 - y1, x0, 800 - y0, x1)

    with open_document(pdf(build)) as document:
        page = document.page(1)
        (image,) = page.images()
        assert image.bbox == shown(100, 200, 160, 240)
        assert image.pixels == (30, 20)
        line = next(drawing for drawing in page.drawings() if drawing.stroke == 0xFF0000)
        assert (line.kind, line.bbox, line.width) == ("line", shown(100, 300, 400, 300), 2)
        filled = next(drawing for drawing in page.drawings() if drawing.fill == 0x0000FF)
        assert (filled.kind, filled.bbox) == ("rect", shown(100, 400, 300, 420))
        assert {link.target for link in page.links()} == {"https://example.org", "#page=1"}
        assert page.links()[0].region.bbox == shown(100, 500, 200, 520)
        (note,) = page.annotations()
        assert (note.kind, note.text) == ("highlight", "see this")
        assert note.region.bbox.intersection(shown(100, 600, 200, 620)) > 1900
        name, agree = page.widgets()
        assert (name.kind, name.name, name.value) == ("text", "name", "Ada Lovelace")
        assert name.region is not None
        assert name.region.bbox == shown(100, 700, 300, 720)
        assert (agree.kind, agree.state) == ("checkbox", "on")


def test_styles_of_spans(pdf: Callable[..., Path]) -> None:
    def build(document: pymupdf.Document) -> None:
        page = document.new_page()
        page.insert_text((50, 50), "plain", fontname="helv", fontsize=10)
        page.insert_text((50, 100), "strong", fontname="hebo", color=(1, 0, 0))
        page.insert_text((50, 150), "slanted", fontname="heit")
        page.insert_text((50, 200), "ghost", render_mode=3)
        page.insert_text((50, 250), "faint", fill_opacity=0.0)

    with open_document(pdf(build)) as document:
        spans = {span.text: span for span in document.page(1).spans()}
    assert spans["plain"].size == 10
    assert not spans["plain"].bold
    assert spans["strong"].bold
    assert spans["strong"].color == 0xFF0000
    assert spans["slanted"].italic
    assert spans["ghost"].render_mode == 3
    assert spans["plain"].render_mode == 0
    assert spans["faint"].alpha == 0


def test_what_the_whole_file_knows(pdf: Callable[..., Path]) -> None:
    def build(document: pymupdf.Document) -> None:
        for _ in range(4):
            one_page(document)
        document.set_page_labels(
            [
                {"startpage": 0, "prefix": "", "style": "r", "firstpagenum": 3},
                {"startpage": 2, "prefix": "A-", "style": "D", "firstpagenum": 1},
            ]
        )
        document.set_toc([[1, "First  part", 1], [2, "Detail", 2], [1, "Second", 4]])
        document.set_metadata({"title": "A title", "author": "Ada"})
        document.embfile_add("data", b"12345", filename="../../etc/evil.txt")

    path = pdf(build)
    with open_document(path) as document:
        assert document.page_labels() == ["iii", "iv", "A-1", "A-2"]
        assert document.page(3).label == "A-1"
        outline = [(entry.level, entry.title, entry.page) for entry in document.outline()]
        assert outline == [(1, "First part", 1), (2, "Detail", 2), (1, "Second", 4)]
        assert document.metadata()["author"] == "Ada"
        assert document.metadata()["title"] == "A title"
        (attachment,) = document.attachments()
        assert (attachment.name, attachment.size) == ("../../etc/evil.txt", 5)
        assert document.issues() == []
        with pytest.raises(StageError):
            document.page(9)
    assert len(document_id(path)) == 16
    assert document_id(path) == document_id(path)


def test_an_xfa_form_is_flagged(pdf: Callable[..., Path]) -> None:
    def build(document: pymupdf.Document) -> None:
        one_page(document)
        document.xref_set_key(document.pdf_catalog(), "AcroForm", "<</Fields[]/XFA(x)>>")

    with open_document(pdf(build)) as document:
        assert [issue.code for issue in document.issues()] == ["unsupported_xfa"]


def test_rendering_is_capped(pdf: Callable[..., Path]) -> None:
    with open_document(
        pdf(lambda document: document.new_page(width=14_000, height=14_000))
    ) as document:
        image = document.page(1).render(300)
        assert 20_000_000 < image.width * image.height < 25_500_000
        clip = document.page(1).render(72, clip=BBox(0, 0, 200, 100))
        assert clip.size == (200, 100)


def test_images_are_pages_sized_by_their_resolution(tmp_path: Path) -> None:
    (tmp_path / "a.png").write_bytes(png(300, 600, dpi=(300, 300)))
    (tmp_path / "b.png").write_bytes(png(300, 600, dpi=(1, 1)))
    for name, width in (("a.png", 72.0), ("b.png", 144.0)):
        with open_document(tmp_path / name) as document:
            page = document.page(1)
            assert page.width == pytest.approx(width, abs=0.1)
            assert page.height == pytest.approx(2 * width, abs=0.2)
            assert page.words() == []
            assert page.render(150).size == (round(width * 150 / 72), round(2 * width * 150 / 72))


def test_photos_are_turned_upright_and_tiffs_have_pages(tmp_path: Path) -> None:
    photo = Image.new("RGB", (200, 100), "white")
    photo.paste("black", (0, 0, 20, 20))  # top left as stored; top right once turned
    exif = photo.getexif()
    exif[0x0112] = 6
    photo.save(tmp_path / "photo.jpg", exif=exif, dpi=(150, 150), quality=95)
    with open_document(tmp_path / "photo.jpg") as document:
        page = document.page(1)
        assert page.height == pytest.approx(2 * page.width)
        image = page.render(150)
        assert max(image.getpixel((image.width - 5, 5))) < 60  # type: ignore[arg-type]
    frames = [Image.new("L", (60, 40), shade) for shade in (0, 128, 255)]
    frames[0].save(tmp_path / "fax.tiff", save_all=True, append_images=frames[1:])
    with open_document(tmp_path / "fax.tiff") as document:
        assert document.page_count == 3
        assert document.page(3).render(150).getpixel((5, 5)) == (255, 255, 255)
        assert document.page(1).render(150).getpixel((5, 5)) == (0, 0, 0)


def pixels(kind: str, **save: object) -> bytes:
    stream = io.BytesIO()
    Image.effect_noise((40, 30), 90).save(stream, kind, **save)
    return stream.getvalue()


@pytest.mark.parametrize("kind", ["png", "jpeg", "tiff"])
def test_damaged_images_raise_errors_of_docpipe_only(tmp_path: Path, kind: str) -> None:
    data, path, chance = pixels(kind), tmp_path / f"image.{kind}", random.Random(kind)
    for _ in range(150):
        damaged = bytearray(data[: chance.choice([len(data), chance.randrange(9, len(data))])])
        for _ in range(chance.randint(0, 8)):
            damaged[chance.randrange(8, min(len(damaged), 300))] = chance.randrange(256)
        path.write_bytes(damaged)
        try:
            with warnings.catch_warnings(), open_document(path) as document:
                warnings.simplefilter("ignore")
                for number in range(1, document.page_count + 1):
                    document.page(number).render(72)
        except (InputError, StageError):
            continue


@given(st.text())
def test_clean_text_has_no_poison(text: str) -> None:
    cleaned = clean(text)
    cleaned.encode("utf-8")
    assert not {char for char in cleaned if ord(char) < 32} - {"\t", "\n"}
    assert clean(cleaned) == cleaned


def test_clean_text_keeps_what_readers_see() -> None:
    assert clean("\ufb01sh \ufb04 x² ½ ¼ \ufffd é") == "fish ffl x² ½ ¼ \ufffd é"
    assert clean("a\x00b\ud800c\x0bd") == "abcd"


def swollen(layers: int, *, form: bool, damaged: bool) -> Build:
    """A page whose words are followed by blanks without end, in its content or in a form."""

    def build(document: pymupdf.Document) -> None:
        one_page(document)
        [xref] = document[0].get_contents()
        if form:
            page = document.new_page(width=600, height=800)
            with pymupdf.open() as source:
                one_page(source)
                page.show_pdf_page(page.rect, source, 0)
            forms = [found[0] for found in document.get_page_xobjects(1)]
            xref = next(form for form in forms if b"BT" in document.xref_stream(form))
            document.delete_page(0)
        text = document.xref_stream(xref)
        data = text + b" " * (MAX_CONTENT + 1000)
        for _ in range(layers):
            data = zlib.compress(data)
        document.update_stream(xref, data[:-4] + (bytes(4) if damaged else data[-4:]), compress=0)
        document.xref_set_key(xref, "Filter", f"[{'/FlateDecode' * layers}]")

    return build


@pytest.mark.parametrize(
    ("layers", "form", "damaged"),
    [(1, False, False), (2, False, False), (2, True, False), (2, False, True)],
)
def test_a_page_that_inflates_without_end_is_read_at_its_beginning(
    pdf: Callable[..., Path], layers: int, form: bool, damaged: bool
) -> None:
    with open_document(pdf(swollen(layers, form=form, damaged=damaged))) as document:
        for _ in range(2):
            page = document.page(1)
            assert [word.text for word in page.words()] == ["hello", "world"]
            assert [issue.code for issue in page.issues()] == ["too_large"]


def test_an_ordinary_page_has_no_issues(pdf: Callable[..., Path]) -> None:
    with open_document(pdf(one_page)) as document:
        assert document.page(1).issues() == []


def test_damaged_fields_cost_the_fields_only(
    pdf: Callable[..., Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(page: pymupdf.Page) -> None:
        raise SystemError("returned a result with an exception set")

    monkeypatch.setattr(pymupdf.Page, "widgets", fail)
    with open_document(pdf(one_page)) as document:
        page = document.page(1)
        assert page.widgets() == []
        assert [word.text for word in page.words()] == ["hello", "world"]
