"""The page of a system: what it won and lost, in tables and sentences."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from django.utils.formats import number_format
from django.utils.html import format_html
from django.utils.safestring import SafeString, mark_safe
from django.utils.translation import get_language, ngettext, pgettext
from django.utils.translation import gettext as _

from campaign.models import Task
from campaign.texts.differences import Run, differences
from ranking.pages.addresses import Addresses, lengths
from ranking.pages.formats import whole_per_cent
from ranking.pages.plots import percent
from ranking.selectors.one_system import SystemStanding, sentence_texts
from ranking.wording.numbers import decimals

#: Ticks of the axis of shares, in per cent.
TICKS = tuple((percent(share / 100), share) for share in (0, 25, 50, 75, 100))
#: Rows of a table that are shown at once; the rest unfolds.
SHOWN_AT_ONCE = 30
#: Sentences that are shown at once; the rest unfolds.
SENTENCES_AT_ONCE = 4


@dataclass(frozen=True, slots=True)
class Number:
    """A number, and the judgments behind it."""

    words: str
    address: str | None = None


@dataclass(frozen=True, slots=True)
class ShareRow:
    """A row of a table of shares.

    Attributes
    ----------
    name : str
    address : str or None
    numbers : sequence of Number
        Won, lost and tied.
    share : str
        In per cent, without the sign.
    interval : str
        "" where it is not known yet.
    low, high, dot : str or None
        On the axis.
    outcome : str
        "wins", "loses" or "open", "" where nothing was decided.
    said : str
        The same in words.
    begins : bool
        Whether a rule is drawn above it.
    """

    name: str
    address: str | None
    numbers: Sequence[Number]
    share: str
    interval: str
    low: str | None
    high: str | None
    dot: str | None
    outcome: str
    said: str
    begins: bool = False


@dataclass(frozen=True, slots=True)
class ShareTable:
    """Shares of a system by part: `note` goes above, `rest` are the rows that unfold, `files` its plot as the answer has it."""

    name: str
    title: str
    heading: str
    note: str
    rows: Sequence[ShareRow]
    rest: Sequence[ShareRow] = ()
    files: Sequence[tuple[str, str]] = ()

    @property
    def is_drawn(self) -> bool:
        return any(row.dot for row in (*self.rows, *self.rest))


@dataclass(frozen=True, slots=True)
class RankChip:
    """The rank of a system in a sentence; `is_own` that of the page's system."""

    name: str
    rank: str
    is_own: bool


@dataclass(frozen=True, slots=True)
class Sentence:
    """A sentence where a system is far from another one: both outputs, with what differs marked."""

    number: int
    address: str
    document: str
    where: str
    chips: Sequence[RankChip]
    has_texts: bool
    source: str | None
    own: SafeString | str
    other: SafeString | str
    other_name: str


def opponents_table(
    name: str,
    standing: SystemStanding,
    data: Mapping[str, Any] | None,
    *,
    addresses: Addresses,
) -> ShareTable:
    """Return the table of opponents, best first: with intervals once the analysis is there."""
    counted = {each["opponent"]: each for each in (data or {}).get("opponents", ())}
    rows = []
    before: int | None = None
    for each in standing.opponents:
        part = counted.get(each.name) or {
            "won": each.won,
            "lost": each.lost,
            "tied": each.tied,
            "share": each.won / (each.won + each.lost) if each.won + each.lost else None,
            "low": None,
            "high": None,
        }
        rows.append(
            _row(
                each.name,
                part,
                address=addresses.system(each.name),
                links={"system": name, "other": each.name},
                addresses=addresses,
                begins=before is not None and each.cluster != before,
            )
        )
        before = each.cluster
    return ShareTable(
        name="opponents",
        title=_("Against each opponent"),
        heading=_("Opponent"),
        note=_("Best opponent first; a heavy rule separates clusters."),
        rows=rows,
    )


def part_tables(name: str, data: Mapping[str, Any], *, addresses: Addresses) -> list[ShareTable]:
    """Return the tables by length, domain, group and document; the last one is the longest."""
    found = []
    for kind, title, heading, note in (
        ("lengths", _("By length of the source"), _("Words"), _lengths_note(data["lengths"])),
        ("groups", _("By group of judges"), _("Group"), ""),
        ("domains", _("By domain"), _("Domain"), _many_looks(len(data["domains"]))),
        ("documents", _("By document"), _("Document"), _many_looks(len(data["documents"]))),
    ):
        rows = [
            _row(
                _part_in_words(kind, part[kind.removesuffix("s")]),
                part,
                address=addresses.judgments(document=part["document"], system=name)
                if kind == "documents"
                else None,
                links=_links(name, kind, part[kind.removesuffix("s")]),
                addresses=addresses,
            )
            for part in data[kind]
        ]
        if rows:
            # Two rows less are not worth a click.
            split = SHOWN_AT_ONCE if len(rows) > SHOWN_AT_ONCE + 2 else len(rows)
            found.append(ShareTable(kind, title, heading, note, rows[:split], rows[split:]))
    return found


def _links(name: str, kind: str, part: str | None) -> dict[str, str] | None:
    """Return by what the judgments of a part are filtered; None where they cannot be."""
    if part is None:
        return None
    if kind == "lengths":
        return {"system": name, **lengths(part)}
    return {"system": name, kind.removesuffix("s"): part}


def _part_in_words(kind: str, part: str | None) -> str:
    if part is None:
        return _("in no group") if kind == "groups" else _("none")
    if kind == "lengths" and part.endswith("+"):
        return _("over %(words)d") % {"words": int(part[:-1]) - 1}
    return part


def _lengths_note(lengths: Sequence[Mapping[str, Any]]) -> str:
    decided = [each["share"] for each in lengths if each["share"] is not None]
    if len(decided) < 2:
        return ""
    return _("It wins %(short)s %% in the shortest sentences, %(long)s %% in the longest.") % {
        "short": number_format(whole_per_cent(decided[0])),
        "long": number_format(whole_per_cent(decided[-1])),
    }


def _many_looks(count: int) -> str:
    if count < 5:
        return _("Worst first.")
    return _(
        "Worst first. Of %(count)s intervals, about one in twenty misses the true value by chance."
    ) % {"count": number_format(count)}


def _row(
    name: str,
    part: Mapping[str, Any],
    *,
    address: str | None,
    links: Mapping[str, str] | None,
    addresses: Addresses,
    begins: bool = False,
) -> ShareRow:
    share, low, high = part["share"], part["low"], part["high"]
    outcome = ""
    if share is not None:
        outcome = (
            "wins"
            if low is not None and low > 0.5
            else "loses"
            if high is not None and high < 0.5
            else "open"
        )
    return ShareRow(
        name=name,
        address=address,
        numbers=[
            Number(
                number_format(part[key]),
                addresses.judgments(**links, outcome=key) if links and part[key] else None,
            )
            for key in ("won", "lost", "tied")
        ],
        share="–" if share is None else number_format(whole_per_cent(share)),
        interval=""
        if low is None or high is None
        else _("%(low)s–%(high)s")
        % {
            "low": number_format(whole_per_cent(low)),
            "high": number_format(whole_per_cent(high)),
        },
        low=None if low is None else percent(low),
        high=None if high is None else percent(high),
        dot=None if share is None else percent(share),
        outcome=outcome,
        said={
            "wins": _("more than half"),
            "loses": _("less than half"),
        }.get(outcome, ""),
        begins=begins,
    )


def sentences(
    name: str,
    clear: Sequence[Mapping[str, Any]],
    *,
    task: Task,
    addresses: Addresses,
) -> list[Sentence]:
    """Return the sentences of an answer with their texts. Two queries."""
    texts = sentence_texts(
        task=task,
        numbers={each["segment"] for each in clear},
        systems={name, *(each["other"] for each in clear)},
    )
    return [
        _sentence(name, each, texts[each["segment"]], addresses)
        for each in clear
        if each["segment"] in texts
    ]


def _sentence(name: str, each: Mapping[str, Any], texts: Any, addresses: Addresses) -> Sentence:
    own, other = texts.outputs.get(name), texts.outputs.get(each["other"])
    shown: tuple[SafeString | str, SafeString | str] = (own or "–", other or "–")
    if own and other:
        first, second = differences(own, other)
        shown = (marked(first), marked(second))
    return Sentence(
        number=texts.number,
        address=addresses.segment(texts.number),
        document=texts.document,
        where=_("sentence %(position)s, %(judges)s")
        % {
            "position": number_format(texts.position),
            "judges": ngettext("%(count)s judge", "%(count)s judges", each["judges"])
            % {"count": number_format(each["judges"])},
        },
        # The database keeps no order of names.
        chips=[
            RankChip(system, _rank(rank), system == name)
            for system, rank in sorted(each["ranks"].items(), key=lambda item: (item[1], item[0]))
        ],
        has_texts=any((texts.source, own, other)),
        source=texts.source,
        own=shown[0],
        other=shown[1],
        other_name=each["other"],
    )


def _rank(mean: float) -> str:
    return decimals(mean, 0 if float(mean).is_integer() else 1)


def marked(runs: Sequence[Run]) -> SafeString:
    """Return a text in which what differs is marked, for eyes and for ears."""
    words = pgettext("before words that the other text does not have", "only here:")
    hidden = format_html(
        '<span class="visually-hidden" lang="{}">{} </span>', get_language() or "en", words
    )
    # Each part is escaped, or ours.
    return mark_safe(  # noqa: S308
        "".join(
            format_html("<mark>{}{}</mark>", hidden, run.text)
            if run.differs
            else format_html("{}", run.text)
            for run in runs
        )
    )
