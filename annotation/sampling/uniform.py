"""The uniform design: every system equally likely on every drawn segment (WMT 2008–2011).

Source: Callison-Burch et al. 2010, §3; Koehn 2012, §3 ("we randomly select
sets of 5 different systems"). Identical outputs are collapsed after Bojar et
al. 2011, §2.5: a candidate stands for every system that produced its text.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from annotation.sampling.draw import Draw


@dataclass(frozen=True, slots=True)
class SystemOutput:
    """An output that may be drawn: its system's name, its row, its text."""

    system: str
    output_id: int
    text: str


@dataclass(frozen=True, slots=True)
class BlockPlan:
    """A segment number and the output ids each candidate stands for, in shown order."""

    segment: int
    candidates: tuple[tuple[int, ...], ...]


def draw_window(documents: Sequence[Sequence[int]], *, length: int, draw: Draw) -> Sequence[int]:
    """Consecutive segments of one document, uniform over all such windows.

    `documents` holds each document's segment numbers in order. A document of
    fewer than `length` segments is one window by itself. Segments at the ends
    of a document stand in fewer windows than those inside.
    """
    starts = [max(1, len(document) - length + 1) for document in documents]
    index = draw.below(sum(starts), "window")
    for document, count in zip(documents, starts, strict=True):
        if index < count:
            return document[index : index + length]
        index -= count
    raise ValueError("There is no document to draw from.")


def draw_block(
    segment: int, outputs: Sequence[SystemOutput], *, size: int, draw: Draw
) -> BlockPlan | None:
    """Up to `size` distinct texts of a segment; None where fewer than two differ.

    Systems are drawn without replacement until `size` different texts are
    found, which are then shuffled again: a text that many systems share is
    met earlier and must not stand higher for it.
    """
    sharing: dict[str, list[int]] = {}
    for output in outputs:
        sharing.setdefault(output.text, []).append(output.output_id)
    if len(sharing) < 2:
        return None
    drawn: list[SystemOutput] = []
    for output in draw.shuffled(outputs, lambda o: o.system, "system", segment):
        if all(output.text != other.text for other in drawn):
            drawn.append(output)
        if len(drawn) == size:
            break
    shown = draw.shuffled(drawn, lambda o: o.system, "order", segment)
    return BlockPlan(segment, tuple(tuple(sorted(sharing[output.text])) for output in shown))


def draw_hit(
    window: Sequence[int],
    outputs: Mapping[int, Sequence[SystemOutput]],
    *,
    systems_per_block: int,
    draw: Draw,
) -> list[BlockPlan]:
    """The blocks of a HIT over `window`; empty where no segment has two different texts."""
    plans = (
        draw_block(segment, outputs.get(segment, ()), size=systems_per_block, draw=draw)
        for segment in window
    )
    return [plan for plan in plans if plan is not None]
