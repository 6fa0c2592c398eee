"""The drawings of the manual."""

from __future__ import annotations

from docpipe.datasets.samples.typeset import BLACK, GREY, Color, Sheet, Style

LABEL = Style("sans", 7.5, color=(0.2, 0.2, 0.2))
STEEL: Color = (0.55, 0.60, 0.65)
PALE: Color = (0.88, 0.91, 0.94)
GRASS: Color = (0.55, 0.66, 0.45)


def station(sheet: Sheet, x: float, foot: float) -> None:
    """The whole station, 260 points high, its mast at `x`."""
    sheet.rect((x - 120, foot, x + 120, foot + 4), fill=GRASS)
    sheet.rect((x - 3, foot - 260, x + 3, foot), fill=STEEL)
    sheet.rect((x - 70, foot - 240, x + 70, foot - 236), fill=STEEL)
    for offset in (-66, -56):  # wind sensor
        sheet.rect((x + offset, foot - 268, x + offset + 3, foot - 240), fill=BLACK)
    sheet.rect((x - 70, foot - 270, x - 49, foot - 266), fill=BLACK)
    for plate in range(6):  # radiation shield
        y = foot - 232 + 7 * plate
        sheet.rect((x + 46, y, x + 74, y + 4), fill=(0.96, 0.96, 0.96), color=GREY)
    panel = [(x + 6, foot - 200), (x + 48, foot - 172), (x + 44, foot - 166), (x + 2, foot - 194)]
    sheet.page.draw_polyline(panel, color=BLACK, fill=(0.15, 0.25, 0.45), closePath=True)
    sheet.rect((x - 22, foot - 140, x + 22, foot - 84), fill=PALE, color=BLACK)
    sheet.rect((x - 14, foot - 132, x + 14, foot - 114), fill=(0.75, 0.82, 0.70), color=GREY)
    sheet.rect((x + 85, foot - 60, x + 88, foot), fill=STEEL)  # rain gauge
    sheet.rect((x + 74, foot - 92, x + 99, foot - 60), fill=PALE, color=BLACK)


def site_plan(sheet: Sheet, x: float, y: float, width: float) -> None:
    ground = y + 96
    sheet.rect((x, ground, x + width, ground + 4), fill=GRASS)
    sheet.rect((x + 14, ground - 46, x + 58, ground), fill=(0.85, 0.78, 0.70), color=BLACK)
    roof = [(x + 8, ground - 46), (x + 36, ground - 70), (x + 64, ground - 46)]
    sheet.page.draw_polyline(roof, color=BLACK, fill=(0.70, 0.40, 0.32), closePath=True)
    mast = x + width - 40
    sheet.rect((mast - 1.5, ground - 66, mast + 1.5, ground), fill=STEEL)
    sheet.rect((mast - 14, ground - 66, mast + 14, ground - 63), fill=STEEL)
    sheet.line([(x + 78, ground), (x + 78, ground - 70)], 0.6, GREY)
    sheet.text(x + 82, ground - 34, "h", LABEL)
    sheet.line([(x + 64, ground + 14), (mast, ground + 14)], 0.6, GREY)
    for end in (x + 64, mast):
        sheet.line([(end, ground + 10), (end, ground + 18)], 0.6, GREY)
    text = "at least 10 h for wind, 2 h for rain"
    sheet.text(x + 64, ground + 11, text, LABEL._replace(align="center"), mast - x - 64)


def terminals(sheet: Sheet, x: float, y: float, width: float) -> None:
    step = width / 12
    sheet.rect((x, y + 20, x + width, y + 64), fill=PALE, color=BLACK)
    for number in range(12):
        left = x + step * number
        sheet.rect((left + 5, y + 28, left + step - 5, y + 46), fill=(1, 1, 1), color=GREY)
        sheet.page.draw_circle((left + step / 2, y + 37), 5, color=BLACK, width=0.6)
        sheet.text(left, y + 58, str(number + 1), LABEL._replace(align="center"), step)
    for first, last, name in ((1, 2, "battery"), (3, 6, "wind"), (7, 8, "rain"), (9, 10, "module")):
        left, right = x + step * (first - 1) + 4, x + step * last - 4
        sheet.rule(left, y + 15, right, 0.8)
        sheet.text(left, y + 11, name, LABEL._replace(align="center"), right - left)
    for place, name in ((10, "solar"), (11, "shields")):
        sheet.text(x + step * place, y + 11, name, LABEL._replace(align="center"), step)


def base_unit(sheet: Sheet, x: float, y: float, width: float) -> None:
    left = x + width / 2 - 85
    sheet.rect((left, y + 4, left + 170, y + 116), fill=PALE, color=BLACK, width=1)
    sheet.rect((left + 14, y + 16, left + 112, y + 66), fill=(0.78, 0.85, 0.72), color=GREY)
    screen = Style("mono", 8)
    for row, text in enumerate(("18.2 C    72 %", "1013.1 hPa", "3.6 m/s   SW", "12:10     OK")):
        sheet.text(left + 20, y + 28 + 11 * row, text, screen)
    for name, dx, dy in (("MENU", 14, 82), ("ENTER", 54, 82), ("LIGHT", 94, 82)):
        sheet.rect((left + dx, y + dy, left + dx + 34, y + dy + 18), fill=(1, 1, 1), color=GREY)
        sheet.text(left + dx, y + dy + 12, name, LABEL._replace(align="center", size=7), 34)
    for dx, dy in ((149, 74), (149, 98), (138, 86), (160, 86)):
        sheet.page.draw_circle((left + dx, y + dy), 5, color=GREY, fill=(1, 1, 1))
    sheet.text(left + 122, y + 26, "HERON 300", Style("sans-bold", 7))
