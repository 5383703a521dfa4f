"""Languages: tags, names and directions."""

import re
from collections.abc import Collection, Iterable, Mapping
from difflib import get_close_matches
from functools import lru_cache
from typing import Final, Literal, TypedDict, TypeVar

from babel.core import Locale, UnknownLocaleError, get_global
from django.conf import settings
from django.conf.locale import LANG_INFO
from django.utils.translation import get_language
from django.utils.translation import gettext as _

from campaign.texts.joining import from_to
from campaign.texts.refusals import RefusedError

_Text = TypeVar("_Text")
#: Length of the database columns.
MAX_LENGTH: Final = 35

_TAG: Final = re.compile(
    r"(?P<language>[a-z]{2,3})"
    r"(?:-(?P<extended>[a-z]{3}))?"
    r"(?:-(?P<script>[a-z]{4}))?"
    r"(?:-(?P<region>[a-z]{2}|[0-9]{3}))?"
    r"(?P<variants>(?:-(?:[a-z0-9]{5,8}|[0-9][a-z0-9]{3}))*)"
    r"(?P<private>-x(?:-[a-z0-9]{1,8})+)?"
)
#: Language of a source without one, such as a picture or a table (ISO 639-2).
NO_LANGUAGE: Final = "zxx"
# Valid tags without a single language: unknown, several, and languages without a code.
_NO_ONE_LANGUAGE: Final = frozenset({"und", "mul", "mis"})
# Codes that mean “unknown”, “no text” or “made up for tests”.
_NO_LANGUAGES: Final = frozenset({"zxx"})
_NO_SCRIPTS: Final = frozenset({"Zzzz", "Zxxx"})
_NO_REGIONS: Final = frozenset({"ZZ", "XA", "XB"})
_PRIVATE_LANGUAGE: Final = re.compile("q[a-t][a-z]")
# Languages in old tags such as `zh-yue`, the form of `yue` before 2009.
_CHINESE: Final = frozenset(
    [
        "cdo",
        "cjy",
        "cmn",
        "cpx",
        "czh",
        "czo",
        "gan",
        "hak",
        "hsn",
        "lzh",
        "mnp",
        "nan",
        "wuu",
        "yue",
    ]
)
# Variants in IANA's registry of subtags that CLDR does not name.
_MORE_VARIANTS: Final = """
    akuapem anpezo aranes arkaika asante auvern basiceng bauddha bciav bcizbl biscayan blasl bornholm
    cisaup cornu creiss fascia fodom fonkirsh fonnapa fonxsamp gallo gascon gherd grclass grital grmistr
    hognorsk hsistemo huett itihasa ivanchov jauer jyutping kleinsch kociewie laukika lemosin lengadoc
    ltg1929 ltg2007 luna1918 mdcegyp mdctrans newfound nicard pahawh2 pahawh3 pahawh4 peano pehoeji
    petr1708 provenc puter rumgr saigon simple spanglis surmiran sursilv sutsilv synnejyl tailo tongyong
    tunumiit ulster vaidika valbadia vallader vecdruka viennese vivaraup xsistemo
    """
# Further common names of languages.
_OTHER_NAMES: Final = {"farsi": "fa", "mandarin": "zh", "norwegian": "no"}


class LanguageTagError(RefusedError, ValueError):
    """Invalid language tag or pair; the message suggests a correction."""


class _UnknownSubtagError(Exception):
    """An unknown part of a tag, which is the only argument."""


def language_tag_checked(text: str, field: str = "languages") -> str:
    """Return the tag in its canonical form: `EN_gb` is `en-GB`, `zh-hans` `zh-Hans`, `iw` `he`.

    Any case, underscores and old codes are accepted, but not names of languages. The canonical form is that of
    CLDR: `sh` becomes `sr-Latn`, `cmn` becomes `zh`, `en-UK` becomes `en-GB`.

    Also accepted: languages that CLDR does not name but lists with likely scripts; `und`, `mul` and `mis`, since
    texts in an unknown language, in several, or in one without a code can be judged; and `qaa` to `qtz`, which are
    reserved for private use, with or without private subtags (`qaa-x-mine`). Refused although BCP 47 allows them:
    `zxx`, because only a source can do without a language; tags of only private subtags (`x-mine`), which are
    meaningless to others; and extensions (`-u-…`, `-t-…`), which describe dates and keyboards, not texts.

    Raises `LanguageTagError` for this field.
    """
    written = text.strip()
    try:
        return _canonical(written)
    except _UnknownSubtagError as error:
        raise LanguageTagError(_refusal(written, *error.args), field) from None


def language_tags_checked(texts: Iterable[str]) -> list[str]:
    """Return the distinct canonical tags in order. Raises `LanguageTagError` for the first invalid one."""
    return list(dict.fromkeys(map(language_tag_checked, texts)))


def language_chosen(written: Iterable[str], wanted: str) -> str | None:
    """Return the tag, among those in which a text is written, for a reader of the language `wanted`.

    `pt-br` falls back on `pt`, then on any other `pt`, then on the first tag. None if nothing is written.
    """
    by_tag = {tag.lower(): tag for tag in written}
    language = wanted.lower()
    base = language.split("-")[0]
    relatives = [tag for lower, tag in by_tag.items() if lower.split("-")[0] == base]
    fallbacks = [*relatives, *by_tag.values()]
    return by_tag.get(language) or by_tag.get(base) or next(iter(fallbacks), None)


def reads_languages(known: Collection[str], wanted: Iterable[str]) -> bool:
    """Return whether a person who reads these languages reads all the wanted ones; without any, they read all.

    By lookup as in RFC 4647, section 3.4: who reads `de` also reads `de-DE`, but not the other way round. Everybody
    reads `zxx`. `annotation.selectors.pool` decides the same in SQL.
    """
    if not known:
        return True
    read = [*known, NO_LANGUAGE]
    return all(any(f"{tag}-".startswith(f"{own}-") for own in read) for tag in wanted)


def language_pair_checked(source: str, target: str) -> tuple[str, str]:
    """Return the canonical tags of the source and target of a test set.

    They may be the same, as for summaries. The source may be `zxx`. Raises `LanguageTagError`.
    """
    target = language_tag_checked(target, "target_language")
    if source.strip().lower() == NO_LANGUAGE:
        return NO_LANGUAGE, target
    return language_tag_checked(source, "source_language"), target


def language_pair_name(source: str, target: str) -> str:
    """Return “Czech → English”, or “English” if the source has the same language or none."""
    if source in {target, NO_LANGUAGE}:
        return language_name(target)
    return from_to(language_name(source), language_name(target))


def language_by_name(name: str) -> str | None:
    """Return the tag of a language by its name in English or in the language itself; otherwise None."""
    return _named("en").get(name.strip().casefold().replace("_", " "))


@lru_cache(maxsize=2000)
def _canonical(text: str) -> str:
    # Checked before lowercasing: some non-ASCII letters become a to z.
    match = None
    if text.isascii():
        match = _TAG.fullmatch(text.lower().replace("_", "-"))
    if match is None:
        raise _UnknownSubtagError(text)
    language, script, region = _language(match["language"], match["extended"])
    script = _script(match["script"]) or script
    region = _region(match["region"], language, script) or region
    parts = [language, script, region, *_variants(match["variants"])]
    tag = "-".join(filter(None, parts)) + (match["private"] or "")
    if len(tag) > MAX_LENGTH:
        raise _UnknownSubtagError(text)
    return tag


def _language(language: str, extended: str | None) -> tuple[str, str, str]:
    """Return language, script and region; the last two are empty except for some old codes."""
    if extended is not None:
        if language != "zh" or extended not in _CHINESE:
            raise _UnknownSubtagError(extended)
        language = extended
    base, *others = str(get_global("language_aliases").get(language, language)).split(
        "_"
    )
    if not (base in _languages() or _PRIVATE_LANGUAGE.fullmatch(base)):
        raise _UnknownSubtagError(language)
    script = next((each for each in others if len(each) == 4), "")
    return base, script, next((each for each in others if len(each) != 4), "")


@lru_cache(maxsize=1)
def _languages() -> frozenset[str]:
    named = cldr_of("en").languages
    renamed = get_global("language_aliases").values()
    known = {tag.partition("_")[0] for tag in renamed}
    known |= {key for key in (*named, *get_global("likely_subtags")) if "_" not in key}
    return frozenset(known | _NO_ONE_LANGUAGE) - _NO_LANGUAGES


def _script(script: str | None) -> str:
    if script is None:
        return ""
    written = str(get_global("script_aliases").get(script.title(), script.title()))
    if written not in cldr_of("en").scripts or written in _NO_SCRIPTS:
        raise _UnknownSubtagError(script)
    return written


def _region(region: str | None, language: str, script: str) -> str:
    """Return the region; if an old one was split, the likely one for the language, or else the first."""
    if region is None:
        return ""
    became = get_global("territory_aliases").get(region.upper(), [region.upper()])
    likely = get_global("likely_subtags")
    usual = likely.get(f"{language}_{script}") or likely.get(language) or ""
    written = next(
        (each for each in became if usual.endswith(f"_{each}")), str(became[0])
    )
    if written not in cldr_of("en").territories or written in _NO_REGIONS:
        raise _UnknownSubtagError(region.upper())
    return written


def _variants(variants: str) -> list[str]:
    variant_tags = [
        get_global("variant_aliases").get(each, each)
        for each in variants.split("-")
        if each
    ]
    for variant_tag in variant_tags:
        if variant_tag not in _known_variants() or variant_tags.count(variant_tag) > 1:
            raise _UnknownSubtagError(variant_tag)
    return sorted(variant_tags)


@lru_cache(maxsize=1)
def _known_variants() -> frozenset[str]:
    named = {str(key).lower() for key in cldr_of("en").variants}
    return frozenset(named | set(_MORE_VARIANTS.split()))


def _refusal(text: str, unknown: str) -> str:
    if not text:
        return _("Enter a language tag, such as en, pt-BR or zh-Hans.")
    values = {"text": text[:40], "unknown": unknown[:40]}
    if text != unknown and "-" in text.replace("_", "-"):
        meant = None
    else:
        meant = _meant(text)
    if meant is None:
        return (
            _(
                "“%(text)s” is not a language tag: unknown part “%(unknown)s”. Examples of tags: en, pt-BR, zh-Hans."
            )
            % values
        )
    tag, is_its_name = meant
    values |= {"tag": tag, "name": language_name(tag)}
    if is_its_name:
        return _("“%(text)s” is not a language tag; %(name)s is “%(tag)s”.") % values
    return (
        _("“%(text)s” is not a language tag. Did you mean %(name)s, “%(tag)s”?")
        % values
    )


def _meant(text: str) -> tuple[str, bool] | None:
    """Return the tag of the language with this or a similar name, and whether the name is exact."""
    named = _named(get_language() or "en")
    if text.casefold() in named:
        return named[text.casefold()], True
    # "en glish" also means English.
    like = {_letters(name): tag for name, tag in named.items()}
    letters = _letters(text)
    if len(letters) > 3:
        near = get_close_matches(letters, like, n=1, cutoff=0.8)
    else:
        near = []
    if near:
        return (like[near[0]], False)
    return None


def _letters(name: str) -> str:
    return "".join(each for each in name.casefold() if each.isalnum())


@lru_cache(maxsize=20)
def _named(reader: str) -> Mapping[str, str]:
    """Return tags by lowercase names in English, in the reader's language and in the language itself."""
    names = [
        *((str(name), key) for key, name in cldr_of("en").languages.items()),
        *((str(name), key) for key, name in cldr_of(reader).languages.items()),
        *(
            (str(info[one]), key)
            for key, info in LANG_INFO.items()
            for one in ("name", "name_local")
            if one in info
        ),
    ]
    # If two languages share a name, prefer the one whose code is current.
    found: dict[str, str] = dict(_OTHER_NAMES)
    for name, key in sorted(
        names, key=lambda pair: pair[1] in get_global("language_aliases")
    ):
        try:
            found.setdefault(name.casefold(), _canonical(key))
        except _UnknownSubtagError:
            continue
    return found


# Languages for which CLDR's likely script is unknown, or left-to-right in some region.
RIGHT_TO_LEFT_LANGUAGES = frozenset({"arc", "pnb", "sd", "ug"})
RIGHT_TO_LEFT_SCRIPTS = frozenset(
    {"adlm", "arab", "hebr", "nkoo", "rohg", "syrc", "thaa"}
)


#: Languages without spaces between words, where two characters count as a word.
WITHOUT_SPACES = frozenset({"bo", "ja", "km", "lo", "my", "th", "yue", "zh"})


def without_spaces(tag: str) -> bool:
    """Return whether this language has no spaces between words."""
    return tag.lower().replace("_", "-").split("-")[0] in WITHOUT_SPACES


@lru_cache(maxsize=1000)
def language_direction(tag: str) -> Literal["ltr", "rtl"]:
    """Return the writing direction of a language."""
    public, _private = _parted(tag.lower())
    subtags = public.split("-")
    scripts = [
        subtag for subtag in subtags[1:] if len(subtag) == 4 and subtag.isalpha()
    ]
    if scripts:
        if scripts[0] in RIGHT_TO_LEFT_SCRIPTS:
            return "rtl"
        return "ltr"
    if subtags[0] in RIGHT_TO_LEFT_LANGUAGES:
        return "rtl"
    likely = get_global("likely_subtags")
    regional = "_".join((subtags[0], *(subtag.upper() for subtag in subtags[1:2])))
    script = (likely.get(regional) or likely.get(subtags[0]) or "").split("_")[1:2]
    if script and script[0].lower() in RIGHT_TO_LEFT_SCRIPTS:
        return "rtl"
    return "ltr"


def _parted(tag: str) -> tuple[str, str]:
    """Return the public and the private subtags of a tag."""
    public, _x, private = tag.replace("_", "-").partition("-x-")
    return public, private


def text_for_reader(texts: Mapping[str, _Text], language: str) -> _Text | None:
    """Return the text for a reader of a language, from texts by the language that `language_chosen` returns.

    None if there are no texts.
    """
    tag = language_chosen(texts, language)
    if tag is None:
        return None
    return texts[tag]


def language_name(tag: str) -> str:
    """Return the name of a language in the reader's language, or its tag if CLDR has no name."""
    return _name(tag, get_language() or settings.LANGUAGE_CODE)


def language_own_name(tag: str) -> str:
    """Return the name of a language in the language itself, or its tag if CLDR has no name."""
    return _name(tag, tag)


@lru_cache(maxsize=1000)
def _name(tag: str, reader: str) -> str:
    """Return the name of a language in the language of the reader, from Unicode's CLDR.

    The longest named part of the tag is used, with the rest in brackets: in German, `de-AT` is “Österreichisches
    Deutsch” and `pt-BR` is “Portugiesisch (Brasilien)”.
    """
    locale = cldr_of(reader)
    public, private = _parted(tag)
    base, *others = public.split("-")
    aliases = get_global("language_aliases")
    subtags = [str(aliases.get(base.lower(), base.lower())), *map(_as_in_cldr, others)]
    for length in range(len(subtags), 0, -1):
        name = locale.languages.get("_".join(subtags[:length]))
        if name is not None:
            parts = {**locale.scripts, **locale.territories, **locale.variants}
            named = []
            for subtag in subtags[length:]:
                named.append(
                    parts.get(subtag, subtag if len(subtag) <= 4 else subtag.lower())
                )
            rest = ", ".join([*named, private] if private else named)
            if rest:
                return f"{name} ({rest})"
            return str(name)
    return tag


def cldr_of(tag: str) -> Locale:
    """Return CLDR's data for a language, or for English if it is unknown."""
    whole = tag.replace("_", "-")
    for each in (whole, whole.split("-")[0]):
        try:
            return Locale.parse(each, sep="-")
        except (UnknownLocaleError, ValueError):
            continue
    return Locale("en")


def _as_in_cldr(subtag: str) -> str:
    """Return a script as `Hans`, a region as `AT`."""
    if len(subtag) == 4:
        return subtag.title()
    return subtag.upper()


class LanguageDescribed(TypedDict):
    """Tag, direction and name of a language."""

    lang: str
    dir: str
    name: str


def language_described(tag: str) -> LanguageDescribed:
    """Return tag, direction and name for the judging page."""
    return {"lang": tag, "dir": language_direction(tag), "name": language_name(tag)}
