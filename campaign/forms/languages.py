"""Form validation of language tags."""

from collections.abc import Sequence

from django.core.exceptions import ValidationError

from campaign.texts.language_tags import LanguageTagError, language_tags_checked


def languages_validate(tags: str | Sequence[str]) -> None:
    """Refuse invalid tags: choices are the languages of test sets, including those imported unchecked."""
    try:
        language_tags_checked([tags] if isinstance(tags, str) else tags)
    except LanguageTagError as error:
        raise ValidationError(str(error)) from error
