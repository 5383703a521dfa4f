"""Which HITs lending asks for, in which order, and what is left out."""

from collections.abc import Callable, Collection
from types import SimpleNamespace
from typing import Any

import pytest

from annotation.models import HIT, HITPurpose
from annotation.services.lending import choose
from annotation.services.lending.choose import OpenTask, hit_choose

PLAIN: dict[str, Any] = {
    **dict.fromkeys(("id", "hits_lent", "intra_lent", "checks_lent"), 0),
    **dict.fromkeys(("hits_since_check", "hits_since_repeat", "repeat_gap"), 0),
    **dict.fromkeys(("attention_every", "sentences_of_a_judge"), 0),
    **dict.fromkeys(("is_none_left", "is_planner_silent", "has_training"), False),
    **dict.fromkeys(("has_passes", "has_later_passes", "limits_texts"), False),
    "reserved": frozenset(),
    "seed": 1,
    "intra_share": 0.1,
    "apart": "",
}
REPEAT = frozenset({(HITPurpose.INTRA.value, False)})
RESERVED = frozenset({(HITPurpose.FIRST.value, False)})
CHECK = frozenset({(HITPurpose.FIRST.value, True)})
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

        def claim(source: str, *, holds_check: bool | None = None, **_asks: object) -> HIT | None:
            asked.append(source + {None: "", True: " with", False: " without"}[holds_check])
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
            monkeypatch.setattr(choose, name, lambda _value=value, **_asked: _value)
        asks: Any = {"judge_id": 1, "task_id": 1, "conflicts": [], "apart": ""}
        judge: Any = SimpleNamespace(pseudonym="ada")
        return asked, hit_choose(task=OpenTask(**{**PLAIN, **task}), judge=judge, asks=asks)

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
        ({"reserved": REPEAT, "seed": None}, ("repeat",), ["pool", "standby"]),
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
            {**CHECKED, "seed": None},
            ("check", "available"),
            ["pool without", "standby without"],
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
            ["whole_pool without", "whole_standby without", "whole_pool", "whole_standby"],
        ),
    ],
)
def test_lending_asks_in_turn_until_something_is_there(
    chosen: Choose, task: dict[str, Any], due: Collection[str], asked: list[str]
) -> None:
    assert chosen(task, due=due) == (asked, None)
    for place, name in enumerate(asked):
        in_turn, found = chosen(task, due=due, there={name})
        assert in_turn == asked[: place + 1]
        assert found is not None
        assert found.name == name  # type: ignore[attr-defined]  # a stand-in


PASSES = {"has_passes": True, "reserved": RESERVED}
TWO = {**PASSES, "has_later_passes": True}
LIMITED = {**PASSES, "limits_texts": True}


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


@pytest.mark.parametrize(("conflicts", "found"), [([], "one"), ([1], "two"), ([1, 2], None)])
def test_a_round_of_training_comes_before_all_else(
    chosen: Choose, monkeypatch: pytest.MonkeyPatch, conflicts: list[int], found: str | None
) -> None:
    rows = Rows(
        SimpleNamespace(name=name, system_ids=[at]) for at, name in ((1, "one"), (2, "two"))
    )
    monkeypatch.setattr(choose, "hits_training", lambda **_asked: rows)
    asks: Any = {"judge_id": 1, "task_id": 1, "conflicts": conflicts, "apart": ""}
    judge: Any = SimpleNamespace(pseudonym="ada")
    task = OpenTask(**{**PLAIN, "has_training": True})
    monkeypatch.setattr(choose, "training_round_due", lambda **_asked: 1)
    claimed: Any = hit_choose(task=task, judge=judge, asks=asks)
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
    monkeypatch.setattr(choose, "hits_reserved", lambda **_asked: Rows(hits))
    monkeypatch.setattr(choose, "blocks_of", lambda hit: hit.blocks)
    monkeypatch.setattr(choose, "sentences_taken", lambda **_asked: {"ab": 2})
    asked, claimed = chosen({**task, "sentences_of_a_judge": 4})
    named: Any = claimed
    assert asked == []
    assert (named and named.name) == found
