from collections.abc import Callable
from random import Random

import pytest
from hypothesis import strategies as st

from ranking.core.judged.blocks import BlockRow, Blocks, blocks_from_rows

SYSTEMS = ("anna", "bert", "cilla", "dora", "emil", "_ref")


def layouts(count: int) -> list[list[tuple[str, ...]]]:
    """Show some systems in some order, neighbours sometimes collapsed, in `count` ways.

    Prepared once: to draw each of them step by step would take most of the tests' time.
    """
    random = Random(2012)
    found: list[list[tuple[str, ...]]] = [[], [SYSTEMS]]
    while len(found) < count:
        candidates: list[tuple[str, ...]] = []
        for name in random.sample(SYSTEMS, random.randint(1, len(SYSTEMS))):
            if candidates and random.random() < 0.25:
                candidates[-1] = (*candidates[-1], name)
            else:
                candidates.append((name,))
        found.append(candidates)
    return found


labels = st.sampled_from([1, 2, 3, 4, 5, None])
block_rows = st.builds(
    lambda candidates, judge, segment, drawn: BlockRow(
        judge=judge,
        segment=segment,
        candidates=candidates,
        labels=drawn[: len(candidates)],
    ),
    st.sampled_from(layouts(60)),
    st.sampled_from(["j1", "j2", "j3"]),
    st.integers(1, 3),
    st.tuples(*[labels] * len(SYSTEMS)),
)


@pytest.fixture(scope="session")
def systems() -> tuple[str, ...]:
    """Names of the systems that `rows_strategy` draws from."""
    return SYSTEMS


@pytest.fixture(scope="session")
def rows_strategy() -> st.SearchStrategy[list[BlockRow]]:
    """Judged blocks of three judges on three segments, repeated ones among them."""
    return st.lists(block_rows, max_size=8)


@pytest.fixture(scope="session")
def drawn_rows() -> Callable[[int], list[BlockRow]]:
    """Draw as many judged blocks of six systems as asked for, always the same."""

    def draw(count: int) -> list[BlockRow]:
        random = Random(2011)
        shown = layouts(200)
        return [
            BlockRow(
                judge=f"j{random.randint(1, 9)}",
                segment=random.randint(1, 60),
                candidates=(candidates := random.choice(shown)),
                labels=[random.choice([1, 2, 3, 3, 4, 5, None]) for _ in candidates],
            )
            for _ in range(count)
        ]

    return draw


@pytest.fixture(scope="session")
def drawn_blocks(
    drawn_rows: Callable[[int], list[BlockRow]],
) -> Callable[[int], Blocks]:
    """Return such blocks as columns."""
    return lambda count: blocks_from_rows(drawn_rows(count), SYSTEMS)
