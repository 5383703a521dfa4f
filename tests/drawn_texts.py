"""Generated segments, and a loop that draws HITs from them."""

from collections.abc import Iterator, Mapping, Sequence

from annotation.sampling.corpus import OutputKind, SegmentOutputs, SystemOutput
from annotation.sampling.hits import DrawnWindow, draw_hit
from annotation.sampling.parameters import DesignParameters
from annotation.sampling.plans import BlockPlan, HITPlan
from annotation.sampling.state import DrawState
from annotation.sampling.windows import Windows
from campaign.texts.hash_draw import HashDraw

REFERENCE = "reference"
DAMAGED = "damaged"


def segment_texts(
    number: int,
    texts: Mapping[str, str],
    *,
    words: int = 10,
) -> SegmentOutputs:
    """A segment with a text per named system; prefixes mark references and damaged ones."""
    outputs = tuple(
        SystemOutput(name, 1000 * number + place, text, _kind(name))
        for place, (name, text) in enumerate(texts.items())
    )
    return SegmentOutputs(number=number, words=words, outputs=outputs)


def _kind(name: str) -> OutputKind:
    if name.startswith(REFERENCE):
        return OutputKind.REFERENCE
    return OutputKind.BAD_REFERENCE if name.startswith(DAMAGED) else OutputKind.SYSTEM


def system_names(count: int) -> list[str]:
    return [f"system-{place:02}" for place in range(count)]


def corpus(
    names: Sequence[str],
    *,
    segments: int,
    missing: float = 0.0,
    identical: float = 0.0,
) -> dict[int, SegmentOutputs]:
    """Segments with a text per system, except some that are missing; some texts are identical.

    `missing` and `identical` are shares of outputs, spread by a hash.
    """
    chance = HashDraw(seed=20110730, number=0)
    return {
        number: segment_texts(
            number,
            {
                name: "shared"
                if chance.integer("shared", number, name) < identical * 2**64
                else f"of {name}"
                for name in names
                if chance.integer("missing", number, name) >= missing * 2**64
            },
        )
        for number in range(1, segments + 1)
    }


def drawn(
    parameters: DesignParameters,
    texts: Mapping[int, SegmentOutputs],
    *,
    hits: int,
    state: DrawState,
    document: int = 30,
    begin: int = 1,
) -> Iterator[tuple[HITPlan, DrawState]]:
    """First HITs from number `begin` on, with the state after each; all documents of one length."""
    numbers = sorted(texts)
    documents = [numbers[at : at + document] for at in range(0, len(numbers), document)]
    windows = Windows(documents, length=parameters.segments_per_hit)
    state = state.for_design(parameters, _taking_part(parameters, texts))
    for number in range(begin, begin + hits):
        draw = HashDraw(seed=parameters.seed, number=number)
        window = windows.window(order=parameters.segment_order, draw=draw, turn=number)
        assert window is not None
        plan = draw_hit(
            DrawnWindow(segments=window),
            parameters=parameters,
            number=number,
            texts=texts,
            state=state,
        )
        state = state.after(plan)
        yield plan, state


def _taking_part(
    parameters: DesignParameters,
    texts: Mapping[int, SegmentOutputs],
) -> set[str]:
    """The systems, including references that are drawn like systems."""
    kinds = {OutputKind.SYSTEM}
    if parameters.reference_rate is None:
        kinds.add(OutputKind.REFERENCE)
    return {
        o.system for each in texts.values() for o in each.outputs if o.kind in kinds
    }


def blocks_drawn(
    parameters: DesignParameters,
    texts: Mapping[int, SegmentOutputs],
    *,
    hits: int,
) -> list[BlockPlan]:
    """All blocks of the first HITs from an empty state."""
    plans = drawn(parameters, texts, hits=hits, state=DrawState.empty())
    return [block for plan, _ in plans for block in plan.blocks]
