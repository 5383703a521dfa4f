"""What the names of files say: languages, roles, and the names of systems."""

import re
from collections import Counter
from collections.abc import Sequence
from pathlib import PurePosixPath
from typing import Final

from campaign.formats.streams import plain_name

_TAG: Final = r"[a-z]{2,3}(?:[_-][A-Z][a-z]{3})?(?:[_-][A-Z]{2})?"
_PAIR: Final = re.compile(rf"(?<![A-Za-z0-9])({_TAG})(?:-|2)({_TAG})(?![A-Za-z0-9_])")
_ONE: Final = re.compile(rf"{_TAG}\Z")
_ENDINGS: Final = re.compile(
    r"\.(?:txt|sgml?|xml|tsv|jsonl?|ndjson|hyp|out|docs|detok|plain)\Z", re.IGNORECASE
)
# The dot of a version ("Llama-3.1-8B") divides nothing.
_DOT: Final = re.compile(r"(?<![0-9])\.|\.(?![0-9])")
_WORDS: Final = re.compile(r"[^0-9A-Za-z]+")

SOURCE_WORDS: Final = frozenset({"src", "source", "sources"})
REFERENCE_WORDS: Final = frozenset({"ref", "refs", "reference", "references"})
DOCUMENT_WORDS: Final = frozenset({"docs", "doc", "docids", "docid", "documents"})
SYSTEM_WORDS: Final = frozenset(
    ["system", "systems", "system-outputs", "outputs", "hypotheses", "hyps", "hyp", "submissions"]
)
SCORE_WORDS: Final = frozenset({"human-scores", "metric-scores"})
_REFERENCE: Final = re.compile(r"ref[A-Z0-9]?")


def language_pair(name: str) -> tuple[str, str] | None:
    """Return the last pair that a name holds, such as `cs-en` in `newstest2012.cs-en.onlineA.sgm`."""
    found = _PAIR.findall(stem(name)) or _PAIR.findall(name)
    return found[-1] if found else None


def language_pairs(name: str) -> set[tuple[str, str]]:
    """Return all pairs that a name and its folders hold."""
    return {(source, target) for source, target in _PAIR.findall(name)}


def last_language(name: str) -> str | None:
    """Return the tag that the name ends in, such as `en` in `visit.en` and `news-src.en.sgm`."""
    last = stem(name).rsplit(".", 1)[-1] if "." in stem(name) else ""
    return last if _ONE.match(last) else None


def stem(name: str) -> str:
    """Return the name without folders and the endings of formats."""
    last = plain_name(name)
    while (shorter := _ENDINGS.sub("", last)) not in {last, ""}:
        last = shorter
    return last


def words(name: str) -> frozenset[str]:
    """Return the words of the stem, as they are written."""
    return frozenset(_WORDS.split(stem(name)))


def folders(name: str) -> frozenset[str]:
    """Return the folders a file is in, in small letters."""
    return frozenset(part.lower() for part in PurePosixPath(name).parts[:-1])


def says_source(name: str) -> bool:
    """Tell whether the name or a folder calls the file a source."""
    return bool((words(name) | folders(name)) & SOURCE_WORDS)


def says_reference(name: str) -> bool:
    """Tell whether the name or a folder calls the file a reference."""
    named = any(_REFERENCE.fullmatch(word) for word in words(name))
    return named or bool((words(name) | folders(name)) & REFERENCE_WORDS)


def says_documents(name: str) -> bool:
    """Tell whether the name or a folder calls the file a list of documents."""
    ending = plain_name(name).lower().endswith((".docs", ".docids"))
    return ending or bool((words(name) | folders(name)) & DOCUMENT_WORDS)


def says_scores(name: str) -> bool:
    """Tell whether the name or a folder calls the file one of scores, as in EvalSet folders."""
    return plain_name(name).lower().endswith(".score") or bool(folders(name) & SCORE_WORDS)


def is_reference_name(system: str) -> bool:
    """Tell whether a system is called as EvalSet folders call references: refA, refB."""
    return _REFERENCE.fullmatch(system) is not None


def in_systems_folder(name: str) -> bool:
    """Tell whether the file stands in a folder for outputs."""
    return bool(folders(name) & SYSTEM_WORDS)


def system_names(names: Sequence[str]) -> list[str]:
    """Return a name for each file's system: its stem without what all of them share.

    Language pairs, tags at the end and parts that every name has ("newstest2012") go, as long as
    something is left and the names stay different.
    """
    parts = [_DOT.split(stem(name)) for name in names]
    count = Counter(part for each in parts for part in set(each))
    shared = {part for part in count if len(names) > 1 and count[part] == len(names)}
    short: list[str] = []
    for each in parts:
        own = [part for part in each if part not in shared]
        kept = [part for part in own if not _PAIR.fullmatch(part)] or own
        if len(kept) > 1 and _ONE.match(kept[-1]):
            kept.pop()
        short.append(".".join(kept))
    for candidates in (short, [stem(name) for name in names]):
        if len(set(candidates)) == len(names) and all(candidates):
            return candidates
    return list(names)
