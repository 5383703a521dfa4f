"""Designs of blocks of one output, for protocols that ask about outputs one by one."""

from collections import Counter
from typing import Any

import pytest

from annotation.sampling.parameters import DesignKind, DesignParameters
from annotation.sampling.state import DrawState
from tests.drawn_texts import (
    DAMAGED,
    REFERENCE,
    corpus,
    drawn,
    segment_texts,
    system_names,
)

ONE: dict[str, Any] = {"seed": 3, "systems_per_block": 1}


@pytest.mark.parametrize(
    "kind",
    [DesignKind.UNIFORM, DesignKind.BALANCED, DesignKind.ACTIVE],
)
def test_blocks_of_one_show_one_output(kind: DesignKind) -> None:
    texts = corpus(system_names(5), segments=30, identical=0.3, missing=0.2)
    found = drawn(
        DesignParameters(kind=kind, **ONE),
        texts,
        hits=20,
        state=DrawState.empty(),
    )
    sizes = {len(block.candidates) for plan, _state in found for block in plan.blocks}
    assert sizes == {1}


def test_a_balanced_design_shows_systems_equally_often() -> None:
    names = system_names(7)
    parameters = DesignParameters(kind=DesignKind.BALANCED, **ONE)
    found = drawn(
        parameters,
        corpus(names, segments=30),
        hits=33,
        state=DrawState.empty(),
    )
    shown = Counter(
        block.systems[0][0] for plan, _state in found for block in plan.blocks
    )
    assert sorted(shown) == names
    assert max(shown.values()) - min(shown.values()) <= 1


def test_a_reference_takes_its_share() -> None:
    texts = corpus([*system_names(4), REFERENCE], segments=30)
    parameters = DesignParameters(kind=DesignKind.BALANCED, reference_rate=0.25, **ONE)
    found = drawn(parameters, texts, hits=40, state=DrawState.empty())
    shown = Counter(
        block.systems[0][0] for plan, _state in found for block in plan.blocks
    )
    assert shown[REFERENCE] == 30
    assert sum(shown.values()) == 120


@pytest.mark.parametrize(
    "kind",
    [DesignKind.UNIFORM, DesignKind.BALANCED, DesignKind.ACTIVE],
)
def test_a_damaged_reference_stands_alone_at_its_rate(kind: DesignKind) -> None:
    texts = corpus([*system_names(4), DAMAGED], segments=30)
    parameters = DesignParameters(kind=kind, bad_reference_rate=0.2, **ONE)
    found = drawn(parameters, texts, hits=40, state=DrawState.empty())
    blocks = [block for plan, _state in found for block in plan.blocks]
    checks = [block for block in blocks if block.control]
    assert (
        {block.systems for block in checks}
        == {((DAMAGED,),)}
        == {(block.control,) for block in checks}
    )
    assert all(DAMAGED not in block.systems[0] for block in blocks if not block.control)
    assert len(checks) / len(blocks) == pytest.approx(0.2, rel=0.25)


@pytest.mark.parametrize(("size", "blocks"), [(1, 1), (2, 0), (5, 0)])
def test_a_segment_with_one_text_is_shown_by_itself_alone(
    size: int,
    blocks: int,
) -> None:
    texts = {1: segment_texts(1, dict.fromkeys(system_names(4), "the same"))}
    parameters = DesignParameters(
        kind=DesignKind.BALANCED,
        seed=3,
        systems_per_block=size,
        segments_per_hit=1,
    )
    [(plan, _state)] = drawn(parameters, texts, hits=1, state=DrawState.empty())
    assert len(plan.blocks) == blocks
