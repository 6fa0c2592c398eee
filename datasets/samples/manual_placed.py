"""Tables and drawings that the text of the manual places by name."""

from __future__ import annotations

import math
from collections.abc import Callable

from docpipe.datasets.samples import manual_data as data
from docpipe.datasets.samples.manual_drawings import base_unit, site_plan, terminals
from docpipe.datasets.samples.manual_setter import Setter


def place(setter: Setter, name: str) -> None:
    """Set the table or drawing called `name`."""
    if name in _PLACED:
        _PLACED[name](setter)
    else:
        caption, widths, rows = data.TABLES[name]
        setter.rows(caption, [row.split("; ") for row in rows], widths)


def _beaufort(manual: Setter) -> None:
    speeds = [speed for _, speed in data.BEAUFORT] + [math.inf]
    rows = [["Force", "Name", "m/s", "km/h"]]
    for force, (name, low) in enumerate(data.BEAUFORT):
        high = speeds[force + 1]
        if math.isinf(high):
            rows.append([str(force), name, f"from {low}", f"from {low * 3.6:.0f}"])
        else:
            kmh = f"{low * 3.6:.0f} to {(high - 0.1) * 3.6:.0f}"
            rows.append([str(force), name, f"{low} to {high - 0.1:.1f}", kmh])
    manual.rows("The Beaufort scale", rows, [50, 120, 80, 80])


def _fahrenheit(manual: Setter) -> None:
    rows = [["°C", "°F", "°C", "°F", "°C", "°F"]]
    for start in range(-40, -18):
        values = (start, start + 22, start + 44)
        rows.append([text for c in values for text in (f"{c}", f"{c * 1.8 + 32:.1f}")])
    manual.rows("Degrees Celsius and Fahrenheit", rows, [55.0] * 6)


def _dew_point(manual: Setter) -> None:
    humidities = range(30, 101, 10)
    rows = [["°C", *(f"{humidity} %" for humidity in humidities)]]
    for degrees in range(-2, 41, 2):
        rows.append([str(degrees), *(f"{_dew(degrees, humidity):.1f}" for humidity in humidities)])
    manual.rows("Dew point in °C", rows, [42.0, *([36.0] * 8)])


def _dew(degrees: float, humidity: float) -> float:
    """The dew point by Magnus' formula."""
    gamma = math.log(humidity / 100) + 17.62 * degrees / (243.12 + degrees)
    return 243.12 * gamma / (17.62 - gamma) + 0.0


def _log(manual: Setter) -> None:
    for _ in range(2):
        rows = [
            ["Date", "Work", "Readings before and after", "Name"],
            *([" "] * 4 for _ in range(18)),
        ]
        manual.rows("Inspections", rows, [55, 110, 105, 60])


_PLACED: dict[str, Callable[[Setter], None]] = {
    "site": lambda m: m.figure("Distance from an obstacle of height h.", 120, site_plan),
    "terminals": lambda m: m.figure("Terminals of the base unit.", 90, terminals),
    "display": lambda m: m.figure("The front of the base unit.", 130, base_unit),
    "settings": lambda m: m.entries(data.SETTINGS, ("Standard", "Range", "")),
    "codes": lambda m: m.entries(data.CODES, ("Meaning", "Remedy")),
    "commands": lambda m: m.entries(data.COMMANDS, ("Use", "Answer")),
    "sample": lambda m: m.code(data.SAMPLE),
    "beaufort": _beaufort,
    "fahrenheit": _fahrenheit,
    "dewpoint": _dew_point,
    "log": _log,
}
