"""Figures in the reader's locale, addresses of systems, pairs and judges, and positions in plots.

Positions are percentages of the width, as in SVG attributes, so that a plot fits any
width without being stretched. They are strings, because templates would write 12.5 as "12,5" in German.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from functools import cached_property
from typing import Any, NotRequired, TypedDict
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
from ranking.reports.wording.ranges import cluster_rules, rows_by_group
from ranking.selectors.analyses import systems_of_tasks
from ranking.selectors.one_system import systems_by_name

_NOTHING = "–"


def kappa(value: float | None) -> str:
    """Return κ with two decimals; a dash without a κ."""
    if value is None:
        return _NOTHING
    return decimals(value, 2)


def figure(value: int | None) -> str:
    """Return a whole number with thousands separators and a true minus sign; a dash for None."""
    if value is None:
        return _NOTHING
    return number_format(value).replace("-", "−")


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
    labels = {
        JudgeStatus.WARNED: pgettext("judge", "Warned"),
        JudgeStatus.PAUSED: pgettext("judge", "Paused"),
        JudgeStatus.EXCLUDED: pgettext("judge", "Excluded"),
    }
    return labels.get(value, "")


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
        format_timedelta(moment - timezone.now(), add_direction=True, locale=locale),
    )


def languages(task: Task) -> str:
    """Return "Czech → English"; the arrow points in the direction of the reader's script."""
    return language_pair_name(
        task.test_set.source_language,
        task.test_set.target_language,
    )


def lengths(length_range: str) -> dict[str, str]:
    """Return the filter values for judgments of sources with “3–4” or “30+” words."""
    least, _dash, most = length_range.rstrip("+").partition("–")
    if most:
        return {"min_words": least, "max_words": most}
    return {"min_words": least}


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
        self._beginnings: dict[str, str] = {}

    def _beginning(self, name: str) -> str:
        """Return the address of a page up to the key of its object."""
        if name not in self._beginnings:
            address = reverse(name, args=[*self._of, 0])
            self._beginnings[name], _key, _end = address.rpartition("0/")
        return self._beginnings[name]

    def judges_look_up(self, names: Iterable[str]) -> None:
        """Look up judges by their pseudonyms, so that `judge` has their addresses. One query."""
        missing = set(names).difference(self._judges)
        if missing:
            judges = Judge.objects.filter(
                campaign=self._task.test_set.campaign_id,
                pseudonym__in=sorted(missing),
            )
            self._judges.update(judges.values_list("pseudonym", "pk"))

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
        if not self._compares_outputs or name not in self.systems:
            return None
        beginning = self._beginning("system-results")
        return f"{beginning}{self.systems[name].pk}/results/"

    @property
    def judges(self) -> str:
        """Address of the list of judges."""
        return reverse("judge-quality", args=self._of)

    def judge(self, pseudonym: str) -> str | None:
        """Return the address of a judge who was looked up."""
        judge_id = self._judges.get(pseudonym)
        if judge_id is None:
            return None
        return f"{self._beginning('judge-page')}{judge_id}/"

    def segment(self, number: int) -> str:
        """Return the address of a segment."""
        return f"{self._beginning('segment')}{number}/"

    def judgments(self, **filters: str | int | None) -> str:
        """Return the address of filtered judgments that count; `words` is a range of source lengths: “3–4” or “30+”."""
        query = {name: value for name, value in filters.items() if value}
        if "words" in query:
            query |= lengths(str(query.pop("words")))
        query["counts"] = "yes"
        return f"{self._judgments}?{urlencode(query)}"

    def judged(self, judge: str = "") -> str:
        """Return the address of all judgments, or of those by a judge, including those that do not count."""
        if judge:
            return f"{self._judgments}?{urlencode({'judge': judge})}"
        return self._judgments

    def skips(self, judge: str = "", *, standing: bool = False) -> str:
        """Return the address of skips, or of those by a judge; if `standing`, without blocks judged later."""
        query = {}
        if judge:
            query["judge"] = judge
        if standing:
            query["judged_later"] = "no"
        if query:
            return f"{self._skips}?{urlencode(query)}"
        return self._skips

    def won(self, one: str, other: str) -> str | None:
        """Return the address of the judgments in which a system beat another; None unless both exist."""
        # Plots use display names.
        system = system_named(one)
        beaten = system_named(other)
        if system not in self.systems or beaten not in self.systems:
            return None
        return self.judgments(system=system, other=beaten, outcome="won")


class CountedJudgments(TypedDict):
    """The number of the last judgment, and the blocks, in the list of judgments that count."""

    watermark: int
    blocks: int


class ComparedTestSet(TypedDict):
    """A test set as recorded in the data of a table over test sets."""

    id: int
    test_set: str
    watermark: int
    blocks: int
    counted: NotRequired[CountedJudgments | None]


class TableAddresses:
    """Addresses of the test sets in a table, by their names in it.

    A renamed test set is still found; a deleted one has no address. One query for any number
    of test sets.
    """

    def __init__(
        self,
        campaign: Campaign,
        report: Report,
        *,
        there: Sequence[tuple[int, str]],
    ) -> None:
        self._campaign = campaign
        self._test_sets: dict[str, ComparedTestSet] = {}
        present = {pk for pk, _name in there}
        for test_set in report.data.get("test_sets", ()):
            if test_set["id"] in present:
                self._test_sets[test_set["test_set"]] = test_set
        self._addresses: dict[str, Addresses] = {}

    def __call__(self, name: str) -> Addresses | None:
        """Return the addresses of a test set."""
        test_set = self._test_sets.get(name)
        if test_set is None:
            return None
        if name not in self._addresses:
            key = test_set["id"]
            self._addresses[name] = Addresses(
                Task(pk=key, test_set=TestSet(campaign=self._campaign)),
                systems=self._systems.get(key, {}),
                is_all_listed=_is_all_listed(test_set),
            )
        return self._addresses[name]

    @cached_property
    def _systems(self) -> Mapping[int, Mapping[str, System]]:
        return systems_of_tasks(campaign=self._campaign)


def _is_all_listed(test_set: ComparedTestSet) -> bool:
    """Return whether figures count exactly the judgments in the list of those that count."""
    counted = test_set.get("counted")
    if counted is None:
        return True
    if counted["watermark"] != test_set["watermark"]:
        return False
    return counted["blocks"] == test_set["blocks"]


_AXIS_NUMBERS = 12


def percent(share: float) -> str:
    """Return 0.125 as "12.5%"."""
    return f"{round(100 * share, 3):g}%"


@dataclass(frozen=True, slots=True)
class RankPlotRow:
    """The rank range of a system. Positions are "" while the range is not estimable."""

    row: RankedRow
    begins_cluster: bool
    shows_cluster: bool
    shares_rank: bool
    low: str
    high: str
    dot: str

    @property
    def classes(self) -> str:
        """CSS classes."""
        classes = []
        if self.begins_cluster:
            classes.append("begins-cluster")
        if self.shares_rank:
            classes.append("shares-rank")
        return " ".join(classes)


@dataclass(frozen=True, slots=True)
class RankTick:
    """A rank on the axis."""

    position: str
    number: int


@dataclass(frozen=True, slots=True)
class RankPlotContent:
    """The rank ranges of the systems of a group, best first, on an axis from 1 to their number.

    `group` is the number of the group if there are several, otherwise 0; `axis` are the ticks with a number, and
    `notes` list the missing data.
    """

    rows: list[RankPlotRow]
    ticks: list[RankTick]
    group: int
    notes: list[str]

    @property
    def axis(self) -> list[RankTick]:
        """The first tick, and as many others as have room for their numbers."""
        step = -(-len(self.ticks) // _AXIS_NUMBERS)
        return [
            tick for tick in self.ticks if tick.number == 1 or tick.number % step == 0
        ]


def rank_plots(
    systems: Sequence[RankedRow],
    *,
    has_unranked: bool = False,
) -> list[RankPlotContent]:
    """Return a table for each group of ranked systems.

    Systems without a rank, if any, belong in the last table, which is an extra one if there are several groups
    or none.
    """
    groups = rows_by_group(systems)
    if len(groups) == 1:
        return [rank_plot(systems)]
    plots = [rank_plot(rows, group=number) for number, rows in groups.items()]
    if has_unranked:
        plots.append(rank_plot([]))
    return plots


def rank_plot(systems: Sequence[RankedRow], *, group: int = 0) -> RankPlotContent:
    """Return the rank ranges of the systems in one group as bars and dots.

    The dot of systems that share ranks is in the middle of these ranks.
    """
    count = len(systems)

    def position(rank: float) -> str:
        return percent((rank - 0.5) / count)

    ends = cluster_rules(systems)
    rows = []
    is_after_shortage = True
    for index, row in enumerate(systems):
        last_rank = row.get("last_rank", row["rank"])
        has_shortage = bool(row.get("shortage"))
        rank_low = row["rank_low"]
        rank_high = row["rank_high"]
        low = ""
        high = ""
        if not has_shortage and rank_low is not None and rank_high is not None:
            low = position(rank_low)
            high = position(rank_high)
        begins_cluster = index - 1 in ends
        plot_row = RankPlotRow(
            row=row,
            begins_cluster=begins_cluster,
            shows_cluster=not has_shortage and (begins_cluster or is_after_shortage),
            shares_rank=last_rank != row["rank"],
            low=low,
            high=high,
            dot=position((row["rank"] + last_rank) / 2),
        )
        rows.append(plot_row)
        is_after_shortage = has_shortage
    ticks = [RankTick(position(rank), rank) for rank in range(1, count + 1)]
    return RankPlotContent(rows, ticks, group, list(shortages_of_rows(systems)))


@dataclass(frozen=True, slots=True)
class Bar:
    """A bar of a count, with its left edge and height."""

    of: Any
    count: int
    x: str
    y: str
    height: str


@dataclass(frozen=True, slots=True)
class BarPlotContent:
    """A bar for each count; the highest is as high as the plot."""

    bars: list[Bar]
    width: str
    highest: int

    @property
    def counted(self) -> list[Bar]:
        """The bars of counts above 0."""
        return [bar for bar in self.bars if bar.count]


def bar_plot(
    counts: Sequence[tuple[Any, int]],
    *,
    filled: float = 0.72,
) -> BarPlotContent:
    """Return a bar for each thing and its count."""
    highest = max((count for _of, count in counts), default=0)
    slot = 1 / max(1, len(counts))
    bars = []
    for index, (of, count) in enumerate(counts):
        height = 0.0
        if count:
            # Counts above 0 must be visible.
            height = max(0.04, count / highest)
        bar = Bar(
            of=of,
            count=count,
            x=percent(index * slot),
            y=percent(1 - height),
            height=percent(height),
        )
        bars.append(bar)
    return BarPlotContent(bars, percent(slot * filled), highest)
