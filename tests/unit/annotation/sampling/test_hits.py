"""What every design promises of every HIT, whatever the texts."""

from dataclasses import replace

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from annotation.sampling.corpus import (
    OutputKind,
    SegmentOutputs,
    distinct_texts,
    normalised,
)
from annotation.sampling.hits import DrawnWindow, draw_hit
from annotation.sampling.parameters import DesignKind, DesignParameters, Normalisation
from annotation.sampling.state import DrawState
from tests.drawn_texts import (
    DAMAGED,
    REFERENCE,
    blocks_drawn,
    corpus,
    drawn,
    segment_texts,
    system_names,
)
from tests.some_now import some_now

NAMES = [*system_names(8), REFERENCE, f"{REFERENCE} two", DAMAGED, f"{DAMAGED} two"]

# Some are the same after normalisation: a decomposed umlaut, white space.
texts = st.sampled_from(
    ["eins", "zwei", "drei", "fünf", "fu\u0308nf", " fünf ", "a b", "a  b"],
)
segments = st.dictionaries(st.sampled_from(NAMES), texts).map(
    lambda drawn: segment_texts(1, drawn),
)
rates = st.sampled_from([0.0, 0.1, 0.5, 1.0])
designs = st.builds(
    DesignParameters,
    kind=st.sampled_from(DesignKind),
    seed=st.integers(0, 2**63 - 1),
    systems_per_block=st.integers(2, 6),
    reference_rate=st.none() | rates,
    bad_reference_rate=rates,
    length_limits=st.sampled_from([(), ((5, 3),), ((5, 4), (10, 2)), ((11, 2),)]),
    normalisation=st.sampled_from(Normalisation),
)
numbers = st.integers(1, 10**6)
states = st.sampled_from(
    [
        DrawState.empty(),
        *(
            state
            for _, state in drawn(
                DesignParameters(kind=DesignKind.UNIFORM, seed=1),
                corpus(system_names(8), segments=4),
                hits=20,
                state=DrawState.empty(),
            )
        ),
    ],
)


def takes_part(segment: SegmentOutputs, parameters: DesignParameters) -> dict[int, str]:
    """The text of every output that may stand behind a candidate, by its id; normalised."""
    kinds = {OutputKind.SYSTEM, OutputKind.BAD_REFERENCE}
    if parameters.reference_rate != 0:
        kinds.add(OutputKind.REFERENCE)
    return {
        output.output_id: normalised(output.text, parameters.normalisation)
        for output in segment.outputs
        if output.kind in kinds
    }


@given(designs, segments, numbers, states)
def test_candidates_differ_and_each_stands_for_everybody_who_wrote_its_text(
    parameters: DesignParameters,
    segment: SegmentOutputs,
    number: int,
    state: DrawState,
) -> None:
    plan = draw_hit(
        DrawnWindow(segments=[1]),
        parameters=parameters,
        number=number,
        texts={1: segment},
        state=state,
    )
    text_of = takes_part(segment, parameters)
    names = {output.output_id: output.system for output in segment.outputs}
    for block in plan.blocks:
        shown = [{text_of[output_id] for output_id in ids} for ids in block.candidates]
        assert all(len(same) == 1 for same in shown)
        assert len(set().union(*shown)) == len(shown) >= 2
        for ids, same, systems in zip(
            block.candidates,
            shown,
            block.systems,
            strict=True,
        ):
            # A damaged reference that equals an output does not take part.
            controls = systems == block.control
            wrote_it = {
                each
                for each, text in text_of.items()
                if text in same and names[each].startswith(DAMAGED) == controls
            }
            assert set(ids) == wrote_it
            assert sorted(names[output_id] for output_id in ids) == list(systems)


@given(designs, segments, numbers, states)
def test_a_segment_is_shown_if_its_systems_wrote_two_texts_and_at_most_as_many_as_wanted(
    parameters: DesignParameters,
    segment: SegmentOutputs,
    number: int,
    state: DrawState,
) -> None:
    plan = draw_hit(
        DrawnWindow(segments=[1]),
        parameters=parameters,
        number=number,
        texts={1: segment},
        state=state,
    )
    ranked = {OutputKind.SYSTEM}
    if parameters.reference_rate is None:
        ranked.add(OutputKind.REFERENCE)
    distinct = {
        normalised(output.text, parameters.normalisation)
        for output in segment.outputs
        if output.kind in ranked
    }
    # In a sort they must also be those of a comparison.
    if parameters.kind is not DesignKind.SORTING:
        assert len(plan.blocks) == (len(distinct) > 1)
    for block in plan.blocks:
        size = parameters.block_size(segment.words)
        # Nor more than there are without a control or the reference: the number would tell of it.
        assert len(block.candidates) <= min(size, len(distinct))
        # A control comes in place of a system, and of the reference that must not stand beside it.
        assert len(block.candidates) >= min(size, len(distinct)) - bool(block.control)


@given(designs, segments, numbers, states, st.randoms(use_true_random=False))
def test_a_hit_is_a_function_of_design_number_and_state_in_any_order_of_outputs(
    parameters: DesignParameters,
    segment: SegmentOutputs,
    number: int,
    state: DrawState,
    random: object,
) -> None:
    shuffled = list(segment.outputs)
    random.shuffle(shuffled)  # type: ignore[attr-defined]
    again = SegmentOutputs(number=1, words=segment.words, outputs=tuple(shuffled))
    recorded = DrawState.from_json(state.to_json())
    one = draw_hit(
        DrawnWindow(segments=[1]),
        parameters=parameters,
        number=number,
        texts={1: segment},
        state=state,
    )
    other = draw_hit(
        DrawnWindow(segments=[1]),
        parameters=parameters,
        number=number,
        texts={1: again},
        state=recorded,
    )
    assert one == other


@given(designs, segments, numbers)
def test_a_damaged_reference_stands_beside_systems_and_never_beside_the_reference(
    parameters: DesignParameters,
    segment: SegmentOutputs,
    number: int,
) -> None:
    plan = draw_hit(
        DrawnWindow(segments=[1]),
        parameters=replace(parameters, bad_reference_rate=1.0),
        number=number,
        texts={1: segment},
        state=DrawState.empty(),
    )
    assume(plan.blocks)
    (block,) = plan.blocks
    usable = segment.damaged(parameters.normalisation)
    assert bool(block.control) == bool(usable)
    if usable:
        others = [names for names in block.systems if names != block.control]
        assert len(others) == len(block.systems) - 1
        assert others
        for names in others:
            assert any(name.startswith("system") for name in names)


@pytest.mark.parametrize("kind", [DesignKind.UNIFORM, DesignKind.BALANCED])
def test_a_damaged_reference_stands_in_every_position(kind: DesignKind) -> None:
    parameters = DesignParameters(kind=kind, seed=4, bad_reference_rate=1.0)
    texts = corpus([*system_names(9), DAMAGED], segments=60)
    blocks = blocks_drawn(parameters, texts, hits=200)
    places = [block.systems.index(block.control) for block in blocks]
    assert sum((places.count(place) - 120) ** 2 / 120 for place in range(5)) < 18.5


def test_a_damaged_reference_that_equals_an_output_is_no_check() -> None:
    segment = segment_texts(1, {"system-00": "a", "system-01": "b", DAMAGED: "b"})
    assert segment.damaged(Normalisation.EXACT) == ()


def test_texts_are_the_same_by_the_stated_normalisation_only() -> None:
    segment = segment_texts(1, {"a": "fünf", "b": "fu\u0308nf", "c": "fünf\t"})
    assert len(distinct_texts(segment.outputs, Normalisation.EXACT)) == 3
    assert [
        each.systems
        for each in distinct_texts(segment.outputs, Normalisation.NFC_WHITESPACE)
    ] == [("a", "b", "c")]
    unseen = segment_texts(1, {"a": "fünf", "b": "fu\u0308nf", "c": "f\u200bünf\ufeff"})
    assert len(distinct_texts(unseen.outputs, Normalisation.NFC_WHITESPACE)) == 2
    assert [
        each.systems for each in distinct_texts(unseen.outputs, Normalisation.EYE)
    ] == [("a", "b", "c")]


#: What a sort draws by, and no other design looks at.
COMPARING = DrawState.empty().comparing([("system-00", "system-01", 9)])


def test_a_sort_draws_the_comparison_of_which_most_is_wanted_and_no_more_than_that() -> (
    None
):
    parameters = DesignParameters(
        kind=DesignKind.SORTING,
        seed=1,
        bad_reference_rate=0.0,
    )
    texts = corpus(system_names(4), segments=9)
    wanted = [("system-00", "system-03", 4), ("system-01", "system-02", 5)]
    state = DrawState.empty(system_names(4)).comparing(wanted)
    seen = []
    for number, window in enumerate(
        [[1, 2, 3], [4, 5, 6], [7, 8, 9], [1, 2, 3]],
        start=1,
    ):
        plan = draw_hit(
            DrawnWindow(segments=window),
            parameters=parameters,
            number=number,
            texts=texts,
            state=state,
        )
        state = state.after(plan)
        (pair,) = {
            tuple(sorted(name for (name,) in block.systems)) for block in plan.blocks
        }
        seen.append((pair, len(plan.blocks)))
    first, second = (pair[:2] for pair in wanted)
    assert seen == [(second, 3), (first, 3), (second, 2), (first, 1)]
    assert state.blocks_wanted.tolist() == [0, 0]
    assert DrawState.from_json(state.to_json()).comparisons == (first, second)
    # A comparison whose outputs are the same here leaves the HIT to the next one.
    same = {
        1: segment_texts(
            1,
            dict.fromkeys(("system-01", "system-02"), "x")
            | {"system-00": "y", "system-03": "z"},
        ),
    }
    plan = draw_hit(
        DrawnWindow(segments=[1]),
        parameters=parameters,
        number=9,
        texts=same,
        state=state.comparing(wanted),
    )
    assert plan.blocks[0].why["comparison"] == ["system-00", "system-03"]


def test_a_segment_whose_outputs_are_all_identical_is_never_shown() -> None:
    texts = {
        1: segment_texts(1, dict.fromkeys(system_names(5), "das Gleiche")),
        2: segment_texts(2, {name: name for name in system_names(5)}),
        3: segment_texts(
            3,
            {**dict.fromkeys(system_names(5), "same"), REFERENCE: "other"},
        ),
    }
    for kind in DesignKind:
        plan = draw_hit(
            DrawnWindow(segments=[1, 2, 3, 4]),
            parameters=DesignParameters(kind=kind, seed=1, reference_rate=1.0),
            number=1,
            texts=texts,
            state=COMPARING,
        )
        assert [block.segment for block in plan.blocks] == [2]


@pytest.mark.parametrize("kind", DesignKind)
def test_long_segments_show_fewer_candidates(kind: DesignKind) -> None:
    parameters = DesignParameters(
        kind=kind,
        seed=1,
        systems_per_block=5,
        length_limits=((20, 4), (40, 2), (30, 3)),
    )
    texts = {
        number: segment_texts(
            number,
            {name: name for name in system_names(7)},
            words=words,
        )
        for number, words in enumerate((19, 20, 30, 39, 40, 99), start=1)
    }
    plan = draw_hit(
        DrawnWindow(segments=list(texts)),
        parameters=parameters,
        number=1,
        texts=texts,
        state=COMPARING,
    )
    unlimited = {DesignKind.BINARY: 2, DesignKind.SORTING: 2, DesignKind.ALL: 7}.get(
        kind,
        5,
    )
    assert [len(block.candidates) for block in plan.blocks] == [
        min(unlimited, limit) for limit in (26, 4, 3, 3, 2, 2)
    ]


def test_all_shows_every_system_up_to_the_letters_of_the_alphabet() -> None:
    texts = corpus(system_names(30), segments=3)
    parameters = DesignParameters(kind=DesignKind.ALL, seed=1, systems_per_block=2)
    assert {len(b.candidates) for b in blocks_drawn(parameters, texts, hits=5)} == {26}
    texts = corpus(system_names(7), segments=3)
    assert {len(b.candidates) for b in blocks_drawn(parameters, texts, hits=5)} == {7}


SHARES = [
    (None, 0.0),
    (0.0, 0.0),
    (0.25, 0.0),
    (1.0, 0.0),
    (0.5, 0.1),
    (0.8, 0.2),
    (1.0, 0.4),
]


@pytest.mark.parametrize("kind", some_now([DesignKind.UNIFORM, DesignKind.BALANCED]))
@pytest.mark.parametrize(("reference_rate", "bad_rate"), SHARES)
def test_references_and_damaged_ones_stand_in_their_share_of_blocks(
    kind: DesignKind,
    reference_rate: float | None,
    bad_rate: float,
) -> None:
    parameters = DesignParameters(
        kind=kind,
        seed=4,
        reference_rate=reference_rate,
        bad_reference_rate=bad_rate,
    )
    texts = corpus([*system_names(9), REFERENCE, DAMAGED], segments=60)
    blocks = blocks_drawn(parameters, texts, hits=500)
    held = sum(any(REFERENCE in names for names in block.systems) for block in blocks)
    damaged = sum(bool(block.control) for block in blocks)
    # By chance, so that no judge foresees them: three standard deviations over 500 HITs.
    part = 3 * bad_rate % 1
    spread = 3 * (500 * part * (1 - part)) ** 0.5
    assert abs(damaged - bad_rate * len(blocks)) <= spread + 1e-6
    # Drawn like one more of ten systems: five of ten blocks.
    wanted = 0.5 if reference_rate is None else min(reference_rate, 1 - bad_rate)
    tolerance = 60 if reference_rate is None else 8 + spread
    assert abs(held - wanted * len(blocks)) < tolerance
    assert {len(block.candidates) for block in blocks} == {5}


def test_position_of_the_reference_in_a_hit_is_unpredictable() -> None:
    parameters = DesignParameters(kind=DesignKind.UNIFORM, seed=4, reference_rate=1 / 3)
    texts = corpus([*system_names(9), REFERENCE], segments=60)
    blocks = blocks_drawn(parameters, texts, hits=600)
    places = [
        sum(
            any(REFERENCE in names for names in block.systems)
            for block in blocks[place::3]
        )
        for place in range(3)
    ]
    assert all(abs(count - 200) < 45 for count in places)
