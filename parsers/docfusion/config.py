"""Sizes and switches of a DocFusion model, and how the public checkpoint states its own."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal, get_args

import msgspec

from docpipe.errors import ConfigError

Task = Literal["layout", "text", "table", "formula"]
TASKS: tuple[Task, ...] = get_args(Task)
Size = tuple[int, int]  # height, width

# What the released model was prompted with [C].
PROMPTS: dict[Task, str] = {
    "layout": "Locate the objects with category name in the image.",
    "text": "What is the text in the image?",
    "formula": "Decompile LaTeX code from the equation image.",
    "table": "Decompile LaTeX code from the table image.",
}
# Seen in the paper's figure; the names of the rest of DocLayNet's classes are ours [D].
LABELS = ("Text", "Section", "Table", "Cap", "Math", "Picture", "Header")
MORE_LABELS = ("Title", "List", "Footnote", "Footer")


class VisionConfig(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """DaViT, an entry for each of its stages; the defaults are the paper's [C].

    `strides` are (down, across); `heads` is also the number of channel groups; `prenorm` says
    whether a stage's patch embedding normalises what comes in rather than what goes out. `grid` is
    the most rows and columns that the position tables know.
    """

    dims: tuple[int, ...] = (128, 256, 512, 1024)
    depths: tuple[int, ...] = (1, 1, 9, 1)
    heads: tuple[int, ...] = (4, 8, 16, 32)
    kernels: tuple[int, ...] = (7, 3, 3, 3)
    strides: tuple[Size, ...] = ((4, 4), (2, 2), (2, 2), (2, 2))
    paddings: tuple[int, ...] = (3, 1, 1, 1)
    prenorm: tuple[bool, ...] = (False, True, True, True)
    window: int = 12
    drop_path: float = 0.1
    grid: int = 50

    def __post_init__(self) -> None:
        stages = len(self.dims)
        others = (self.depths, self.heads, self.kernels, self.strides, self.paddings, self.prenorm)
        if not stages or any(len(values) != stages for values in others):
            raise ConfigError("each stage of the vision tower needs all of its sizes")
        if any(dim % heads for dim, heads in zip(self.dims, self.heads, strict=True)):
            raise ConfigError(f"dims {self.dims} are no multiples of heads {self.heads}")
        if self.dims[-1] % 2:
            raise ConfigError(f"the last of dims {self.dims} must be even")

    def map_size(self, size: Size) -> Size:
        """Rows and columns of the features of an image of `size`."""
        rows, columns = size
        for kernel, stride, padding in zip(self.kernels, self.strides, self.paddings, strict=True):
            rows = (rows + 2 * padding - kernel) // stride[0] + 1
            columns = (columns + 2 * padding - kernel) // stride[1] + 1
        return rows, columns


class TextConfig(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The language side; the defaults are the paper's [C].

    `sources` and `targets` are the most positions of image with prompt, and of a target.
    `separate` names what has a token table of its own: the decoder's input, the output head.
    """

    vocabulary: int = 51289
    width: int = 768
    layers: int = 12
    heads: int = 12
    feed_forward: int = 3072
    sources: int = 1024
    targets: int = 1024
    dropout: float = 0.1
    separate: tuple[Literal["decoder", "head"], ...] = ("head",)

    def __post_init__(self) -> None:
        if self.width % self.heads:
            raise ConfigError(f"width {self.width} is no multiple of {self.heads} heads")


class CropConfig(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """How a crop becomes an image of the model.

    "center": shrunk, never enlarged, to fit `size`, in the middle of white [C]. "strip" [D]: a
    crop of one line, scaled to the height of `size`; its width is filled up with white to the next
    multiple of `step`, or shrunk to that of `size`. "corner" [D]: shrunk to fit, at the top left of
    white of the crop's own size filled up to multiples of `step`.
    """

    size: Size = (768, 768)
    fit: Literal["center", "strip", "corner"] = "center"
    step: int = 768


class Crops(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What is done with the crops of each task."""

    text: CropConfig = CropConfig()
    table: CropConfig = CropConfig()
    formula: CropConfig = CropConfig()


class DocFusionConfig(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The whole model.

    `tokens` is "bpe" for a tokenizer file beside the weights, or "bytes" for bytes and `pieces`
    (see vocabulary). Bin b of both axes is the token `first_bin` + b. `page` is the size that a
    page is squashed to, `dpi` the resolution that crops are rendered at [D]. `columns` is the width
    of the grid that positions of image tokens are counted in: that of a whole `page` in the paper's
    model. `sigma` and `kernel` are those of the loss [C]. `ctc_frames` > 0 adds, for training only,
    a head that reads so many pieces of text off each column of image tokens, `box_head` one that
    reads boxes off the image tokens of a page [D].
    """

    vision: VisionConfig = VisionConfig()
    text: TextConfig = TextConfig()
    bins: int = 1000
    first_bin: int = 50269
    tokens: Literal["bpe", "bytes"] = "bpe"
    pieces: tuple[str, ...] = ()
    labels: tuple[str, ...] = LABELS + MORE_LABELS
    prompts: dict[Task, str] = msgspec.field(default_factory=PROMPTS.copy)
    page: Size = (768, 768)
    crops: Crops = Crops()
    columns: int = 24
    dpi: float = 144.0
    sigma: float = 1.5
    kernel: int = 9
    ctc_frames: int = 0
    box_head: bool = False

    def __post_init__(self) -> None:
        if self.first_bin + self.bins > self.text.vocabulary:
            raise ConfigError("the location tokens do not fit into the vocabulary")
        if self.kernel % 2 == 0 or self.kernel < 1 or self.sigma <= 0:
            raise ConfigError("kernel must be odd and sigma above 0")
        for size in (self.page, *(crop.size for crop in msgspec.structs.astuple(self.crops))):
            rows, columns = self.vision.map_size(size)
            if max(rows, columns) > self.vision.grid or columns > self.columns:
                raise ConfigError(f"an image of {size} has {rows} x {columns} tokens: too many")
            if 1 + (rows - 1) * self.columns + columns >= self.text.sources:
                raise ConfigError(f"an image of {size} leaves no source positions for a prompt")


def from_public(data: Mapping[str, Any]) -> DocFusionConfig:
    """The configuration in a `config.json` as the public checkpoint has it.

    Raises ConfigError where it is of another architecture.
    """
    try:
        vision, text = data["vision_config"], data["text_config"]
        if text.get("encoder_layers", 0):
            raise ConfigError("the model has encoder layers: it is no DocFusion model")
        made = VisionConfig(
            dims=tuple(vision["dim_embed"]),
            depths=tuple(vision["depths"]),
            heads=_same(vision["num_heads"], vision["num_groups"]),
            kernels=tuple(vision["patch_size"]),
            strides=tuple((stride, stride) for stride in vision["patch_stride"]),
            paddings=tuple(vision["patch_padding"]),
            prenorm=tuple(vision["patch_prenorm"]),
            window=vision["window_size"],
            drop_path=vision["drop_path_rate"],
            grid=vision["image_pos_embed"]["max_pos_embeddings"],
        )
        return DocFusionConfig(
            vision=made,
            text=TextConfig(
                vocabulary=text["vocab_size"],
                width=text["d_model"],
                layers=text["decoder_layers"],
                heads=text["decoder_attention_heads"],
                feed_forward=text["decoder_ffn_dim"],
                sources=text["max_position_embeddings"],
                targets=text["max_position_embeddings"],
                dropout=text["dropout"],
            ),
        )
    except (KeyError, TypeError, ValueError) as error:
        raise ConfigError(f"not a DocFusion configuration: {error!r}") from error


def _same(heads: list[int], groups: list[int]) -> tuple[int, ...]:
    if heads != groups:
        raise ConfigError("numbers of heads and channel groups differ: not a DocFusion model")
    return tuple(heads)
