import pytest
from django.utils.translation import override

from campaign.texts.languages import (
    language_direction,
    language_name,
    language_own_name,
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
    tag: str, reader: str, name: str
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
