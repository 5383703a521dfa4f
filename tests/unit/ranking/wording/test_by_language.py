"""Words are remembered for their language and arguments alone."""

from django.utils.formats import number_format
from django.utils.translation import override

from ranking.wording.by_language import by_language


def test_each_language_has_words_of_its_own() -> None:
    @by_language
    def written(value: int) -> str:
        return number_format(value)

    found = []
    for language in ("en", "de", "en", "de"):
        with override(language):
            found.append(written(1234567))
    assert found == ["1,234,567", "1.234.567"] * 2


def test_equal_words_are_put_together_once() -> None:
    asked = []

    @by_language
    def written(value: float) -> str:
        asked.append(value)
        return str(value)

    with override("en"):
        assert [written(1), written(1), written(1.0), written(2)] == ["1", "1", "1.0", "2"]
    assert asked == [1, 1.0, 2]
