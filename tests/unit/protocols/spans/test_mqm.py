"""Google's MQM: content, losses, and errors with line and key."""

from dataclasses import replace

import pytest

from campaign.formats import FormatError
from protocols.spans.files.mqm import COLUMNS, read_mqm_tsv, write_mqm_tsv
from protocols.spans.records import UNKNOWN_SEVERITY, Severity, Span
from tests.unit.protocols.spans.drawn import judgment, major, minor, output
from tests.unit.protocols.spans.in_memory import in_memory, lost


def mqm(
    *rows: tuple[str, str, str],
    source: str = "A source",
    system: str = "A",
) -> str:
    lines = ["\t".join((*COLUMNS, "comment"))]
    lines += [
        f"{system}\ttalk.1\t1\t7\trater1\t{source}\t{target}\t{category}\t{severity}\t"
        for target, category, severity in rows
    ]
    return "\n".join(lines) + "\n"


def test_mqm_rows_of_one_rater_are_one_judgment() -> None:
    found, losses = read_mqm_tsv(
        in_memory(
            mqm(
                ("Ein <v>Wort</v> da", "Style/Awkward", "Minor"),
                ("<v>Ein Wort</v> da", "Accuracy/Mistranslation", "major"),
                ("Ein Wort da", "Accuracy/Omission", "Major"),
            ),
        ),
    )
    (only,) = found
    assert only.outputs == (
        output(
            "A",
            None,
            [
                minor(4, 8, "Style/Awkward"),
                major(0, 8, "Accuracy/Mistranslation"),
                major(None, None, "Accuracy/Omission"),
            ],
            "Ein Wort da",
        ),
    )
    assert (only.document, only.segment, only.judge) == ("talk.1", "7", "rater1")
    assert losses == ()


def test_mqm_says_what_it_left_out() -> None:
    found, losses = read_mqm_tsv(
        in_memory(
            mqm(
                ("Ein Wort", "No-error", "No-error"),
                ("Ein <v>Wort</v>", "Style/Awkward", "Trivial"),
                ("<v>Ein</v> <v>Wort</v>", "Other", "Major"),
            ),
        ),
    )
    assert found[0].outputs[0].spans == (major(0, 3, "Other"),)
    assert lost(losses) == {UNKNOWN_SEVERITY: 1, "further places of one error": 1}


def test_mqm_keeps_severities_and_marks_in_the_source() -> None:
    text = mqm(
        ("Ein <v>Wort</v>", "Style/Awkward", "Neutral"),
        ("<v>Ein</v> Wort", "Other", "Critical"),
        source="A source",
    )
    text += mqm(
        ("Ein Wort", "Accuracy/Omission", "Minor"),
        source="A <v>source</v>",
    ).split("\n", 1)[1]
    found, losses = read_mqm_tsv(in_memory(text))
    assert losses == ()
    assert found[0].source == "A source"
    assert found[0].outputs[0].spans == (
        Span(4, 8, Severity.NEUTRAL, "Style/Awkward"),
        Span(0, 3, Severity.CRITICAL, "Other"),
        Span(2, 8, Severity.MINOR, "Accuracy/Omission", "source"),
    )
    written, _losses = write_mqm_tsv(found)
    assert read_mqm_tsv(in_memory("".join(written)))[0] == found


def test_mqm_marks_that_are_not_closed_end_with_the_text() -> None:
    """As in two rows of Google's TED talks."""
    found, losses = read_mqm_tsv(in_memory(mqm(("Mobilität. <v>?", "Other", "Minor"))))
    assert found[0].outputs[0].spans == (minor(11, 12, "Other"),)
    assert lost(losses) == {"marks without an end (extended to the end of the text)": 1}


def test_mqm_files_are_quoted_or_not() -> None:
    quoted = mqm(('"Ein ""<v>Wort</v>"""', "Other", "Minor"))
    plain = mqm(('Ein "<v>Wort</v>" da', "Other", "Minor"))
    # A quote at both ends of a cell is of the text if the file has cells that would be wrong in quotes.
    mixed = plain + mqm(('"Ja."', "Other", "Minor"), system="B").split("\n", 1)[1]
    texts = [
        [each.outputs[0].text for each in read_mqm_tsv(in_memory(text))[0]]
        for text in (quoted, plain, mixed)
    ]
    assert texts == [['Ein "Wort"'], ['Ein "Wort" da'], ['Ein "Wort" da', '"Ja."']]


@pytest.mark.parametrize(
    ("text", "line", "field", "problem"),
    [
        ("system\tdoc\n", 1, "doc_id", "no column doc_id"),
        (mqm() + "A\tb\n", 2, None, "2 cells, the header 10"),
        (mqm(("a <v>b<v>c", "Other", "Minor")), 2, "target", "are not paired"),
        (mqm(("a </v>b<v>", "Other", "Minor")), 2, "target", "are not paired"),
        (mqm(("a", "Other", "Minor"), system="A,B"), 2, "system", "comma"),
    ],
)
def test_mqm_names_line_and_column(
    text: str,
    line: int,
    field: str | None,
    problem: str,
) -> None:
    with pytest.raises(FormatError, match=problem) as refused:
        read_mqm_tsv(in_memory(text))
    assert (refused.value.line, refused.value.field) == (line, field)


def test_mqm_leaves_out_judgments_of_sources_with_its_marks() -> None:
    marked = judgment(output("A", None, [], "ab"))
    given = [
        replace(marked, source="a <v> b"),
        replace(marked, segment="2", source="a b"),
    ]
    lines, losses = write_mqm_tsv(given)
    assert lost(losses)["outputs of sources that hold <v> or </v> themselves"] == 1
    [read], _losses = read_mqm_tsv(in_memory("".join(lines)))
    assert read.source == "a b"


def test_mqm_cannot_say_scores_twice_judged_outputs_and_marks_in_texts() -> None:
    given = [
        judgment(output("A", 50, [minor()], "ab")),
        judgment(output("A", 60, [major()], "ab")),
        judgment(output("B", 50, [], "a<v>b")),
        judgment(output("C", 50, None, "ab")),
    ]
    lines, losses = write_mqm_tsv(given)
    assert len(lines) == 2
    assert lost(losses) == {
        "languages": 4,
        "scores": 2,
        "missing error categories (written as Other)": 1,
        "further judgments of one output by one judge": 1,
        "outputs that hold <v> or </v> themselves": 1,
        "outputs without a text, or without a search for errors": 1,
    }
