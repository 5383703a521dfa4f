"""The judgments of an analysis, recorded by name when it is requested and read when it is computed."""

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any

import numpy as np
import numpy.typing as npt
from django.db.models import Q, QuerySet
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
from ranking.core.diagnosis.campaign import count_labels
from ranking.core.diagnosis.one_system import CommentedBlock, SkippedBlock
from ranking.core.judged.blocks import Blocks, several_documents
from ranking.files.records import JudgmentsRead, ignored_documents
from ranking.models import RankingRun
from ranking.reports.analyses.diagnosis import SKIPPED_BLOCKS
from ranking.reports.analyses.judges import LEAVE_OUT
from ranking.reports.analyses.kind import EXCLUDED, AnalysisKind, ChosenJudgments, Need
from ranking.reports.analyses.options import OptionError
from ranking.reports.analyses.system import SYSTEM
from ranking.reports.inputs import Input, Remarks
from ranking.selectors.dashboards import work_facts
from ranking.selectors.judged_columns import documents_of_segments, judged_blocks_timed
from ranking.selectors.judges import FLAGGED, judges_listed
from ranking.selectors.runs import (
    judges_not_counted,
    judges_outside,
    stopping_rule_state,
    system_kinds,
)


def domain_of(document: str) -> str:
    """Return the domain in the name of a document; "" without one."""
    domain, slash, _rest = document.partition("/")
    if slash:
        return domain
    return ""


def domains_of(*, task_id: int) -> list[str]:
    """Return the domains in the document names of a test set, sorted. One query."""
    names = Document.objects.filter(test_set__tasks=task_id, name__contains="/")
    return sorted(
        {domain_of(name) for name in names.values_list("name", flat=True)} - {""}
    )


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
    references = [name for name, each in kinds.items() if each == SystemKind.REFERENCE]
    with_reference = options["reference"] == "include"
    if with_reference and not references:
        raise OptionError(
            _("This test set has no reference system."), field="reference"
        )
    leave_out = _leave_out(task, options)
    without = _without(task, options)
    documents = _documents(task, options)
    of: dict[str, Any] = {
        "watermark": watermark,
        "without": without,
        "documents": documents,
    }
    reference = references[0] if references else None
    return ChosenJudgments(
        systems=tuple(
            name for name, each in kinds.items() if each == SystemKind.SYSTEM
        ),
        reference=reference,
        with_reference=with_reference,
        # Judges excluded in the campaign count if the analysis is about the effect of
        # leaving them out.
        without=tuple(name for name in without if name not in (leave_out or ())),
        documents=documents,
        skipped=_skipped(task),
        leave_out=leave_out,
        groups=_groups(task) if SYSTEM.name in options else None,
        work=work_facts(task=task) if kind and Need.WORK in kind.needs else None,
        shown=_shown(_skips(task, **of), reference)
        if options.get(SKIPPED_BLOCKS.name) == "count"
        else None,
        remarks=Remarks(skips=_skips(task, **of), comments=_comments(task, **of))
        if kind and Need.REMARKS in kind.needs
        else None,
        rule=stopping_rule_state(task_id=task.pk)
        if kind and Need.RULE in kind.needs
        else None,
        of_chosen_systems=Design.objects.filter(task=task).exclude(systems=[]).exists(),
        rules=changed_rules(task),
    )


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
    *, task: Task, watermark: int, chosen: ChosenJudgments, languages: tuple[str, str]
) -> Input:
    """Read the chosen judgments among numbers 1…`watermark`. Call it in a transaction.

    Raises
    ------
    ValueError
        If none of them count; the message is for organisers.
    """
    blocks, milliseconds, day = judged_blocks_timed(
        task_id=task.pk, watermark=watermark, without_blocks=chosen.without_blocks or ()
    )
    rows = _rows(task, blocks, chosen)
    blocks = blocks.take(rows)
    if not len(blocks):
        raise ValueError(_("No judgments match these options."))
    wanted = {*chosen.systems, *([chosen.reference] if chosen.reference else [])}
    blocks = blocks.without(set(blocks.systems) - wanted).with_judges_in_order()
    reference = None
    if chosen.reference in blocks.systems:
        reference = chosen.reference
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
        shown=chosen.shown,
        remarks=chosen.remarks,
    )


@dataclass(frozen=True)
class StoredTexts:
    """Texts of a test set, loaded on demand; `language` is that of its sources."""

    task_id: int
    language: str = ""

    def words(self) -> npt.NDArray[np.int64]:
        """Return the number of words in each source by segment number; -1 if unknown, and at index 0."""
        rows: Any = Segment.objects.filter(
            test_set__tasks=self.task_id, source_text__isnull=False
        )
        # In languages without spaces, two characters count as one word.
        halved = without_spaces(self.language)
        lengths = {}
        for number, text in rows.order_by().values_list("number", "source_text"):
            if halved:
                lengths[number] = -(-sum(map(len, text.split())) // 2)
            else:
                lengths[number] = len(text.split())
        found = np.full(max(self._last, *lengths, 0) + 1, -1, dtype=np.int64)
        if lengths:
            found[list(lengths)] = list(lengths.values())
        return found

    def of(self, system: str) -> Sequence[str | None]:
        """Return the outputs of a system, that of segment number s at index s − 1."""
        texts: list[str | None] = [None] * self._last
        outputs = Output.objects.current().filter(
            system__test_set__tasks=self.task_id, system__name=system
        )
        for number, text in outputs.order_by().values_list("segment__number", "text"):
            texts[number - 1] = text
        return texts

    def sides(self, test_set: str = "") -> dict[str, list[str]]:
        """Return the known texts of sources (""), references (their number) and systems, the latter by name.

        With `test_set`, those of another test set of the campaign; ValueError if there is none.
        Four queries.
        """
        own = TestSet.objects.get(tasks=self.task_id)
        chosen = TestSet.objects.filter(
            campaign=own.campaign_id, name=test_set or own.name
        ).first()
        if chosen is None:
            raise ValueError(_("Test set “%(name)s” not found.") % {"name": test_set})
        sources = Segment.objects.filter(test_set=chosen, source_text__isnull=False)
        found = {
            "": [text or "" for text in sources.values_list("source_text", flat=True)]
        }
        references = Reference.objects.filter(segment__test_set=chosen).order_by(
            "number"
        )
        for number, text in references.values_list("number", "text"):
            found.setdefault(str(number), []).append(text)
        outputs = Output.objects.filter(
            system__test_set=chosen, system__kind=SystemKind.SYSTEM, text__isnull=False
        )
        for name, output in outputs.order_by("system__name").values_list(
            "system__name", "text"
        ):
            found.setdefault(name, []).append(output or "")
        return found

    @property
    def _last(self) -> int:
        numbers = Segment.objects.filter(test_set__tasks=self.task_id).order_by(
            "-number"
        )
        return numbers.values_list("number", flat=True).first() or 0


def _leave_out(task: Task, options: Mapping[str, Any]) -> tuple[str, ...] | None:
    """Return the judges to leave out: those named, otherwise those currently excluded or flagged."""
    if LEAVE_OUT.name not in options:
        return None
    named = set(options[LEAVE_OUT.name])
    _refuse_strangers(task, named, field=LEAVE_OUT.name)
    if not named:
        flagged = judges_listed(task=task).filter(FLAGGED).order_by()
        named.update(flagged.values_list("judge__pseudonym", flat=True))
    # Do not re-include judges whom another option leaves out.
    never = _without(task, {**options, EXCLUDED.name: "count"})
    return tuple(sorted(named.difference(never)))


def _groups(task: Task) -> dict[str, list[str]]:
    """Return the judges in each group who judged a test set, sorted. One query."""
    judged = JudgeTally.objects.filter(task=task).values("judge")
    members = GroupMember.objects.filter(
        group__in=JudgeGroup.objects.present().filter(
            campaign=task.test_set.campaign_id
        ),
        judge__in=judged,
    )
    names = ("group__name", "judge__pseudonym")
    found = defaultdict(list)
    for group, judge in members.order_by(*names).values_list(*names):
        found[group].append(judge)
    return dict(found)


def _refuse_strangers(task: Task, names: set[str], *, field: str) -> None:
    if not names:
        return
    known = JudgeTally.objects.filter(task=task, judge__pseudonym__in=names)
    unknown = names.difference(known.values_list("judge__pseudonym", flat=True))
    if unknown:
        raise OptionError(
            _("No judgments by %(names)s match these options.")
            % {"names": comma_list(sorted(unknown))},
            field=field,
        )


def _without(task: Task, options: Mapping[str, Any]) -> list[str]:
    without = set(options["without"])
    _refuse_strangers(task, without, field="without")
    if options["excluded_judges"] == "leave_out":
        without.update(excluded_judges(campaign_id=task.test_set.campaign_id))
    if named := options["judge_group"]:
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
    documents = set(options["documents"])
    domains = set(options["domains"])
    if not documents and not domains:
        return None
    names = Document.objects.filter(test_set_id=task.test_set_id).order_by("position")
    listed = list(names.values_list("name", flat=True))
    _refuse_unknown(documents.difference(listed), field="documents")
    _refuse_unknown(domains.difference(map(domain_of, listed)), field="domains")
    return tuple(
        name
        for name in listed
        if (not documents or name in documents)
        and (not domains or domain_of(name) in domains)
    )


def _refuse_unknown(unknown: set[str], *, field: str) -> None:
    if unknown:
        raise OptionError(
            _("Not found in this test set: %(names)s.")
            % {"names": comma_list(sorted(unknown))},
            field=field,
        )


def _skipped(task: Task) -> dict[str, int]:
    tallies = JudgeTally.objects.filter(task=task, skipped__gt=0)
    return dict(
        tallies.order_by("judge__pseudonym").values_list("judge__pseudonym", "skipped")
    )


def _shown(
    skips: Iterable[SkippedBlock], reference: str | None
) -> dict[str, tuple[int, int]]:
    """Return for each system the number of these skips that showed it, and that showed it beside the reference."""
    shown = Counter[str]()
    beside = Counter[str]()
    for skip in skips:
        shown.update(skip.systems)
        if reference in skip.systems:
            beside.update(skip.systems)
    return {name: (shown[name], beside[name]) for name in sorted(shown)}


def _comments(task: Task, *, watermark: int | None, **of: Any) -> list[CommentedBlock]:
    """Return the comments on ranked blocks that `_remarked` chooses, in a fixed order."""
    judgments = Judgment.objects.of(task.pk).exclude(comment="")
    counted = judgments.current(watermark=watermark).counted()
    return [CommentedBlock(*row) for row in _remarked(counted, **of)]


def _skips(task: Task, *, watermark: int | None, **of: Any) -> list[SkippedBlock]:
    """Return the skips that `_remarked` chooses, as of the watermark, in a fixed order."""
    skips = Skip.objects.standing(watermark=watermark).filter(
        task=task, block__control=""
    )
    if watermark is None:
        before = None
    else:
        before = _end_of(task, watermark)
    if before is not None:
        skips = skips.filter(created_at__lte=before)
    return [
        SkippedBlock(segment, judge, systems, bool(comment), document)
        for segment, judge, systems, comment, document in _remarked(
            skips, "comment", "block__segment__document__name", **of
        )
    ]


def _remarked(
    rows: QuerySet[Any, Any],
    *more: str,
    without: Sequence[str],
    documents: Sequence[str] | None,
) -> Iterator[tuple[Any, ...]]:
    """Yield segment, judge, systems shown and the columns `more` of rows in these documents by judges not in `without`."""
    rows = rows.exclude(judge__pseudonym__in=without)
    if documents is not None:
        rows = rows.filter(block__segment__document__name__in=documents)
    places = ("block__segment__number", "judge__pseudonym")
    found = list(
        rows.order_by(*places, "pk").values_list(*places, "block__outputs", *more)
    )
    outputs = Output.objects.filter(
        pk__in={output for _n, _j, shown, *_ in found for output in shown}
    )
    system_of = dict(outputs.order_by().values_list("pk", "system__name"))
    for segment, judge, shown, *rest in found:
        yield (
            segment,
            judge,
            tuple(sorted({system_of[output] for output in shown})),
            *rest,
        )


def _end_of(task: Task, watermark: int) -> datetime | None:
    """Return the time of the judgment with this number; None if it is the newest."""
    numbers = JudgmentNumber.objects.filter(task=task)
    if not numbers.filter(number__gt=watermark).exists():
        return None
    last = numbers.filter(number=watermark)
    return last.values_list("judgment__submitted_at", flat=True).first()


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
    task_id: int, blocks: Blocks
) -> tuple[npt.NDArray[np.int32], tuple[str, ...]]:
    """Return the document of each block's segment, numbered in the order of primary keys, and their names."""
    numbers, place = np.unique(blocks.segment, return_inverse=True)
    of_segment = documents_of_segments(task_id=task_id, segments=numbers.tolist())
    keys = [of_segment[number] for number in numbers.tolist()]
    listed, document = np.unique(keys, return_inverse=True)
    name_of = dict(
        Document.objects.filter(test_set__tasks=task_id).values_list("pk", "name")
    )
    return document.astype(np.int32)[place], tuple(
        name_of[key] for key in listed.tolist()
    )
