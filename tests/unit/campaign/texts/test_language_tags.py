"""What counts as a language, in which form it is stored, and how everything else is refused."""

import pytest
from babel.core import Locale, get_global
from django.conf import settings
from hypothesis import given
from hypothesis import strategies as st

from campaign.importing.judgment_files import language_tag
from campaign.texts.languages import (
    MAX_LENGTH,
    NO_LANGUAGE,
    LanguageTagError,
    language_pair_checked,
    language_pair_name,
    language_tag_checked,
    language_tags_checked,
    reads_languages,
)

ENGLISH = Locale("en")
# Of WMT's campaigns: those that CLDR names in English, and those that only its likely scripts have.
NAMED = (
    "kha lus mni bho mas hsb dsb cv sah cs de en es et fi fr gu ha hi hu is iu ja kk km lt lv mk pl ps ro ru "
    "ta tr uk xh zh zu as bn ht eu yue ast szl ckb arz fur lij nqo tpi doi mai sat"
)
UNNAMED = "kbp taq acm apc quy azb"
SUBTAGS = st.sampled_from([*NAMED.split(), *UNNAMED.split(), *get_global("language_aliases"), "qaa", "qtz", "und", "mul", "mis"])  # fmt: skip


@st.composite
def tags(draw: st.DrawFn) -> str:
    """Tags of known parts, in any case, with hyphens or underscores, old codes among them."""
    regions = sorted(
        {*ENGLISH.territories, "UK", "SU", "YU", "AN"} - {"ZZ", "XA", "XB"},
    )
    parts = [
        draw(SUBTAGS),
        draw(st.sampled_from(["", "Latn", "Cyrl", "Arab", "Hans", "Qaai"])),
        draw(st.sampled_from(["", *regions])),
        *draw(
            st.lists(
                st.sampled_from(["1996", "tarask", "heploc", "sursilv"]),
                unique=True,
                max_size=2,
            ),
        ),
        *draw(st.sampled_from([(), ("x", "mine"), ("x", "a", "1")])),
    ]
    text = draw(st.sampled_from("-_")).join(filter(None, parts))
    return "".join(
        draw(st.sampled_from([str.lower, str.upper]))(letter) for letter in text
    )


def checked(text: str) -> str | None:
    try:
        return language_tag_checked(text)
    except LanguageTagError:
        return None


def refusal(text: str) -> str:
    with pytest.raises(LanguageTagError) as refused:
        language_tag_checked(text)
    return str(refused.value)


@given(tags())
def test_a_tag_of_known_parts_has_one_form_whatever_its_case(text: str) -> None:
    tag = language_tag_checked(text)
    assert language_tag_checked(tag) == tag
    assert {
        checked(text.upper()),
        checked(text.lower()),
        checked(text.replace("_", "-")),
    } == {tag}
    assert len(tag) <= MAX_LENGTH
    language, *others = tag.partition("-x-")[0].split("-")
    assert language.islower()
    assert all(part.istitle() for part in others if len(part) == 4 and part.isalpha())
    assert all(part.isupper() for part in others if len(part) == 2)


@given(
    st.text()
    | st.text("aenqxz19-_ ")
    | st.from_regex(r"[a-zA-Z]{2,3}([-_][a-zA-Z0-9]{1,9}){0,3}"),
)
def test_any_text_is_a_canonical_tag_or_refused_with_words_about_it(text: str) -> None:
    tag = checked(text)
    if tag is None:
        assert text.strip()[:40] in refusal(text)
    else:
        assert language_tag_checked(tag) == tag
        assert len(tag) <= MAX_LENGTH


@pytest.mark.parametrize(
    ("text", "tag"),
    [
        ("EN_gb", "en-GB"),
        (" en ", "en"),
        ("zh-hans", "zh-Hans"),
        ("ZH_HANT_tw", "zh-Hant-TW"),
        ("iw", "he"),
        ("deu", "de"),
        ("cze", "cs"),
        ("cmn", "zh"),
        ("zh-yue", "yue"),
        ("zho_Hans", "zh-Hans"),
        ("sh", "sr-Latn"),
        ("sh-Cyrl", "sr-Cyrl"),
        ("prs", "fa-AF"),
        ("en-UK", "en-GB"),
        ("ru-SU", "ru-RU"),
        ("hy-SU", "hy-AM"),
        ("es-419", "es-419"),
        ("en-840", "en-US"),
        ("de-CH-1996", "de-CH-1996"),
        ("rm-Sursilv", "rm-sursilv"),
        ("en-X-Simple", "en-x-simple"),
        ("qaa-x-mine", "qaa-x-mine"),
        ("und", "und"),
        ("mul", "mul"),
        ("mis", "mis"),
    ],
)
def test_tags_are_stored_in_their_canonical_form(text: str, tag: str) -> None:
    assert language_tag_checked(text) == tag


def test_every_language_that_cldr_names_is_accepted_and_every_interface_language() -> (
    None
):
    named = {str(key).replace("_", "-") for key in ENGLISH.languages}
    assert {tag for tag in named if checked(tag) is None} == {"zxx"}
    for tag, _name in settings.LANGUAGES:
        assert language_tag_checked(tag).lower() == tag


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("english", "“english” is not a language tag; English is “en”."),
        ("Deutsch", "“Deutsch” is not a language tag; German is “de”."),
        (
            "Haitian Creole",
            "“Haitian Creole” is not a language tag; Haitian Creole is “ht”.",
        ),
        ("klingon", "“klingon” is not a language tag; Klingon is “tlh”."),
        ("en glish", "“en glish” is not a language tag. Did you mean English, “en”?"),
        (
            "portugese",
            "“portugese” is not a language tag. Did you mean Portuguese, “pt”?",
        ),
        ("", "Enter a language tag, such as en, pt-BR or zh-Hans."),
    ],
)
def test_a_refusal_says_what_was_meant(text: str, says: str) -> None:
    assert refusal(text) == says


def test_several_tags_keep_their_order_and_stand_once() -> None:
    assert language_tags_checked(["fr", "EN", "iw", "he", "en"]) == ["fr", "en", "he"]
    assert language_tags_checked([]) == []


@pytest.mark.parametrize("pair", [("en-GB", "en-US"), ("pt-BR", "pt-PT"), ("zh-Hans", "zh-Hant"), ("en", "en-x-simple"), ("de", "en")])  # fmt: skip
def test_regions_and_scripts_of_a_language_make_a_pair(pair: tuple[str, str]) -> None:
    assert language_pair_checked(*pair) == pair


def test_source_and_target_may_have_the_same_language() -> None:
    assert language_pair_checked("en-UK", "en_gb") == ("en-GB", "en-GB")


def test_only_the_source_may_have_no_language() -> None:
    assert language_pair_checked("ZXX ", "de") == (NO_LANGUAGE, "de")
    with pytest.raises(LanguageTagError):
        language_pair_checked("de", "zxx")


@pytest.mark.parametrize(("source", "name"), [("cs", "Czech → English"), ("en", "English"), ("zxx", "English")])  # fmt: skip
def test_a_pair_names_the_source_language_only_if_it_is_another(
    source: str,
    name: str,
) -> None:
    assert language_pair_name(source, "en") == name


def test_everybody_reads_a_source_without_a_language() -> None:
    assert reads_languages(["de"], [NO_LANGUAGE, "de"])
    assert not reads_languages(["de"], [NO_LANGUAGE, "en"])


@pytest.mark.parametrize(
    ("spelt", "tag"),
    [
        ("Czech", "cs"),
        ("ces", "cs"),
        (" cs ", "cs"),
        ("farsi", "fa"),
        ("Norwegian", "no"),
        ("Chinese", "zh"),
        ("haitian creole", "ht"),
        ("Brazilian Portuguese", "pt-BR"),
        ("Khasi", "kha"),
        ("EN_us", "en-US"),
        ("Haitian_Creole", "ht"),
        ("en glish", "en glish"),
        ("Klingonish", "Klingonish"),
        (" ", ""),
    ],
)
def test_files_may_call_languages_by_name(spelt: str, tag: str) -> None:
    assert language_tag(spelt) == tag


@given(st.text())
def test_language_in_a_file_becomes_a_tag_or_stays_unchanged(spelt: str) -> None:
    tag = language_tag(spelt)
    assert tag == spelt.strip() or language_tag_checked(tag) == tag
    assert language_tag(tag) == tag
