"""The judgments of an analysis, recorded by name when it is requested and read when it is computed."""

from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any, TypedDict

import numpy as np
import numpy.typing as npt
from django.db.models import F, Q, QuerySet
from django.utils.translation import gettext as _

from annotation.models import Design, JudgeTally, Judgment, JudgmentNumber, Skip
from annotation.selectors.judges import excluded_judges
from annotation.selectors.task_rules import changed_rules
from campaign.models import (
    Document,
    GroupMember,
    JudgeGroup,
    Output,
    Reference,
    Segment,
    SystemKind,
    Task,
    TestSet,
)
from campaign.texts.joining import comma_list
from campaign.texts.languages import without_spaces
from campaign.texts.media import marked_text
from ranking.core.diagnosis.campaign import count_labels
from ranking.core.diagnosis.one_system import CommentedBlock, SkippedBlock
from ranking.core.judged.blocks import Blocks, several_documents
from ranking.files.records import JudgmentsRead, ignored_documents
from ranking.models import RankingRun
from ranking.reports.analyses.diagnosis import SKIPPED_BLOCKS
from ranking.reports.analyses.judges import LEAVE_OUT
from ranking.reports.analyses.kind import (
    DOCUMENTS,
    DOMAINS,
    EXCLUDED,
    GROUP,
    REFERENCE,
    WITHOUT,
    AnalysisKind,
    ChosenJudgments,
    Need,
)
from ranking.reports.analyses.options import OptionError
from ranking.reports.analyses.system import SYSTEM
from ranking.reports.inputs import Input, Remarks, domain_of
from ranking.selectors.dashboards import work_facts
from ranking.selectors.judged_columns import documents_of_segments, judged_blocks_timed
from ranking.selectors.judges import FLAGGED, judges_listed
from ranking.selectors.runs import (
    judges_not_counted,
    judges_outside,
    stopping_rule_state,
    system_kinds,
    system_of_kind,
)


class _RemarkedRow(TypedDict):
    """A skip or a judgment with its comment, `outputs` being those of its block."""

    comment: str
    segment: int
    judge_name: str
    outputs: list[int]
    document: str


def domains_of(*, task_id: int) -> list[str]:
    """Return the domains in the document names of a test set, sorted. One query."""
    documents = Document.objects.filter(test_set__tasks=task_id, name__contains="/")
    names = documents.values_list("name", flat=True)
    return sorted(set(map(domain_of, names)) - {""})


def judgments_chosen(
    *,
    task: Task,
    options: Mapping[str, Any],
    watermark: int | None = None,
    kind: AnalysisKind | None = None,
) -> ChosenJudgments:
    """Return the judgments that complete options select, as of now.

    `kind` adds what this analysis needs: judges' pace, skips and comments, progress towards the
    stopping rule. Skips and comments are those up to `watermark`, or all if it is not given.

    Raises
    ------
    OptionError
        If a selected group, judge, document or domain does not exist.
    """
    kinds = system_kinds(task_id=task.pk)
    reference = system_of_kind(kinds, SystemKind.REFERENCE)
    with_reference = options[REFERENCE.name] == "include"
    if with_reference and reference is None:
        raise OptionError(
            _("This test set has no reference system."),
            field="reference",
        )
    leave_out = None
    if LEAVE_OUT.name in options:
        leave_out = _leave_out(task, options)
    without = _left_out_judges(task, options)
    documents = _documents(task, options)
    remarked = _Remarked(task, watermark, without, documents)
    needs: Collection[Need] = kind.needs if kind else ()
    designs = Design.objects.filter(task=task)
    chosen = ChosenJudgments(
        systems=tuple(name for name in kinds if kinds[name] == SystemKind.SYSTEM),
        reference=reference,
        with_reference=with_reference,
        # Judges excluded in the campaign count if the analysis is about the effect of
        # leaving them out.
        without=tuple(name for name in without if name not in (leave_out or ())),
        documents=documents,
        skipped=_skips_by_judge(task),
        leave_out=leave_out,
        of_chosen_systems=designs.exclude(systems=[]).exists(),
        rules=changed_rules(task),
    )
    if SYSTEM.name in options:
        chosen = replace(chosen, groups=_groups(task))
    if options.get(SKIPPED_BLOCKS.name) == "count":
        shown_when_skipped = _shown_when_skipped(remarked.skips(), reference)
        chosen = replace(chosen, shown=shown_when_skipped)
    if Need.WORK in needs:
        chosen = replace(chosen, work=work_facts(task=task))
    if Need.REMARKS in needs:
        remarks = Remarks(skips=remarked.skips(), comments=remarked.comments())
        chosen = replace(chosen, remarks=remarks)
    if Need.RULE in needs:
        chosen = replace(chosen, rule=stopping_rule_state(task_id=task.pk))
    return chosen


def judgments_of_run(run: RankingRun) -> ChosenJudgments:
    """Return the judgments in a ranking."""
    return ChosenJudgments(
        systems=tuple(run.parameters["systems"]),
        reference=None,
        with_reference=False,
        without=tuple(judges_not_counted(run.parameters)),
        documents=None,
        skipped={},
    )


def stored_input(
    *,
    task: Task,
    watermark: int,
    chosen: ChosenJudgments,
    languages: tuple[str, str],
) -> Input:
    """Read the chosen judgments among numbers 1…`watermark`. Call it in a transaction.

    Raises
    ------
    ValueError
        If none of them count; the message is for organisers.
    """
    blocks, milliseconds, day = judged_blocks_timed(
        task=task,
        watermark=watermark,
        without_blocks=chosen.without_blocks or (),
    )
    rows = _rows(task, blocks, chosen)
    blocks = blocks.take(rows)
    if not len(blocks):
        raise ValueError(_("No judgments match these options."))
    unwanted = {*blocks.systems} - {*chosen.systems, chosen.reference}
    blocks = blocks.without(unwanted).with_judges_in_order()
    document, names = _documents_of(task.pk, blocks)
    blocks = replace(blocks, document=several_documents(document, blocks.segment))
    read = JudgmentsRead(
        files=(),
        input_format=None,
        languages=languages,
        skipped=sum(chosen.skipped.values()),
        skipped_by=dict(chosen.skipped),
        blank_labels=count_labels(blocks)[1],
        judges=len(np.unique(blocks.judge)),
        excluded_judges=chosen.without,
        watermark=watermark,
        ignored_documents=ignored_documents(document, used=blocks.document is not None),
        blocks=blocks,
        duration_ms=milliseconds[rows].astype(np.int64),
        day=day[rows],
        documents=names,
    )
    reference = None
    if chosen.reference in blocks.systems:
        reference = chosen.reference
    counted = read.blocks
    if reference is not None and not chosen.with_reference:
        counted = counted.without([reference])
    texts = StoredTexts(task.pk, language=languages[0])
    return Input(
        read=read,
        blocks=counted,
        reference=reference,
        texts=texts,
        corpora=texts,
        leave_out=chosen.leave_out,
        groups=chosen.groups,
        work=chosen.work,
        skips_by_system=chosen.shown,
        remarks=chosen.remarks,
    )


@dataclass(frozen=True)
class StoredTexts:
    """Texts of a test set, loaded on demand; `language` is that of its sources."""

    task_id: int
    language: str = ""

    def words(self) -> npt.NDArray[np.int64]:
        """Return the number of words in each source by segment number; -1 if unknown, and at index 0."""
        segments = Segment.objects.filter(
            test_set__tasks=self.task_id,
            source_text__isnull=False,
        )
        numbers = []
        lengths = []
        rows: Any = segments.order_by().values_list("number", "source_text")
        for number, text in rows:
            numbers.append(number)
            lengths.append(self._length(text))
        last = max(self._last, *numbers, 0)
        by_number = np.full(last + 1, -1, dtype=np.int64)
        by_number[numbers] = lengths
        return by_number

    def _length(self, text: str) -> int:
        """Return the number of words in a text; in languages without spaces, two characters count as one.

        A picture or recording counts as a word.
        """
        marked = marked_text(text)
        parts = marked.words.split()
        files = len(marked.media)
        if without_spaces(self.language):
            characters = len("".join(parts))
            return (characters + 1) // 2 + files
        return len(parts) + files

    def of(self, system: str) -> Sequence[str | None]:
        """Return the outputs of a system, that of segment number s at index s − 1."""
        texts: list[str | None] = [None] * self._last
        outputs = Output.objects.current().filter(
            system__test_set__tasks=self.task_id,
            system__name=system,
        )
        for number, text in outputs.order_by().values_list("segment__number", "text"):
            texts[number - 1] = text
        return texts

    def sides(self, test_set: str = "") -> dict[str, list[str]]:
        """Return the words of known sources (""), references (their number) and systems, the latter by name.

        With `test_set`, those of another test set of the campaign; ValueError if there is none.
        Four queries.
        """
        own = TestSet.objects.get(tasks=self.task_id)
        of_campaign = TestSet.objects.filter(campaign=own.campaign_id)
        chosen = of_campaign.filter(name=test_set or own.name).first()
        if chosen is None:
            raise ValueError(_("Test set “%(name)s” not found.") % {"name": test_set})
        sides: dict[str, list[str]] = defaultdict(list, {"": []})
        sources = Segment.objects.filter(test_set=chosen, source_text__isnull=False)
        for source in sources.values_list("source_text", flat=True):
            sides[""].append(marked_text(source or "").words)
        references = Reference.objects.filter(segment__test_set=chosen)
        numbered = references.order_by("number").values_list("number", "text")
        for number, text in numbered:
            sides[str(number)].append(marked_text(text).words)
        outputs = Output.objects.filter(
            system__test_set=chosen,
            system__kind=SystemKind.SYSTEM,
            text__isnull=False,
        )
        named = outputs.order_by("system__name").values_list("system__name", "text")
        for name, output in named:
            sides[name].append(marked_text(output or "").words)
        return dict(sides)

    @property
    def _last(self) -> int:
        segments = Segment.objects.filter(test_set__tasks=self.task_id)
        numbers = segments.order_by("-number").values_list("number", flat=True)
        return numbers.first() or 0


def _leave_out(task: Task, options: Mapping[str, Any]) -> tuple[str, ...]:
    """Return the judges to leave out: those named, otherwise those currently excluded or flagged."""
    named = set(options[LEAVE_OUT.name])
    _refuse_strangers(task, named, field=LEAVE_OUT.name)
    if not named:
        flagged = judges_listed(task=task).filter(FLAGGED).order_by()
        named.update(flagged.values_list("judge__pseudonym", flat=True))
    # Do not re-include judges whom another option leaves out.
    never = _left_out_judges(task, {**options, EXCLUDED.name: "count"})
    return tuple(sorted(named.difference(never)))


def _groups(task: Task) -> dict[str, list[str]]:
    """Return the judges in each group who judged a test set, sorted. One query."""
    judged = JudgeTally.objects.filter(task=task).values("judge")
    groups = JudgeGroup.objects.present().filter(campaign=task.test_set.campaign_id)
    members = GroupMember.objects.filter(group__in=groups, judge__in=judged)
    names = ("group__name", "judge__pseudonym")
    judges_by_group = defaultdict(list)
    for group, judge in members.order_by(*names).values_list(*names):
        judges_by_group[group].append(judge)
    return dict(judges_by_group)


def _refuse_strangers(task: Task, names: set[str], *, field: str) -> None:
    if not names:
        return
    tallies = JudgeTally.objects.filter(task=task, judge__pseudonym__in=names)
    unknown = names.difference(tallies.values_list("judge__pseudonym", flat=True))
    if unknown:
        raise OptionError(
            _("No judgments by %(names)s match these options.")
            % {"names": comma_list(sorted(unknown))},
            field=field,
        )


def _left_out_judges(task: Task, options: Mapping[str, Any]) -> list[str]:
    without = set(options[WITHOUT.name])
    _refuse_strangers(task, without, field=WITHOUT.name)
    if options[EXCLUDED.name] == "leave_out":
        without.update(excluded_judges(campaign_id=task.test_set.campaign_id))
    if named := options[GROUP.name]:
        groups = JudgeGroup.objects.present().filter(campaign=task.test_set.campaign_id)
        group = groups.filter(name__iexact=named).first()
        if group is None:
            raise OptionError(
                _("Judge group not found: “%(name)s”.") % {"name": named},
                field="judge_group",
            )
        without.update(judges_outside(task_id=task.pk, group_id=group.pk))
    return sorted(without)


def _documents(task: Task, options: Mapping[str, Any]) -> tuple[str, ...] | None:
    documents = set(options[DOCUMENTS.name])
    domains = set(options[DOMAINS.name])
    if not documents and not domains:
        return None
    in_order = Document.objects.filter(test_set_id=task.test_set_id).order_by(
        "position",
    )
    names = list(in_order.values_list("name", flat=True))
    _refuse_unknown(documents.difference(names), field="documents")
    _refuse_unknown(domains.difference(map(domain_of, names)), field="domains")
    if documents:
        names = [name for name in names if name in documents]
    if domains:
        names = [name for name in names if domain_of(name) in domains]
    return tuple(names)


def _refuse_unknown(unknown: AbstractSet[str], *, field: str) -> None:
    if unknown:
        raise OptionError(
            _("Not found in this test set: %(names)s.")
            % {"names": comma_list(sorted(unknown))},
            field=field,
        )


def _skips_by_judge(task: Task) -> dict[str, int]:
    tallies = JudgeTally.objects.filter(task=task, skipped__gt=0)
    return dict(
        tallies.order_by("judge__pseudonym").values_list("judge__pseudonym", "skipped"),
    )


def _shown_when_skipped(
    skips: Iterable[SkippedBlock],
    reference: str | None,
) -> dict[str, tuple[int, int]]:
    """Return for each system the number of these skips that showed it, and that showed it beside the reference."""
    skips_by_system = Counter[str]()
    beside = Counter[str]()
    for skip in skips:
        skips_by_system.update(skip.systems)
        if reference in skip.systems:
            beside.update(skip.systems)
    return {
        name: (skips_by_system[name], beside[name]) for name in sorted(skips_by_system)
    }


@dataclass(frozen=True, slots=True)
class _Remarked:
    """Skips and comments up to a watermark, in these documents, by judges not in `without`, in a fixed order."""

    task: Task
    watermark: int | None
    without: Sequence[str]
    documents: Sequence[str] | None

    def comments(self) -> list[CommentedBlock]:
        """Return the comments on ranked blocks."""
        judgments = Judgment.objects.of(self.task.pk).exclude(comment="")
        counted = judgments.current(watermark=self.watermark).counted()
        rows = self._rows(counted)
        system_of = _system_of_output(rows)
        comments = []
        for row in rows:
            systems = _systems_of(row, system_of)
            comments.append(CommentedBlock(row["segment"], row["judge_name"], systems))
        return comments

    def skips(self) -> list[SkippedBlock]:
        """Return the skips, as of the watermark."""
        skips = Skip.objects.standing(watermark=self.watermark)
        skips = skips.filter(task=self.task, block__control="")
        end = self._end()
        if end is not None:
            skips = skips.filter(created_at__lte=end)
        rows = self._rows(skips)
        system_of = _system_of_output(rows)
        blocks = []
        for row in rows:
            block = SkippedBlock(
                row["segment"],
                row["judge_name"],
                _systems_of(row, system_of),
                bool(row["comment"]),
                row["document"],
            )
            blocks.append(block)
        return blocks

    def _rows(self, rows: QuerySet[Any, Any]) -> list[_RemarkedRow]:
        rows = rows.exclude(judge__pseudonym__in=self.without)
        if self.documents is not None:
            rows = rows.filter(block__segment__document__name__in=self.documents)
        in_order = rows.order_by("block__segment__number", "judge__pseudonym", "pk")
        columns: Any = in_order.values(
            "comment",
            segment=F("block__segment__number"),
            judge_name=F("judge__pseudonym"),
            outputs=F("block__outputs"),
            document=F("block__segment__document__name"),
        )
        return list(columns)

    def _end(self) -> datetime | None:
        """Return the time of the judgment with the watermark's number; None if it is the newest."""
        if self.watermark is None:
            return None
        numbers = JudgmentNumber.objects.filter(task=self.task)
        if not numbers.filter(number__gt=self.watermark).exists():
            return None
        last = numbers.filter(number=self.watermark)
        return last.values_list("judgment__submitted_at", flat=True).first()


def _system_of_output(rows: Sequence[_RemarkedRow]) -> dict[int, str]:
    """Return the names of the systems of the outputs in these rows. One query."""
    keys: set[int] = set()
    for row in rows:
        keys.update(row["outputs"])
    outputs = Output.objects.filter(pk__in=keys).order_by()
    return dict(outputs.values_list("pk", "system__name"))


def _systems_of(row: _RemarkedRow, system_of: Mapping[int, str]) -> tuple[str, ...]:
    return tuple(sorted({system_of[output] for output in row["outputs"]}))


def _rows(task: Task, blocks: Blocks, chosen: ChosenJudgments) -> npt.NDArray[np.bool_]:
    left_out = set(chosen.without)
    counts = np.array([name not in left_out for name in blocks.judges], dtype=np.bool_)
    rows: npt.NDArray[np.bool_] = counts[blocks.judge]
    if chosen.documents is not None:
        rows &= np.isin(blocks.segment, list(chosen_segments(task=task, chosen=chosen)))
    return rows


def chosen_segments(*, task: Task, chosen: ChosenJudgments) -> dict[int, str]:
    """Return the names of the documents of the segments that may count, judged or not, by number. One query."""
    segments = Segment.objects.filter(test_set_id=task.test_set_id)
    if chosen.documents is not None:
        segments = segments.filter(document__name__in=chosen.documents)
    return dict(segments.order_by("number").values_list("number", "document__name"))


def is_drawn_at_random(*, task: Task, chosen: ChosenJudgments) -> bool:
    """Return whether designs draw the judged segments at random from those that may count. One query.

    A design may take them in order, or only some of them, unless the same documents are chosen.
    """
    takes_some = ~Q(segments=[])
    if chosen.documents is None:
        takes_some |= ~Q(documents=[])
    in_order = Q(segment_order=Design.Order.SEQUENTIAL)
    return not Design.objects.filter(in_order | takes_some, task=task).exists()


def _documents_of(
    task_id: int,
    blocks: Blocks,
) -> tuple[npt.NDArray[np.int32], tuple[str, ...]]:
    """Return the document of each block's segment, numbered in the order of primary keys, and their names."""
    numbers, segment = np.unique(blocks.segment, return_inverse=True)
    segments = numbers.tolist()
    document_of = documents_of_segments(task_id=task_id, segments=segments)
    keys, document = np.unique(
        [document_of[number] for number in segments],
        return_inverse=True,
    )
    documents = Document.objects.filter(test_set__tasks=task_id)
    name_of = dict(documents.values_list("pk", "name"))
    names = tuple(name_of[key] for key in keys.tolist())
    return document.astype(np.int32)[segment], names
