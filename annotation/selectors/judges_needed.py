"""Minimum number of judges that tasks need to finish their designs, and advice if there are too few.

Shown when a task is added and in its settings, when a design is changed, under *People*, and before a campaign opens.
"""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from math import ceil
from typing import Any, Final

from django.db.models import Count
from django.utils.translation import gettext as _

from annotation.models import Design
from annotation.protocols.answer_kinds import (
    AnswerKind,
    Comparisons,
    answer_kind_of,
    shows_documents,
)
from annotation.sampling.rounds import Rounds, checks_for_each_block
from annotation.selectors.designs import (
    design_unless_chosen,
    designs_of_tasks,
    systems_drawn,
)
from annotation.selectors.drawing import TestSetTexts, texts_of_others, windows_of
from annotation.selectors.judges import exclusions, people_taking_part
from annotation.selectors.passes import passes_of, rounds_of
from annotation.selectors.pool import is_for_judge, knows
from annotation.selectors.progress import work_annotations
from annotation.selectors.target import ranked_group
from campaign.models import (
    Campaign,
    GroupMember,
    JudgeGroup,
    Output,
    SystemKind,
    Task,
)
from campaign.texts.counted import filled

#: A need of one judge is not reported.
_ONE: Final = 1


@dataclass(frozen=True, slots=True, kw_only=True)
class JudgesNeeded:
    """Number of judges a task needs, compared with those it has.

    Attributes
    ----------
    task : Task
    needed : int
        Minimum number of judges needed to finish its design.
    there : int
        Number of judges who take part, know both languages and the subject, and are in the judge groups
        of the design and of the ranking.
    group : str
        Name of that group; empty if all judges take part and count, or if there are two groups.
    is_feasible : bool
    words : list of str
        Both numbers in sentences, with advice if there are too few judges.
    """

    task: Task
    needed: int
    there: int
    group: str
    is_feasible: bool
    words: list[str]


@dataclass(frozen=True, slots=True)
class _Reason:
    """Reason for a minimum number of judges, and alternatives to inviting more."""

    needed: int
    sentence: str
    otherwise: str


class _People:
    """Judges of campaigns and groups, each loaded once, on demand, and the groups of tasks."""

    def __init__(self) -> None:
        self._of_campaign: dict[int, list[Any]] = {}
        self._of_group: dict[int, set[int]] = {}
        self._ranked: dict[int, JudgeGroup | None] = {}

    def of(self, task: Task, design: Design) -> list[Any]:
        """Return the judges who may be lent blocks of a task by a design, and count in its ranking.

        Each has the limit `wanted`, or None.
        """
        knowing = []
        for judge in self._all(task.test_set.campaign_id):
            if knows(judge, task):
                knowing.append(judge)
        for group in self.groups(task, design):
            members = self._group(group.pk)
            knowing = [judge for judge in knowing if judge.pk in members]
        return knowing

    def groups(self, task: Task, design: Design) -> set[JudgeGroup]:
        """Return the judge groups of a design and of the ranking of its task, if any."""
        if task.pk not in self._ranked:
            self._ranked[task.pk] = ranked_group(task)
        groups = (design.judge_group, self._ranked[task.pk])
        groups_of_task = set()
        for group in groups:
            if group is not None:
                groups_of_task.add(group)
        return groups_of_task

    def group(self, task: Task, design: Design) -> str:
        """Return the name of the only group; empty if there is none or two."""
        names = [group.name for group in self.groups(task, design)]
        if len(names) == 1:
            return names[0]
        return ""

    def _all(self, campaign_id: int) -> list[Any]:
        if campaign_id not in self._of_campaign:
            people = people_taking_part().filter(campaign=campaign_id)
            people = people.exclude(pk__in=exclusions().values("judge"))
            self._of_campaign[campaign_id] = list(
                people.annotate(quota=work_annotations()["quota"]),
            )
        return self._of_campaign[campaign_id]

    def _group(self, group_id: int) -> set[int]:
        if group_id not in self._of_group:
            members = GroupMember.objects.filter(group=group_id).values_list(
                "judge",
                flat=True,
            )
            self._of_group[group_id] = set(members)
        return self._of_group[group_id]


def judges_needed(
    tasks: Iterable[Task],
    *,
    designs: Mapping[int, Design] | None = None,
) -> list[JudgesNeeded]:
    """Return the needs of the tasks that need more than one judge.

    One query for the designs and two for the judges, regardless of their number; some more for
    tasks that allot texts, sort, or have a target. `designs`, by task id, replace those in force.
    """
    task_list = list(tasks)
    designs_by_task = {**designs_of_tasks(task_list), **(designs or {})}
    people = _People()
    needs = []
    for task in task_list:
        design = designs_by_task.get(task.pk) or design_unless_chosen(task=task)
        needed = _judges_needed_for_design(task, design, people)
        if needed is not None:
            needs.append(needed)
    return needs


def judges_without_task(campaigns: Sequence[Campaign]) -> dict[int, list[str]]:
    """Return, for each campaign, the judges, as `Judge.called`, for whom no open task is, so that they never get a sentence.

    Campaigns without an open task are left out. Four queries, regardless of the number of campaigns.
    """
    tasks = Task.objects.filter(test_set__campaign__in=campaigns, closed_at=None)
    open_tasks: dict[int, list[Task]] = defaultdict(list)
    for task in tasks.select_related("test_set"):
        open_tasks[task.test_set.campaign_id].append(task)
    designs = designs_of_tasks([task for row in open_tasks.values() for task in row])
    groups = []
    for design in designs.values():
        if design.judge_group_id:
            groups.append(design.judge_group_id)
    members = GroupMember.objects.filter(group__in=groups).values_list("group", "judge")
    in_group = set(members)
    people = people_taking_part().filter(campaign__in=list(open_tasks))
    names_by_task: dict[int, list[str]] = {}
    columns = ("campaign_id", "pseudonym", "languages", "expertise", "user__name")
    for judge in people.select_related("user").only(*columns).order_by("pseudonym"):
        has_task = any(
            is_for_judge(task, designs.get(task.pk), judge, in_group)
            for task in open_tasks[judge.campaign_id]
        )
        if not has_task:
            names_by_task.setdefault(judge.campaign_id, []).append(judge.called)
    return names_by_task


def _judges_needed_for_design(
    task: Task,
    design: Design,
    people: _People,
) -> JudgesNeeded | None:
    kind = answer_kind_of(task)
    if kind.passes is not None:
        return _judges_needed_for_passes(task, design, people)
    reasons = _Reasons(task, design, kind, people).applicable
    needed = max((reason.needed for reason in reasons), default=_ONE)
    if needed <= _ONE:
        return None
    there = len(people.of(task, design))
    group = people.group(task, design)
    sentences = []
    for reason in reasons:
        if reason.needed == needed:
            sentences.append(reason.sentence)
    sentences.append(_available_in_words(needed, there, group))
    if there < needed:
        consequences = []
        for reason in reasons:
            if reason.needed > there:
                consequences.append(reason.otherwise)
        sentences += consequences
    return JudgesNeeded(
        task=task,
        needed=needed,
        there=there,
        group=group,
        is_feasible=there >= needed,
        words=sentences,
    )


def _available_in_words(needed: int, there: int, group: str) -> str:
    if group:
        sentence = _(
            "Judges needed in “%(group)s”: at least %(needed)s (available: %(there)s).",
        )
    else:
        sentence = _("Judges needed: at least %(needed)s (available: %(there)s).")
    return filled(sentence, needed=needed, there=there, group=group)


class _Reasons:
    """Reasons why a task whose blocks are drawn or sorted needs several judges."""

    def __init__(
        self,
        task: Task,
        design: Design,
        kind: AnswerKind,
        people: _People,
    ) -> None:
        self._task = task
        self._design = design
        self._kind = kind
        self._people = people

    @property
    def applicable(self) -> list[_Reason]:
        """All reasons that apply."""
        if self._kind.comparisons is not None:
            return [
                *self._redundancy_reasons(),
                *self._sort_reasons(self._kind.comparisons),
            ]
        return [*self._redundancy_reasons(), *self._blocks_wanted_reasons()]

    def _redundancy_reasons(self) -> Iterator[_Reason]:
        # A sort with samples per judge plans no copies.
        if self._sample:
            return
        design = self._design
        judges = design.redundancy + (design.inter_share > 0)
        if judges <= _ONE:
            return
        if self._kind.has_stages:
            sentence = _(
                "Judges per block: %(count)s, because others review the first answer.",
            )
        elif design.inter_share > 0:
            sentence = _("Judges per repeated block: %(count)s.")
        else:
            sentence = _("Judges per block: %(count)s.")
        yield _Reason(
            judges,
            filled(sentence, count=judges),
            _("Invite more judges, or reduce the number of judges per block."),
        )

    def _blocks_wanted_reasons(self) -> Iterator[_Reason]:
        target = self._task.blocks_wanted
        if not target or not self._segments:
            return
        # Judges are given some of their own blocks again.
        blocks = ceil(self._segments * (1 + self._design.intra_share))
        quotas = set()
        for judge in self._people.of(self._task, self._design):
            quotas.add(judge.quota)
        quotas.add(self._task.test_set.campaign.blocks_per_judge)
        if None in quotas:
            largest_quota = None
        else:
            largest_quota = max(quota or 0 for quota in quotas)
        if largest_quota is not None and largest_quota < blocks:
            message = _("Target: %(wanted)s blocks; at most %(most)s blocks per judge.")
            otherwise = _(
                "Invite more judges, raise the limit per judge, or lower the target.",
            )
            blocks = max(1, largest_quota)
        else:
            message = _(
                "Target: %(wanted)s blocks; at most %(most)s blocks per judge, because no judge sees a segment twice.",
            )
            otherwise = _("Invite more judges, or lower the target.")
        sentence = filled(message, wanted=target, most=blocks)
        yield _Reason(-(-target // blocks), sentence, otherwise)

    def _sort_reasons(self, comparisons: Comparisons) -> Iterator[_Reason]:
        quota = comparisons.judgments
        if self._sample:
            sentence = _(
                "Judgments per comparison: %(quota)s, at most %(most)s of them from one judge.",
            )
            yield _Reason(
                -(-quota // self._sample),
                filled(sentence, quota=quota, most=self._sample),
                _(
                    "Invite more judges, require fewer judgments per comparison, or allow more from one judge.",
                ),
            )
        systems = systems_drawn(task=self._task, design=self._design).count()
        if systems > 1 and self._segments:
            most = comparisons.most(systems)
            sentence = _(
                "Comparisons: at most %(comparisons)s (systems: %(systems)s, judgments per comparison: %(quota)s). No judge sees a segment twice (segments: %(segments)s).",
            )
            yield _Reason(
                -(-most * quota // self._segments),
                filled(
                    sentence,
                    systems=systems,
                    comparisons=most,
                    quota=quota,
                    segments=self._segments,
                ),
                _(
                    "Invite more judges, add segments, or require fewer judgments per comparison.",
                ),
            )

    @property
    def _sample(self) -> int:
        comparisons = self._kind.comparisons
        if comparisons is None:
            return 0
        return comparisons.sentences_of_a_judge

    @cached_property
    def _segments(self) -> int:
        return len(windows_of(self._task, self._design).segments)


def _judges_needed_for_passes(
    task: Task,
    design: Design,
    people: _People,
) -> JudgesNeeded:
    rounds = rounds_of(task=task, design=design)
    segments = rounds.segments
    if rounds.are_of_one_system:
        texts = _read_of_each(task, design, rounds)
    else:
        texts = _texts_of_each(task, design, segments)
    size = design.segments_per_hit
    passes = passes_of(task)
    most = passes.items_per_judge
    # HITs are lent only as a whole.
    if most is None:
        most = len(segments)
    else:
        most = max(1, most // size) * size
    there = len(people.of(task, design))
    needs = passes.judges_needed(texts, there, max(1, most))
    return JudgesNeeded(
        task=task,
        needed=needs.judges,
        there=there,
        group=people.group(task, design),
        is_feasible=needs.is_feasible,
        words=needs.sentences,
    )


def _texts_of_each(task: Task, design: Design, segments: Sequence[int]) -> list[int]:
    """Count the different texts of each segment."""
    outputs = Output.objects.drawable().filter(
        segment__test_set=task.test_set_id,
        segment__number__in=segments,
        system__in=systems_drawn(task=task, design=design),
    )
    counted = (
        outputs.order_by()
        .values("segment")
        .annotate(texts=Count("text", distinct=True))
    )
    texts = [row["texts"] for row in counted]
    if design.bad_reference_rate:
        return _text_counts_with_checks(task, design, texts)
    return texts


def _text_counts_with_checks(task: Task, design: Design, texts: list[int]) -> list[int]:
    """Return the counts including damaged references that are rated like texts: one more in some segments."""
    damaged = Output.objects.drawable().filter(
        segment__test_set=task.test_set_id,
        system__kind=SystemKind.BAD_REFERENCE,
    )
    checks = round(checks_for_each_block(design.bad_reference_rate) * sum(texts))
    checks = min(
        checks,
        damaged.order_by().values("segment").distinct().count(),
        len(texts),
    )
    # Their segments are drawn at random; assume the segments with most texts, as the worst case.
    ordered = sorted(texts, reverse=True)
    counts = []
    for position, count in enumerate(ordered):
        counts.append(count + (position < checks))
    return counts


def _read_of_each(task: Task, design: Design, rounds: Rounds) -> list[int]:
    """Count the systems in each group of segments read together; systems with the same texts count once."""
    withdrawn = task.test_set.systems.exclude(withdrawn_at=None).values_list(
        "name",
        flat=True,
    )
    all_texts = TestSetTexts(task)
    all_texts.read_ahead(rounds.segments)
    texts = texts_of_others(all_texts, set(withdrawn))
    parameters = design.parameters
    is_page = shows_documents(task.rules)
    counts: list[int] = []
    number = 1
    while rounds.window(number):
        readings = len(rounds.drawn(number, texts=texts, parameters=parameters))
        # Each segment of a page has an answer of its own, other readings have one.
        counts += [readings] * (len(rounds.window(number)) if is_page else 1)
        number += 1
    return counts
