"""Appraise's CSV: content, losses, and errors with line and key."""

import pytest

from campaign.formats import FormatError
from protocols.spans.files.appraise import read_appraise_csv, write_appraise_csv
from protocols.spans.records import UNKNOWN_SEVERITY, ScoredJudgment, Severity, Span
from tests.unit.protocols.spans.drawn import judgment, minor, output
from tests.unit.protocols.spans.in_memory import in_memory, lost

SPANS = (
    '"[{""start_i"": 0, ""end_i"": 3, ""severity"": ""minor"", ""error_type"": null}]"'
)
MISSING = (
    '"[{""start_i"": ""missing"", ""end_i"": ""missing"", '
    '""severity"": ""major"", ""error_type"": [""Accuracy"", ""Omission""]}]"'
)
ESA = f"ann,A,d_#_1,TGT,en,de,87,d,False,{SPANS},1723000000.5,1723000060\n"


def test_appraise_rows_of_esa() -> None:
    (found,), losses = read_appraise_csv(in_memory(ESA))
    assert found == ScoredJudgment(
        "en",
        "de",
        "d",
        "d_#_1",
        "ann",
        # The last character is included there, and not here.
        (output("A", 87, [minor(0, 4)]),),
        started_at=1723000000.5,
        ended_at=1723000060,
    )
    assert losses == ()


@pytest.mark.parametrize(
    ("row", "spans", "ended"),
    [
        ("ann,A,7,TGT,en,de,87", None, None),
        ("ann,A,7,CHK,en,de,87,10.5,20.25", None, 20.25),
        ("ann,A,7,TGT,en,de,87,d,False", None, None),
        ("ann,A,7,TGT,en,de,87,d,False,[],10,20", (), 20),
        ("ann,A,7,TGT,en,de,87,d,False,None,10,20", None, 20),
        # As Appraise stores outputs without marks: JSON in JSON.
        ('ann,A,7,TGT,en,de,87,d,False,"""[]""",10,20', (), 20),
        (f"ann,A,7,TGT,en,de,87,d,False,{MISSING},10,20", (Span(None, None, Severity.MAJOR, "Accuracy/Omission"),), 20),
    ],
)  # fmt: skip
def test_appraise_rows_of_all_kinds(
    row: str,
    spans: tuple[Span, ...] | None,
    ended: float | None,
) -> None:
    ((found,), losses) = read_appraise_csv(in_memory(row))
    assert (found.outputs[0].score, found.outputs[0].spans, found.ended_at) == (
        87,
        spans,
        ended,
    )
    assert losses == ()


def test_appraise_says_what_it_left_out() -> None:
    neutral = SPANS.replace("minor", "trivial")
    rows = [
        ESA.strip() + ",3,17",
        "ann,A,d_#_1,BAD,en,de,7,d,False,[],1,2",
        "ann,A,d_#_tutorial_#_1,TGT,en,de,7,d,False,[],1,2",
        f"ann,A,d_#_1,TGT,en,de,87,d,False,{neutral},1,2",
        "ann,A,d_#_1,TGT,en,de,60,d,True,[],1,2",
    ]
    found, losses = read_appraise_csv(in_memory("\n".join(rows)))
    assert [len(each.outputs[0].spans or ()) for each in found] == [1, 0]
    assert lost(losses) == {
        "numbers of batch and item": 1,
        "quality controls (BAD, REF)": 1,
        "rows of the tutorial": 1,
        UNKNOWN_SEVERITY: 1,
        "scores of whole documents": 1,
    }
    assert [loss.first for loss in losses] == [f"line {line}" for line in range(1, 6)]


@pytest.mark.parametrize(
    ("row", "field", "problem"),
    [
        ("username,targetID,itemID", "itemType", "not an item type"),
        ("ann,A,1,TGT,en,de,87,d,False,[],1", None, "not a number|11 cells|'d' is"),
        ("ann,A,1,TGT,en,de,87,d,False,[],1,2,3", None, "13 cells"),
        ("ann,A,1,TGT,en,de,120,d,False,[],1,2", "score", "not between"),
        ("ann,A,1,TGT,en,de,None,d,False,[],1,2", "score", "empty"),
        ("ann,A,1,TGT,en,de,high,d,False,[],1,2", "score", "not a number"),
        ("ann,A,1,TGT,en,de,87,d,False,[,1,2", "mqm", "not valid JSON"),
        ("ann,A,1,TGT,en,de,87,d,False,{},1,2", "mqm", "not a list"),
        ("ann,A,1,TGT,en,de,87,d,False,[1],1,2", "mqm[0]", "not an object"),
        (ESA.strip().replace(": 3", ": -3"), "mqm[0]", "encloses no character"),
        (ESA.strip().replace(": 3", ": null"), "mqm[0]", "not integers"),
        (
            ESA.strip().replace(": 3", ": 1000000000000"),
            "mqm[0]",
            "after 4,000,000 characters",
        ),
        (ESA.strip().replace("null", '""\\udc00""'), "mqm[0].error_type", "U\\+DC00"),
        (",A,1,TGT,en,de,87,d,False,[],1,2", "username", "empty"),
        ('"ann,A,1,TGT', None, "continues on the next line"),
    ],
)
def test_appraise_names_line_and_column(
    row: str,
    field: str | None,
    problem: str,
) -> None:
    with pytest.raises(FormatError, match=problem) as refused:
        read_appraise_csv(in_memory(f"{ESA}{row}\n"))
    assert refused.value.line == 2
    if field is not None:
        assert refused.value.field == field


def test_appraise_counts_as_browsers_do() -> None:
    (line,), losses = write_appraise_csv(
        [judgment(output("A", 50, [minor(1, 3)], "😀ab"))],
    )
    # The first character is two units of UTF-16.
    assert '""start_i"": 2, ""end_i"": 3' in line
    assert lost(losses) == {"texts of outputs": 1}


def test_appraise_cannot_say_what_was_side_by_side() -> None:
    screen = judgment(output("A", 50), output("B", None))
    lines, losses = write_appraise_csv([screen])
    assert len(lines) == 1
    assert lost(losses) == {
        "which outputs were shown side by side": 1,
        "outputs without a score": 1,
    }
