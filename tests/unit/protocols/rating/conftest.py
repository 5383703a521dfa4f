"""Ratings written by hand, as columns and as files."""

from collections.abc import Callable, Sequence

import numpy as np
import pytest

from protocols.frame.scale.statistics.ratings import Items, Ratings, Scale

#: Segment, systems ("A" or "A,B"), judge, value; and a condition, if any.
Row = tuple[int, str, str, int] | tuple[int, str, str, int, str]


@pytest.fixture(scope="session")
def ratings_of() -> Callable[..., Ratings]:
    """Make ratings of rows."""

    def made(rows: Sequence[Row], *, points: int = 5) -> Ratings:
        whole = [(*row, "")[:5] for row in rows]
        items = sorted({(row[0], row[4], row[1]) for row in whole})
        systems = sorted({name for item in items for name in item[2].split(",")})
        conditions = sorted({item[1] for item in items if item[1]})
        judges = sorted({row[2] for row in whole})
        return Ratings(
            items=Items(
                systems=tuple(systems),
                segment=np.array([item[0] for item in items], dtype=np.int64),
                wrote=np.array(
                    [
                        [name in item[2].split(",") for name in systems]
                        for item in items
                    ],
                ).reshape(len(items), len(systems)),
                conditions=tuple(conditions),
                condition=np.array(
                    [conditions.index(item[1]) if item[1] else -1 for item in items],
                    dtype=np.int64,
                ),
            ),
            judges=tuple(judges),
            item=np.array(
                [items.index((r[0], r[4], r[1])) for r in whole],
                dtype=np.int64,
            ),
            judge=np.array([judges.index(row[2]) for row in whole], dtype=np.int64),
            value=np.array([row[3] for row in whole], dtype=np.int64),
            scale=Scale(1, points),
        )

    return made
