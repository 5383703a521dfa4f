"""Languages: tags, names and directions."""

import re
from collections.abc import Collection, Iterable, Mapping
from contextlib import suppress
from difflib import get_close_matches
from functools import lru_cache
from typing import Final, Literal, TypedDict, TypeVar
from unicodedata import bidirectional

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
    r"(?P<private>-x(?:-[a-z0-9]{1,8})+)?",
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
    ],
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


def language_chosen(written: Iterable[str], reader_language: str) -> str | None:
    """Return the tag, among those in which a text is written, for a reader of `reader_language`.

    `pt-br` falls back on `pt`, then on any other `pt`, then on the first tag. None if nothing is written.
    """
    by_tag = {tag.lower(): tag for tag in written}
    if not by_tag:
        return None
    language = reader_language.lower()
    base = _base(language)
    for tag in (language, base):
        if by_tag.get(tag):
            return by_tag[tag]
    for tag, as_written in by_tag.items():
        if _base(tag) == base:
            return as_written
    return next(iter(by_tag.values()))


def _base(tag: str) -> str:
    """Return the language of a tag without its script, region and variants."""
    base, _hyphen, _rest = tag.partition("-")
    return base


def reads_languages(tags: Collection[str], required: Iterable[str]) -> bool:
    """Return whether a person who reads these languages reads all the required ones; without any, they read all.

    By lookup as in RFC 4647, section 3.4: who reads `de` also reads `de-DE`, but not the other way round. Everybody
    reads `zxx`.
    """
    if not tags:
        return True
    prefixes = tuple(f"{tag}-" for tag in (*tags, NO_LANGUAGE))
    return all(f"{tag}-".startswith(prefixes) for tag in required)


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
    return _tags_by_name("en").get(name.strip().casefold().replace("_", " "))


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
    current = str(get_global("language_aliases").get(language, language))
    base, *others = current.split("_")
    if base not in _languages() and not _PRIVATE_LANGUAGE.fullmatch(base):
        raise _UnknownSubtagError(language)
    script = ""
    region = ""
    for subtag in others:
        if len(subtag) == 4:
            script = script or subtag
        else:
            region = region or subtag
    return base, script, region


@lru_cache(maxsize=1)
def _languages() -> frozenset[str]:
    tags = set(_NO_ONE_LANGUAGE)
    for tag in get_global("language_aliases").values():
        base, _separator, _rest = tag.partition("_")
        tags.add(base)
    for tag in (*cldr_of("en").languages, *get_global("likely_subtags")):
        if "_" not in tag:
            tags.add(tag)
    return frozenset(tags) - _NO_LANGUAGES


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
    written = region.upper()
    current = get_global("territory_aliases").get(written, [written])
    likely = get_global("likely_subtags")
    usual = likely.get(f"{language}_{script}") or likely.get(language) or ""
    chosen = str(current[0])
    for candidate in current:
        if usual.endswith(f"_{candidate}"):
            chosen = candidate
            break
    if chosen not in cldr_of("en").territories or chosen in _NO_REGIONS:
        raise _UnknownSubtagError(written)
    return chosen


def _variants(variants: str) -> list[str]:
    aliases = get_global("variant_aliases")
    tags = []
    for variant in filter(None, variants.split("-")):
        tags.append(aliases.get(variant, variant))
    for tag in tags:
        if tag not in _known_variants() or tags.count(tag) > 1:
            raise _UnknownSubtagError(tag)
    return sorted(tags)


@lru_cache(maxsize=1)
def _known_variants() -> frozenset[str]:
    named = {str(key).lower() for key in cldr_of("en").variants}
    return frozenset(named | set(_MORE_VARIANTS.split()))


def _refusal(text: str, unknown: str) -> str:
    if not text:
        return _("Enter a language tag, such as en, pt-BR or zh-Hans.")
    values = {"text": text[:40], "unknown": unknown[:40]}
    meant = None
    is_one_word = "-" not in text and "_" not in text
    if text == unknown or is_one_word:
        meant = _meant(text)
    if meant is None:
        message = _(
            "“%(text)s” is not a language tag: unknown part “%(unknown)s”. Examples of tags: en, pt-BR, zh-Hans.",
        )
        return message % values
    tag, is_its_name = meant
    values |= {"tag": tag, "name": language_name(tag)}
    if is_its_name:
        return _("“%(text)s” is not a language tag; %(name)s is “%(tag)s”.") % values
    message = _("“%(text)s” is not a language tag. Did you mean %(name)s, “%(tag)s”?")
    return message % values


def _meant(text: str) -> tuple[str, bool] | None:
    """Return the tag of the language with this or a similar name, and whether the name is exact."""
    tags_by_name = _tags_by_name(get_language() or "en")
    name = text.casefold()
    if name in tags_by_name:
        return tags_by_name[name], True
    letters = _letters(text)
    if len(letters) <= 3:
        return None
    # "en glish" also means English.
    tags_by_letters = {_letters(name): tag for name, tag in tags_by_name.items()}
    for near in get_close_matches(letters, tags_by_letters, n=1, cutoff=0.8):
        return tags_by_letters[near], False
    return None


def _letters(name: str) -> str:
    return "".join(filter(str.isalnum, name.casefold()))


@lru_cache(maxsize=20)
def _tags_by_name(reader: str) -> Mapping[str, str]:
    """Return tags by lowercase names in English, in the reader's language and in the language itself."""
    names: list[tuple[str, str]] = []
    for locale in (cldr_of("en"), cldr_of(reader)):
        for code, name in locale.languages.items():
            names.append((str(name), code))
    for code, info in LANG_INFO.items():
        for kind in ("name", "name_local"):
            if kind in info:
                names.append((str(info[kind]), code))
    # If two languages share a name, prefer the one whose code is current.
    aliases = get_global("language_aliases")
    current = [(name, code) for name, code in names if code not in aliases]
    old = [(name, code) for name, code in names if code in aliases]
    tags: dict[str, str] = dict(_OTHER_NAMES)
    for name, code in (*current, *old):
        with suppress(_UnknownSubtagError):
            tags.setdefault(name.casefold(), _canonical(code))
    return tags


# Languages for which CLDR's likely script is unknown, or left-to-right in some region.
RIGHT_TO_LEFT_LANGUAGES = frozenset({"arc", "pnb", "sd", "ug"})
RIGHT_TO_LEFT_SCRIPTS = frozenset(
    {"adlm", "arab", "hebr", "nkoo", "rohg", "syrc", "thaa"},
)


#: Languages without spaces between words, where two characters count as a word.
WITHOUT_SPACES = frozenset(
    {"bo", "ja", "km", "lo", "my", "th", "zh", "gan", "hsn", "lzh", "wuu", "yue"},
)


def without_spaces(tag: str) -> bool:
    """Return whether this language has no spaces between words."""
    return _base(tag.lower().replace("_", "-")) in WITHOUT_SPACES


@lru_cache(maxsize=1000)
def language_direction(tag: str) -> Literal["ltr", "rtl"]:
    """Return the writing direction of a language."""
    public, _private = _split_private_subtags(tag.lower())
    language, *subtags = public.split("-")
    for subtag in subtags:
        if len(subtag) == 4 and subtag.isalpha():
            return _script_direction(subtag)
    if language in RIGHT_TO_LEFT_LANGUAGES:
        return "rtl"
    likely = get_global("likely_subtags")
    likely_tag = likely.get(language) or ""
    if subtags:
        likely_tag = likely.get(f"{language}_{subtags[0].upper()}") or likely_tag
    _language, *likely_subtags = likely_tag.split("_")
    for script in likely_subtags[:1]:
        return _script_direction(script.lower())
    return "ltr"


def text_direction(text: str, language: str) -> Literal["ltr", "rtl", "auto"]:
    """Return the direction of a text: that of its language if it has letters of it, otherwise its own.

    A sentence may begin with a name in another script, by which browsers would turn all of it around. An output that
    was left untranslated has no letters of its language.
    """
    if not language or _base(language.lower()) in _NO_ONE_LANGUAGE:
        return "auto"
    direction = language_direction(language)
    if any(bidirectional(character) in _STRONG[direction] for character in text):
        return direction
    return "auto"


#: Unicode's bidirectional classes of letters of each direction.
_STRONG: Final = {"ltr": ("L",), "rtl": ("R", "AL")}


def _script_direction(script: str) -> Literal["ltr", "rtl"]:
    if script in RIGHT_TO_LEFT_SCRIPTS:
        return "rtl"
    return "ltr"


def _split_private_subtags(tag: str) -> tuple[str, str]:
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
    public, private = _split_private_subtags(tag)
    base, *others = public.split("-")
    aliases = get_global("language_aliases")
    language = str(aliases.get(base.lower(), base.lower()))
    subtags = [language, *map(_cldr_subtag, others)]
    for length in range(len(subtags), 0, -1):
        name = locale.languages.get("_".join(subtags[:length]))
        if name is None:
            continue
        parts = [_part_name(subtag, locale) for subtag in subtags[length:]]
        if private:
            parts.append(private)
        if parts:
            rest = ", ".join(parts)
            return f"{name} ({rest})"
        return str(name)
    return tag


def _part_name(subtag: str, locale: Locale) -> str:
    """Return the name of a script, region or variant, or the subtag itself."""
    for names in (locale.variants, locale.territories, locale.scripts):
        if subtag in names:
            return str(names[subtag])
    if len(subtag) <= 4:
        return subtag
    return subtag.lower()


def cldr_of(tag: str) -> Locale:
    """Return CLDR's data for a language, or for English if it is unknown."""
    whole = tag.replace("_", "-")
    for candidate in (whole, _base(whole)):
        with suppress(UnknownLocaleError, ValueError):
            return Locale.parse(candidate, sep="-")
    return Locale("en")


def _cldr_subtag(subtag: str) -> str:
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
