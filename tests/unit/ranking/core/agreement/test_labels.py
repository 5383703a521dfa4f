import krippendorff
import numpy as np
import pytest
from statsmodels.stats.inter_rater import fleiss_kappa

from ranking.core.agreement.measures import label_agreement
from ranking.core.judged.blocks import BlockRow, Blocks, blocks_from_rows


def labelled(seed: int, share: float) -> tuple[Blocks, np.ndarray]:
    """Blocks of five outputs, and labels by judge and output, NaN where there is none."""
    rng = np.random.default_rng(seed)
    rows, labels = [], np.full((3, 8 * 5), np.nan)
    for segment in range(8):
        quality = rng.normal(size=5)
        for judge in range(3):
            if rng.random() < share:
                given = np.clip(np.round(3 - quality + rng.normal(size=5) / 2), 1, 5).astype(int)
                labels[judge, 5 * segment : 5 * segment + 5] = given
                rows.append(BlockRow(f"j{judge}", segment, "abcde", given.tolist()))
    return blocks_from_rows(rows, "abcde"), labels


def test_n_agreement_of_two_judges_is_the_formula_of_hamon_et_al() -> None:
    rows = [
        BlockRow("ann", 1, "abcd", [1, 2, 3, 5]),
        BlockRow("bob", 1, "abcd", [1, 3, 5, 1]),  # apart by 0, 1, 2, 4
        BlockRow("ann", 2, "ab", [1, None]),  # nobody else
    ]
    found = label_agreement(blocks_from_rows(rows, "abcd"), resamples=20)
    assert [each.n for each in found.inter.n_agreement] == [0, 1, 2, 3, 4]
    assert [each.agreeing for each in found.inter.n_agreement] == [1, 2, 3, 3, 4]
    assert {each.comparable for each in found.inter.n_agreement} == {4}
    assert [each.share for each in found.inter.n_agreement] == [0.25, 0.5, 0.75, 0.75, 1]
    assert found.intra.n_agreement[0].comparable == 0
    assert found.intra.n_agreement[0].share is None


def test_intervals_hold_the_share() -> None:
    blocks, _ = labelled(1, 0.8)
    for each in label_agreement(blocks, resample="segments", resamples=100).inter.n_agreement:
        assert each.share is not None
        assert each.low is not None
        assert each.high is not None
        assert 0 <= each.low <= each.share <= each.high <= 1


def test_ordinal_alpha_is_that_of_the_krippendorff_package() -> None:
    blocks, labels = labelled(2, 0.7)
    found = label_agreement(blocks, resamples=5).inter.alpha
    expected = krippendorff.alpha(
        reliability_data=labels, level_of_measurement="ordinal", value_domain=[1, 2, 3, 4, 5]
    )
    assert found.kappa == pytest.approx(expected, abs=1e-12)


def test_global_kappa_is_that_of_statsmodels() -> None:
    blocks, labels = labelled(3, 1.0)
    table = np.stack([(labels == value).sum(axis=0) for value in range(1, 6)], axis=1)
    found = label_agreement(blocks, resamples=5).inter.fleiss
    assert found.kappa == pytest.approx(fleiss_kappa(table), abs=1e-12)


def test_a_judge_who_repeats_labels_agrees_with_himself_only() -> None:
    rows = [BlockRow("ann", 1, [("a", "b"), ("c",)], [1, 2])] * 2
    found = label_agreement(blocks_from_rows(rows, "abc"), resamples=5)
    assert found.inter.n_agreement[0].comparable == 0
    # Two outputs: identical ones were labelled once.
    assert found.intra.n_agreement[0].comparable == 2
    assert found.intra.n_agreement[0].share == 1
