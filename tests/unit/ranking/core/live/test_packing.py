"""Arrays as bytes, and back."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import array_shapes, arrays

from ranking.core.live.packing import DamagedStateError, digest_of, packed, unpacked
from tests.properties import examples

WHOLE = arrays(
    np.int64,
    array_shapes(min_dims=1, max_dims=3, min_side=0, max_side=6),
    elements=st.sampled_from([0, 1, -1, 127, 128, -129, 40_000, 2**31, -(2**63), 2**63 - 1]),
)


@given(kept=st.dictionaries(st.text(max_size=3), WHOLE, max_size=3))
@examples(60)
def test_what_is_packed_comes_back(kept: dict[str, np.ndarray]) -> None:
    data = packed({"judges": ["ann", "bjørn"]}, kept)
    # As bytes, and as the driver of the database gives them.
    assert unpacked(memoryview(data).cast("c"))[0] == unpacked(data)[0]
    header, found = unpacked(data)
    assert header == {"judges": ["ann", "bjørn"]}
    assert found.keys() == kept.keys()
    for name, array in kept.items():
        assert found[name].dtype in (np.int8, np.int16, np.int32, np.int64)
        np.testing.assert_array_equal(found[name], array)
    assert digest_of(header, found) == digest_of(header, kept)


def test_of_a_symmetric_matrix_one_half_is_stored() -> None:
    random = np.random.default_rng(4)
    half = np.triu(random.integers(0, 200, (60, 60)))
    whole = half + half.T
    data = packed({}, {"matrix": whole})
    np.testing.assert_array_equal(unpacked(data)[1]["matrix"], whole)
    changed = whole.copy()
    changed[0, 1] += 1
    np.testing.assert_array_equal(unpacked(packed({}, {"matrix": changed}))[1]["matrix"], changed)
    assert len(data) < 0.6 * len(packed({}, {"matrix": changed}))


def test_names_shapes_and_values_are_in_the_digest() -> None:
    array = np.arange(6)
    digests = {
        digest_of({}, {"one": array}),
        digest_of({}, {"two": array}),
        digest_of({}, {"one": array.reshape(2, 3)}),
        digest_of({}, {"one": array[::-1]}),
        digest_of({"judges": []}, {"one": array}),
    }
    assert len(digests) == 5


@pytest.mark.parametrize("data", [b"", b"QLS", b"QLS1", b"QLS2" + bytes(40), bytes(40)])
def test_other_bytes_are_refused(data: bytes) -> None:
    with pytest.raises(DamagedStateError):
        unpacked(data)
