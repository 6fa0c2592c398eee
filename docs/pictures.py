"""Make the pictures of the page: `python docs/pictures.py`, with Chromium and Playwright.

Serves the samples from a folder of its own, asks a question, and writes docs/pictures/*.png.
"""

from __future__ import annotations

import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from PIL import Image
from playwright.sync_api import Page, expect, sync_playwright

HERE = Path(__file__).parent
SAMPLES = HERE.parent / "datasets" / "samples"
NAMES = ("report.pdf", "invoice.pdf", "form.pdf", "receipt.pdf", "letter.pdf")
WIDE = {"width": 1440, "height": 860}
NARROW = {"width": 390, "height": 780}


@contextmanager
def served() -> Iterator[str]:
    """The address of a server that reads the samples."""
    with tempfile.TemporaryDirectory() as folder:
        library = Path(folder) / "samples"
        command = [sys.executable, "-m", "docpipe", "serve", "--port", "0", "-L", str(library)]
        command += ["--set", "limits.page_timeout=300"]
        files = [str(SAMPLES / name) for name in NAMES]
        with subprocess.Popen([*command, *files], stdout=subprocess.PIPE, text=True) as server:
            assert server.stdout
            try:
                yield server.stdout.readline().split()[3]
            finally:
                server.terminate()


def opened(page: Page, address: str) -> None:
    """The page, when all samples have been read."""
    page.set_default_timeout(120_000)
    page.goto(address)
    for name in NAMES:
        page.locator(".open-button:enabled", has_text=name).wait_for()


def asked(page: Page, question: str) -> None:
    page.locator("#question").fill(question)
    page.locator("#send").click()
    page.locator("#answers .card").first.wait_for()


def settled(page: Page) -> None:
    expect(page.locator(".page img").first).to_be_visible()
    page.wait_for_timeout(4_000)  # the layers come, and the flash of marks goes


def shot(page: Page, name: str) -> None:
    """A small PNG: few colours are enough for a page."""
    path = HERE / "pictures" / f"{name}.png"
    path.parent.mkdir(exist_ok=True)
    page.screenshot(path=path)
    image = (
        Image.open(path)
        .convert("RGB")
        .quantize(256, Image.Quantize.MAXCOVERAGE, dither=Image.Dither.NONE)
    )
    image.save(path, optimize=True)
    print(f"wrote {path} ({path.stat().st_size >> 10} KiB)")


def main() -> None:
    with served() as address, sync_playwright() as playwright:
        browser = playwright.chromium.launch(
            executable_path="/usr/bin/chromium", args=["--no-sandbox"]
        )
        page = browser.new_page(viewport=WIDE)
        opened(page, address)
        asked(page, "How many people does Lindmoor Water supply?")
        page.locator(".chip").first.click()
        settled(page)
        shot(page, "answer")

        page.get_by_role("tab", name="Extract fields").click()
        page.locator(".open-button", has_text="receipt.pdf").click()
        page.locator("#extract-scope").select_option("one")
        page.get_by_role("button", name="Extract", exact=True).click()
        page.locator("#extracted table").first.wait_for()
        settled(page)
        shot(page, "fields")

        dark = browser.new_page(viewport=WIDE, color_scheme="dark")
        opened(dark, address)
        dark.locator(".open-button", has_text="report.pdf").click()
        dark.locator("#next").click()
        for layer in ("blocks", "order"):
            dark.locator(f"[data-layer={layer}]").click()
        asked(dark, "Who is the managing director of Lindmoor Water?")
        settled(dark)
        shot(dark, "layers-dark")

        narrow = browser.new_page(viewport=NARROW, device_scale_factor=2)
        opened(narrow, address)
        narrow.get_by_role("navigation").get_by_text("Ask").click()
        asked(narrow, "How many people does Lindmoor Water supply?")
        shot(narrow, "narrow-answer")
        narrow.locator(".chip").first.click()
        settled(narrow)
        shot(narrow, "narrow-page")
        browser.close()


if __name__ == "__main__":
    main()
