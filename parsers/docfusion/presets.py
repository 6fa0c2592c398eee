"""The two models that docpipe knows by name."""

from __future__ import annotations

from docpipe.parsers.docfusion.config import (
    LABELS,
    MORE_LABELS,
    CropConfig,
    Crops,
    DocFusionConfig,
    TextConfig,
    VisionConfig,
)
from docpipe.parsers.docfusion.vocabulary import ByteVocabulary

_TABULAR = (" & ", r" \\ ", r"\begin{tabular}{", r"\end{tabular}", "}{*}{", "}{c}{")
_COMMANDS = r"""
    \toprule \midrule \bottomrule \hline \cline{ \cmidrule(lr){ \multicolumn{ \multirow{
    \% \$ \& \_ \# \textbackslash{} \textasciitilde{} \textasciicircum{}
"""
_FORMULA = r"""
    ^{ _{ }{ \frac{ \sqrt{ \sum \prod \int \lim \infty \partial \nabla \binom{ \operatorname{
    \left( \right) \left[ \right] \left\{ \right\} \left| \right| {\left( \{ \} \, \quad
    \cdot \times \pm \mp \leq \geq \neq \approx \sim \equiv \in \subset \cup \cap \forall \exists
    \to \rightarrow \mapsto \ldots \cdots \log \exp \sin \cos \tan \max \min
    \mathbf{ \mathrm{ \mathcal{ \mathbb{ \text{ \hat{ \bar{ \tilde{ \vec{ \dot{ \overline{
    \displaystyle \begin{array}{ \end{array} \begin{matrix} \end{matrix} \prime \top \dagger \ell
    \alpha \beta \gamma \delta \epsilon \varepsilon \zeta \eta \theta \iota \kappa \lambda \mu \nu
    \xi \pi \rho \sigma \tau \upsilon \phi \varphi \chi \psi \omega
    \Gamma \Delta \Theta \Lambda \Xi \Pi \Sigma \Phi \Psi \Omega
"""
PIECES = (*_TABULAR, *_COMMANDS.split(), *_FORMULA.split())


def full() -> DocFusionConfig:
    """The paper's model [C]: 285 M parameters, the layout of the public checkpoint."""
    return DocFusionConfig()


def tiny() -> DocFusionConfig:
    """A model that learns on one CPU thread [D]: 3.6 M parameters, bytes and LaTeX as tokens.

    Text is read in strips of one line, 32 pixels high: a printed letter is then about 12 pixels
    wide and has 1.5 columns of two image tokens each. Three stages instead of four, for the early,
    fine ones cost most; the last halves the height only. Pages are 256 x 192 with 320 bins, which
    are 1.25 a pixel of height, as the paper has 1.3.

    Measured on one thread, in CPU seconds, batches of 16. Training (forward, backward, AdamW):
    48 strips of 256 pixels with 24 tokens a second, 33 of 384 with 36, 27 formulas of 64 x 256 with
    40, 9 tables of 128 x 384 with 120, 9.5 pages with 100. Reading: 54 strips of 384 (37 with three
    beams) and 13 pages (8) a second, of the same lengths.
    """
    size = ByteVocabulary(PIECES, LABELS + MORE_LABELS).size
    bins = 320
    return DocFusionConfig(
        vision=VisionConfig(
            dims=(32, 96, 192),
            depths=(1, 1, 1),
            heads=(1, 3, 6),
            kernels=(7, 3, 3),
            strides=((4, 4), (2, 2), (2, 1)),
            paddings=(3, 1, 1),
            prenorm=(False, True, True),
            window=8,
            drop_path=0.0,
            grid=48,
        ),
        text=TextConfig(
            vocabulary=size + bins,
            width=192,
            layers=3,
            heads=4,
            feed_forward=768,
            sources=800,
            targets=512,
            dropout=0.0,
            separate=(),
        ),
        bins=bins,
        first_bin=size,
        tokens="bytes",
        pieces=PIECES,
        page=(256, 192),
        crops=Crops(
            text=CropConfig((32, 384), "strip", 64),
            table=CropConfig((128, 384), "corner", 64),
            formula=CropConfig((64, 384), "corner", 64),
        ),
        columns=48,
        ctc_frames=2,
        box_head=True,
    )


PRESETS = {"tiny": tiny, "full": full}
