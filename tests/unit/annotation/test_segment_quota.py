"""How many blocks of each segment are planned, as HITs are added and given back."""

from annotation.sampling.drawing import SegmentQuota
from annotation.sampling.plans import BlockPlan, HITPlan


def hit(
    number: int,
    *,
    segments: tuple[int, ...],
    controls: tuple[int, ...] = (),
) -> HITPlan:
    """Return a HIT of these segments, with a damaged reference in the blocks of `controls`."""
    return HITPlan(
        number=number,
        blocks=tuple(
            BlockPlan(
                segment=segment,
                candidates=((1,), (2,)),
                systems=(("a",), ("damaged",)),
                control=("damaged",) if segment in controls else (),
                why={},
            )
            for segment in segments
        ),
        why={},
    )


def test_a_hit_given_back_leaves_the_counts_as_before_it() -> None:
    quota = SegmentQuota(limit=2, counts=[1, 1, 1], redundancy=1)
    plan = hit(1, segments=(1, 2, 3), controls=(2,))
    quota.add(plan)
    assert (quota.counts, quota.full) == ([2, 1, 2], {1, 3})
    quota.add(plan, -1)
    assert (quota.counts, quota.full) == ([1, 1, 1], set())


def test_a_control_counts_for_nothing() -> None:
    quota = SegmentQuota(limit=1, counts=[], redundancy=1)
    quota.add(hit(1, segments=(1, 2), controls=(2,)))
    assert quota.counts == [1]
    assert quota.allows(hit(2, segments=(2, 3)))
    assert quota.allows(hit(2, segments=(1,), controls=(1,)))
    assert not quota.allows(hit(2, segments=(1, 3)))


def test_a_segment_is_full_where_another_family_would_go_beyond_the_limit() -> None:
    quota = SegmentQuota(limit=4, counts=[1, 2, 3, 4], redundancy=2)
    assert quota.full == {3, 4}
    quota.add(hit(1, segments=(1,)))
    assert quota.full == {3, 4}
    quota.add(hit(2, segments=(2,)))
    assert quota.full == {2, 3, 4}
    # One more of the third is allowed, if no family comes with it.
    assert quota.allows(hit(3, segments=(3,)))
    assert not quota.allows(hit(3, segments=(4,)))


def test_without_a_limit_no_segment_is_ever_full() -> None:
    quota = SegmentQuota(limit=None, counts=[1000], redundancy=50)
    quota.add(hit(1, segments=(1,)))
    assert quota.full == set()
    assert quota.allows(hit(2, segments=(1,)))
