import pytest

from ranking.wording.agreement import strength_in_words


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
