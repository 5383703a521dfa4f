import pytest
from django.utils.translation import override

from campaign.texts.languages import (
    language_direction,
    language_name,
    language_own_name,
    text_direction,
)


@pytest.mark.parametrize(
    ("tag", "direction"),
    [
        ("en", "ltr"),
        ("ar", "rtl"),
        ("ar-EG", "rtl"),
        ("he", "rtl"),
        ("fa_IR", "rtl"),
        ("az-Arab", "rtl"),
        ("ar-Latn", "ltr"),
        ("zh-Hant-TW", "ltr"),
        ("Czech", "ltr"),
    ],
)
def test_direction_follows_script_and_language(tag: str, direction: str) -> None:
    assert language_direction(tag) == direction


@pytest.mark.parametrize(
    ("text", "tag", "direction"),
    [
        ("The umbrella", "en", "ltr"),
        ("جاء كريم", "ar", "rtl"),
        # w3c/i18n-drafts 104, NUKnightLab/StoryMapJS 245: a sentence that begins with a name in another script.
        ("CSS: مغامرة جديدة!", "ar", "rtl"),
        ("“שלום” means peace.", "en", "ltr"),
        ("WhatsApp 2 היא אפליקציה", "he", "rtl"),
        # Untranslated outputs.
        ("The umbrella is black.", "ar", "auto"),
        ("المظلة سوداء.", "de", "auto"),
        ("12:30 – 14:00", "ar", "auto"),
        ("", "fa", "auto"),
        # No language has a direction.
        ("CSS: مغامرة", "und", "auto"),
        ("CSS: مغامرة", "mul", "auto"),
        ("CSS: مغامرة", "", "auto"),
    ],
)
def test_text_has_the_direction_of_its_language_if_it_has_letters_of_it(
    text: str,
    tag: str,
    direction: str,
) -> None:
    assert text_direction(text, tag) == direction


@pytest.mark.parametrize(
    ("tag", "reader", "name"),
    [
        ("de", "en", "German"),
        ("zh", "en", "Chinese"),
        ("zh", "de", "Chinesisch"),
        ("ha", "cs", "hauština"),
        ("deu", "es", "alemán"),
        ("ces", "zh-hans", "捷克语"),
        ("en_GB", "en", "British English"),
        ("de-at", "de", "Österreichisches Deutsch"),
        ("pt-BR", "de", "Portugiesisch (Brasilien)"),
        ("zh-CN", "ar", "الصينية (الصين)"),
        ("sr-Latn", "en", "Serbian (Latin)"),
        ("sr-Latn-XX", "en", "Serbian (Latin, XX)"),
    ],
)
def test_a_language_is_named_as_its_reader_writes_it(
    tag: str,
    reader: str,
    name: str,
) -> None:
    with override(reader):
        assert language_name(tag) == name


@pytest.mark.parametrize("tag", ["klingon", "xx", "English to German"])
def test_unknown_language_keeps_its_spelling(tag: str) -> None:
    assert language_name(tag) == language_own_name(tag) == tag


def test_a_language_is_named_in_itself() -> None:
    own = {
        tag: language_own_name(tag) for tag in ("de", "zh-hans", "ar", "cs", "de-XX")
    }
    assert own == {
        "de": "Deutsch",
        "zh-hans": "简体中文",
        "ar": "العربية",
        "cs": "čeština",
        "de-XX": "Deutsch (XX)",
    }
