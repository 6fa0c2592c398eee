"""A scanned letter: an image only, a little askew, with noise and JPEG blocks."""

from __future__ import annotations

import io
import random

import pymupdf
from PIL import Image

from docpipe.datasets.samples.flow import Book
from docpipe.datasets.samples.typeset import GREY, Style

WIDTH, HEIGHT, MARGIN = 595.0, 842.0, 71.0
BODY = Style("serif", 11.5, leading=1.35)
DPI = 150

SENDER = (
    "Harrow & Pike\nProperty Management\n18 Quay Road\nLindmoor LM4 2PT\nTelephone 0555 017 322"
)
RECIPIENT = "Ms Ingrid Solheim\nFlat 7\n25 Alder Street\nLindmoor LM1 9QD"
TEXT = [
    "Dear Ms Solheim,",
    """the gas boiler in your building is 24 years old and can no longer be repaired. It will be
    replaced by a heat pump. The work in your flat takes place on Tuesday, 14 May 2024, between
    8:00 and 12:00. Please make sure that the fitters of Brandt Heating Ltd can reach the radiators
    in all three rooms.""",
    """From 13 to 17 May there will be no hot water between 8:00 and 16:00. The showers in the
    laundry room on the ground floor stay in use; the key hangs beside the letter boxes.""",
    """For this inconvenience we reduce your rent of €920.00 by 15 per cent, that is by €138.00,
    for the month of May. You need not do anything: the amount will be repaid to your account by
    7 June 2024.""",
    """Should the appointment not suit you, please call Mr Pike before 8 May. Two other days,
    21 and 23 May, are still free.""",
    "Yours sincerely,",
]


def letter(seed: int = 0) -> bytes:
    """The PDF: one page. `seed` draws the noise of the scanner."""
    scan = _scanned(_printed(), random.Random(seed))
    jpeg = io.BytesIO()
    scan.save(jpeg, "JPEG", quality=52, dpi=(DPI, DPI))
    book = Book()
    page = book.sheet(WIDTH, HEIGHT).page
    page.insert_image(page.rect, stream=jpeg.getvalue())
    return book.finish("Scan 0412", "", "20240503")


def _printed() -> Image.Image:
    sheet, width = Book().sheet(WIDTH, HEIGHT), WIDTH - 2 * MARGIN
    sender = Style("sans", 9, align="right", leading=1.35, color=(0.25, 0.25, 0.25))
    sheet.paragraph(MARGIN, 56, SENDER, sender, width)
    sheet.rule(MARGIN, 130, WIDTH - MARGIN, 0.8, GREY)
    y = sheet.paragraph(MARGIN, 150, RECIPIENT, BODY, width)
    sheet.paragraph(MARGIN, y + 16, "30 April 2024", BODY._replace(align="right"), width)
    y = sheet.paragraph(MARGIN, y + 16, "Our reference: AS25/7-HP", BODY, width)
    subject = BODY._replace(font="serif-bold")
    text = "Replacement of the heating in your flat"
    y = sheet.paragraph(MARGIN, y + 14, text, subject, width) + 12
    for paragraph in TEXT:
        y = sheet.paragraph(MARGIN, y, " ".join(paragraph.split()), BODY, width) + 9
    sheet.signature(MARGIN + 6, y + 22)
    sheet.paragraph(MARGIN, y + 46, "Thomas Pike", BODY, width)
    sheet.flush()
    _stamp(sheet.page)
    return _image(sheet.page)


def _stamp(page: pymupdf.Page) -> None:
    color = (0.55, 0.15, 0.15)
    center = pymupdf.Point(462, 187)
    writer = pymupdf.TextWriter(page.rect)
    face = pymupdf.Font("hebo")
    writer.append((424, 184), "RECEIVED", font=face, fontsize=15)
    writer.append((427, 201), "3 MAY 2024", font=face, fontsize=13)
    turn = pymupdf.Matrix(8)
    writer.write_text(page, color=color, morph=(center, turn))
    shape = page.new_shape()
    shape.draw_rect((412, 164, 518, 210))
    shape.finish(color=color, width=1.6, morph=(center, turn))
    shape.commit()


def _image(page: pymupdf.Page) -> Image.Image:
    pixels = page.get_pixmap(dpi=DPI, colorspace=pymupdf.csGRAY)
    return Image.frombytes("L", (pixels.width, pixels.height), pixels.samples)


def _scanned(image: Image.Image, generator: random.Random) -> Image.Image:
    turned = image.rotate(0.8, Image.Resampling.BICUBIC, fillcolor=255)
    noise = Image.frombytes("L", image.size, generator.randbytes(image.width * image.height))
    return Image.blend(turned, noise, 0.09).point(lambda value: min(255, int(value * 1.03)))
