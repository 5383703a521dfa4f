"""Languages, roles and names of systems and test sets derived from file names."""

import re
from collections.abc import Sequence
from os.path import commonprefix
from pathlib import PurePosixPath
from typing import Final

from campaign.formats.errors import Location
from campaign.formats.streams import plain_name

_TAG: Final = r"[a-z]{2,3}(?:[_-][A-Z][a-z]{3})?(?:[_-][A-Z]{2})?"
_PAIR: Final = re.compile(rf"(?<![A-Za-z0-9])({_TAG})(?:-|2)({_TAG})(?![A-Za-z0-9_])")
_ONE: Final = re.compile(rf"{_TAG}\Z")
_ENDINGS: Final = re.compile(
    r"\.(?:txt|sgml?|xml|tsv|jsonl?|ndjson|hyp|out|docs|detok|plain)\Z",
    re.IGNORECASE,
)
_ARCHIVE: Final = re.compile(r"\.(?:zip|tgz|tar(?:\.\w+)?)\Z", re.IGNORECASE)
# The dot of a version ("Llama-3.1-8B") separates nothing.
_DOT: Final = re.compile(r"(?<![0-9])\.|\.(?![0-9])")
_WORDS: Final = re.compile(r"[^0-9A-Za-z]+")

SOURCE_WORDS: Final = frozenset({"src", "source", "sources"})
REFERENCE_WORDS: Final = frozenset({"ref", "refs", "reference", "references"})
DOCUMENT_WORDS: Final = frozenset({"docs", "doc", "docids", "docid", "documents"})
SYSTEM_WORDS: Final = frozenset(
    [
        "system",
        "systems",
        "system-outputs",
        "outputs",
        "hypotheses",
        "hyps",
        "hyp",
        "submissions",
    ],
)
SCORE_WORDS: Final = frozenset({"human-scores", "metric-scores"})
_REFERENCE: Final = re.compile(r"ref[A-Z0-9]?")


def language_pair(name: str) -> tuple[str, str] | None:
    """Return the last language pair in a name, such as `cs-en` in `newstest2012.cs-en.onlineA.sgm`."""
    pairs = _PAIR.findall(stem(name)) or _PAIR.findall(name)
    return pairs[-1] if pairs else None


def language_pairs(name: str) -> set[tuple[str, str]]:
    """Return all language pairs in a name and its folders."""
    return set(_PAIR.findall(name))


def last_language(name: str) -> str | None:
    """Return the language tag at the end of a name, such as `en` in `visit.en` and `news-src.en.sgm`."""
    _before, dot, last = stem(name).rpartition(".")
    if dot and _ONE.match(last):
        return last
    return None


def stem(name: str) -> str:
    """Return the name without folders and extensions of formats."""
    last = plain_name(name)
    while (shorter := _ENDINGS.sub("", last)) not in {last, ""}:
        last = shorter
    return last


def words(name: str) -> frozenset[str]:
    """Return the words of the stem in their own case."""
    return frozenset(_WORDS.split(stem(name)))


def folders(name: str) -> frozenset[str]:
    """Return the folders of a file in lowercase."""
    return frozenset(part.lower() for part in PurePosixPath(name).parts[:-1])


def _names_any(name: str, role_words: frozenset[str]) -> bool:
    """Return whether the name or a folder has one of the words of a role, in any case."""
    all_words = {word.lower() for word in words(name)} | folders(name)
    return not all_words.isdisjoint(role_words)


def says_source(name: str) -> bool:
    """Return whether the name or a folder identifies a source."""
    return _names_any(name, SOURCE_WORDS)


def says_reference(name: str) -> bool:
    """Return whether the name or a folder identifies a reference."""
    if any(_REFERENCE.fullmatch(word) for word in words(name)):
        return True
    return _names_any(name, REFERENCE_WORDS)


def says_documents(name: str) -> bool:
    """Return whether the name or a folder identifies a list of documents."""
    if plain_name(name).lower().endswith((".docs", ".docids")):
        return True
    return _names_any(name, DOCUMENT_WORDS)


def says_scores(name: str) -> bool:
    """Return whether the name or a folder identifies scores, as in EvalSet folders."""
    if plain_name(name).lower().endswith(".score"):
        return True
    return not folders(name).isdisjoint(SCORE_WORDS)


def is_reference_name(system: str) -> bool:
    """Return whether a system has the name of a reference in EvalSet folders: refA, refB."""
    return _REFERENCE.fullmatch(system) is not None


def in_systems_folder(name: str) -> bool:
    """Return whether the file is in a folder for outputs."""
    return not folders(name).isdisjoint(SYSTEM_WORDS)


def system_names(names: Sequence[str]) -> list[str]:
    """Return a system name for each file: its stem without the parts that all stems share.

    Language pairs, language tags at the end and shared parts ("newstest2012") are removed, as long as
    something is left and the names remain different.
    """
    stems = [stem(name) for name in names]
    parts_by_name = [_DOT.split(name) for name in stems]
    shared: set[str] = set()
    if len(names) > 1:
        shared = set.intersection(*map(set, parts_by_name))
    short: list[str] = []
    for parts in parts_by_name:
        own = [part for part in parts if part not in shared]
        remaining = [part for part in own if not _PAIR.fullmatch(part)] or own
        if len(remaining) > 1 and _ONE.match(remaining[-1]):
            remaining.pop()
        short.append(".".join(remaining))
    for candidates in (short, stems):
        if len(set(candidates)) == len(names) and all(candidates):
            return candidates
    return list(names)


def set_name(names: Sequence[str], languages: Sequence[str]) -> str:
    """Return a name for a test set: the folder, file or beginning that the names share, and the language pair."""
    tops = []
    for name in names:
        top, _slash, _rest = name.partition("/")
        tops.append(stem(_ARCHIVE.sub("", top)))
    shared = commonprefix(tops)  # noqa: RUF071  they are no paths
    if any(top.removeprefix(shared)[:1].isalnum() for top in tops):
        shared = re.sub(r"[^\W_]+\Z", "", shared)  # the beginning of different words
    shared = shared.strip(" ._-")
    pair = "-".join(languages)
    if pair in shared:
        return shared
    return f"{shared} {pair}".strip()


_UNKNOWN: Final = ""  # the file does not name the language, which may be any


class PairChoice:
    """Selects one language pair of a file, without guessing among several.

    Without `chosen`, the first pair is selected, and `finish` raises an error if there is another. With it,
    the matching pair is selected: "de" matches "de_DE" in the file as long as only one pair matches.
    """

    def __init__(self, file: str, chosen: tuple[str, str] | None) -> None:
        self._file = file
        self._chosen = chosen
        self._lines: dict[tuple[str, str], int] = {}
        self._selected: tuple[str, str] | None = None

    def takes(self, source: str, target: str, line: int) -> bool:
        """Return whether the content of `line` belongs to the selected pair."""
        pair = (source, target)
        if self._selected is not None and _fits(pair, self._selected):
            return True
        self._lines.setdefault(pair, line)
        if self._chosen is not None and not matches(pair, self._chosen):
            return False
        if self._selected is None:
            self._selected = pair
            return True
        return False

    @property
    def undecided(self) -> bool:
        """True if several language pairs match so far."""
        return len(self._fitting()) > 1

    def _fitting(self) -> list[tuple[str, str]]:
        """Return the language pairs so far that match the chosen one."""
        if self._chosen is None:
            return list(self._lines)
        return [pair for pair in self._lines if matches(pair, self._chosen)]

    def finish(self) -> None:
        """Raise FormatError if no pair was selected, or several match."""
        fitting = self._fitting()
        if len(fitting) > 1:
            first, second = fitting[:2]
            raise Location(self._file, self._lines[second]).error(
                f"the file holds several language pairs: {_pair_name_list(fitting)}; "
                f"{_pair_name(first)} begins on line {self._lines[first]}",
                "choose one of them, spelled as in the file",
            )
        if self._chosen is not None and self._lines and not fitting:
            raise Location(self._file, min(self._lines.values())).error(
                f"the file has no segments for {_pair_name(self._chosen)}, only for {_pair_name_list(list(self._lines))}",
                "choose one of the existing pairs, spelled as in the file",
            )


def _fits(pair: tuple[str, str], chosen: tuple[str, str]) -> bool:
    source, target = pair
    chosen_source, chosen_target = chosen
    return source in {_UNKNOWN, chosen_source} and target in {_UNKNOWN, chosen_target}


def matches(pair: tuple[str, str], chosen: tuple[str, str]) -> bool:
    """Return whether a pair of a file is the chosen one; "de" and "de_DE" match."""
    source, target = pair
    chosen_source, chosen_target = chosen
    return _is_alike(source, chosen_source) and _is_alike(target, chosen_target)


def _is_alike(tag: str, chosen: str) -> bool:
    """Return whether one of two tags continues the other, or the file has none."""
    if tag == _UNKNOWN:
        return True
    pairs = zip(_parts(tag), _parts(chosen), strict=False)
    return all(part == chosen_part for part, chosen_part in pairs)


def _parts(tag: str) -> list[str]:
    return tag.lower().replace("_", "-").split("-")


def _pair_name(pair: tuple[str, str]) -> str:
    return f"{pair[0] or '?'}-{pair[1] or '?'}"


def _pair_name_list(pairs: list[tuple[str, str]]) -> str:
    return ", ".join(sorted(_pair_name(pair) for pair in pairs))
