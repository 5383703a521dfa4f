"""Designs from which no draw can be made are refused by the name of what is wrong."""

from typing import Any

import pytest

from annotation.sampling.parameters import DesignKind, DesignParameters


def design(**changed: Any) -> DesignParameters:
    return DesignParameters(**{"kind": DesignKind.BALANCED, "seed": 1, **changed})


@pytest.mark.parametrize(
    ("name", "smallest", "largest", "step"),
    [
        ("seed", 0, 2**64, 1),
        ("systems_per_block", 1, 26, 1),
        ("segments_per_hit", 1, 10**6, 1),
        ("redundancy", 1, 10**6, 1),
        ("repeat_gap", 0, 10**6, 1),
        ("attention_every", 0, 10**6, 1),
        ("reference_rate", 0.0, 1.0, 0.01),
        ("bad_reference_rate", 0.0, 1.0, 0.01),
        ("active_floor", 0.0, 1.0, 0.01),
        ("inter_share", 0.0, 0.9, 0.01),
        ("intra_share", 0.0, 0.9, 0.01),
    ],
)
def test_a_number_has_bounds(name: str, smallest: float, largest: float, step: float) -> None:
    design(**{name: smallest})
    design(**{name: largest})
    with pytest.raises(ValueError, match=name):
        design(**{name: smallest - step})
    if largest < 10**6:
        with pytest.raises(ValueError, match=name):
            design(**{name: largest + step})


def test_chosen_systems_fill_a_block() -> None:
    design(systems=("a", "b"), systems_per_block=2)
    design(systems=("a", "b"), kind=DesignKind.ALL)
    with pytest.raises(ValueError, match="a block shows 3"):
        design(systems=("a", "b"), systems_per_block=3)


@pytest.mark.parametrize("limits", [((-1, 2),), ((20, 1),), ((20, 3), (30, 1))])
def test_long_segments_show_two_candidates_at_least(limits: tuple[tuple[int, int], ...]) -> None:
    design(length_limits=((0, 2),))
    with pytest.raises(ValueError, match="length_limits"):
        design(length_limits=limits)
