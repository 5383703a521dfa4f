"""Template tags for the texts of test sets, the languages of pages and kinds of devices."""

from collections.abc import Mapping, Sequence
from typing import Any, Final

from django import template
from django.conf import settings
from django.utils.html import format_html, format_html_join
from django.utils.safestring import SafeString

from campaign.models import Campaign
from campaign.selectors.credentials import device_in_words
from campaign.selectors.media import ShownFile, files_shown, media_of_members
from campaign.texts.languages import text_direction
from campaign.texts.media import marked_text

register = template.Library()
register.filter(device_in_words)

#: The style sheet shows white space of this class as it is. Some translators only respect the class, others the attribute.
_CLASS: Final = "notranslate"


@register.simple_tag
def text_attributes(
    language: str = "",
    classes: str = "",
    *parts: str | None,
) -> SafeString:
    """Return the HTML attributes of an element that shows a source, a reference or an output, given in one or more parts.

    Browsers neither translate the text nor change its white space. Without a language, the first letter of the text
    decides its direction. The judging page does the same in `static/judge/block.js`.
    """
    names = f"{classes} {_CLASS}".strip()
    words = "".join(map(words_alone, filter(None, parts)))
    direction = text_direction(words, language)
    attributes = format_html('class="{}" dir="{}" translate="no"', names, direction)
    if language:
        return format_html('{} lang="{}"', attributes, language)
    return attributes


@register.simple_tag
def interface_languages() -> list[tuple[str, str]]:
    """Return code and own name of each language of the pages; Django's tag would translate the names."""
    return list(settings.LANGUAGES)


@register.filter
def words_alone(text: str) -> str:
    """Return the words of a text, without its pictures, recordings and videos."""
    return marked_text(text).words


@register.filter
def with_media(text: str, campaign: Campaign) -> SafeString:
    """Return a text for members of its campaign, with its pictures, recordings and videos below the words."""
    marked = marked_text(text)
    return format_html(
        "{}{}",
        marked.words,
        _media_tags(files_shown(marked, media_of_members(campaign))),
    )


@register.filter
def shown_text(text_shown: Mapping[str, Any]) -> SafeString:
    """Return a text in the shape in which judges get it, with its files below the words."""
    return format_html(
        "{}{}",
        text_shown["text"],
        _media_tags(text_shown.get("media", ())),
    )


def _media_tags(files: Sequence[ShownFile]) -> SafeString:
    """Return the elements that show these files."""
    if not files:
        return SafeString()
    tags = format_html_join(
        "",
        "{}",
        ((format_html(_TAGS[file["kind"]], file["address"]),) for file in files),
    )
    return format_html('<span class="media">{}</span>', tags)


#: Nothing is loaded before it is played: a page may show hundreds.
_TAGS: Final = {
    "image": '<img src="{}" alt="" loading="lazy">',
    "audio": '<audio src="{}" controls preload="none"></audio>',
    "video": '<video src="{}" controls preload="none"></video>',
}
