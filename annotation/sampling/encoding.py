"""Encode and decode the plan of a HIT as its row stores it: `HIT.plan`.

JSON, compact, since there are many: of each block in order the outputs behind each candidate, by
id, and for a control the order that is expected. The blocks' segments are `HIT.segment_ids`.
"""

from collections.abc import Mapping, Sequence
from typing import Any, NotRequired, TypedDict

from annotation.sampling.plans import BlockPlan, HITPlan

# A block with a damaged reference checks attention: the damage is expected to come last.
_DAMAGED, _OTHERS = 2, 1


class EncodedBlock(TypedDict):
    """Output ids of each candidate in shown order; in a control block also expected ranks."""

    candidates: list[list[int]]
    expected: NotRequired[list[int]]


def plan_encoded(plan: HITPlan) -> str:
    """Return JSON with an `EncodedBlock` for each block."""
    return "[" + ",".join(map(_encoded, plan.blocks)) + "]"


def _encoded(block: BlockPlan) -> str:
    # By hand: a hundred thousand are planned at once, and `json.dumps` would take longer than
    # drawing by chance.
    shown = ",".join("[" + ",".join(map(str, ids)) + "]" for ids in block.candidates)
    if not block.control:
        return f'{{"candidates":[{shown}]}}'
    expected = ",".join(
        str(_DAMAGED if names == block.control else _OTHERS) for names in block.systems
    )
    return f'{{"candidates":[{shown}],"expected":[{expected}]}}'


def blocks_decoded(
    stored: Sequence[EncodedBlock],
    *,
    segments: Sequence[int],
    systems: Mapping[int, str],
    whys: Sequence[Mapping[str, Any]],
) -> tuple[BlockPlan, ...]:
    """Return the blocks that `plan_encoded` wrote.

    Parameters
    ----------
    stored : sequence of EncodedBlock
    segments : sequence of int
        The number of each block's segment.
    systems : mapping of int to str
        The system of each output, by output id.
    whys : sequence of dict
        `BlockPlan.why` of each.
    """
    return tuple(
        _decoded(block, segment, systems, why)
        for block, segment, why in zip(stored, segments, whys, strict=True)
    )


def _decoded(
    block: EncodedBlock, segment: int, systems: Mapping[int, str], why: Mapping[str, Any]
) -> BlockPlan:
    names = tuple(tuple(sorted(systems[id_] for id_ in ids)) for ids in block["candidates"])
    expected = block.get("expected")
    return BlockPlan(
        segment=segment,
        candidates=tuple(map(tuple, block["candidates"])),
        systems=names,
        control=names[expected.index(_DAMAGED)] if expected else (),
        why=dict(why),
    )
