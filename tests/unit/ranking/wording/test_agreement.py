import pytest

from ranking.wording.agreement import kappa_shown, strength_in_words


@pytest.mark.parametrize(
    ("kappa", "word"),
    [
        (-0.01, "poor"),
        (0.0, "slight"),
        (0.2, "slight"),
        (0.204, "slight"),
        (0.206, "fair"),
        (0.40, "fair"),
        (0.41, "moderate"),
        (0.60, "moderate"),
        (0.61, "substantial"),
        (0.81, "almost perfect"),
        (1.0, "almost perfect"),
        (None, None),
    ],
)
def test_words_are_those_of_landis_and_koch(kappa: float | None, word: str | None) -> None:
    assert strength_in_words(kappa) == word


def test_kappa_is_undefined_in_words_only_where_something_is_shared() -> None:
    assert isinstance(kappa_shown(None, 1.0), str)
    assert kappa_shown(None, None) is None
    assert kappa_shown(0.2, 0.5) == 0.2
