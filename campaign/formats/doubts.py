"""What a reader of test sets is warned about: names and texts that may not be what they seem."""

import re
from collections import Counter
from collections.abc import Iterator
from html.entities import html5
from itertools import combinations
from typing import Final

from campaign.formats.omissions import Omissions
from campaign.formats.records import SegmentTexts, counted
from campaign.texts.normalisation import text_to_the_eye

_ENTITY: Final = re.compile(r"&(#[0-9]+;|#[xX][0-9a-fA-F]+;|[A-Za-z][A-Za-z0-9]+;)")
_FENCE: Final = "```"
_SHEET_ERROR: Final = re.compile(r"#(?:NAME\?|REF!|DIV/0!|VALUE!|NUM!|NULL!|N/A)")


def noticed(
    segments: Iterator[SegmentTexts], omissions: Omissions, reference_system: str | None
) -> Iterator[SegmentTexts]:
    """Yield the segments; at the end, put sentences about what was noticed into `omissions`.

    The first reference is compared as `reference_system`. Memory grows with the pairs of systems.
    """
    alike = Counter[tuple[str, str]]()
    marks = Counter[str]()
    first: dict[str, str] = {}
    systems: dict[str, None] = {}
    for segment in segments:
        outputs = dict(segment.outputs)
        if reference_system and segment.references and segment.references[0]:
            outputs[reference_system] = segment.references[0]
        systems |= dict.fromkeys(outputs)
        alike.update(_look_alikes(outputs))
        for whose, text in _texts(segment):
            for mark in _marks(text):
                marks[mark] += 1
                first.setdefault(
                    mark, f'segment {segment.number:,} (document "{segment.document}"), {whose}'
                )
        yield segment
    omissions.warnings += [
        *_names_alike(systems),
        *(
            f"{one} and {two} look the same in {counted(count, 'segment')} "
            "but are stored as different texts"
            for (one, two), count in alike.most_common()
        ),
        *(f"{mark} in {counted(marks[mark], 'text')}, first in {first[mark]}" for mark in first),
    ]


def _look_alikes(outputs: dict[str, str]) -> Iterator[tuple[str, str]]:
    """Yield the pairs of systems whose texts differ, but not to the eye."""
    if len(set(outputs.values())) == 1:
        return
    seen: dict[str, list[str]] = {}
    for system, text in outputs.items():
        seen.setdefault(text_to_the_eye(text), []).append(system)
    for same in seen.values():
        for one, two in combinations(sorted(same), 2):
            if outputs[one] != outputs[two]:
                yield one, two


def _names_alike(systems: dict[str, None]) -> Iterator[str]:
    groups: dict[str, list[str]] = {}
    for name in systems:
        groups.setdefault(name.casefold(), []).append(name)
    for names in groups.values():
        if len(names) > 1:
            yield f"the names of the systems {' and '.join(names)} differ only in case"


def _texts(segment: SegmentTexts) -> Iterator[tuple[str, str]]:
    yield "the source", segment.source
    for number, text in enumerate(segment.references, 1):
        yield f"reference {number}", text
    for system, text in segment.outputs.items():
        yield f"the output of {system}", text


def _marks(text: str) -> Iterator[str]:
    if "&" in text and any(name[0] == "#" or name in html5 for name in _ENTITY.findall(text)):
        yield "HTML entities (as &lt; or &quot;)"
    if _FENCE in text:
        yield "code fences (```)"
    if "#" in text and _SHEET_ERROR.search(text):
        yield "errors of a spreadsheet (as #NAME? or #REF!)"
