"""The page in a real browser, as a person uses it."""

from __future__ import annotations

import contextlib
import json
import re
from collections.abc import Iterator
from pathlib import Path

import pymupdf
import pytest

from docpipe.config import from_mapping
from docpipe.library import Library
from tests.server.browser import CHROMIUM, chromium
from tests.server.running import QUOTING, Running, serving, wait_for

playwright = pytest.importorskip("playwright.sync_api")
pytestmark = pytest.mark.skipif(CHROMIUM is None, reason="Chromium is not installed")
SAMPLES = Path(__file__).parents[2] / "datasets" / "samples"
HTML = "<img src=x onerror=alert(1)>"
READING = from_mapping({"ocr_mode": "off"})


class Visit:
    """A page in the browser, with what went wrong in it."""

    def __init__(self, browser: playwright.Browser, server: Running, **options: object) -> None:
        self.page = browser.new_page(**options)
        self.page.set_default_timeout(30_000)
        self.problems: list[str] = []
        self.requests: list[str] = []
        self.page.on("pageerror", lambda error: self.problems.append(str(error)))
        self.page.on("dialog", lambda dialog: self.problems.append(dialog.message))
        self.page.on("request", lambda request: self.requests.append(request.url))
        self.page.on("console", self._heard)
        self.page.goto(server.url)

    def _heard(self, message: playwright.ConsoleMessage) -> None:
        if "Content Security Policy" in message.text:
            self.problems.append(message.text)


@pytest.fixture(scope="module")
def browser() -> Iterator[playwright.Browser]:
    with chromium() as browser:
        yield browser


def test_drop_look_ask_and_see_the_words(browser: playwright.Browser, tmp_path: Path) -> None:
    with serving(tmp_path / "library", config=READING) as server:
        visit = Visit(browser, server, viewport={"width": 1440, "height": 900})
        page = visit.page
        drop(page, [SAMPLES / name for name in ("report.pdf", "invoice.pdf", "form.pdf")])
        page.get_by_role("status").filter(has_text=re.compile("Reading|Adding")).wait_for()
        for name in ("report.pdf", "invoice.pdf", "form.pdf"):
            page.get_by_role("button", name=re.compile(f"^{name}.* pages?")).wait_for()
        assert not server.settled()["report.pdf"]["reason"]

        page.get_by_role("button", name=re.compile("^report.pdf")).click()
        page.get_by_role("img", name="Page 1 of report.pdf").wait_for()
        for layer, least in (("Words", 300), ("Blocks", 10), ("Tables", 5), ("Reading order", 0)):
            page.get_by_role("button", name=layer, exact=True).click()
            page.wait_for_function(
                "least => document.querySelectorAll('.page :is(.box, .disc)').length > least",
                arg=least,
            )
            page.get_by_role("button", name=layer, exact=True).click()

        page.keyboard.press("/")
        page.keyboard.type("How many people does Lindmoor Water supply?")
        page.keyboard.press("Enter")
        page.locator(".trace li").first.wait_for(state="attached")
        page.locator(".chip", has_text="report.pdf, page 1").first.click()
        mark = page.locator(".mark").first
        mark.wait_for()
        [id] = [item["id"] for name, item in server.documents().items() if name == "report.pdf"]
        words = server.client.get(f"/api/documents/{id}/pages/1").json()["words"]
        x, y, width, height = (
            float(mark.get_attribute(name) or 0) for name in ("x", "y", "width", "height")
        )
        inside = [
            text
            for text, x0, y0, x1, y1 in words
            if x <= (x0 + x1) / 2 <= x + width and y <= (y0 + y1) / 2 <= y + height
        ]
        assert "412,600" in inside
        assert page.locator(".mark").first.is_visible()
        assert not visit.problems
        assert all(url.startswith((server.url, "blob:")) for url in visit.requests)


def hostile(path: Path) -> Path:
    """A page with markup in all that the page shows of a document."""
    with pymupdf.open() as pdf:
        page = pdf.new_page(width=300, height=200)
        page.insert_text((20, 40), "<script>document.title = 'taken'</script> <b>bold</b>")
        page.insert_text((20, 80), "You cannot see this.", color=(1, 1, 1))
        field = pymupdf.Widget()
        field.field_type, field.rect = pymupdf.PDF_WIDGET_TYPE_TEXT, pymupdf.Rect(20, 100, 90, 120)
        field.field_name, field.field_value = HTML, HTML
        page.add_widget(field)
        page.insert_link({"kind": pymupdf.LINK_URI, "from": pymupdf.Rect(20, 130, 90, 150),
                          "uri": "javascript:alert(1)"})  # fmt: skip
        pdf.set_metadata({"title": HTML, "author": HTML})
        pdf.set_toc([[1, HTML, 1]])
        path.parent.mkdir(exist_ok=True)
        pdf.save(path)
    return path


def test_nothing_of_a_document_is_run(browser: playwright.Browser, tmp_path: Path) -> None:
    given = hostile(tmp_path / "in" / f"{HTML}.pdf")
    with serving(tmp_path / "library", folders=(given.parent,)) as server:
        wait_for(lambda: given.name in server.documents())
        server.settled()
        visit = Visit(browser, server)
        page = visit.page
        page.get_by_role("button", name=given.name).first.click()
        for layer in ("Hidden text", "Blocks", "Fields", "Links, notes"):
            page.get_by_role("button", name=layer, exact=True).click()
        page.locator(".box").first.click(force=True)
        page.locator("#inspector pre").wait_for()
        ask(page, "bold")
        page.locator(".chip").first.wait_for()
        assert "<script>" in page.locator(".quote").first.inner_text()
        assert page.title() == "docpipe"
        assert page.locator("img[src=x], a[href^=javascript]").count() == 0
        assert not visit.problems


def test_a_refusal_is_explained(browser: playwright.Browser, server: Running) -> None:
    visit = Visit(browser, server, color_scheme="dark")
    page = visit.page
    page.get_by_role("button", name=re.compile("^mill.pdf")).wait_for()
    ask(page, "unknown thing")
    page.locator(".refusal", has_text="do not answer").wait_for()
    assert not visit.problems


def test_a_model_that_is_missing_is_explained(
    browser: playwright.Browser, files: dict[str, Path], tmp_path: Path
) -> None:
    nowhere = {"schema": "receipt", "weights": str(tmp_path / "nowhere")}
    config = from_mapping({"entities": nowhere, "ocr_mode": "off"})
    Library.create(tmp_path / "library", config=QUOTING).ingest(files["mill.pdf"], jobs=1)
    with serving(tmp_path / "library", config=config) as server:
        page = Visit(browser, server).page
        page.get_by_role("tab", name="Extract fields").click()
        page.locator("#schema").select_option("receipt")
        assert "no model installed" in page.locator("#schema option:checked").inner_text()
        page.get_by_role("button", name="Extract", exact=True).click()
        page.locator("#extracted .card.bad", has_text="weights").wait_for()


def test_a_password_is_asked_for_where_one_is_needed(
    browser: playwright.Browser, files: dict[str, Path], tmp_path: Path
) -> None:
    with serving(tmp_path / "library") as server:
        server.upload(files["locked.pdf"])
        server.settled()
        visit = Visit(browser, server)
        page = visit.page
        page.get_by_role("button", name="Password of locked.pdf").click()
        page.get_by_label("Password", exact=True).fill("secret")
        page.get_by_role("button", name="Open the file").click()
        page.get_by_role("button", name=re.compile("^locked.pdf 1 page")).wait_for()
        assert page.get_by_role("button", name="Password of locked.pdf").count() == 0
        assert not visit.problems


def test_fields_that_are_found_again_replace_those_before(
    browser: playwright.Browser, server: Running
) -> None:
    page = Visit(browser, server).page
    id = server.documents()["mill.pdf"]["id"]
    answers = iter([1, 3])

    def extracted(route: playwright.Route) -> None:
        box = {"page": 1, "box": [20, 20, 60, 40]}
        field = {"name": "year", "value": "1871", "raw": "1871", "score": 0.9, "notes": [],
                 "row": None, "regions": [box]}  # fmt: skip
        result = {"document": id, "name": "mill.pdf", "status": "ok", "reason": None,
                  "message": None, "fields": [field] * next(answers)}  # fmt: skip
        found = {"columns": ["year"], "row_columns": [], "results": [result]}
        route.fulfill(json=found)

    page.route("**/api/extract", extracted)
    page.get_by_role("button", name=re.compile("^mill.pdf")).click()
    page.get_by_role("img", name="Page 1 of mill.pdf").wait_for()
    page.get_by_role("tab", name="Extract fields").click()
    for count in (1, 3):
        page.get_by_role("button", name="Extract", exact=True).click()
        page.wait_for_function(
            """count => [...document.querySelectorAll(".page .box title")]
              .filter((title) => title.textContent === "year: 1871").length === count""",
            arg=count,
        )


def test_a_late_answer_does_not_replace_what_was_opened_since(
    browser: playwright.Browser, server: Running
) -> None:
    visit = Visit(browser, server)
    page = visit.page
    documents = server.documents()
    mill, tax = documents["mill.pdf"]["id"], documents["tax.pdf"]["id"]
    late: list[playwright.Route] = []
    page.route(f"**/api/documents/{mill}", lambda route: late.append(route))
    page.get_by_role("button", name=re.compile("^mill.pdf")).click()
    page.get_by_role("button", name=re.compile("^tax.pdf")).click()
    page.get_by_role("img", name="Page 1 of tax.pdf").wait_for()
    with page.expect_response(f"**/api/documents/{mill}"):
        late[0].continue_()
    page.wait_for_timeout(300)
    assert page.locator("#title").inner_text() == "tax.pdf"

    page = Visit(browser, server).page
    page.route(f"**/api/documents/{tax}/pages/1", lambda route: late.append(route))
    page.get_by_role("button", name=re.compile("^tax.pdf")).click()
    page.get_by_role("img", name="Page 1 of tax.pdf").wait_for()
    page.get_by_role("button", name=re.compile("^mill.pdf")).click()
    page.get_by_role("img", name="Page 1 of mill.pdf").wait_for()
    page.get_by_role("button", name="Words", exact=True).click()
    words = page.locator("section[aria-label='Page 1'] .box").count()
    assert words == 7  # of "The old mill was built in 1871."
    with contextlib.suppress(playwright.Error):  # it has been ended by the page
        late[-1].continue_()
    page.wait_for_timeout(300)
    assert page.locator("section[aria-label='Page 1'] .box").count() == words
    assert not visit.problems


def test_narrow_screens_and_the_keyboard_suffice(
    browser: playwright.Browser, server: Running
) -> None:
    visit = Visit(browser, server, viewport={"width": 390, "height": 800})
    page = visit.page
    page.get_by_role("button", name=re.compile("^mill.pdf")).click()
    page.get_by_role("img", name="Page 1 of mill.pdf").wait_for()
    width = page.evaluate("document.documentElement.scrollWidth")
    assert width <= 390
    page.keyboard.press("j")
    playwright.expect(page.locator("#page")).to_have_value("2")
    page.keyboard.press("?")
    page.get_by_role("heading", name="Keyboard shortcuts").wait_for()
    assert not visit.problems


def test_a_document_is_removed_after_a_question(
    browser: playwright.Browser, files: dict[str, Path], tmp_path: Path
) -> None:
    with serving(tmp_path / "library") as server:
        server.upload(files["tax.pdf"])
        server.settled()
        page = Visit(browser, server).page
        remove = page.get_by_role("button", name="Remove tax.pdf")
        remove.click(force=True)
        page.get_by_role("button", name="Keep").click()
        assert "tax.pdf" in server.documents()
        remove.click(force=True)
        page.get_by_role("button", name="Remove", exact=True).click()
        playwright.expect(page.locator("#list li")).to_have_count(0)
        assert not server.documents()


def test_the_token_is_asked_for_and_the_link_has_it(
    browser: playwright.Browser, tmp_path: Path
) -> None:
    with serving(tmp_path / "library", token="correct horse", config=QUOTING) as server:
        page = Visit(browser, server).page
        page.keyboard.press("Escape")  # there is nothing behind it
        page.get_by_label("Token").fill("wrong horse")
        page.get_by_role("button", name="Open").click()
        page.get_by_text("this is not the token").wait_for()
        page.get_by_label("Token").fill("correct horse")
        page.get_by_role("button", name="Open").click()
        playwright.expect(page.locator("#library")).to_have_text("library")

        fresh = browser.new_context().new_page()
        fresh.goto(f"{server.url}/#token=correct%20horse")
        playwright.expect(fresh.locator("#library")).to_have_text("library")
        playwright.expect(fresh.locator("dialog:visible")).to_have_count(0)
        assert "token" not in fresh.url


@pytest.mark.slow
def test_a_long_document_holds_few_pictures(browser: playwright.Browser, tmp_path: Path) -> None:
    from tests.pdfs import write_pdf

    long = write_pdf(tmp_path / "long.pdf", [f"Page {n} of many." for n in range(1, 401)])
    with serving(tmp_path / "library") as server:
        server.upload(long)
        server.settled()
        page = Visit(browser, server).page
        page.get_by_role("button", name=re.compile("^long.pdf")).click()
        page.get_by_role("img", name="Page 1 of long.pdf").wait_for()
        page.locator("#page").fill("390")
        page.keyboard.press("Enter")
        page.get_by_role("img", name="Page 390 of long.pdf").wait_for()
        assert page.locator(".page").count() == 400
        assert page.locator(".page img").count() < 20


def test_the_api_is_described(browser: playwright.Browser, server: Running) -> None:
    visit = Visit(browser, Running(f"{server.url}/api"))
    visit.page.get_by_text("/api/documents/{document}/pages/{number}/image").wait_for()
    assert not visit.problems


def ask(page: playwright.Page, question: str) -> None:
    page.locator("#question").fill(question)
    page.locator("#send").click()


def drop(page: playwright.Page, paths: list[Path]) -> None:
    """Drop files on the page, as from a file manager."""
    files = [{"name": path.name, "bytes": list(path.read_bytes())} for path in paths]
    page.evaluate(
        """files => {
          const transfer = new DataTransfer();
          for (const { name, bytes } of JSON.parse(files)) {
            transfer.items.add(new File([new Uint8Array(bytes)], name));
          }
          document.body.dispatchEvent(new DragEvent("drop", { dataTransfer: transfer }));
        }""",
        json.dumps(files),
    )
