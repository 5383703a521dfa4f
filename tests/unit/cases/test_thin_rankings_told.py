"""The command tells thin, tied and disconnected rankings in every format."""

import io
from pathlib import Path

import pytest
from django.core.management import call_command

_CASES = Path(__file__).parents[2] / "data/cases/rankings"
TOLD = ("text", "markdown", "latex")


def told(name: str, form: str, *arguments: str) -> str:
    out = io.StringIO()
    path = _CASES / f"{name}.csv"
    call_command("rank_judgments", str(path), *arguments, "--format", form, stdout=out)
    return out.getvalue()


@pytest.mark.parametrize("form", TOLD)
def test_the_table_of_one_block_says_once_what_is_missing(form: str) -> None:
    found = told("onejudgment", form)
    assert found.count("Effective blocks: 1 of 10") == 1
    assert "None" not in found


@pytest.mark.parametrize("form", TOLD)
def test_groups_have_one_table_each(form: str) -> None:
    found = told("disconnected", form)
    assert found.count("group 1 of 2") == found.count("group 2 of 2") == 1


@pytest.mark.parametrize("form", [*TOLD, "csv"])
def test_systems_that_are_always_equal_are_listed_as_tied(form: str) -> None:
    found = told("allties", form)
    assert found.count("1–5, tied") + found.count("1--5, tied") == 5
    assert "None" not in found
