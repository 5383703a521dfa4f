"""Documents in place of segments: what ranges and standard errors over two ways rest on."""

from dataclasses import replace

import numpy as np
import numpy.typing as npt
import pytest

from ranking.core.counting import resampling as resampling_module
from ranking.core.counting.counts import Layout, count
from ranking.core.counting.moments import moments_of_blocks
from ranking.core.counting.resampling import LEVELS, Level, Resampling, unit_keys
from ranking.core.judged.blocks import (
    BlockRow,
    Blocks,
    blocks_from_rows,
    first_segments,
    several_documents,
)
from ranking.core.methods.registry import METHODS
from ranking.core.methods.shares import expected_wins_influence
from ranking.core.rankings.range_kinds import two_way_resampling
from ranking.core.rankings.rank import Ranking, rank
from ranking.core.uncertainty import (
    RangeLimit,
    covariance_of_block_influence,
    two_way_covariance,
)
from tests.some_now import some_now
from tests.worlds import draw_campaign, world_named


@pytest.fixture(scope="module")
def drawn() -> Blocks:
    """300 blocks of 30 documents, by 20 judges, of 6 systems."""
    world = replace(world_named("documents"), systems=6, blocks=300)
    return draw_campaign(world, 5)[0]


def numbered(blocks: Blocks, document: npt.NDArray[np.integer]) -> Blocks:
    return replace(blocks, document=document.astype(np.int32))


def ranks_and_errors(ranking: Ranking) -> object:
    return ranking.systems, ranking.pairs, ranking.extra


def test_a_hand_worked_variance() -> None:
    # Document, segment, judge, winner of one comparison; segments 2k + 1 and 2k + 2 are of
    # document k. With an influence of 1 for a win of a and −1 for one of b, documents say
    # 3 | 2 | −3 | 0, judges 1 | 2 | −1 | 0, and judges of documents 2, 1 | 1, 1 | −2, −1 | 1, −1.
    judged = [
        *((0, 1, "j0", "a"), (0, 2, "j0", "a"), (0, 2, "j1", "a")),
        *((1, 3, "j1", "a"), (1, 4, "j2", "a")),
        *((2, 5, "j2", "b"), (2, 6, "j2", "b"), (2, 6, "j3", "b")),
        *((3, 7, "j3", "a"), (3, 8, "j0", "b")),
    ]
    rows = [
        BlockRow(judge, segment, [["a"], ["b"]], [1, 2] if winner == "a" else [2, 1])
        for _document, segment, judge, winner in judged
    ]
    blocks = numbered(
        blocks_from_rows(rows, "ab"),
        np.array([row[0] for row in judged]),
    )
    moments = moments_of_blocks(blocks, Layout(2))
    found = two_way_covariance(moments, np.array([[1.0, -1.0]]))
    documents = judges = 10**2 / (3**2 + 2**2 + 3**2 + 2**2)
    both = 10**2 / (2**2 + 1 + 1 + 1 + 2**2 + 1 + 1 + 1)
    assert (found.segments, found.judges) == pytest.approx((documents, judges))
    of_documents = documents / (documents - 1) * (3**2 + 2**2 + 3**2 + 0)
    of_judges = judges / (judges - 1) * (1 + 2**2 + 1 + 0)
    of_both = both / (both - 1) * (2**2 + 1 + 1 + 1 + 2**2 + 1 + 1 + 1)
    assert found.matrix[0, 0] == pytest.approx(of_documents + of_judges - of_both)
    assert found.limits == ()


def test_the_variance_is_that_of_an_independent_computation(drawn: Blocks) -> None:
    layout = Layout(6)
    each = np.array([count(drawn.take([row]), layout) for row in range(len(drawn))])
    influence = expected_wins_influence(layout.unpack(each.sum(axis=0)).wins).reshape(
        6,
        -1,
    )
    parts = []
    documents = drawn.segment // 10
    for unit in (documents, drawn.judge, documents * 100 + drawn.judge):
        counted = np.array([each[unit == one].sum(axis=0) for one in np.unique(unit)])
        size = counted.sum(axis=1)
        effective = size.sum() ** 2 / (size**2).sum()
        moved = counted @ influence.T
        parts.append(moved.T @ moved * effective / (effective - 1))
    expected = parts[0] + parts[1] - parts[2]
    covariance = METHODS["expected_wins"].score_covariance(drawn)
    assert np.linalg.eigvalsh(expected)[0] > -1e-12  # nothing was cut off
    np.testing.assert_allclose(covariance.matrix, expected, atol=1e-12)
    ranking = rank(drawn, resamples=20)
    errors = dict(zip(drawn.systems, np.sqrt(np.diag(expected)).tolist(), strict=True))
    assert ranking.extra["standard_errors"]["values"] == pytest.approx(errors)
    moves = each @ influence.T
    np.testing.assert_allclose(
        covariance_of_block_influence(drawn, moves).matrix,
        expected,
        atol=1e-12,
    )


@pytest.mark.parametrize(
    "method",
    some_now(["expected_wins", "lopez", "davidson_judges"]),
)
@pytest.mark.parametrize("level", [level for level in LEVELS if level != "two_way"])
def test_levels_of_one_way_mean_what_they_say(
    drawn: Blocks,
    method: str,
    level: Level,
) -> None:
    if (method, level) == ("davidson_judges", "pairs"):
        level = "blocks"
    without = replace(drawn, document=None)
    one = rank(drawn, method, resample=level, resamples=20)
    assert one == rank(without, method, resample=level, resamples=20)


@pytest.mark.parametrize("method", ["expected_wins", "bradley_terry", "geq_others"])
def test_a_document_for_each_segment_changes_nothing(method: str) -> None:
    world = replace(world_named("redundancy 3"), systems=6, blocks=200)
    blocks = draw_campaign(world, 3)[0]
    once = np.unique(blocks.segment * 100 + blocks.judge, return_index=True)[1]
    blocks = blocks.take(once)
    alike = numbered(blocks, blocks.segment)
    assert rank(alike, method, resamples=50) == rank(blocks, method, resamples=50)


@pytest.mark.parametrize("method", ["expected_wins", "lopez", "davidson_judges"])
def test_few_documents_are_replaced_by_segments_with_a_note(
    drawn: Blocks,
    method: str,
) -> None:
    few = numbered(drawn, drawn.segment % 3)
    found = rank(few, method, resamples=20)
    assert found.limits == (RangeLimit.FEW_DOCUMENTS,)
    expected = rank(replace(drawn, document=None), method, resamples=20)
    assert ranks_and_errors(found) == ranks_and_errors(expected)
    enough = numbered(drawn, drawn.segment % 4)
    assert rank(enough, method, resamples=20).limits == ()


def test_few_segments_are_reported_before_few_documents(drawn: Blocks) -> None:
    few = replace(numbered(drawn, drawn.segment % 2), segment=drawn.segment % 3)
    assert rank(few, resamples=20).limits == (RangeLimit.FEW_SEGMENTS,)


def test_resampling_weighs_documents_and_judges(
    drawn: Blocks,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    resampling, limits = two_way_resampling(drawn, seed=7)
    assert (resampling.level, resampling.documents, limits) == ("two_way", True, ())
    weights = replace(resampling, share=1.0).weights(drawn, range(40))
    documents = Resampling("segments", 7, documents=True).weights(drawn, range(40))
    judges = Resampling("judges", 7).weights(drawn, range(40))
    np.testing.assert_array_equal(weights, documents * judges)
    for document in np.unique(drawn.segment // 10):
        of_document = documents[drawn.segment // 10 == document]
        assert (of_document == of_document[0]).all()
    # A document is known by its first segment, and is no segment.
    keys = unit_keys(drawn, "segments", documents=True)
    first = int(np.argmin(drawn.segment))
    assert keys[first] != unit_keys(drawn, "segments")[first]
    assert len(np.unique(keys)) == 30
    monkeypatch.setattr(resampling_module, "UNITS_AT_A_TIME", 7)
    counted = resampling.counts(drawn, Layout(6), range(5))
    whole = resampling.weights(drawn, range(5)).astype(np.int64)
    np.testing.assert_array_equal(
        counted.T,
        Layout(6).of_blocks(drawn).astype(np.int64) @ whole,
    )


def test_two_judges_leave_documents_to_resample(drawn: Blocks) -> None:
    two = replace(drawn, judge=drawn.judge % 2)
    resampling, limits = two_way_resampling(two, seed=7)
    assert (resampling, limits) == (
        Resampling("segments", 7, documents=True),
        (RangeLimit.FEW_JUDGES,),
    )


def test_the_column_goes_with_its_rows(drawn: Blocks) -> None:
    assert drawn.document is not None
    rows = np.array([7, 3, 200])
    np.testing.assert_array_equal(drawn.take(rows).document, drawn.document[rows])
    np.testing.assert_array_equal(drawn.without(["s01"]).document, drawn.document)


@pytest.mark.parametrize(
    ("document", "segment", "known"),
    [
        ([0, 0, 1], [4, 5, 6], True),
        ([0, 0, 1], [4, 4, 6], True),
        ([0, 0, 0], [4, 5, 6], False),  # one says nothing of others
        ([0, 1, 1], [4, 4, 6], False),  # segment 4 is of two
        ([0, -1, 1], [4, 5, 6], False),  # one block names none
        ([], [], False),
    ],
)
def test_when_documents_are_known(
    document: list[int],
    segment: list[int],
    known: bool,
) -> None:
    column = np.array(document, dtype=np.int32)
    found = several_documents(column, np.array(segment, dtype=np.int32))
    assert found is (column if known else None)


def test_a_document_is_numbered_by_its_first_segment(drawn: Blocks) -> None:
    np.testing.assert_array_equal(
        first_segments(numbered(drawn, -drawn.segment // 10)),
        first_segments(numbered(drawn, 99 + -drawn.segment // 10)),
    )
    rows = [
        BlockRow("j", segment, [["a"], ["b"]], [1, 2]) for segment in (9, 4, 7, 2, 9)
    ]
    blocks = numbered(blocks_from_rows(rows, "ab"), np.array([5, 5, 3, 3, 5]))
    assert first_segments(blocks).tolist() == [4, 4, 2, 2, 4]
    with pytest.raises(ValueError, match="name no documents"):
        first_segments(replace(blocks, document=None))
