"""Mean scores, standardised scores, and their intervals."""

import numpy as np
import pytest

from protocols.spans.statistics.columns import score_columns
from ranking.core.scored.means import standardised, system_means, unit_scores
from ranking.core.scores import Shortage
from tests.simulated.scores import SpanModel, simulate_spans
from tests.unit.protocols.spans.drawn import judgment, output


def test_scores_of_one_segment_are_averaged_first() -> None:
    columns = score_columns(
        [
            judgment(output("A", 10), segment="1"),
            judgment(output("A", 20), segment="1", judge="bob"),
            judgment(output("A", 60), segment="2"),
        ],
    )
    assert system_means(columns).mean.tolist() == [37.5]
    by_round = unit_scores(columns, unit="round")
    assert sorted(by_round.values.ravel().tolist()) == [10, 20, 60]
    assert by_round.segment.tolist() == [0, 0, 1]


def test_standardised_scores_do_not_know_how_judges_use_the_scale() -> None:
    scores = {"1": 10, "2": 40, "3": 55}
    plain = [
        judgment(output("A", score), segment=name) for name, score in scores.items()
    ]
    stretched = [
        judgment(output("A", 20 + score / 2), segment=name, judge="bob")
        for name, score in scores.items()
    ]
    z = standardised(score_columns([*plain, *stretched]))
    np.testing.assert_allclose(z[:3], z[3:])
    np.testing.assert_allclose([z[:3].mean(), z[:3].std(ddof=1)], [0, 1], atol=1e-12)


def test_judges_without_a_scale_have_no_standardised_score() -> None:
    columns = score_columns(
        [
            judgment(output("A", 10), output("B", 20), judge="ann"),
            judgment(output("A", 50), output("B", 50), judge="bob"),
            judgment(output("B", 90), judge="eve"),
        ],
    )
    means = system_means(columns)
    assert means.unscaled_judges == ("bob", "eve")
    np.testing.assert_allclose(means.z, [-np.sqrt(0.5), np.sqrt(0.5)])


def test_a_system_with_scores_on_few_segments_has_no_interval() -> None:
    screens = [
        judgment(output("A", 50 + number), segment=str(number)) for number in range(50)
    ]
    means = system_means(
        score_columns([*screens, judgment(output("B", 10), segment="50")]),
    )
    assert np.isfinite(means.low).tolist() == [True, False]
    assert means.mean[1] == 10


def test_documents_are_drawn_as_a_whole() -> None:
    # Segments of a document share its ease, so that documents say far less than segments seem to.
    screens = [
        judgment(
            output("A", 2 * document + segment % 2),
            document=str(document),
            segment=str(segment),
        )
        for document in range(45)
        for segment in range(4)
    ]
    columns = score_columns(screens)
    segments, documents = (
        system_means(columns, drawn=drawn) for drawn in ("segments", "documents")
    )
    assert documents.high[0] - documents.low[0] > 1.5 * (
        segments.high[0] - segments.low[0]
    )


@pytest.mark.parametrize(("segments", "judges"), [(1, 1), (44, 1), (60, 2)])
def test_thin_scores_and_scores_of_several_judges_have_means_alone(
    segments: int,
    judges: int,
) -> None:
    screens = [
        judgment(
            output("A", 90 - n % 5),
            output("B", 10),
            segment=str(n),
            judge=f"j{j}",
        )
        for n in range(segments)
        for j in range(judges)
    ]
    means = system_means(score_columns(screens))
    assert np.isnan([means.low, means.high, means.z_low, means.z_high]).all()
    assert [*means.ranges.low, *means.ranges.high, *means.cluster] == [0] * 6
    assert means.rank.tolist() == [1, 2]
    assert means.judges == judges
    few = Shortage("counted_segments", segments, 45)
    assert means.shortage == (few if segments < 45 else None)


def test_fewer_than_two_documents_are_refused() -> None:
    for document in ("", "d"):
        screens = [
            judgment(output("A", 50 + n), segment=str(n), document=document)
            for n in range(9)
        ]
        with pytest.raises(ValueError, match="fewer than two documents"):
            system_means(score_columns(screens), drawn="documents")


def test_equal_systems_share_their_ranks() -> None:
    model = SpanModel(systems=5, segments=45, judges=1, outputs=5, spread=0)
    ranged = [
        (means.ranges.low == 1) & (means.ranges.high == 5)
        for seed in range(60)
        for means in (
            system_means(score_columns(simulate_spans(model, seed=seed).judgments)),
        )
    ]
    # Percentiles of ranks in resamples miss one of them in a third of all cases.
    assert np.mean(ranged) > 0.9
