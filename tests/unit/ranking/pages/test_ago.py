"""Times since a moment, in the grammar of each language."""

from datetime import timedelta

import pytest
from django.utils import timezone
from django.utils.translation import override

from ranking.pages.formats import ago


@pytest.mark.parametrize(
    ("language", "expected"),
    [
        ("en", "2 minutes ago"),
        ("cs", "před 2 minutami"),
        ("de", "vor 2 Minuten"),
        ("es", "hace 2 minutos"),
        ("ar", "قبل دقيقتين"),
        ("zh-hans", "2分钟前"),
    ],
)
def test_time_since_a_moment_has_the_grammar_of_its_language(
    language: str,
    expected: str,
) -> None:
    with override(language):
        assert ago(timezone.now() - timedelta(minutes=2)) == expected
