"""Agreement of judges as it is stored: shorter, and read back to the last bit."""

import json
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from ranking.models.ranking_run import packed, unpacked

counts = st.integers(0, 10**9)
numbers = st.none() | st.floats(allow_nan=False, allow_infinity=False)


@st.composite
def judges(draw: st.DrawFn) -> dict[str, Any]:
    comparable = draw(counts)
    agreeing = draw(st.integers(0, comparable))
    return {
        "judge": draw(st.text()),
        "blocks": draw(counts),
        "comparisons": draw(counts),
        "ties": draw(counts),
        "comparable": comparable,
        "agreeing": agreeing,
        "p_agree": agreeing / comparable if comparable else None,
        "kappa": draw(numbers),
        "low": draw(numbers),
        "high": draw(numbers),
        "reason": draw(st.sampled_from([None, "no_comparison"])),
        "p_chance": draw(numbers),
        "no_interval": draw(st.sampled_from([None, "too_few_judges"])),
    }


def result_of(rows: list[dict[str, Any]]) -> dict[str, Any]:
    return {"systems": [], "agreement": {"chance": "scott", "judges": rows}}


@given(st.lists(judges(), min_size=1))
def test_what_is_stored_in_short_is_read_back_the_same(rows: list[dict[str, Any]]) -> None:
    stored = packed(result_of(rows))

    assert unpacked(json.loads(json.dumps(stored))) == result_of(rows)
    assert all(isinstance(row, list) for row in stored["agreement"]["judges"])
    assert stored["agreement"]["chance"] == "scott"
