from ranking.core.scores import NotEstimable
from ranking.wording.agreement import kappa_shown, not_estimable_in_words, strength_in_words


def test_a_missing_kappa_has_its_reason_in_place_of_a_word() -> None:
    reason = NotEstimable.CHANCE_IS_CERTAIN
    assert strength_in_words(None, reason) == not_estimable_in_words(reason)
    assert strength_in_words(0.1, None) == "slight"


def test_kappa_is_undefined_in_words_only_where_something_is_shared() -> None:
    assert isinstance(kappa_shown(None, 1.0), str)
    assert kappa_shown(None, None) is None
    assert kappa_shown(0.2, 0.5) == 0.2
