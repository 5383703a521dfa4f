import pytest

from campaign.texts.languages import language_direction, language_name


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


def test_a_language_we_know_has_a_name_and_another_keeps_its_spelling() -> None:
    assert language_name("de") == "German"
    assert language_name("ces") == "ces"
