r"""LaTeX tables made cells: spans, headers, escapes, and what a model leaves unfinished."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from docpipe.parsers.docfusion.tabular import cells_of, plain, to_html
from docpipe.records import Cell


def grid(latex: str) -> list[tuple[int, int, str]]:
    return [(cell.row, cell.column, cell.text) for cell in cells_of(latex)]


def test_rows_and_columns() -> None:
    latex = r"\begin{tabular}{lc} \hline a & b \\ \hline 1 & 2 \\ 3 & 4 \\ \hline \end{tabular}"
    cells = cells_of(latex)
    assert grid(latex) == [
        (0, 0, "a"),
        (0, 1, "b"),
        (1, 0, "1"),
        (1, 1, "2"),
        (2, 0, "3"),
        (2, 1, "4"),
    ]
    assert [cell.is_header for cell in cells] == [True, True, False, False, False, False]


def test_spans_cover_their_places() -> None:
    latex = (
        r"\begin{tabular}{lcc}\toprule \multirow{2}{*}{Year} & \multicolumn{2}{c}{Sales} \\"
        r" \cmidrule(lr){2-3} & North & South \\ \midrule 2020 & 1 & 2 \\ \bottomrule\end{tabular}"
    )
    assert cells_of(latex) == (
        Cell(0, 0, "Year", 2, 1, True),
        Cell(0, 1, "Sales", 1, 2, True),
        Cell(1, 1, "North", 1, 1, True),
        Cell(1, 2, "South", 1, 1, True),
        Cell(2, 0, "2020"),
        Cell(2, 1, "1"),
        Cell(2, 2, "2"),
    )


def test_a_span_in_both_directions() -> None:
    latex = r"\multicolumn{2}{c}{\multirow{2}{*}{x}} & 1 \\ & & 2 \\"
    assert cells_of(latex) == (Cell(0, 0, "x", 2, 2), Cell(0, 2, "1"), Cell(1, 2, "2"))


def test_empty_places_are_cells_and_empty_tables_are_none() -> None:
    assert grid(r"a & \\ & b \\") == [(0, 0, "a"), (0, 1, ""), (1, 0, ""), (1, 1, "b")]
    assert cells_of(r"\begin{tabular}{l} & \\ \end{tabular}") == ()
    assert cells_of("") == ()


@pytest.mark.parametrize(
    ("latex", "text"),
    [
        (r"50\%~of \textbf{A\&B}", "50% of A&B"),
        (r"\textbackslash{}n \_ \#1 \$5", r"\n _ #1 $5"),
        (r"$\frac{a}{b}$ and {x}", r"$\frac{a}{b}$ and x"),
        (r"\bfseries Total", "Total"),
        (r"R\textasciicircum{}2", "R^2"),
    ],
)
def test_text_of_cells_is_plain(latex: str, text: str) -> None:
    assert plain(latex) == text


@pytest.mark.parametrize(
    ("latex", "expected"),
    [
        (r"\begin{tabular}{lc} a & b \\ c", [(0, 0, "a"), (0, 1, "b"), (1, 0, "c")]),
        (r"\begin{tabular}{l", []),
        (r"a & \multirow{2}{*}{b", [(0, 0, "a"), (0, 1, "b")]),
        (r"a & \multicolumn{2", [(0, 0, "a"), (0, 1, "")]),
        (r"a \\[2pt] b \\* [1ex] c", [(0, 0, "a"), (1, 0, "b"), (2, 0, "c")]),
        (r"\multicolumn{9999999}{c}{wide} \\ b", [(0, 0, "wide"), (1, 0, "b")]),
    ],
)
def test_unfinished_tables_are_read_as_far_as_they_go(
    latex: str, expected: list[tuple[int, int, str]]
) -> None:
    assert grid(latex) == expected


@given(
    st.lists(
        st.sampled_from(
            [
                *("a", " & ", r" \\ ", "{", "}", r"\multirow{", r"\multicolumn{3}{c}{", "$", "\\"),
                *("2", r"\hline ", r"\begin{tabular}{", r"\end{tabular}", "[", r"\&"),
            ]
        ),
        max_size=30,
    )
)
def test_no_output_breaks_reading(parts: list[str]) -> None:
    cells = cells_of("".join(parts))
    places = [(cell.row, cell.column) for cell in cells]
    assert len(set(places)) == len(places)
    assert all(cell.row_span >= 1 and cell.column_span >= 1 for cell in cells)
    assert to_html(cells).startswith("<table>")


def test_html_has_spans_headers_and_escapes() -> None:
    cells = (Cell(0, 0, "a<b", 1, 2, True), Cell(1, 0, "c", 2), Cell(1, 1, "d"), Cell(2, 1, "e"))
    assert to_html(cells) == (
        '<table><tr><th colspan="2">a&lt;b</th></tr>'
        '<tr><td rowspan="2">c</td><td>d</td></tr><tr><td>e</td></tr></table>'
    )
