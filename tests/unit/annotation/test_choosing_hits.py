"""Which HITs lending asks for, in which order, and what is left out."""

from collections.abc import Callable, Collection
from dataclasses import replace
from types import SimpleNamespace
from typing import Any

import pytest

from annotation.models import HIT, Design, HITPurpose, JudgeAccount
from annotation.selectors.pool import HITRequest
from annotation.services.lending import choose
from annotation.services.lending.choose import (
    LendingRules,
    OpenTask,
    ReservedKind,
    hit_choose,
)
from campaign.models import Task

NOTHING: Any = HITRequest(judge_id=1, task_id=1, conflicts=[], apart="")


def open_task(
    *,
    attention_every: int = 0,
    has_design: bool = True,
    **different: Any,
) -> OpenTask:
    """Return a task of which nothing is lent yet."""
    plain: dict[str, Any] = {
        "task": Task(pk=1),
        "rules": LendingRules(),
        "account": JudgeAccount(),
        "design": Design(seed=1, attention_every=attention_every)
        if has_design
        else None,
        "reserved": frozenset(),
        "has_training": False,
        "is_none_left": False,
        "is_planner_silent": False,
    }
    return OpenTask(**{**plain, **different})


REPEAT = frozenset({ReservedKind(HITPurpose.INTRA, holds_check=False)})
RESERVED = frozenset({ReservedKind(HITPurpose.FIRST, holds_check=False)})
CHECK = frozenset({ReservedKind(HITPurpose.FIRST, holds_check=True)})
CHECKED = {"attention_every": 5}

Choose = Callable[..., tuple[list[str], HIT | None]]


@pytest.fixture
def chosen(monkeypatch: pytest.MonkeyPatch) -> Choose:
    """Let lending choose; returns what it asked for in turn, and what it chose."""

    def ask(
        task: dict[str, Any],
        *,
        there: Collection[str] = (),
        due: Collection[str] = (),
        passes: tuple[bool, bool, bool] = (False, False, False),
    ) -> tuple[list[str], HIT | None]:
        asked: list[str] = []

        def claim(
            source: str,
            _request: object,
            *,
            holds_check: bool | None = None,
        ) -> HIT | None:
            asked.append(
                source + {None: "", True: " with", False: " without"}[holds_check],
            )
            hit: Any = SimpleNamespace(name=asked[-1])
            return hit if asked[-1] in there else None

        monkeypatch.setattr(choose, "hit_claim", claim)
        planned, in_hand, is_full = passes
        so_far = SimpleNamespace(texts=3, is_past_first=planned, holds_earlier=in_hand)
        for name, value in {
            "has_check_to_lend": "available" in due,
            "attention_due": "check" in due,
            "intra_due": "repeat" in due,
            "passes_so_far": so_far,
            "is_full": is_full,
        }.items():
            monkeypatch.setattr(
                choose,
                name,
                lambda *_request, _value=value, **_named: _value,
            )
        judge: Any = SimpleNamespace(pseudonym="ada")
        return asked, hit_choose(task=open_task(**task), judge=judge, request=NOTHING)

    return ask


@pytest.mark.parametrize(
    ("task", "due", "asked"),
    [
        ({}, (), ["pool", "standby"]),
        ({"is_planner_silent": True}, (), ["whole_pool", "whole_standby"]),
        ({"is_none_left": True}, (), ["pool", "standby"]),
        ({"reserved": RESERVED}, (), ["reserved", "pool", "standby"]),
        ({"reserved": REPEAT}, (), ["pool", "standby"]),
        ({"reserved": REPEAT}, ("repeat",), ["repeats", "pool", "standby"]),
        ({"reserved": REPEAT, "has_design": False}, ("repeat",), ["pool", "standby"]),
        ({"reserved": RESERVED}, ("repeat",), ["reserved", "pool", "standby"]),
        (CHECKED, ("available",), ["pool without", "standby without"]),
        (CHECKED, ("check",), ["pool without", "standby without"]),
        ({}, ("check", "available"), ["pool", "standby"]),
        (
            CHECKED,
            ("check", "available"),
            ["pool with", "standby with", "pool without", "standby without"],
        ),
        (
            {"has_design": False},
            ("check", "available"),
            ["pool", "standby"],
        ),
        (
            {**CHECKED, "reserved": RESERVED},
            (),
            ["reserved without", "pool without", "standby without"],
        ),
        ({**CHECKED, "reserved": CHECK}, (), ["pool without", "standby without"]),
        (
            {**CHECKED, "is_none_left": True},
            (),
            ["pool without", "standby without", "pool", "standby"],
        ),
        (
            {**CHECKED, "is_planner_silent": True},
            (),
            [
                "whole_pool without",
                "whole_standby without",
                "whole_pool",
                "whole_standby",
            ],
        ),
    ],
)
def test_lending_asks_in_turn_until_something_is_there(
    chosen: Choose,
    task: dict[str, Any],
    due: Collection[str],
    asked: list[str],
) -> None:
    assert chosen(task, due=due) == (asked, None)
    for place, name in enumerate(asked):
        in_turn, found = chosen(task, due=due, there={name})
        assert in_turn == asked[: place + 1]
        assert found is not None
        assert found.name == name  # type: ignore[attr-defined]  # a stand-in


PASSES = {"rules": LendingRules(has_passes=True), "reserved": RESERVED}
TWO = {**PASSES, "rules": LendingRules(has_passes=True, has_later_passes=True)}
LIMITED = {**PASSES, "rules": LendingRules(has_passes=True, limits_texts=True)}


@pytest.mark.parametrize(
    ("task", "planned", "in_hand", "full", "asked"),
    [
        (PASSES, False, False, False, ["whole_pool"]),
        (TWO, False, False, True, ["whole_pool"]),
        (TWO, True, False, False, ["repeats"]),
        (TWO, True, True, False, []),
        (LIMITED, False, False, False, ["whole_pool"]),
        (LIMITED, False, False, True, []),
    ],
)
def test_a_second_pass_begins_when_nothing_of_the_first_is_in_hand(
    chosen: Choose,
    task: dict[str, Any],
    planned: bool,
    in_hand: bool,
    full: bool,
    asked: list[str],
) -> None:
    assert chosen(task, passes=(planned, in_hand, full)) == (asked, None)


class Rows(list[Any]):
    """Stands in for a queryset: every step leaves it as it is, and how it locks is kept."""

    locked: dict[str, object]

    def available(self) -> "Rows":
        return self

    def filter(self, **_conditions: object) -> "Rows":
        return self

    def excluding_systems(self, conflicts: Collection[int]) -> "Rows":
        return Rows(each for each in self if not set(conflicts) & set(each.system_ids))

    def select_for_update(self, **how: object) -> "Rows":
        locked = Rows(self)
        locked.locked = how
        return locked

    def first(self) -> Any:
        # No judge waits for another.
        assert (self.locked["skip_locked"], self.locked["no_key"]) == (True, True)
        return next(iter(self), None)


@pytest.mark.parametrize(
    ("conflicts", "found"),
    [([], "one"), ([1], "two"), ([1, 2], None)],
)
def test_a_round_of_training_comes_before_all_else(
    chosen: Choose,
    monkeypatch: pytest.MonkeyPatch,
    conflicts: list[int],
    found: str | None,
) -> None:
    rows = Rows(
        SimpleNamespace(name=name, system_ids=[at])
        for at, name in ((1, "one"), (2, "two"))
    )
    monkeypatch.setattr(choose, "hits_training", lambda **_asked: rows)
    request = replace(NOTHING, conflicts=conflicts)
    judge: Any = SimpleNamespace(pseudonym="ada")
    task = open_task(has_training=True)
    monkeypatch.setattr(choose, "training_round_due", lambda **_asked: 1)
    claimed: Any = hit_choose(task=task, judge=judge, request=request)
    assert (claimed and claimed.name) == found
    monkeypatch.setattr(choose, "training_round_due", lambda **_asked: None)
    assert chosen({"has_training": True}) == (["pool", "standby"], None)


def sampled(name: str, blocks: int, *, check: bool = False) -> SimpleNamespace:
    return SimpleNamespace(name=name, blocks={"ab": blocks}, holds_check=check)


@pytest.mark.parametrize(
    ("task", "hits", "found"),
    [
        ({}, [sampled("big", 3), sampled("fits", 2)], "fits"),
        ({}, [sampled("one", 2), sampled("two", 1)], "one"),
        ({}, [sampled("big", 3)], None),
        ({}, [], None),
        (CHECKED, [sampled("check", 1, check=True), sampled("one", 2)], "one"),
        ({**CHECKED, "is_none_left": True}, [sampled("check", 1, check=True)], "check"),
    ],
)
def test_a_sample_gives_no_more_of_a_comparison_than_it_holds(
    monkeypatch: pytest.MonkeyPatch,
    chosen: Choose,
    task: dict[str, Any],
    hits: list[SimpleNamespace],
    found: str | None,
) -> None:
    """Of four blocks a judge has given two."""
    monkeypatch.setattr(choose, "hits_reserved", lambda _request: Rows(hits))
    monkeypatch.setattr(choose, "blocks_of", lambda hit: hit.blocks)
    monkeypatch.setattr(choose, "sentences_taken", lambda **_asked: {"ab": 2})
    asked, claimed = chosen({**task, "rules": LendingRules(sentences_of_a_judge=4)})
    named: Any = claimed
    assert asked == []
    assert (named and named.name) == found
