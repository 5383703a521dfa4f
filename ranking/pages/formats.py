"""Figures in the reader's locale, addresses of systems, pairs and judges, and positions in plots.

Positions are percentages of the width, as in SVG attributes, so that a plot fits any
width without being stretched. They are strings, because templates would write 12.5 as "12,5" in German.
"""

from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime, timedelta
from functools import cache, cached_property
from typing import Any
from urllib.parse import urlencode

from babel.dates import format_timedelta
from django.urls import reverse
from django.utils import timezone
from django.utils.formats import number_format
from django.utils.translation import get_language, pgettext
from django.utils.translation import gettext as _

from annotation.selectors.judges import JudgeStatus
from campaign.models import Campaign, Judge, System, Task, TestSet
from campaign.models.system import system_named
from campaign.texts.languages import cldr_of, language_pair_name
from ranking.core.rankings.records import RankedRow
from ranking.reports import Report
from ranking.reports.wording.methods import shortages_of_rows
from ranking.reports.wording.numbers import decimals
from ranking.reports.wording.ranges import cluster_rules
from ranking.selectors.analyses import systems_of_tasks
from ranking.selectors.one_system import systems_by_name

_NOTHING = "–"


def kappa(value: float | None) -> str:
    """Return κ with two decimals; a dash without a κ."""
    if value is None:
        return _NOTHING
    return decimals(value, 2)


def figure(value: int | None) -> str:
    """Return a whole number with thousands separators; a dash for None."""
    if value is None:
        return _NOTHING
    return number_format(value)


def share(value: float | None) -> str:
    """Return a share in whole percent as text; 0 and 100 are only used for exact values."""
    if value is None:
        return _NOTHING
    return _("%(share)s%%") % {"share": number_format(whole_per_cent(value))}


def whole_per_cent(value: float) -> int:
    """Return a share in whole percent; 0 and 100 are only used for exact values."""
    whole = round(100 * value)
    if 0 < value < 1:
        return min(99, max(1, whole))
    return whole


def judge_status_label(value: JudgeStatus) -> str:
    """Return "Warned", "Paused" or "Excluded"; an empty string for a judge in good standing."""
    words = {
        JudgeStatus.WARNED: pgettext("judge", "Warned"),
        JudgeStatus.PAUSED: pgettext("judge", "Paused"),
        JudgeStatus.EXCLUDED: pgettext("judge", "Excluded"),
    }
    return words.get(value, "")


def duration(seconds: float | None) -> str:
    """Return "0.8 s", "34 s", "2 min 5 s" or "1 h 12 min", precise enough for a median."""
    if seconds is None:
        return _NOTHING
    if seconds < 9.5:
        return _("%(seconds)s s") % {"seconds": decimals(seconds, 1)}
    whole = round(seconds)
    if whole < 60:
        return _("%(seconds)s s") % {"seconds": whole}
    minutes, rest = divmod(whole, 60)
    if minutes < 60:
        return _("%(minutes)s min %(seconds)s s") % {
            "minutes": minutes,
            "seconds": rest,
        }
    hours, minutes = divmod(minutes, 60)
    return _("%(hours)s h %(minutes)s min") % {
        "hours": number_format(hours),
        "minutes": minutes,
    }


def interval(low: str, high: str) -> str:
    """Return "0.21 to 0.34"."""
    return _("%(low)s to %(high)s") % {"low": low, "high": high}


def ago(moment: datetime) -> str:
    """Return "3 minutes ago", or "just now" within the first minute."""
    if timezone.now() - moment < timedelta(minutes=1):
        return _("just now")
    locale = cldr_of(get_language() or "en")
    return str(
        format_timedelta(moment - timezone.now(), add_direction=True, locale=locale)
    )


def languages(task: Task) -> str:
    """Return "Czech → English"; the arrow points in the direction of the reader's script."""
    return language_pair_name(
        task.test_set.source_language, task.test_set.target_language
    )


def lengths(words: str) -> dict[str, str]:
    """Return the filter values for judgments of sources with “3–4” or “30+” words."""
    least, _dash, most = words.rstrip("+").partition("–")
    return {"min_words": least, **({"max_words": most} if most else {})}


class Addresses:
    """Addresses of organisers' pages of a task; None for deleted objects.

    URLs are reversed once, and names are looked up on first use. `is_all_listed` tells whether
    counts of all judgments match the list of those that count; `compares_outputs` tells
    whether judges compare outputs, so that systems win and lose.
    """

    def __init__(
        self,
        task: Task,
        *,
        systems: Mapping[str, System] | None = None,
        is_all_listed: bool = False,
        compares_outputs: bool = True,
    ) -> None:
        self.is_all_listed = is_all_listed
        self._compares_outputs = compares_outputs
        self._task = task
        self._of = [task.test_set.campaign.slug, task.pk]
        self._systems = systems
        self._judges: dict[str, int] = {}
        self._judgments = reverse("judgments", args=self._of)
        self._skips = reverse("skips", args=self._of)
        #: The address of a page up to the key of its object.
        self._beginning = cache(
            lambda name: reverse(name, args=[*self._of, 0]).rpartition("0/")[0]
        )

    def judges_look_up(self, names: Iterable[str]) -> None:
        """Look up judges by their pseudonyms, so that `judge` has their addresses. One query."""
        wanted = set(names).difference(self._judges)
        if wanted:
            found = Judge.objects.filter(
                campaign=self._task.test_set.campaign_id, pseudonym__in=sorted(wanted)
            )
            self._judges.update(found.values_list("pseudonym", "pk"))

    @property
    def systems(self) -> Mapping[str, System]:
        """Systems of the test set by name."""
        if self._systems is None:
            self._systems = systems_by_name(task_id=self._task.pk)
        return self._systems

    @property
    def ranking(self) -> str:
        """Address of the ranking."""
        return reverse("test-set-dashboard", args=self._of)

    def system(self, name: str) -> str | None:
        """Return the address of a system's wins and losses; None if outputs are not compared."""
        found = None
        if self._compares_outputs:
            found = self.systems.get(name)
        if found is None:
            return None
        return f"{self._beginning('system-results')}{found.pk}/results/"

    @property
    def judges(self) -> str:
        """Address of the list of judges."""
        return reverse("judge-quality", args=self._of)

    def judge(self, pseudonym: str) -> str | None:
        """Return the address of a judge who was looked up."""
        found = self._judges.get(pseudonym)
        if found is None:
            return None
        return f"{self._beginning('judge-page')}{found}/"

    def segment(self, number: int) -> str:
        """Return the address of a segment."""
        return f"{self._beginning('segment')}{number}/"

    def judgments(self, **asked: str | int | None) -> str:
        """Return the address of filtered judgments that count; `words` is a range of source lengths: “3–4” or “30+”."""
        query = {name: value for name, value in asked.items() if value}
        if "words" in query:
            query |= lengths(str(query.pop("words")))
        return f"{self._judgments}?{urlencode({**query, 'counts': 'yes'})}"

    def judged(self, judge: str = "") -> str:
        """Return the address of all judgments, or of those by a judge, including those that do not count."""
        if judge:
            return f"{self._judgments}?{urlencode({'judge': judge})}"
        return self._judgments

    def skips(self, judge: str = "", *, standing: bool = False) -> str:
        """Return the address of skips, or of those by a judge; if `standing`, without blocks judged later."""
        query = {"judge": judge} if judge else {}
        if standing:
            query["judged_later"] = "no"
        if query:
            return f"{self._skips}?{urlencode(query)}"
        return self._skips

    def won(self, one: str, other: str) -> str | None:
        """Return the address of the judgments in which a system beat another; None unless both exist."""
        # Plots use display names.
        names = system_named(one), system_named(other)
        if not all(name in self.systems for name in names):
            return None
        return self.judgments(system=names[0], other=names[1], outcome="won")


class TableAddresses:
    """Addresses of the test sets in a table, by their names in it.

    A renamed test set is still found; a deleted one has no address. One query for any number
    of test sets.
    """

    def __init__(
        self, campaign: Campaign, report: Report, *, there: Sequence[tuple[int, str]]
    ) -> None:
        self._campaign = campaign
        present = {pk for pk, _name in there}
        told = report.data.get("test_sets", ())
        self._told = {each["test_set"]: each for each in told if each["id"] in present}
        self._found: dict[str, Addresses] = {}

    def __call__(self, name: str) -> Addresses | None:
        """Return the addresses of a test set."""
        told = self._told.get(name)
        if told is None:
            return None
        if name not in self._found:
            self._found[name] = Addresses(
                Task(pk=told["id"], test_set=TestSet(campaign=self._campaign)),
                systems=self._systems.get(told["id"], {}),
                is_all_listed=_is_all_listed(told),
            )
        return self._found[name]

    @cached_property
    def _systems(self) -> Mapping[int, Mapping[str, System]]:
        return systems_of_tasks(campaign=self._campaign)


def _is_all_listed(told: Mapping[str, Any]) -> bool:
    """Return whether figures count exactly the judgments in the list of those that count."""
    counted = told.get("counted")
    if counted is None:
        return True
    return bool(
        (counted["watermark"], counted["blocks"]) == (told["watermark"], told["blocks"])
    )


_AXIS_NUMBERS = 12


def percent(share: float) -> str:
    """Return 0.125 as "12.5%"."""
    return f"{round(100 * share, 3):g}%"


def rank_plots(
    systems: Sequence[RankedRow], *, has_unranked: bool = False
) -> list[dict[str, Any]]:
    """Return a table for each group of ranked systems.

    Systems without a rank, if any, belong in the last table, which is an extra one if there are several groups
    or none.
    """
    numbers = sorted({row.get("group", 1) for row in systems})
    plots = []
    for number in numbers:
        plots.append(
            rank_plot(
                [row for row in systems if row.get("group", 1) == number],
                group=number if len(numbers) > 1 else 0,
            )
        )
    if has_unranked and len(plots) != 1:
        plots.append(rank_plot([]))
    return plots


def rank_plot(systems: Sequence[RankedRow], *, group: int = 0) -> dict[str, Any]:
    """Return the rank ranges of the systems in one group, best first, as bars and dots on an axis from 1 to n.

    `group` is its number if there are several, otherwise 0. The dot of systems that share ranks is in the middle of
    these ranks; `low` and `high` are "" while the range is not estimable, and `notes` list the missing data.
    """
    count = len(systems)

    def at(rank: float) -> str:
        return percent((rank - 0.5) / count)

    ends = cluster_rules(systems)
    rows = []
    for index, row in enumerate(systems):
        begins = index - 1 in ends
        last_rank = row.get("last_rank", row["rank"])
        low = ""
        high = ""
        is_known = not row.get("shortage")
        if is_known and row["rank_low"] is not None and row["rank_high"] is not None:
            low = at(row["rank_low"])
            high = at(row["rank_high"])
        classes = (
            ("begins-cluster", begins),
            ("shares-rank", last_rank != row["rank"]),
        )
        is_first = begins or not index or bool(systems[index - 1].get("shortage"))
        rows.append(
            {
                "row": row,
                "begins_cluster": begins,
                "shows_cluster": is_known and is_first,
                "classes": " ".join(name for name, holds in classes if holds),
                "low": low,
                "high": high,
                "dot": at((row["rank"] + last_rank) / 2),
            }
        )
    ticks = [{"at": at(rank), "number": rank} for rank in range(1, count + 1)]
    step = -(-count // _AXIS_NUMBERS)
    axis = [
        tick
        for number, tick in enumerate(ticks, 1)
        if number == 1 or number % step == 0
    ]
    notes = list(shortages_of_rows(systems))
    return {"rows": rows, "ticks": ticks, "axis": axis, "group": group, "notes": notes}


def bar_plot(
    counts: Sequence[tuple[Any, int]], *, filled: float = 0.72
) -> dict[str, Any]:
    """Return a bar for each count, with its left edge and height; the highest is as high as the plot.

    `counted` are the bars of counts above 0.
    """
    highest = max((count for _of, count in counts), default=0)
    slot = 1 / max(1, len(counts))
    bars = []
    for index, (of, count) in enumerate(counts):
        # Counts above 0 must be visible.
        if count:
            height = max(0.04, count / highest)
        else:
            height = 0.0
        place = {"x": index * slot, "y": 1 - height, "height": height}
        bars.append(
            {"of": of, "count": count} | {key: percent(at) for key, at in place.items()}
        )
    return {
        "bars": bars,
        "counted": [bar for bar in bars if bar["count"]],
        "width": percent(slot * filled),
        "highest": highest,
    }
