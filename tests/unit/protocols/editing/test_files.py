"""Edits as JSON Lines, and the report of them."""

import re
from collections.abc import Callable
from typing import Any

import pytest

from campaign.formats import FormatError
from protocols.editing.files import LINES

MakeFile = Callable[..., str]
Run = Callable[..., str]
EDIT: dict[str, Any] = {
    "segment": 1,
    "systems": ["A"],
    "judge": "ed",
    "outcome": "edited",
    "output": "kitten",
    "text": "sitting",
    "active_ms": 5000,
    "acceptances": [{"judge": "ann", "acceptable": True}],
}


def test_edits_are_read(make_file: MakeFile, run_json: Callable[..., Any]) -> None:
    file = make_file(
        [
            EDIT,
            {
                "segment": 1,
                "systems": ["A", "B"],
                "judge": "flo",
                "outcome": "unchanged",
                "output": "ok",
                "acceptances": [
                    {"judge": "ed", "acceptable": False},
                    {"judge": "ann", "acceptable": True},
                ],
            },
        ],
    )
    edits = LINES.read([file]).rows
    assert [edit.systems for edit in edits] == [("A",), ("A", "B")]
    assert [edit.distance for edit in edits] == [3, 0]
    assert [edit.votes.count(True) for edit in edits] == [1, 1]
    # Ed edited segment 1 of A before.
    assert run_json("analyse", "editing", file)["input"]["own_segment"] == 1


@pytest.mark.parametrize(
    ("change", "key", "problem"),
    [
        ({"outcome": "good"}, "outcome", "'good' is not one of"),
        ({"text": None}, "text", "the text is missing"),
        ({"outcome": "unchanged"}, "text", "the edit has a text, but its outcome is unchanged"),
        ({"outcome": "unable", "text": None}, "acceptances", "cannot be accepted"),
        ({"acceptances": None}, "acceptances", "the value is not a list"),
        ({"acceptances": [{"judge": "ann"}]}, "acceptances.acceptable", "the key is missing"),
        ({"acceptances": [{"judge": "ed2", "acceptable": True}]}, "acceptances", "ed2 accepts or rejects their own edit"),
        ({"acceptances": [{"judge": "ann", "acceptable": True}] * 2}, "acceptances", "ann accepts or rejects the edit a second time"),
        ({"acceptances": [{"judge": "ann", "acceptable": "yes"}]}, "acceptances.acceptable", "'yes' is not true or false"),
        ({"judge": "ed", "systems": ["B"]}, "judge", "the answer differs from that of the same judge in"),
        ({"active_ms": 1.5}, "active_ms", "1.5 is not a whole number"),
    ],
)  # fmt: skip
def test_error_names_line_and_key(
    make_file: MakeFile,
    change: dict[str, Any],
    key: str,
    problem: str,
) -> None:
    with pytest.raises(FormatError, match=re.escape(problem)) as refused:
        LINES.read([make_file([EDIT, {**EDIT, "judge": "ed2", **change}])])
    assert (refused.value.line, refused.value.field) == (2, key)


def test_few_edits_have_no_percentage(
    make_file: MakeFile,
    run: Run,
    run_json: Callable[..., Any],
) -> None:
    rows = [
        {
            **EDIT,
            "segment": place,
            "systems": [system],
            "judge": f"ed of {system}",
            "acceptances": [{"judge": "ann", "acceptable": place <= acceptable}],
        }
        for system, acceptable, of in (("CU-BOJAR", 3, 5), ("CMU", 5, 30))
        for place in range(1, of + 1)
    ]
    file = make_file(rows)
    text = run("analyse", "editing", file)
    line = next(line for line in text.splitlines() if line.startswith("CU-BOJAR"))
    assert line.split()[1:8] == ["3", "of", "5", "–", "–", "–", "–"]
    assert "16.7   5.6  34.7" in text
    # Undecided edits; “Open” is a button.
    assert " Undecided" in text
    assert "fewer than 20 edits have no percentage and no rank" in text
    said = run_json("analyse", "editing", file)["acceptability"]
    assert [row["share"] for row in said["systems"] if row["system"] == "CU-BOJAR"] == [
        None,
    ]
    assert said["pairs"][0]["p_value"] == pytest.approx(0.067, abs=0.0005)
    everything = run_json(
        "analyse",
        "editing",
        file,
        "--option",
        "fewest=1",
        "acceptances=mean",
    )
    assert everything["acceptability"]["systems"][0]["share"]["value"] == 0.6
    assert "Ranks have no ranges" in run(
        "analyse",
        "editing",
        file,
        "--option",
        "acceptances=mean",
    )
    assert "Ranks have no ranges" not in text
