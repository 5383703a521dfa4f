"""Which methods the ranking that is kept up to date can use, and why not the others."""

import pytest

from ranking.core.methods.method import CountsMethod
from ranking.core.methods.registry import METHODS
from ranking.core.rankings.range_kinds import RangeOptions
from ranking.reports.wording.methods import (
    METHOD_WORDS,
    LiveMethod,
    live_method_words,
    methods_not_offered,
    score_words,
)

OFFERED = [method for method in LiveMethod if method is not LiveMethod.BY_DESIGN]


@pytest.mark.parametrize("method", OFFERED)
def test_live_methods_work_over_segments_and_judges(method: LiveMethod) -> None:
    assert RangeOptions().is_live(METHODS[method])
    assert score_words(method)


def test_methods_are_offered_or_excluded_with_a_reason() -> None:
    others = [METHOD_WORDS[name] for name in METHODS if name not in set(OFFERED)]
    assert sorted(label for label, _why in methods_not_offered()) == sorted(
        map(str, others),
    )
    assert all(why for _label, why in methods_not_offered())
    assert [words["name"] for words in live_method_words()] == LiveMethod.values
    assert all(words["what"] and words["when"] for words in live_method_words())


def test_those_that_are_not_need_judgments_or_resamples() -> None:
    for name, method in METHODS.items():
        if name not in set(OFFERED):
            assert not isinstance(method, CountsMethod) or not method.has_closed_form
