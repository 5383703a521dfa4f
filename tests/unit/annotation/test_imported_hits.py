"""Where imported blocks are put, and by which ids they are known."""

from datetime import UTC, datetime

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from annotation.importing.hits import BLOCKS_OF_A_HIT, ImportedHITs, block_uuids

NOON = datetime(2026, 11, 23, 12, tzinfo=UTC)


@given(
    judges=st.lists(st.integers(0, 3), min_size=1, max_size=4 * BLOCKS_OF_A_HIT),
    batch=st.integers(1, 80),
)
def test_hits_hold_one_judges_rows_in_their_order_in_whatever_batches(
    judges: list[int], batch: int
) -> None:
    hits, last = ImportedHITs(), 0
    found: dict[int, list[tuple[int, int]]] = {}
    for start in range(0, len(judges), batch):
        some = np.array(judges[start : start + batch])
        positions = hits.positions(some)
        count = int((positions == 1).sum())
        ids = hits.hits(some, positions, np.arange(last + 1, last + count + 1))
        last += count
        for judge, hit, position in zip(
            some.tolist(), ids.tolist(), positions.tolist(), strict=True
        ):
            found.setdefault(hit, []).append((judge, position))
    for rows in found.values():
        assert len({judge for judge, _position in rows}) == 1
        assert [position for _judge, position in rows] == list(range(1, len(rows) + 1))
        assert len(rows) <= BLOCKS_OF_A_HIT
    # As few as there can be.
    assert (
        last == len(found) == sum(-(-judges.count(each) // BLOCKS_OF_A_HIT) for each in set(judges))
    )


def test_ids_of_blocks_rise_and_are_uuids_of_version_7() -> None:
    around = 1 << 20
    ids = np.concatenate(
        [block_uuids(first, 2_000, at=NOON) for first in (0, 2_000, around - 1_000)]
    ).tolist()
    raw = [bytes(each) for each in ids]
    assert raw == sorted(set(raw))
    assert {each[6] >> 4 for each in raw} == {7}
    assert {each[8] >> 6 for each in raw} == {0b10}
    assert {int.from_bytes(each[:6]) for each in raw} == {int(NOON.timestamp() * 1000)}
    # What is left to chance differs.
    assert len({each[11:] for each in raw}) > 5_900
