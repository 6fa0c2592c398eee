"""Scores computed by hand: an edit is an inserted, deleted or changed node."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from docpipe.bench.parsing import MAX_NODES, mhs, nid, nid_text, score_document, teds


def table(*rows: str) -> str:
    """An HTML table from rows of single-letter cells: `table("ab", "cd")`."""
    cells = ("".join(f"<td>{cell}</td>" for cell in row) for row in rows)
    return f"<table>{''.join(f'<tr>{row}</tr>' for row in cells)}</table>"


class TestNid:
    def test_one_changed_letter_is_one_deletion_and_one_insertion(self) -> None:
        assert nid("abc", "abd") == pytest.approx(1 - 2 / 6)

    def test_columns_in_the_wrong_order_share_one_of_them_only(self) -> None:
        assert nid("aaaa bbbb", "bbbb aaaa") == pytest.approx(2 * 4 / 18)

    def test_white_space_does_not_count(self) -> None:
        assert nid("one  two\n\nthree", "one two three") == 1.0

    def test_tables_count_as_text_but_not_in_nid_text(self) -> None:
        assert nid("x\n" + table("ab"), "x\n" + table("ac")) < 1
        assert nid_text("x\n" + table("ab"), "x\n" + table("zz", "yy")) == 1.0

    def test_empty_reference_has_no_score(self) -> None:
        assert nid(" \n", "text") is None


class TestTeds:
    def test_missing_row(self) -> None:
        assert teds(table("ab", "cd"), table("ab")) == pytest.approx(1 - 3 / 7)

    def test_swapped_columns_change_every_cell(self) -> None:
        assert teds(table("ab", "cd"), table("ba", "dc")) == pytest.approx(1 - 4 / 7)

    def test_one_wrong_letter_of_two(self) -> None:
        wanted = "<table><tr><td>ab</td><td>cd</td></tr></table>"
        found = "<table><tr><td>ab</td><td>cx</td></tr></table>"
        assert teds(wanted, found) == pytest.approx(1 - 0.5 / 4)

    def test_a_table_split_in_two_is_removed_and_two_are_made(self) -> None:
        assert teds(table("ab", "cd"), table("ab") + table("cd")) == pytest.approx(1 - 3 / 8)

    def test_an_invented_table_costs_its_nodes(self) -> None:
        assert teds(table("ab"), table("ab") + table("x")) == pytest.approx(1 - 3 / 7)

    def test_a_merged_cell_is_not_the_same_as_two(self) -> None:
        wanted = '<table><tr><td colspan="2">ab</td></tr></table>'
        assert teds(wanted, "<table><tr><td>ab</td></tr></table>") == pytest.approx(1 - 1 / 3)
        assert teds(wanted, wanted) == 1.0

    def test_pipe_and_html_tables_and_header_markup_are_equal(self) -> None:
        pipes = "| a | b |\n|---|:-:|\n| c | d<br>e |"
        wanted = (
            "<table><thead><tr><th>a</th><th>b</th></tr></thead>"
            "<tbody><tr><td>c</td><td>d e</td></tr></tbody></table>"
        )
        assert teds(wanted, pipes) == 1.0

    def test_the_empty_header_that_pipes_force_is_dropped(self) -> None:
        assert teds(table("ab", "cd"), "||\n|---|---|\n|a|b|\n|c|d|") == 1.0

    def test_no_table_found_is_zero_and_none_wanted_is_no_score(self) -> None:
        assert teds(table("ab"), "a b") == 0.0
        assert teds("a b", table("ab")) is None


class TestMhs:
    def test_levels_do_not_matter(self) -> None:
        assert mhs("# A\nx\n## B\ny", "## A\nx\n### B\ny") == 1.0

    def test_missed_heading_is_three_edits(self) -> None:
        """Heading and content removed, and the content above it changed by 2 letters of 3."""
        assert mhs("# A\nx\n# B\ny", "# A\nx y") == pytest.approx(1 - (2 + 2 / 3) / 5)

    def test_text_before_the_first_heading_counts(self) -> None:
        assert mhs("intro\n# A\nx", "# A\nx") == pytest.approx(1 - 1 / 4)

    def test_no_heading(self) -> None:
        assert mhs("# A\nx", "A\nx") == 0.0
        assert mhs("A\nx", "# A\nx") is None


class TestScoreDocument:
    def test_overall_is_the_mean_of_the_scores_that_apply(self) -> None:
        scores = score_document("text " + table("ab", "cd"), "text " + table("ab"))
        assert scores.mhs is None
        assert scores.overall == pytest.approx((scores.nid + 4 / 7) / 2)

    def test_tables_are_false_where_the_reference_has_none(self) -> None:
        assert score_document("a b", table("ab") + table("cd")).false_tables == 2
        assert score_document(table("ab"), table("ab") + table("cd")).false_tables == 0

    def test_tables_only_leaves_the_text_out(self) -> None:
        scores = score_document(table("ab"), "# Noise\n" + table("ab"), tables_only=True)
        assert (scores.overall, scores.teds, scores.nid, scores.mhs) == (1.0, 1.0, None, None)

    def test_a_huge_table_is_left_out_and_said_so(self) -> None:
        huge = table(*["ab"] * MAX_NODES)
        scores = score_document("text\n" + huge, "text\n" + huge)
        assert scores.teds is None
        assert scores.notes == (f"teds_skipped: {3 * MAX_NODES + 1} nodes, more than {MAX_NODES}",)
        assert scores.overall == 1.0


WORDS = st.text("abc <&|#*\n", max_size=12)


@settings(deadline=None)
@given(WORDS, WORDS)
def test_scores_stay_in_range_whatever_the_text(wanted: str, found: str) -> None:
    for measure in (nid, nid_text, teds, mhs):
        score = measure(wanted, found)
        assert score is None or 0.0 <= score <= 1.0


@settings(deadline=None)
@given(st.lists(st.lists(st.text("abc ", max_size=4), min_size=1, max_size=4), max_size=4))
def test_a_text_is_identical_with_itself(rows: list[list[str]]) -> None:
    document = "# Title\n\ntext\n" + table(*rows)
    scores = score_document(document, document)
    assert (scores.nid, scores.teds, scores.mhs) == (1.0, 1.0, 1.0)
