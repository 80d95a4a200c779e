"""Result tables in every format: aligned, escaped, with intervals and bold ties."""

from xml.etree import ElementTree

from counterpoint.reports.tables import ResultTable, TableCell, percent_cell

SCORES = ResultTable(
    "Scores <of> two",
    ("Model", "accuracy", "RAD"),
    [
        ["a|b_c <i>", percent_cell(0.9, 0.85, 0.95, is_bold=True), "1"],
        ["d\nd", percent_cell(None, hint="no <gold>"), TableCell("2")],
    ],
    spans=[("order & more", 2)],
    note="Intervals over pictures.",
)


def test_plain_columns_are_padded_to_their_widest_cell() -> None:
    plain = ResultTable("T", ("model", "n"), [["a", "1,000"], ["longer", "2"]]).plain().splitlines()
    assert plain == ["T", "", "model       n", "-------------", "a       1,000", "longer      2"]


def test_in_a_narrow_terminal_rows_are_lines_without_empty_cells_and_lines_of_a_note_stay_apart() -> None:
    table = ResultTable(
        "T", ("kind", "kept", "rejected"), [["color of things", "1,000", ""]], note="no gold: 2\nno box: 3"
    )
    assert table.plain(20).splitlines() == [
        "T",
        "",
        "color of things",
        "    kept: 1,000",
        "",
        "no gold: 2",
        "no box: 3",
    ]


def test_markdown_escapes_what_would_end_a_cell_or_become_markup() -> None:
    lines = SCORES.markdown().splitlines()
    assert lines[2] == "| Model | order & more accuracy | order & more RAD |"
    assert lines[4] == r"| a\|b_c \<i\> | **90.0** (85.0–95.0) | 1 |"
    assert lines[5] == "| d d | – | 2 |"
    assert lines[-1] == "*Intervals over pictures.*"


def test_latex_has_spanning_heads_small_intervals_and_escaped_signs() -> None:
    lines = SCORES.latex().splitlines()
    assert lines[1] == r"\begin{tabular}{lrr}"
    assert lines[3] == r" & \multicolumn{2}{c}{order \& more} \\"
    assert lines[6] == r"a\textbar{}b\_c $<$i$>$ & \textbf{90.0} {\scriptsize 85.0--95.0} & 1 \\"


def test_latex_sets_negative_numbers_with_a_minus_and_small_p_values_with_a_less_than_sign() -> None:
    table = ResultTable("", ("model", "difference", "p"), [["gpt-4 v-1", "-16.7 (-22.8–-10.3)", "<0.001"]])
    assert table.latex().splitlines()[-3] == r"gpt-4 v-1 & $-$16.7 ($-$22.8--$-$10.3) & $<$0.001 \\"
    assert r"$-$22.8--$-$10.3" in ResultTable("", ("m", "d"), [["a", percent_cell(-0.16, -0.228, -0.103)]]).latex()


def test_html_is_well_formed_and_shows_text_as_text() -> None:
    root = ElementTree.fromstring(f"<div>{SCORES.html()}</div>")
    assert [row.find("td").text for row in root.iter("tr") if row.find("td") is not None] == ["a|b_c <i>", "d\nd"]  # type: ignore[union-attr]
    assert [bold.text for bold in root.iter("b")] == ["90.0"]
    assert [cell.get("title") for cell in root.iter("td") if cell.get("title")] == ["no <gold>"]
    assert [head.get("colspan") for head in root.iter("th") if head.get("colspan")] == ["1", "2"]


def test_a_table_without_rows_has_its_heads_in_every_format() -> None:
    empty = ResultTable("", ("Model", "n"), [])
    assert empty.plain() == "Model  n\n--------"
    assert empty.markdown().startswith("| Model | n |")
    assert "Model & n" in empty.latex()
    assert "<tbody></tbody>" in empty.html()
