"""A guess of the language that a text is in."""

from collections.abc import Iterable
from itertools import islice

from py3langid import classify

from campaign.texts.language_tags import LanguageTagError, language_tag_checked

_LINES = 200
_CHARACTERS = 20_000


def language_guess(lines: Iterable[str]) -> str | None:
    """Return the tag of the language that most likely holds these lines; None without letters.

    It knows 97 languages and always names one of them: a proposal for somebody who can read, nothing more.
    """
    text = "\n".join(islice(lines, _LINES))[:_CHARACTERS]
    if not any(character.isalpha() for character in text):
        return None
    try:
        return language_tag_checked(str(classify(text)[0]))
    except LanguageTagError:
        return None
