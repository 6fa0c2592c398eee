"""Image files as documents: a page a frame, sized by the resolution the file states."""

from __future__ import annotations

import warnings
from pathlib import Path
from typing import TYPE_CHECKING, Any

from docpipe.errors import InputError, StageError
from docpipe.geometry import BBox
from docpipe.pdf.render import MAX_PIXELS, capped_dpi
from docpipe.records import (
    Annotation,
    Attachment,
    FormField,
    Issue,
    Link,
    OutlineEntry,
    Word,
)
from docpipe.stages import Drawing, PlacedImage, TextSpan

if TYPE_CHECKING:
    from PIL import Image

DEFAULT_DPI = 150.0
MAX_IMAGE_PIXELS = 8 * MAX_PIXELS
_ORIENTATION = 0x0112
_SIDEWAYS = (5, 6, 7, 8)  # EXIF orientations that swap width and height


class ImagePageView:
    """A frame of an image file: one image that fills the page, and no text layer."""

    rotation = 0

    def __init__(self, image: Image.Image, frame: int) -> None:
        self._image = image
        self._frame = frame
        self.number = frame + 1
        self.label = str(frame + 1)
        image.seek(frame)
        width, height = image.size
        if image.getexif().get(_ORIENTATION) in _SIDEWAYS:
            width, height = height, width
        self._pixels = (width, height)
        dpi = _resolution(image.info.get("dpi"))
        self.width = round(width * 72.0 / dpi, 2)
        self.height = round(height * 72.0 / dpi, 2)

    def words(self) -> list[Word]:
        return []

    def spans(self) -> list[TextSpan]:
        return []

    def drawings(self) -> list[Drawing]:
        return []

    def images(self) -> list[PlacedImage]:
        return [PlacedImage(BBox(0.0, 0.0, self.width, self.height), self._pixels)]

    def links(self) -> list[Link]:
        return []

    def widgets(self) -> list[FormField]:
        return []

    def annotations(self) -> list[Annotation]:
        return []

    def issues(self) -> list[Issue]:
        return []

    def render(self, dpi: float, clip: BBox | None = None) -> Image.Image:
        """The frame, upright, scaled to `dpi` (at most 25 megapixels)."""
        from PIL import ImageOps

        shown = clip or BBox(0.0, 0.0, self.width, self.height)
        scale = capped_dpi(dpi, shown.width, shown.height) / 72.0
        size = (max(1, round(shown.width * scale)), max(1, round(shown.height * scale)))
        try:
            self._image.seek(self._frame)
            upright = ImageOps.exif_transpose(self._image)
            across, down = upright.width / self.width, upright.height / self.height
            box = (shown.x0 * across, shown.y0 * down, shown.x1 * across, shown.y1 * down)
            return _as_rgb(upright).resize(size, box=box)
        except Exception as error:  # whatever Pillow raises for these pixels
            raise StageError(
                "pdf", self.number, f"image cannot be decoded: {error}", code="damaged_page"
            ) from error


class ImageDocument:
    """A PNG, JPEG or multi-page TIFF file."""

    def __init__(self, path: Path, max_pages: int | None = None) -> None:
        from PIL import Image

        self._file = path.open("rb")
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")  # Pillow's bomb warning: the size is checked below
                self._image: Any = Image.open(self._file)
                self.page_count: int = getattr(self._image, "n_frames", 1)
        except Image.DecompressionBombError as error:
            self._file.close()
            raise InputError("too_large", f"{path.name}: {error}") from error
        except Exception as error:  # damaged headers make Pillow raise about anything
            self._file.close()
            raise InputError(
                "damaged_unrecoverable", f"{path.name} is no readable image: {error}"
            ) from error
        self._check_size(path.name, max_pages)

    def _check_size(self, name: str, max_pages: int | None) -> None:
        width, height = self._image.size
        if width * height > MAX_IMAGE_PIXELS:
            self.close()
            raise InputError("too_large", f"{name} has {width} x {height} pixels")
        if max_pages is not None and self.page_count > max_pages:
            self.close()
            raise InputError(
                "too_large", f"{name} has {self.page_count} pages, more than {max_pages}"
            )

    def __enter__(self) -> ImageDocument:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        self._image.close()
        self._file.close()

    def page(self, number: int) -> ImagePageView:
        try:
            return ImagePageView(self._image, number - 1)
        except Exception as error:  # whatever Pillow raises for this frame
            raise StageError(
                "pdf", number, f"image cannot be read: {error}", code="damaged_page"
            ) from error

    def page_labels(self) -> list[str]:
        return [str(number) for number in range(1, self.page_count + 1)]

    def outline(self) -> list[OutlineEntry]:
        return []

    def metadata(self) -> dict[str, str]:
        return {"format": str(self._image.format)}

    def attachments(self) -> list[Attachment]:
        return []

    def issues(self) -> list[Issue]:
        return []


def _resolution(stated: Any) -> float:
    """The stated dots per inch where they are plausible; scans lie between 50 and 1200."""
    try:
        dpi = float(stated[0])
    except (TypeError, ValueError, IndexError, ZeroDivisionError):
        return DEFAULT_DPI
    return dpi if 50.0 <= dpi <= 1200.0 and dpi != 72.0 else DEFAULT_DPI


def _as_rgb(image: Image.Image) -> Image.Image:
    """On white where the image is transparent; 16-bit greys scaled to 8."""
    from PIL import Image

    if image.mode.startswith("I;16"):
        image = image.point(lambda value: value / 256).convert("L")
    if image.mode in ("RGBA", "LA", "PA") or "transparency" in image.info:
        image = image.convert("RGBA")
        white = Image.new("RGBA", image.size, "white")
        return Image.alpha_composite(white, image).convert("RGB")
    return image.convert("RGB")
