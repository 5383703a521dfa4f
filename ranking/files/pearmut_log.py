"""Pearmut's annotation log, a line of JSON for each document a judge submits; or a download of several logs.

A line has the items of a document (``item``), the answers about each (``annotation``: a score, sliders and error spans
by model; or the answers to a form), the judge (``user_id``), the position in the judge's task (``item_i``) and timed
``actions``. An item's segment is identified by its ``item_id``, or by its source if it has none. Lines are in the order
in which judges submitted them; a line whose annotation is ``__RESET__`` withdraws all earlier answers by that judge
about the document, or about all documents if it names none.
"""

import hashlib
import re
from collections import Counter, defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import chain, pairwise
from operator import attrgetter
from typing import Final, NamedTuple, TypedDict

from campaign.formats import InputFile
from campaign.formats.cells import Refuse, refuse_at
from campaign.formats.errors import Lose, Losses
from campaign.formats.json_text import JSONObject
from campaign.formats.records import FormAnswer
from campaign.formats.segment_identity import id_parts
from campaign.formats.streams import StoredFile, first_line_of, head_text, peek
from campaign.texts.html import plain_text
from ranking.files.labels import (
    any_text,
    json_objects,
    judge_named,
    list_of,
    number_of,
    object_of,
    system_of,
)

#: Name of the format.
PEARMUT_LOG: Final = "pearmut-log"
RESET: Final = "__RESET__"
FORMS: Final = "answers to forms"
SLIDERS: Final = "scores of custom sliders"
_SNIFFED_BYTES: Final = 64 * 1024
#: Longest time that Pearmut counts between two actions.
_LONGEST_PAUSE: Final = 60.0
_SHAPE: Final = (
    '{"user_id": "…", "item_i": 0, "item": [{…}], "annotation": [{"model": {…}}]}'
)
_WMT26: Final = "_###_"
_PAIR: Final = re.compile(r"([A-Za-z_]+)---([A-Za-z_]+?)( v[0-9]+)?")


@dataclass(frozen=True, slots=True)
class LoggedOutput:
    """A judge's answers about an output; `key` is their place in the line.

    `text` has the line ends of the test set, and `logged_text` those of the log, which its positions count.
    """

    system: str
    text: str
    logged_text: str
    key: str
    answers: JSONObject


@dataclass(frozen=True, slots=True, kw_only=True)
class LoggedItem:
    """A judge's answers about the outputs of a segment.

    The names of languages and document are empty if the log has none. `duration_ms` is None for one of several items of
    a document, which are timed only together.
    """

    line: int
    judge: str
    source_language: str
    target_language: str
    document: str
    segment: str
    source: str | None
    outputs: list[LoggedOutput]
    started_at: float | None
    ended_at: float | None
    duration_ms: int | None
    comment: str


def is_log(file: StoredFile) -> bool:
    """Return whether a file begins like the log of one campaign."""
    with file.open() as stream:
        head, _whole = peek(InputFile(file.name, stream), _SNIFFED_BYTES)
    return '"annotation"' in first_line_of(head_text(head))


def log_read(file: InputFile, losses: Losses) -> list[LoggedItem | FormAnswer]:
    """Return the items and answers to forms that still count, in the order of submission.

    Raises FormatError, with line and key, if the file is not such a log.
    """
    submitted: dict[_Submission, list[LoggedItem | FormAnswer]] = defaultdict(list)
    unnamed = UnnamedItems()
    for campaign, line, values in _lines(file):
        refuse = refuse_at(file.name, line)
        lose = losses.counter_for(f"line {line}")
        judge = judge_named("user_id", values.get("user_id"), refuse)
        document = values.get("item_i")
        submission = _Submission(campaign, judge, str(document))
        if values.get("annotation") == RESET:
            if document is None:
                submission = submission._replace(document=None)
            for key in filter(submission.withdraws, submitted):
                lose("judgments that were reset", len(submitted[key]))
                submitted[key].clear()
            continue
        if document is None or isinstance(document, bool):
            refuse("item_i", "the line has no document", "write the document's number")
        answers = entry_answers(
            line,
            campaign,
            judge,
            values,
            unnamed=unnamed,
            refuse=refuse,
            lose=lose,
        )
        submitted[submission] += answers
    in_force = chain.from_iterable(submitted.values())
    return sorted(in_force, key=attrgetter("line"))


class _Submission(NamedTuple):
    """A judge's document in a campaign; without a document, all of them."""

    campaign: str
    judge: str
    document: str | None

    def withdraws(self, other: "_Submission") -> bool:
        """Return whether a reset of this one withdraws the answers of another."""
        if self.document is None:
            return self[:2] == other[:2]
        return self == other


def _lines(file: InputFile) -> Iterator[tuple[str, int, JSONObject]]:
    """Yield campaign, line number and entry; the campaign is empty unless the file has several logs."""
    for line, values, refuse in json_objects(file, shape=_SHAPE):
        if "annotation" in values or "user_id" in values:
            yield "", line, values
            continue
        if not values:
            refuse(None, "the object is empty", f"write entries such as {_SHAPE}")
        for campaign, entries in values.items():
            for number, entry in enumerate(list_of(campaign, entries, refuse)):
                yield campaign, line, object_of(f"{campaign}[{number}]", entry, refuse)


class UnnamedItems:
    """Names items without an ID by their source.

    Items with one source differ if they follow each other in a document, or if an output of a system differs.
    """

    def __init__(self) -> None:
        # For each source, the outputs of its items, and how many others of the source are before them in a document.
        self._items: dict[str, list[tuple[int, JSONObject]]] = defaultdict(list)
        self._before = Counter[str]()

    def begin_document(self) -> None:
        """Begin a document."""
        self._before.clear()

    def identifier(self, item: JSONObject, source: str) -> str:
        """Return the ID of the next item of a document."""
        before = self._before[source]
        self._before[source] += 1
        outputs = item.get("tgt")
        if not isinstance(outputs, dict):
            outputs = {}
        digest = hashlib.sha256(source.encode()).hexdigest()[:12]
        number = self._number(source, before, outputs)
        if number == 1:
            return f"source {digest}"
        return f"source {digest} {number}"

    def _number(self, source: str, before: int, outputs: JSONObject) -> int:
        items = self._items[source]
        for number, (others_before, texts) in enumerate(items, 1):
            is_same = all(
                texts.get(name, text) == text for name, text in outputs.items()
            )
            if others_before == before and is_same:
                texts.update(outputs)
                return number
        items.append((before, dict(outputs)))
        return len(items)


def entry_answers(
    line: int,
    campaign: str,
    judge: str,
    values: JSONObject,
    *,
    unnamed: UnnamedItems,
    refuse: Refuse,
    lose: Lose,
) -> Iterator[LoggedItem | FormAnswer]:
    """Yield the answers of an entry."""
    unnamed.begin_document()
    items = list_of("item", values.get("item"), refuse)
    annotations = list_of("annotation", values.get("annotation"), refuse)
    if len(items) != len(annotations):
        refuse(
            "annotation",
            f"the line has {len(annotations)} annotations for {len(items)} items",
            "provide the log as written by Pearmut",
        )
    started, ended, duration = times_of(values.get("actions"), refuse)
    if len(items) > 1:
        duration = None
    comment = values.get("comment")
    if not isinstance(comment, str):
        comment = ""
    document = str(values.get("item_i"))
    for number, annotation in enumerate(annotations):
        key = f"item[{number}]"
        item = object_of(key, items[number], refuse)
        if "form" in item:
            if annotation is None or item["form"] is None:
                continue
            text = plain_text(str(item.get("text")))
            value = _form_value(
                f"annotation[{number}]",
                annotation,
                item["form"],
                refuse,
            )
            yield FormAnswer(line, judge, _stage_of(document), text, value)
        elif _is_check(document, item):
            lose("tutorials and attention checks")
        elif annotation is None:
            lose("skipped items")
        else:
            for more in ("ref", "instructions"):
                lose("references and instructions of items", bool(item.get(more)))
            yield LoggedItem(
                line=line,
                judge=judge,
                **_names(key, item, campaign, unnamed, refuse),
                outputs=_outputs(f"annotation[{number}]", annotation, item, refuse),
                started_at=started,
                ended_at=ended,
                duration_ms=duration,
                comment=any_text("comment", comment, refuse),
            )


def _stage_of(document: str) -> str:
    if document.startswith("goodbye_"):
        return "end"
    return "start"


def _form_value(key: str, value: object, form: object, refuse: Refuse) -> object:
    if not isinstance(value, str):
        return value
    text = any_text(key, value, refuse)
    if form == "choices":
        return " ".join(plain_text(text).split())
    return text.strip()


def _outputs(
    key: str,
    annotation: object,
    item: JSONObject,
    refuse: Refuse,
) -> list[LoggedOutput]:
    outputs = []
    texts = object_of("item.tgt", item.get("tgt"), refuse)
    for model, answers in object_of(key, annotation, refuse).items():
        answers_key = f"{key}.{model}"
        logged_text = texts.get(model)
        output = LoggedOutput(
            system=system_of("item.tgt", model, refuse),
            text=any_text(f"item.tgt.{model}", _with_line_feeds(logged_text), refuse),
            logged_text=str(logged_text),
            key=answers_key,
            answers=object_of(answers_key, answers, refuse),
        )
        outputs.append(output)
    return outputs


def _with_line_feeds(text: object) -> object:
    """Return a text with the line ends of test sets."""
    if isinstance(text, str):
        return text.replace("\r\n", "\n").replace("\r", "\n")
    return text


def _is_check(document: str, item: JSONObject) -> bool:
    """Return whether an item is not one of the campaign's data."""
    identifier = str(item.get("item_id", ""))
    return bool(
        document.startswith(("welcome_", "random_", "goodbye_"))
        or item.get("skippable")
        or item.get("validation")
        or identifier.startswith("attention_check_")
        or "tutorial" in identifier,
    )


class _ItemNames(TypedDict):
    source: str | None
    source_language: str
    target_language: str
    document: str
    segment: str


def _names(
    key: str,
    item: JSONObject,
    campaign: str,
    unnamed: UnnamedItems,
    refuse: Refuse,
) -> _ItemNames:
    """Return source and names of an item."""
    identifier = item.get("item_id")
    # As in the campaign: a transcript or description, if there is one.
    source = item.get("src_text", item.get("src"))
    if source is not None:
        source = any_text(f"{key}.src", _with_line_feeds(source), refuse)
        if identifier is None:
            identifier = unnamed.identifier(item, source)
    if identifier is None or not str(identifier).strip():
        refuse(f"{key}.item_id", "the item has neither id nor source", "add an item_id")
    source_language, target_language, document, segment = names_of(
        str(identifier),
        campaign,
    )
    return {
        "source": source,
        "source_language": source_language,
        "target_language": target_language,
        "document": document,
        "segment": segment,
    }


def names_of(identifier: str, campaign: str) -> tuple[str, str, str, str]:
    """Return languages, document and segment, as far as the item ID or the campaign name contains them."""
    source = ""
    target = ""
    pair = _PAIR.fullmatch(campaign)
    parts = identifier.split(_WMT26)
    if pair:
        source, target = pair.group(1, 2)
    elif len(parts) > 3:
        source, target = parts[2:4]
    return source, target, *id_parts(identifier)


def times_of(
    value: object,
    refuse: Refuse,
) -> tuple[float | None, float | None, int | None]:
    """Return the first and last action times, and the sum of gaps between actions, each at most a minute."""
    times = []
    for number, action in enumerate(list_of("actions", value or [], refuse)):
        if isinstance(action, dict):
            key = f"actions[{number}].time"
            times.append(number_of(key, action.get("time"), refuse))
    if not times:
        return None, None, None
    times.sort()
    worked = 0.0
    for earlier, later in pairwise(times):
        worked += min(later - earlier, _LONGEST_PAUSE)
    return times[0], times[-1], round(1000 * worked)
