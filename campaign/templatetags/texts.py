"""Template tags for the texts of test sets, the languages of pages and kinds of devices."""

from typing import Final

from django import template
from django.conf import settings
from django.utils.html import format_html
from django.utils.safestring import SafeString

from campaign.selectors.credentials import device_in_words

register = template.Library()
register.filter(device_in_words)

#: The style sheet shows white space of this class as it is. Some translators only respect the class, others the attribute.
_CLASS: Final = "notranslate"


@register.simple_tag
def text_attributes(language: str = "", classes: str = "") -> SafeString:
    """Return the HTML attributes of an element that shows a source, a reference or an output.

    Browsers neither translate the text nor change its white space, and its own letters decide its direction. The
    judging page does the same in `static/judge/block.js`.
    """
    names = f"{classes} {_CLASS}".strip()
    shown = format_html('class="{}" dir="auto" translate="no"', names)
    return format_html('{} lang="{}"', shown, language) if language else shown


@register.simple_tag
def interface_languages() -> list[tuple[str, str]]:
    """Return code and own name of each language of the pages; Django's tag would translate the names."""
    return list(settings.LANGUAGES)
