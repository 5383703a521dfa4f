"""Pearmut's annotation log: content, losses, and errors with line and key."""

import json
from typing import Any

import pytest

from campaign.formats import FormatError, genmt
from campaign.formats.repeats import COUNTED_ONCE, REPLACED
from protocols.spans.files.formats import read_spans_file
from protocols.spans.files.pearmut import (
    read_pearmut_campaign,
    read_pearmut_log,
    write_pearmut_log,
)
from tests.unit.protocols.spans.drawn import judgment, major, minor, output
from tests.unit.protocols.spans.in_memory import in_memory, lost


def entry(
    annotation: Any,
    *,
    judge: str = "ann",
    item_i: Any = 0,
    item: Any = None,
    **more: Any,
) -> str:
    item = (
        [{"item_id": "en-de-0", "src": "One", "tgt": {"A": "eins\nzwei", "B": "un"}}]
        if item is None
        else item
    )
    return json.dumps(
        {"annotation": annotation, "item": item, "user_id": judge, "item_i": item_i}
        | more,
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
    ((found,), losses) = read_pearmut_log(
        in_memory(entry([both], actions=actions, comment="ok")),
    )
    assert found.outputs == (
        output("A", 70, [minor(3, 6), major(None, None)], "eins\nzwei"),
        output("B", 100, [], "un"),
    )
    assert (found.document, found.segment, found.judge, found.source) == (
        "",
        "en-de-0",
        "ann",
        "One",
    )
    # A pause counts a minute at most, as there.
    assert (found.started_at, found.ended_at, found.duration_ms) == (
        1000.5,
        1200.5,
        70_000,
    )
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


def test_pearmut_later_judgment_replaces_the_outputs_that_it_judges() -> None:
    # The log has no times: its lines are in the order of the submissions.
    log = [
        entry([{"A": said(10), "B": said(20)}]),
        entry([{"B": said(30)}]),
        entry([{"B": said(90)}], judge="bob"),
        entry([{"B": said(90)}], judge="bob"),
    ]
    _format, found, losses = read_spans_file(in_memory("\n".join(log)))
    assert [
        [(out.systems[0], out.score) for out in each.outputs] for each in found
    ] == [
        [("A", 10)],
        [("B", 30)],
        [("B", 90)],
    ]
    assert lost(losses) == {REPLACED: 1, COUNTED_ONCE: 1}


def test_pearmut_leaves_out_what_is_no_judgment() -> None:
    item = {"item_id": "x", "tgt": {"A": "a"}}
    skipped = [
        item,
        item | {"validation": {}},
        item | {"validation": {"A": {}}},
        item | {"skippable": True},
    ]
    log = [
        entry(
            ["German"],
            item_i="welcome_0",
            item=[{"text": "Native?", "form": "string"}],
        ),
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
        "answers to forms": 1,
        "tutorials and attention checks": 2,
        "skipped items": 1,
        "references and instructions of items": 1,
        "scores of custom sliders": 1,
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
        "mine": ("", "", ""),
    }
    for name, expected in names.items():
        ((found,), _losses) = read_pearmut_log(
            in_memory(entry([{"A": said(1)}], item=[item | {"item_id": name}])),
        )
        assert (
            found.source_language,
            found.target_language,
            found.document,
        ) == expected
        assert found.segment == ("3" if found.document else name)


def test_pearmut_logs_of_several_campaigns_in_one_download() -> None:
    lines = [json.loads(entry([{"A": said(score)}])) for score in (1, 2)]
    download = json.dumps(
        {"eng_Latn---ces_Latn v3": lines[:1], "other": lines[1:], "empty": []},
    )
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
        (entry([{"A": said(1)}], judge=""), "user_id", "not a text"),
        (entry([{"A": said(1)}], item_i=None), "item_i", "no document"),
        (entry([]), "annotation", "0 annotations for 1 items"),
        (entry("done"), "annotation", "not a list"),
        (entry([{"C": said(1)}]), "item.tgt.C", "not a text"),
        (entry([{"A": said(101)}]), "annotation[0].A.score", "not between"),
        (entry([{"A": said(1, (0, 9, "minor"))}]), "annotation[0].A.error_spans[0].end_i", "has 8 places"),
        (entry([{"A": said(1, (5, 3, "minor"))}]), "annotation[0].A.error_spans[0]", "encloses no"),
        (entry([{"A": said(1, (-1, 3, "minor"))}]), "annotation[0].A.error_spans[0].start_i", "-1 is out of range"),
        (entry([{"A": said(1)}], comment="\ud800"), "comment", "U\\+D800"),
        (entry(["\0"], item=[{"text": "Age?", "form": "string"}]), "annotation[0]", "U\\+0000"),
        ("{", None, "not valid JSON"),
    ],
)  # fmt: skip
def test_pearmut_names_line_and_key(line: str, field: str | None, problem: str) -> None:
    with pytest.raises(FormatError, match=problem) as refused:
        read_pearmut_log(in_memory(f"{entry([{'A': said(1)}])}\n{line}\n"))
    assert (refused.value.line, refused.value.field) == (2, field)


def test_pearmut_counts_units_of_utf16_and_no_line_breaks() -> None:
    screen = judgment(
        output("A", 50, [minor(2, 4), major(0, 2), minor(None, None)], "😀\nab"),
    )
    (line,), losses = write_pearmut_log([screen])
    spans = json.loads(line)["annotation"][0]["A"]["error_spans"]
    assert [(span["start_i"], span["end_i"]) for span in spans] == [
        (2, 3),
        (0, 1),
        (4, 4),
    ]
    assert lost(losses)["line breaks at the ends of spans"] == 1


@pytest.mark.parametrize("is_running", [True, False])
def test_suggestions_are_those_of_ranked_items(is_running: bool) -> None:
    spans = {"A": [{"start_i": 0, "end_i": 2, "severity": "minor", "category": None}]}
    item = {"item_id": "0", "src": "One", "tgt": {"A": "eins"}, "error_spans": spans}
    check = item | {"item_id": "1", "validation": {"A": {"score": [0, 10]}}}
    data: Any = [[item], [check]]
    if is_running:
        data = {"brave-fox-1": data}
    campaign = json.dumps([{"campaign_id": "m", "info": {}, "data": data}])
    judgments, _losses = read_pearmut_campaign(in_memory(campaign))
    assert [judgment.segment for judgment in judgments] == ["0"]


def test_campaign_that_would_fill_the_memory_is_refused(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(genmt, "MAX_VALUES", 1000)
    campaign = '{"campaign_id": "m", "data": [' + "[]," * 2000 + "[]]}"
    with pytest.raises(FormatError, match="has more than 1,000 values"):
        read_pearmut_campaign(in_memory(campaign))


def test_source_of_a_log_is_its_transcript_as_in_campaigns() -> None:
    item = {"item_id": "0", "src": "<video>", "src_text": "Hi.", "tgt": {"A": "eins"}}
    [judgment], _losses = read_pearmut_log(
        in_memory(entry([{"A": said(50)}], item=[item])),
    )
    assert judgment.source == "Hi."
