"""Published results in words: differences between versions, letters instead of names."""

from types import SimpleNamespace
from typing import Any

from ranking.core.rankings.range_kinds import RangeOptions
from ranking.pages.published_versions import differences
from ranking.services.published_results.naming import labels_of


def row(system: str, low: int, high: int, cluster: int) -> dict[str, Any]:
    return {
        "system": system,
        "rank": low,
        "rank_low": low,
        "rank_high": high,
        "cluster": cluster,
    }


def content_of(
    *rows: dict[str, Any],
    judges: tuple[str, ...] = (),
    blocks: int = 10,
) -> Any:
    return {
        "ranking": {"systems": list(rows), "pairs": None},
        "finding": {"clusters": len({each["cluster"] for each in rows})},
        "systems": [
            {"system": each["system"], "is_named": True, "is_withdrawn": False}
            for each in rows
        ],
        "left_out": {"judges": [{"judge": name} for name in judges]},
        "input": {"blocks": blocks},
        "method": {
            "name": "expected_wins",
            "parameters": RangeOptions().recorded,
            "judge_group": None,
        },
    }


BIRCH, FJORD, DUNE = row("birch", 1, 1, 1), row("fjord", 2, 3, 2), row("dune", 2, 3, 2)


def test_judges_who_count_again_and_systems_that_come_and_go() -> None:
    before = content_of(BIRCH, FJORD, judges=("7", "8"))
    after = content_of(BIRCH, DUNE, judges=("8",))
    said = differences(before, after)
    assert said[0] == "Includes 1 judge again."
    assert said[1] == "New or renamed: dune."
    assert said[2] == "Removed or renamed: fjord."
    assert "–" not in " ".join(differences(before, before))


def test_difference_does_not_name_anonymized_systems() -> None:
    before, after = (
        content_of(BIRCH, FJORD),
        content_of(BIRCH, row("System A", 2, 3, 2)),
    )
    after["systems"][1]["is_named"] = False
    said = " ".join(differences(before, after))
    assert "System A" in said
    assert "fjord" not in said


def systems(*names: str) -> list[Any]:
    return [
        SimpleNamespace(pk=number, name=name, kind="system", test_set_id=1)
        for number, name in enumerate(names, 1)
    ]


def test_letters_skip_names_and_are_kept() -> None:
    found = labels_of(systems("x", "System A", "y"), anonymous={"x", "y"}, before={})
    assert found["System A"] == "System A"
    assert {found["x"], found["y"]} == {"System B", "System C"}
    kept = labels_of(
        systems("x", "y", "z"),
        anonymous={"x", "z"},
        before={"1": "System D"},
    )
    assert kept == {"x": "System D", "y": "y", "z": "System A"}


def test_letters_do_not_follow_the_alphabet(settings: Any) -> None:
    """For one key or another: they follow a hash that nobody else can compute."""
    names = [f"s{number:02}" for number in range(30)]
    orders = set()
    for key in ("one", "two"):
        settings.SECRET_KEY = key
        labels = labels_of(systems(*names), anonymous=names, before={})
        assert len(set(labels.values())) == 30
        assert "System D2" in labels.values()
        orders.add(tuple(labels[name] for name in names))
    assert len(orders) == 2
    assert tuple(sorted(orders.pop())) not in orders
