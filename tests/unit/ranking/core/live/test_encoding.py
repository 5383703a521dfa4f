"""Tallies written as bytes: data come back, code does not go."""

import io
import json
import os
from dataclasses import dataclass, fields
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ranking.core.agreement.statistics import Chance
from ranking.core.judged.blocks import Blocks
from ranking.core.live.encoding import EncodingError, decode, encode
from ranking.core.simulation.model import Model
from tests.shard_work import squares

VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(),
    lambda inner: st.lists(inner) | st.lists(inner).map(tuple) | st.dictionaries(st.text() | st.integers(), inner),
    max_leaves=12,
)  # fmt: skip


@given(VALUES)
def test_values_come_back_with_their_types(value: object) -> None:
    again = decode(encode(value))
    assert again == value
    assert repr(again) == repr(value)


@pytest.mark.parametrize(
    "array",
    [
        np.array([0.1, np.nan, -0.0, np.inf]),
        np.arange(6, dtype=np.uint64).reshape(2, 3) + np.uint64(2**63),
        np.zeros((0, 4), dtype=np.int8),
        np.asfortranarray(np.arange(6).reshape(2, 3)),
        np.array([True, False]),
        np.array(5.0),
    ],
)
def test_arrays_come_back_bit_for_bit(array: "np.typing.NDArray[Any]") -> None:
    again = decode(encode({"found": [array]}))["found"][0]
    assert (again.dtype, again.shape) == (array.dtype, array.shape)
    assert again.tobytes() == array.tobytes()


def test_dataclasses_come_back() -> None:
    model = Model(systems=4, noise=0.1)
    assert decode(encode((model, [model]))) == (model, [model])


def test_blocks_come_back() -> None:
    drawn = Blocks(
        systems=("a", "b"),
        labels=np.array([[1, 2]], dtype=np.int8),
        candidates=np.array([[0, 1]], dtype=np.int8),
        judge=np.array([0], dtype=np.int32),
        judges=("j",),
        segment=np.array([7], dtype=np.int32),
        key=np.array([2**63], dtype=np.uint64),
    )
    again = decode(encode(drawn))
    for each in fields(Blocks):
        assert np.array_equal(getattr(again, each.name), getattr(drawn, each.name)), (
            each.name
        )


@dataclass(frozen=True)
class Elsewhere:
    """A dataclass of the tests."""

    one: int = 1


@pytest.mark.parametrize(
    "value",
    [
        os.system,
        squares,
        Elsewhere(),
        Chance.SCOTT,
        {1, 2},
        object(),
        np.array([object()]),
    ],
    ids=lambda value: type(value).__name__,
)
def test_nothing_else_is_written(value: object) -> None:
    with pytest.raises(ValueError, match=r"."):
        encode(value)


def _forged(tree: object) -> bytes:
    file = io.BytesIO()
    np.savez(file, tree=np.frombuffer(json.dumps(tree).encode(), dtype=np.uint8))
    return file.getvalue()


@pytest.mark.parametrize(
    "tree",
    [
        ["function", "os:system"],
        ["dataclass", "subprocess:Popen", ["args"], [["true"]]],
        ["dataclass", "ranking.core.nowhere:Model", [], []],
        ["dataclass", "ranking.corex:Model", [], []],
        ["dataclass", "ranking.core.live.encoding:EncodingError", [], []],
        ["dataclass", "ranking.core.live.moments:Blocks", [], []],
        {"pickle": "…"},
        ["array", 3],
        ["dataclass", "ranking.core.simulation.model:Model", ["colour"], ["red"]],
    ],
    ids=str,
)
def test_nothing_else_is_read(tree: object) -> None:
    with pytest.raises(EncodingError):
        decode(_forged(tree))


def _npy() -> bytes:
    file = io.BytesIO()
    np.save(file, np.arange(3))
    return file.getvalue()


@pytest.mark.parametrize("data", [b"", b"PK", b"\x80\x04N.", encode([1])[:-30], _npy()])
def test_damaged_bytes_are_refused(data: bytes) -> None:
    with pytest.raises(EncodingError, match="no encoded tallies"):
        decode(data)
