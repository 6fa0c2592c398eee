"""The fields of interactive forms, as a page shows them."""

from __future__ import annotations

import weakref
from typing import Any

from docpipe.pdf.text import clean
from docpipe.records import FormField, Region

_KINDS = {
    "Text": "text",
    "CheckBox": "checkbox",
    "RadioButton": "radio",
    "ComboBox": "choice",
    "ListBox": "choice",
    "Button": "button",
    "Signature": "signature",
}
_UNSEEN = 1 << 1 | 1 << 5  # annotation flags Hidden and NoView
_PASSWORD = 1 << 13  # field flag: what is typed shows as dots


def form_field(widget: Any, region: Region | None) -> FormField:
    """The field of a PyMuPDF widget, without the region where nothing of it is shown."""
    kind = _KINDS.get(widget.field_type_string or "", "text")
    value, state = _text(widget.field_value), None
    if kind in ("checkbox", "radio"):
        value = _button_value(widget)
        state = "off" if value == "Off" else "on"
    elif kind == "signature":
        value, state = _signer(widget), "signed" if widget.is_signed else "unsigned"
    elif is_password(widget):
        value = ""
    return FormField(
        name=clean(widget.field_name or ""),
        kind=kind,
        value=value,
        state=state,
        region=None if _is_unseen(widget) else region,
        label=clean(widget.field_label or "").strip() or None,
    )


def is_password(widget: Any) -> bool:
    return widget.field_type_string == "Text" and bool(widget.field_flags & _PASSWORD)


def _text(value: Any) -> str:
    if isinstance(value, (list, tuple)):
        return clean("\n".join(map(str, value)))
    return clean("" if value is None else str(value))


def _button_value(widget: Any) -> str:
    """What the button stands for when it is on, else "Off".

    A field of one widget holds its value; the buttons of a group only say how they look.
    """
    for key in ("V", "AS"):
        kind, value = _key(widget, key)
        if kind == "name":
            return clean(value.removeprefix("/")) or "Off"
    return "Off"


def _signer(widget: Any) -> str:
    kind, value = _key(widget, "V/Name")
    return clean(value).strip() if kind == "string" else ""


def _is_unseen(widget: Any) -> bool:
    kind, value = _key(widget, "F")
    return kind == "int" and bool(int(value) & _UNSEEN)


def _key(widget: Any, key: str) -> tuple[str, str]:
    try:
        kind, value = widget.parent.parent.xref_get_key(widget.xref, key)
    except (RuntimeError, ValueError):  # a damaged field
        return "null", "null"
    return str(kind), str(value)


def read_apart(page: Any, flags: int, *, fields: bool) -> Any:
    """PyMuPDF's text page of what the form fields of a page show, or of everything else."""
    import pymupdf
    from pymupdf import mupdf

    rotation = page.rotation
    if rotation:  # as for any other text page: boxes are of the page before it is turned
        page.set_rotation(0)
    try:
        found = mupdf.FzStextPage(mupdf.FzRect(mupdf.FzRect.Fixed_INFINITE))
        device = mupdf.fz_new_stext_device(found, mupdf.FzStextOptions(flags))
        drawn = page.this if isinstance(page.this, mupdf.FzPage) else page.this.super()
        parts = (
            (mupdf.fz_run_page_widgets,)
            if fields
            else (mupdf.fz_run_page_contents, mupdf.fz_run_page_annots)
        )
        for run in parts:
            run(drawn, device, mupdf.FzMatrix(), mupdf.FzCookie())
        mupdf.fz_close_device(device)
    finally:
        if rotation:
            page.set_rotation(rotation)
    text_page = pymupdf.TextPage(found)
    text_page.parent = weakref.proxy(page)
    return text_page
