"""`analyse sorting`: the order, or what to compare next, from files alone."""

import io
import json
from collections.abc import Callable, Iterable
from typing import Any

import pytest
from django.core.management import call_command
from django.core.management.base import CommandError

MakeFile = Callable[[Iterable[Any]], str]

#: Answers for the first system of each pair: wins, losses, same. B > E > D > A ≈ C.
COUNTS = {
    "BE": (30, 8, 2),
    "BD": (32, 5, 3),
    "BA": (36, 2, 2),
    "BC": (36, 2, 2),
    "ED": (28, 9, 3),
    "EA": (33, 4, 3),
    "EC": (34, 3, 3),
    "DA": (30, 7, 3),
    "DC": (31, 8, 1),
    "AC": (18, 17, 5),
}


def answers(pairs: Iterable[str] = COUNTS) -> list[dict[str, Any]]:
    """Return the answers of two judges to each pair; each has 20 sentences of their own."""
    lines = []
    for pair in pairs:
        wins, losses, same = COUNTS[pair]
        given = ["first"] * wins + ["second"] * losses + ["same"] * same
        lines += [
            {
                "segment": segment,
                "judge": ("ann", "bob")[segment % 2],
                "first": pair[0],
                "second": pair[1],
                "answer": answer,
            }
            for segment, answer in enumerate(given, 1)
        ]
    return lines


def run(*arguments: object) -> str:
    out = io.StringIO()
    call_command(
        "analyse",
        "sorting",
        *map(str, arguments),
        stdout=out,
        stderr=io.StringIO(),
    )
    return out.getvalue()


def run_json(*arguments: object) -> Any:
    return json.loads(run(*arguments, "--format", "json"))


@pytest.fixture
def every_pair(make_file: MakeFile) -> str:
    return make_file(answers())


def test_the_order_with_its_clusters(every_pair: str) -> None:
    said = run_json(every_pair)
    assert said["order"] == ["B", "E", "D", "A", "C"]
    assert said["clusters"] == [1, 2, 3, 4, 4]
    assert (said["done"] <= said["most"], said["most"], said["left_at_most"]) == (
        True,
        7,
        0,
    )
    assert said["neighbours"] == [["B", "E"], ["E", "D"], ["D", "A"], ["A", "C"]]
    by_pair = {each["first"] + each["second"]: each for each in said["comparisons"]}
    assert [by_pair["AC"][name] for name in ("wins", "losses", "same")] == [18, 17, 5]
    # Only corrected tests call a difference significant.
    assert {each["significant"] for each in said["comparisons"]} == {None}
    assert {each["adjusted_p"] for each in said["comparisons"]} == {None}
    holm = run_json(every_pair, "--option", "correction=holm")
    corrected = {each["first"] + each["second"]: each for each in holm["comparisons"]}
    assert corrected["AC"]["significant"] is False
    assert corrected["AC"]["adjusted_p"] >= by_pair["AC"]["p_normal"]
    assert set(by_pair["AC"]["judges"]) == {"ann", "bob"}
    assert said["orders"]["bradley_terry"]["tau"]["sort"] == pytest.approx(1)
    assert said["remaining"] is None


@pytest.mark.parametrize(
    "expected",
    [
        "Answers: 400, judges: 2, systems: 5, identical outputs: 0.",
        "of at most 7 comparisons.",
        "Neighbours",
        "Comparisons by judge",
        "B > E > D > A > C",
    ],
)
def test_the_report_for_people(every_pair: str, expected: str) -> None:
    assert expected in run(every_pair)


def test_next_comparison_is_listed(make_file: MakeFile) -> None:
    said = run_json(make_file(answers(["BE"])), "--option", "systems=A,B,C,D,E")
    assert said["order"] is None
    assert said["done"] + said["left_at_most"] == 7
    assert len(said["open"]) >= 1
    assert said["orders"] is None
    assert "Not sorted yet: " in run(
        make_file(answers(["BE"])),
        "--option",
        "systems=A,B,C,D,E",
    )


def test_a_quota_asks_for_more(every_pair: str) -> None:
    said = run_json(every_pair, "--option", "quota=100")
    assert {each["missing"] for each in said["comparisons"]} == {60}
    assert said["done"] == 0


def test_extending_until_significant(every_pair: str) -> None:
    said = run_json(
        every_pair,
        "--option",
        "quota=40",
        "extension=40",
        "on_undecided=extend",
    )
    begun = [each for each in said["comparisons"] if each["winner"] is None]
    assert [{each["first"], each["second"]} for each in begun] == [{"A", "C"}]
    assert begun[0]["missing"] == 40


def test_pairs_to_verify_the_order_with(every_pair: str) -> None:
    said = run_json(every_pair, "--option", "verify=yes")
    assert len(said["remaining"]) == 10 - said["done"]
    assert not any(each["contradicts"] for each in said["remaining"])
    assert "Pairs not compared by the sort" in run(every_pair, "--option", "verify=yes")


def test_a_judge_is_left_out_and_named(every_pair: str) -> None:
    assert "Without 1 judge: bob." in run(every_pair, "--exclude-judge", "bob")


def test_options_change_what_is_significant(every_pair: str) -> None:
    strict = run_json(
        every_pair,
        "--option",
        "test=exact",
        "correction=holm",
        "level=0.0001",
    )
    assert max(strict["clusters"]) < 4
    assert strict["settings"]["correction"] == "holm"


@pytest.mark.parametrize(
    ("arguments", "problem"),
    [
        (["--option", "cap=9"], "need a quota"),
        (["--option", "quota=50", "cap=9"], "cap: expected at least the quota"),
        (["--option", "systems=A,B"], "there is no system C to sort"),
        (["--option", "beside=BLEU=A,Z"], "there is no system 'Z'"),
        (["--exclude-judge", "eve"], "judge 'eve' not found"),
    ],
)
def test_invalid_arguments_are_refused(
    every_pair: str,
    arguments: list[str],
    problem: str,
) -> None:
    with pytest.raises(CommandError, match=problem) as refused:
        run(every_pair, *arguments)
    assert refused.value.returncode == 2
