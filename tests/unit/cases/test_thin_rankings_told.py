"""The command tells thin, tied and disconnected rankings in every format."""

import io
import json
from pathlib import Path
from typing import Any

import pytest
from django.core.management import call_command

_CASES = Path(__file__).parents[2] / "data/cases/rankings"
TOLD = ("text", "markdown", "latex")


def told(name: str, form: str, *arguments: str) -> str:
    out = io.StringIO()
    path = _CASES / f"{name}.csv"
    call_command("rank_judgments", str(path), *arguments, "--format", form, stdout=out)
    return out.getvalue()


def rankings(name: str) -> Any:
    return json.loads(told(name, "json"))["rankings"]


@pytest.mark.parametrize("form", TOLD)
def test_the_table_of_one_block_says_once_what_is_missing(form: str) -> None:
    found = told("onejudgment", form)
    assert found.count("1 of at least 10 blocks") == 1
    assert "None" not in found


def test_json_of_one_block_has_no_range_cluster_or_p_value() -> None:
    (found,) = rankings("onejudgment")
    for row in found["systems"]:
        assert [row[name] for name in ("rank_low", "rank_high", "cluster")] == [None] * 3
    assert {(pair["p_value"], pair["adjusted_p"]) for pair in found["pairs"]} == {(None, None)}


@pytest.mark.parametrize("form", TOLD)
def test_each_group_has_a_table(form: str) -> None:
    found = told("disconnected", form)
    assert found.count("group 1 of 2") == found.count("group 2 of 2") == 1


def test_json_ranks_within_groups() -> None:
    (found,) = rankings("disconnected")
    assert {row["group"]: row["system"] for row in found["systems"] if row["rank"] == 1}.keys() == {
        1,
        2,
    }


@pytest.mark.parametrize("form", [*TOLD, "csv"])
def test_systems_that_are_always_equal_are_listed_as_tied(form: str) -> None:
    found = told("allties", form)
    assert found.count("1–5, tied") + found.count("1--5, tied") == 5
    assert "None" not in found


def test_ties_alone_have_no_score_in_json() -> None:
    (found,) = rankings("allties")
    assert {(row["rank"], row["last_rank"], row["score"]) for row in found["systems"]} == {
        (1, 5, None)
    }
    assert found["not_estimable"] == []
