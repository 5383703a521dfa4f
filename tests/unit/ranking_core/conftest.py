import os
from pathlib import Path

import pytest
from hypothesis import strategies as st

from ranking.core.blocks import BlockRow

SYSTEMS = ("anna", "bert", "cilla", "dora", "emil", "_ref")

labels = st.one_of(st.none(), st.integers(1, 5))


@st.composite
def block_rows(draw: st.DrawFn) -> BlockRow:
    """Draw a judged block: some systems in any order, neighbours sometimes collapsed."""
    shown = draw(st.permutations(SYSTEMS))[: draw(st.integers(0, len(SYSTEMS)))]
    candidates: list[tuple[str, ...]] = []
    for name in shown:
        if candidates and draw(st.integers(0, 3)) == 0:
            candidates[-1] = (*candidates[-1], name)
        else:
            candidates.append((name,))
    return BlockRow(
        judge=draw(st.sampled_from(["j1", "j2", "j3"])),
        segment=draw(st.integers(1, 3)),
        candidates=candidates,
        labels=[draw(labels) for _ in candidates],
    )


@pytest.fixture(scope="session")
def systems() -> tuple[str, ...]:
    """Names of the systems that `rows_strategy` draws from."""
    return SYSTEMS


@pytest.fixture(scope="session")
def rows_strategy() -> st.SearchStrategy[list[BlockRow]]:
    """Judged blocks of three judges on three segments, repeated ones among them."""
    return st.lists(block_rows(), max_size=8)


@pytest.fixture(scope="session")
def real_data() -> Path:
    """Folder of released WMT judgments."""
    folder = os.environ.get("QUINTET_REAL_DATA")
    if not folder:
        pytest.skip("QUINTET_REAL_DATA is not set: no released WMT judgments to compare with")
    return Path(folder)
