"""Simulated campaigns are what their model says."""

import numpy as np
import pytest

from protocols.spans.records import span_problems
from protocols.spans.simulator import SpanModel, simulate_spans


def test_the_same_seed_gives_the_same_campaign() -> None:
    one, same, other = (simulate_spans(SpanModel(segments=20), seed=seed) for seed in (1, 1, 2))
    assert one.judgments == same.judgments != other.judgments


def test_spans_fit_their_texts() -> None:
    for judgment in simulate_spans(SpanModel(segments=20)).judgments:
        for output in judgment.outputs:
            assert output.spans is not None
            assert span_problems(output.spans, output.text) == []


def test_adaptive_sampling_shows_better_systems_more_often() -> None:
    shown = []
    for sampling in ("balanced", "adaptive"):
        campaign = simulate_spans(
            SpanModel(segments=400, spread=20, sampling=sampling),
            seed=1,
        )
        count = dict.fromkeys(campaign.systems, 0)
        for judgment in campaign.judgments:
            for output in judgment.outputs:
                count[output.systems[0]] += 1
        shown.append(list(count.values()))
    balanced, adaptive = np.array(shown)
    assert balanced.max() < 1.3 * balanced.min()
    assert adaptive[0] > 2.5 * adaptive[-1]


def test_a_screen_has_room_for_its_outputs() -> None:
    with pytest.raises(ValueError, match="1 to 5 outputs"):
        SpanModel(systems=3, outputs=4)
