"""What a block's two arrays say of its candidates."""

from uuid import UUID

from hypothesis import given
from hypothesis import strategies as st

from annotation.models.block import by_candidate, candidate_ids, stands_for

BLOCK = UUID("0b9c6c5e-6c2d-4d0e-9d0a-2f3f7f1c9a51")


@given(st.lists(st.lists(st.integers(1, 2**62), min_size=1, max_size=4), max_size=26))
def test_outputs_written_in_a_row_are_split_into_the_candidates_again(
    candidates: list[list[int]],
) -> None:
    outputs = [output for ids in candidates for output in ids]
    sizes = stands_for([len(ids) for ids in candidates])
    assert by_candidate(outputs, sizes) == candidates
    assert (sizes is None) == all(len(ids) == 1 for ids in candidates)


def test_ids_of_candidates_are_the_same_each_time_and_of_this_block_alone() -> None:
    ids = candidate_ids(BLOCK, 5)
    assert ids == candidate_ids(BLOCK, 5)
    assert ids[:3] == candidate_ids(BLOCK, 3)
    others = candidate_ids(UUID(int=BLOCK.int + 1), 5)
    assert len({*ids, *others, BLOCK}) == 11
