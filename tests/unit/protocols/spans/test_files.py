"""Each format: what it says, what it cannot, and what is refused at which line and key."""

import json
from typing import Any

import pytest

from campaign.formats import FormatError
from protocols.spans.files.appraise import read_appraise_csv, write_appraise_csv
from protocols.spans.files.jsonl import read_spans_jsonl
from protocols.spans.files.mqm import COLUMNS, read_mqm_tsv, write_mqm_tsv
from protocols.spans.files.pearmut import read_pearmut_log, write_pearmut_log
from protocols.spans.records import ScoredJudgment, Severity, Span
from tests.unit.protocols.spans.drawn import judgment, major, minor, output
from tests.unit.protocols.spans.in_memory import in_memory


def lost(losses: Any) -> dict[str, int]:
    return {loss.what: loss.count for loss in losses}


# --- JSON Lines ---------------------------------------------------------------------------------


def test_json_lines_say_everything() -> None:
    line = {
        "source_language": "en",
        "target_language": "de",
        "document": "d",
        "segment": 7,
        "judge": "ann",
        "source": "Two words",
        "outputs": [
            {
                "systems": ["A", "B"],
                "score": 80,
                "text": "Zwei Worte",
                "spans": [{"start": 5, "end": 10, "severity": "minor"}, {"severity": "major"}],
            },
            {"systems": ["C"]},
        ],
        "duration_ms": 900,
    }
    (found,) = read_spans_jsonl(in_memory(json.dumps(line)))
    assert found.segment == "7"
    assert found.outputs[0].systems == ("A", "B")
    assert found.outputs[0].spans == (minor(5, 10), major(None, None))
    assert (found.outputs[1].score, found.outputs[1].spans) == (None, None)
    assert (found.source, found.duration_ms, found.started_at) == ("Two words", 900, None)


def one(**changes: Any) -> str:
    output = {"systems": ["A"], "score": 50, "text": "abc", "spans": []} | changes.pop("output", {})
    return json.dumps({"segment": "1", "judge": "ann", "outputs": [output]} | changes)


@pytest.mark.parametrize(
    ("text", "field", "problem"),
    [
        ("[1]", None, "no JSON object"),
        ('{"segment": "1"}', "judge", "the key is missing"),
        (one(seed=1), "seed", "the key is unknown"),
        (one(judge=""), "judge", "no text"),
        (one(segment=" "), "segment", "no text"),
        (one(segment="a\tb"), None, "has a tab"),
        (one(outputs={}), "outputs", "no list"),
        (one(outputs=[]), None, "0 outputs"),
        (one(duration_ms=-1), "duration_ms", "no whole number"),
        (one(started_at="now"), "started_at", "no number"),
        (one(started_at=float("nan")), "started_at", "no number"),
        (one(started_at=9, ended_at=8), None, "ended before"),
        (one(started_at=10**400), "started_at", "too large"),
        (one(duration_ms=10**400), "duration_ms", "too large"),
        (one(output={"score": 10**400}), "outputs[0].score", "too large"),
        (one(comment="\ud800"), "comment", "U\\+D800"),
        (one(output={"systems": ["A\ud800"]}), "outputs[0].systems", "U\\+D800"),
        (
            one(output={"spans": [{"severity": "minor", "category": "\udc00"}]}),
            "outputs[0].spans[0].category",
            "U\\+DC00",
        ),
        (
            one(output={"text": None, "spans": [{"start": 0, "end": 10**12, "severity": "minor"}]}),
            "outputs[0].spans[0]",
            "after 4,000,000 characters",
        ),
        (one(output={"score": 101}), "outputs[0].score", "not between 0 and 100"),
        (one(output={"score": "50"}), "outputs[0].score", "no number"),
        (one(output={"score": True}), "outputs[0].score", "no number"),
        (one(output={"systems": ["A,B"]}), "outputs[0].systems", "comma"),
        (one(output={"systems": []}), "outputs", "one system at least"),
        (one(output={"span": []}), "outputs[0].span", "unknown"),
        (one(output={"text": "\x00"}), "outputs[0].text", "U\\+0000"),
        (one(output={"spans": [{}]}), "outputs[0].spans[0].severity", "missing"),
        (
            one(output={"spans": [{"severity": "neutral"}]}),
            "outputs[0].spans[0].severity",
            "neither minor nor major",
        ),
        (
            one(output={"spans": [{"start": 1, "severity": "minor"}]}),
            "outputs[0].spans[0]",
            "a start and an end",
        ),
        (
            one(output={"spans": [{"start": 0, "end": 4, "severity": "minor"}]}),
            "outputs[0].spans[0]",
            "has 3 characters",
        ),
    ],
)
def test_json_lines_name_line_and_key(text: str, field: str | None, problem: str) -> None:
    with pytest.raises(FormatError, match=problem) as refused:
        list(read_spans_jsonl(in_memory(f"{one()}\n\n{text}\n", "j.jsonl")))
    assert (refused.value.line, refused.value.field) == (3, field)


# --- Appraise -----------------------------------------------------------------------------------

SPANS = '"[{""start_i"": 0, ""end_i"": 3, ""severity"": ""minor"", ""error_type"": null}]"'
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
        # As Appraise stores it where nobody marked anything: JSON in JSON.
        ('ann,A,7,TGT,en,de,87,d,False,"""[]""",10,20', (), 20),
        (
            f"ann,A,7,TGT,en,de,87,d,False,{MISSING},10,20",
            (Span(None, None, Severity.MAJOR, "Accuracy/Omission"),),
            20,
        ),
    ],
)
def test_appraise_rows_of_all_kinds(
    row: str, spans: tuple[Span, ...] | None, ended: float | None
) -> None:
    ((found,), losses) = read_appraise_csv(in_memory(row))
    assert (found.outputs[0].score, found.outputs[0].spans, found.ended_at) == (87, spans, ended)
    assert losses == ()


def test_appraise_says_what_it_left_out() -> None:
    neutral = SPANS.replace("minor", "neutral")
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
        "quality controls (BAD, REF), which say nothing of a system": 1,
        "rows of the tutorial": 1,
        "spans whose severity is neither minor nor major": 1,
        "scores of whole documents": 1,
    }
    assert [loss.first for loss in losses] == [f"line {line}" for line in range(1, 6)]


@pytest.mark.parametrize(
    ("row", "field", "problem"),
    [
        ("username,targetID,itemID", "itemType", "no kind of item"),
        ("ann,A,1,TGT,en,de,87,d,False,[],1", None, "no number|11 cells|'d' is"),
        ("ann,A,1,TGT,en,de,87,d,False,[],1,2,3", None, "13 cells"),
        ("ann,A,1,TGT,en,de,120,d,False,[],1,2", "score", "not between"),
        ("ann,A,1,TGT,en,de,None,d,False,[],1,2", "score", "empty"),
        ("ann,A,1,TGT,en,de,high,d,False,[],1,2", "score", "no number"),
        ("ann,A,1,TGT,en,de,87,d,False,[,1,2", "mqm", "no JSON"),
        ("ann,A,1,TGT,en,de,87,d,False,{},1,2", "mqm", "no list"),
        ("ann,A,1,TGT,en,de,87,d,False,[1],1,2", "mqm[0]", "no object"),
        (ESA.strip().replace(": 3", ": -3"), "mqm[0]", "encloses no character"),
        (ESA.strip().replace(": 3", ": null"), "mqm[0]", "no whole numbers"),
        (ESA.strip().replace(": 3", ": 1000000000000"), "mqm[0]", "after 4,000,000 characters"),
        (ESA.strip().replace("null", '""\\udc00""'), "mqm[0].error_type", "U\\+DC00"),
        (",A,1,TGT,en,de,87,d,False,[],1,2", "username", "empty"),
        ('"ann,A,1,TGT', None, "no CSV"),
    ],
)
def test_appraise_names_line_and_column(row: str, field: str | None, problem: str) -> None:
    with pytest.raises(FormatError, match=problem) as refused:
        read_appraise_csv(in_memory(f"{ESA}{row}\n"))
    assert refused.value.line == 2
    if field is not None:
        assert refused.value.field == field


def test_appraise_counts_as_browsers_do() -> None:
    (line,), losses = write_appraise_csv([judgment(output("A", 50, [minor(1, 3)], "😀ab"))])
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


# --- Pearmut ------------------------------------------------------------------------------------


def entry(
    annotation: Any, *, judge: str = "ann", item_i: Any = 0, item: Any = None, **more: Any
) -> str:
    item = (
        [{"item_id": "en-de-0", "src": "One", "tgt": {"A": "eins\nzwei", "B": "un"}}]
        if item is None
        else item
    )
    return json.dumps(
        {"annotation": annotation, "item": item, "user_id": judge, "item_i": item_i} | more
    )


def said(score: float, *spans: tuple[int, int, str]) -> dict[str, Any]:
    return {
        "score": score,
        "error_spans": [
            {"start_i": start, "end_i": end, "category": None, "severity": severity}
            for start, end, severity in spans
        ],
        "textfield": None,
    }


def test_pearmut_says_scores_and_spans_side_by_side() -> None:
    # Eight places: the line break is none. The ninth is [missing].
    both = {"A": said(70, (3, 4, "minor"), (8, 8, "major")), "B": said(100)}
    actions = [{"time": at, "action": "x"} for at in (1000.5, 1010.5, 1200.5)]
    ((found,), losses) = read_pearmut_log(in_memory(entry([both], actions=actions, comment="ok")))
    assert found.outputs == (
        output("A", 70, [minor(3, 6), major(None, None)], "eins\nzwei"),
        output("B", 100, [], "un"),
    )
    assert (found.document, found.segment, found.judge, found.source) == (
        "0",
        "en-de-0",
        "ann",
        "One",
    )
    # A pause counts a minute at most, as there.
    assert (found.started_at, found.ended_at, found.duration_ms) == (1000.5, 1200.5, 70_000)
    assert (found.comment, losses) == ("ok", ())


def test_pearmut_resets_are_of_one_judge_and_document() -> None:
    log = [
        entry([{"A": said(10)}]),
        entry([{"A": said(20)}], item_i=1),
        entry([{"A": said(30)}], judge="bob"),
        entry("__RESET__"),
        entry([{"A": said(40)}]),
    ]
    found, losses = read_pearmut_log(in_memory("\n".join(log)))
    assert [(each.judge, each.outputs[0].score) for each in found] == [
        ("ann", 20),
        ("bob", 30),
        ("ann", 40),
    ]
    assert lost(losses) == {"judgments that were reset": 1}
    whole = json.dumps({"user_id": "ann", "annotation": "__RESET__"})
    found, losses = read_pearmut_log(in_memory("\n".join([*log, whole])))
    assert [each.judge for each in found] == ["bob"]
    assert lost(losses) == {"judgments that were reset": 3}


def test_pearmut_the_later_judgment_replaces_what_it_judges_again() -> None:
    log = [
        entry([{"A": said(10), "B": said(20)}]),
        entry([{"B": said(30)}]),
        entry([{"B": said(90)}], judge="bob"),
    ]
    found, losses = read_pearmut_log(in_memory("\n".join(log)))
    assert [[(out.systems[0], out.score) for out in each.outputs] for each in found] == [
        [("A", 10)],
        [("B", 30)],
        [("B", 90)],
    ]
    assert lost(losses) == {"outputs that the same judge judged again later": 1}


def test_pearmut_leaves_out_what_is_no_judgment() -> None:
    item = {"item_id": "x", "tgt": {"A": "a"}}
    skipped = [
        item,
        item | {"validation": {}},
        item | {"validation": {"A": {}}},
        item | {"skippable": True},
    ]
    log = [
        entry(["German"], item_i="welcome_0", item=[{"text": "Native?", "form": "string"}]),
        entry([None, {"A": said(1)}, {"A": said(2)}, {"A": said(3)}], item=skipped),
        entry(
            [{"A": {"score": 5, "sliders": {"Fluency": 3}, "textfield": "b"}}],
            item=[item | {"ref": "c"}],
            item_i=1,
        ),
    ]
    found, losses = read_pearmut_log(in_memory("\n".join(log)))
    assert [(each.outputs[0].score, each.outputs[0].spans) for each in found] == [
        (1, ()),
        (5, None),
    ]
    assert lost(losses) == {
        "forms, tutorials and attention checks": 3,
        "items that were passed over": 1,
        "references and instructions of items": 1,
        "scores of sliders of its own": 1,
        "texts that judges wrote": 1,
    }


def test_pearmut_names_of_wmt_say_languages_and_documents() -> None:
    item = {"tgt": {"A": "a"}}
    names = {
        "wmt26_###_news_###_eng_Latn_###_ces_Latn_###_d7_###_3": (
            "eng_Latn",
            "ces_Latn",
            "wmt26_###_news_###_eng_Latn_###_ces_Latn_###_d7",
        ),
        "en-cs_CZ_#_news_#_d7_#_3": ("", "", "en-cs_CZ_#_news_#_d7"),
        "mine": ("", "", "0"),
    }
    for name, expected in names.items():
        ((found,), _losses) = read_pearmut_log(
            in_memory(entry([{"A": said(1)}], item=[item | {"item_id": name}]))
        )
        assert (found.source_language, found.target_language, found.document) == expected
        assert found.segment == name


def test_pearmut_logs_of_several_campaigns_in_one_download() -> None:
    lines = [json.loads(entry([{"A": said(score)}])) for score in (1, 2)]
    download = json.dumps({"eng_Latn---ces_Latn v3": lines[:1], "other": lines[1:], "empty": []})
    found, losses = read_pearmut_log(in_memory(download))
    # The same judge and number in two campaigns are two documents.
    assert [(each.target_language, each.outputs[0].score) for each in found] == [
        ("ces_Latn", 1),
        ("", 2),
    ]
    assert losses == ()


@pytest.mark.parametrize(
    ("line", "field", "problem"),
    [
        (entry([{"A": said(1)}], judge=""), "user_id", "no text"),
        (entry([{"A": said(1)}], item_i=None), "item_i", "no document"),
        (entry([]), "annotation", "0 annotations of 1 items"),
        (entry("done"), "annotation", "no list"),
        (entry([{"C": said(1)}]), "item.tgt.C", "no text"),
        (entry([{"A": said(101)}]), "annotation[0].A.score", "not between"),
        (
            entry([{"A": said(1, (0, 9, "minor"))}]),
            "annotation[0].A.error_spans[0].end_i",
            "has 8 places",
        ),
        (entry([{"A": said(1, (5, 3, "minor"))}]), "annotation[0].A.error_spans[0]", "encloses no"),
        (
            entry([{"A": said(1, (-1, 3, "minor"))}]),
            "annotation[0].A.error_spans[0].start_i",
            "no place",
        ),
        (entry([{"A": said(1)}], comment="\ud800"), "comment", "U\\+D800"),
        ("{", None, "no JSON"),
    ],
)
def test_pearmut_names_line_and_key(line: str, field: str | None, problem: str) -> None:
    with pytest.raises(FormatError, match=problem) as refused:
        read_pearmut_log(in_memory(f"{entry([{'A': said(1)}])}\n{line}\n"))
    assert (refused.value.line, refused.value.field) == (2, field)


def test_pearmut_counts_units_of_utf16_and_no_line_breaks() -> None:
    screen = judgment(output("A", 50, [minor(2, 4), major(0, 2), minor(None, None)], "😀\nab"))
    (line,), losses = write_pearmut_log([screen])
    spans = json.loads(line)["annotation"][0]["A"]["error_spans"]
    assert [(span["start_i"], span["end_i"]) for span in spans] == [(2, 3), (0, 1), (4, 4)]
    assert lost(losses)["line breaks at the ends of spans"] == 1


# --- Google's MQM -------------------------------------------------------------------------------


def mqm(*rows: tuple[str, str, str], source: str = "A source", system: str = "A") -> str:
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
            )
        )
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
                ("Ein <v>Wort</v>", "Style/Awkward", "Neutral"),
                ("<v>Ein</v> <v>Wort</v>", "Other", "Critical"),
                ("Ein Wort", "Accuracy/Omission", "Minor"),
                source="A <v>source</v>",
            )
        )
    )
    assert found[0].outputs[0].spans == (
        major(0, 3, "Other"),
        minor(None, None, "Accuracy/Omission"),
    )
    assert found[0].source == "A source"
    assert lost(losses) == {
        "errors whose severity is neither minor nor major": 1,
        "that an error was critical; it counts as major": 1,
        "further places of one error": 1,
        "which part of the source has no translation": 1,
    }


def test_mqm_marks_that_are_not_closed_end_with_the_text() -> None:
    """As in two rows of Google's TED talks."""
    found, losses = read_mqm_tsv(in_memory(mqm(("Mobilität. <v>?", "Other", "Minor"))))
    assert found[0].outputs[0].spans == (minor(11, 12, "Other"),)
    assert lost(losses) == {"that a mark was not closed; it ends with the text": 1}


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
        (mqm(("a <v>b<v>c", "Other", "Minor")), 2, "target", "do not pair"),
        (mqm(("a </v>b<v>", "Other", "Minor")), 2, "target", "do not pair"),
        (
            mqm(("a", "Other", "Minor"), ("b", "Other", "Minor")),
            3,
            "target",
            "another than in line 2",
        ),
        (mqm(("a", "Other", "Minor"), system="A,B"), 2, "system", "comma"),
    ],
)
def test_mqm_names_line_and_column(text: str, line: int, field: str | None, problem: str) -> None:
    with pytest.raises(FormatError, match=problem) as refused:
        read_mqm_tsv(in_memory(text))
    assert (refused.value.line, refused.value.field) == (line, field)


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
        "that an error had no category; it is Other": 1,
        "further judgments of one output by one judge": 1,
        "outputs that hold <v> or </v> themselves": 1,
        "outputs without a text, or without a search for errors": 1,
    }
