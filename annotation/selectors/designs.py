"""Designs of a task: the one in force, the first one, named ones, and their use of the reference."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any, Final, TypedDict

from django.db.models import (
    Exists,
    F,
    OuterRef,
    Q,
    QuerySet,
    Subquery,
)
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from annotation.models import HIT, Design, HITPurpose
from annotation.models.hit import POOLED, IsAnyOf
from annotation.models.judge_measures import JudgeMeasure, threshold_in_words
from annotation.protocols.answer_kinds import (
    MOST_ON_PAGE,
    AnswerKind,
    answer_kind_of,
    answer_kinds,
    shows_documents,
    texts_beside,
)
from annotation.sampling.parameters import FEWEST_CANDIDATES
from campaign.database.many_rows import count_of
from campaign.models import (
    Campaign,
    Output,
    Protocol,
    Reference,
    System,
    SystemKind,
    Task,
)
from campaign.texts.counted import counted
from campaign.texts.studies import Preset, study_presets


def designs_in_force(*, task_id: int | OuterRef) -> QuerySet[Design]:
    """Return the latest design of a task; empty if it has none yet, or has only imported judgments."""
    return Design.objects.filter(task=task_id).not_imported().order_by("-id")[:1]


def design_in_force(*, task_id: int) -> Design | None:
    """Return the latest design of a task; None if it has none yet, or has only imported judgments."""
    return designs_in_force(task_id=task_id).first()


def designs_of_tasks(tasks: Sequence[Task]) -> dict[int, Design]:
    """Return the design in force of each task that has one, by task. One query."""
    if not tasks:
        return {}
    latest = (
        Design.objects.filter(task__in=tasks)
        .not_imported()
        .select_related("judge_group")
    )
    designs = latest.order_by("task", "-id").distinct("task")
    return {design.task_id: design for design in designs}


def design_or_default(*, task: Task) -> Design:
    """Return the design in force or, before there is one, that of `design_unless_chosen`."""
    return design_in_force(task_id=task.pk) or design_unless_chosen(task=task)


def systems_drawn(*, task: Task, design: Design) -> QuerySet[System]:
    """Return the systems that blocks of a design may show now, including references unless their rate is 0.

    Excludes damaged references and withdrawn systems. `design` may be unsaved.
    """
    systems = task.test_set.systems.filter(withdrawn_at=None).exclude(
        kind=SystemKind.BAD_REFERENCE,
    )
    if design.reference_rate == 0:
        systems = systems.exclude(kind=SystemKind.REFERENCE)
    if not design.systems:
        return systems
    is_drawn = Q(name__in=design.systems)
    if design.reference_rate is not None:
        is_drawn |= Q(kind=SystemKind.REFERENCE)
    return systems.filter(is_drawn)


@dataclass(frozen=True, slots=True)
class ReferenceUse:
    """Use of a task's reference under its design.

    Attributes
    ----------
    task_id : int
    task : str
        The name of the test set.
    has_design : bool
        False until the first HIT is planned or a design is requested; `rate` is then meaningless.
    rate : float or None
        `Design.reference_rate` of the design in force.
    hits : int
        HITs still to be judged in which the reference is an output, excluding training.
    """

    task_id: int
    task: str
    has_design: bool
    rate: float | None
    hits: int

    @property
    def is_drawn(self) -> bool:
        """True if the design in force draws the reference as an output."""
        return self.has_design and self.rate != 0

    @property
    def is_ranked(self) -> bool:
        """True if judges rank the reference, under the current design or in HITs drawn earlier."""
        return self.is_drawn or self.hits > 0


def is_reference_shown(*, task: Task) -> bool:
    """Return whether judges see a reference that takes part as a system. At most one query."""
    campaign = task.test_set.campaign
    passes = answer_kind_of(task).passes
    parts = range(1, 2 if passes is None else passes.count + 1)
    texts_by_part = (
        texts_beside(task.protocol, task.rules, campaign=campaign, part=part)
        for part in parts
    )
    if not any(beside.references for beside in texts_by_part):
        return False
    mine = Task.objects.filter(pk=task.pk)
    return mine.filter(_has_reference_to_show()).exists()


def _has_reference_to_show() -> Exists:
    """Return the condition that a test set's reference takes part as a system and may be shown as the reference.

    All references of a sentence are shown together, or none. A translation that is not a reference of
    its sentence is never shown as one, even if a person wrote it.
    """
    references = Reference.objects.filter(
        segment=OuterRef("segment"),
        text=OuterRef("text"),
    )
    outputs = Output.objects.current().filter(
        Exists(references),
        system__test_set=OuterRef("test_set"),
        system__kind=SystemKind.REFERENCE,
    )
    return Exists(outputs)


def reference_uses(*, tasks: QuerySet[Task]) -> list[ReferenceUse]:
    """Return the use of each task's reference, omitting tasks that have none to show. One query."""
    designs = designs_in_force(task_id=OuterRef("pk"))
    rows = (
        tasks.filter(_has_reference_to_show())
        # The protocol's rules, not the campaign's, define the texts.
        .exclude(
            protocol__in=[
                kind.protocol for kind in answer_kinds() if kind.texts(1) is not None
            ],
        )
        .annotate(
            design=Subquery(designs.values("pk")),
            rate=Subquery(designs.values("reference_rate")),
            hits_left=count_of(_hits_left(), "task"),
        )
        .order_by("created_at", "pk")
    )
    uses = []
    for row in rows.values_list(
        "pk",
        "test_set__name",
        "design",
        "rate",
        "hits_left",
        named=True,
    ):
        has_design = row.design is not None
        use = ReferenceUse(
            row.pk,
            row.test_set__name,
            has_design,
            row.rate,
            row.hits_left,
        )
        uses.append(use)
    return uses


def _hits_left() -> QuerySet[HIT]:
    """Return a task's HITs still to be judged that show an output of a reference."""
    references = System.objects.filter(
        IsAnyOf(F("pk"), OuterRef("system_ids")),
        kind=SystemKind.REFERENCE,
    )
    # Matches the conditions of the indexes, so completed HITs are not read.
    condition = (
        Q(purpose__in=POOLED, is_standby=False)
        | Q(is_standby=True)
        | Q(purpose=HITPurpose.INTRA, reserved_for__isnull=False)
    )
    of_task = HIT.objects.filter(condition, Exists(references), task=OuterRef("pk"))
    return of_task.incomplete()


def reference_use_sentences(
    *,
    campaign: Campaign,
    is_shown: bool,
    **_signal: Any,
) -> list[str]:
    """Return the sentences for `campaign.selectors.tasks.reference_use_in_words`. One query."""
    uses = reference_uses(tasks=Task.objects.filter(test_set__campaign=campaign))
    if is_shown:
        return list(_ranked_in_words([use for use in uses if use.is_ranked]))
    sentences = []
    for use in uses:
        if use.has_design and not use.is_drawn:
            sentences.append(
                _(
                    "%(name)s: the reference is neither shown nor ranked. To rank it as a hidden control: %(command)s",
                )
                % {"name": use.task, "command": _command(use, rate="0.1")},
            )
    return sentences


def _ranked_in_words(uses: list[ReferenceUse]) -> Iterator[str]:
    for use in uses:
        yield f"{_drawn_in_words(use)} {_hits_left_in_words(use.hits)}"
    if uses:
        yield _(
            "Judges who see the reference can spot it among the outputs, so a preference for it says nothing about their attention.",
        )
    for use in uses:
        if use.is_drawn:
            yield _("To stop ranking it: %(command)s") % {
                "command": _command(use, rate="0"),
            }


def _drawn_in_words(use: ReferenceUse) -> str:
    if not use.is_drawn:
        sentence = _("%(name)s: the reference is no longer drawn as an output.")
    elif use.rate is None:
        sentence = _("%(name)s: the reference is drawn as an output like any system.")
    else:
        sentence = _(
            "%(name)s: the reference is drawn as an output in %(share)s of blocks.",
        )
    return sentence % {
        "name": use.task,
        "share": threshold_in_words(JudgeMeasure.REFERENCE, use.rate or 0),
    }


def _hits_left_in_words(hits: int) -> str:
    """Describe in a sentence how many HITs still to be judged hold the reference."""
    return counted(
        "%(count)d unfinished HIT contains it.",
        "%(count)d unfinished HITs contain it.",
        hits,
    )


def _command(use: ReferenceUse, *, rate: str) -> str:
    return f"rest POST tasks/{use.task_id}/designs/ reference_rate:={rate} confirm=true"


#: Default number of outputs in a block.
_USUAL: Final = 5
# Number of judges asked about another judge's answer.
_EDIT_JUDGMENTS: Final = 2


def design_unless_chosen(*, task: Task, seed: int = 0) -> Design:
    """Return the default design of a task, not saved.

    It draws the reference like a system, or never if judges see it. Blocks hold the protocol's
    default number of outputs, or two if it asks about two at a time; a sort chooses them itself. If
    other judges are asked about an answer, there are two of them.
    """
    fields = _fields(answer_kind_of(task))
    if shows_documents(task.rules):
        fields["segments_per_hit"] = MOST_ON_PAGE
    return Design(
        task=task,
        **fields,
        seed=seed,
        reference_rate=0.0 if is_reference_shown(task=task) else None,
    )


class _FirstDesign(TypedDict, total=False):
    kind: str
    systems_per_block: int
    segments_per_hit: int
    redundancy: int


def _fields(kind: AnswerKind) -> _FirstDesign:
    fields = _size(kind)
    if kind.passes is not None:
        fields["segments_per_hit"] = kind.passes.segments_per_hit
    if kind.has_stages:
        fields["redundancy"] = 1 + _EDIT_JUDGMENTS
    return fields


def _size(kind: AnswerKind) -> _FirstDesign:
    if kind.comparisons is not None:
        return {"kind": Design.Kind.SORTING, "systems_per_block": FEWEST_CANDIDATES}
    most = kind.candidates[-1]
    if most == FEWEST_CANDIDATES:
        return {"kind": Design.Kind.BINARY, "systems_per_block": FEWEST_CANDIDATES}
    if kind.first_candidates == 1 or not kind.compares_outputs:
        # Balanced, so that no system is shown less often than others.
        return {"kind": Design.Kind.BALANCED, "systems_per_block": 1}
    return {"systems_per_block": kind.first_candidates or min(_USUAL, most)}


#: Parameters that distinguish designs; a preset has a value for each.
TELLING: Final = ("kind", "systems_per_block")


PRESETS: Final = (
    Preset(
        name="wmt",
        label=gettext_lazy("Five-way ranking (WMT)"),
        sentence=gettext_lazy(
            "Judges rank five random outputs for a sentence, as at WMT 2010 to 2016.",
        ),
        protocol=Protocol.RANKING,
        design={"kind": Design.Kind.UNIFORM, "systems_per_block": 5},
    ),
    Preset(
        name="balanced",
        label=gettext_lazy("Five-way ranking (balanced)"),
        sentence=gettext_lazy(
            "Judges rank five outputs; all pairs of systems are compared equally often.",
        ),
        protocol=Protocol.RANKING,
        design={"kind": Design.Kind.BALANCED, "systems_per_block": 5},
    ),
    Preset(
        name="adaptive",
        label=gettext_lazy("Five-way ranking (adaptive)"),
        sentence=gettext_lazy(
            "Judges rank five outputs; systems that are hard to tell apart are compared more often.",
        ),
        protocol=Protocol.RANKING,
        design={"kind": Design.Kind.ACTIVE, "systems_per_block": 5},
    ),
    Preset(
        name="esa",
        label=gettext_lazy("Error spans and scores (ESA)"),
        sentence=gettext_lazy(
            "Judges mark the errors in one output and score it from 0 to 100.",
        ),
        protocol=Protocol.SPANS,
        design={"kind": Design.Kind.BALANCED, "systems_per_block": 1},
    ),
    Preset(
        name="contrastive-esa",
        label=gettext_lazy("Error spans and scores (ESA), side by side"),
        sentence=gettext_lazy(
            "Judges mark the errors in three outputs side by side and score each.",
        ),
        protocol=Protocol.SPANS,
        design={"kind": Design.Kind.BALANCED, "systems_per_block": 3},
    ),
    Preset(
        name="pairwise",
        label=gettext_lazy("Two outputs"),
        sentence=gettext_lazy("Judges choose the better of two outputs, or neither."),
        protocol=Protocol.TWO_OUTPUTS,
        design={"kind": Design.Kind.BINARY, "systems_per_block": 2},
    ),
    Preset(
        name="adequacy-fluency",
        label=gettext_lazy("Adequacy and fluency"),
        sentence=gettext_lazy(
            "Judges rate one output on five points: fluency first, then adequacy.",
        ),
        protocol=Protocol.RATING,
        design={"kind": Design.Kind.BALANCED, "systems_per_block": 1},
    ),
)


def presets_for(task: Task) -> list[Preset]:
    """Return the designs, and the studies of other protocols.

    The designs of the task's protocol say what the task asks, if the organiser replaced that.
    """
    kind = answer_kind_of(task)
    presets = []
    for preset in PRESETS:
        if preset.protocol == task.protocol and kind.asks_otherwise:
            label = task.get_protocol_display()
            sentence = counted(
                "%(count)s output on a screen.",
                "%(count)s outputs on a screen.",
                preset.design["systems_per_block"],
            )
            presets.append(replace(preset, label=label, sentence=sentence))
        else:
            presets.append(preset)
    names = {preset.name for preset in presets}
    protocols = {preset.protocol for preset in presets}
    for study in study_presets():
        # The usual study of a protocol is there with its designs.
        is_there = study.name in names or study.name in protocols
        if study.protocol != task.protocol and not is_there:
            presets.append(study)
    return presets


def preset_named(name: str, *, task: Task) -> Preset | None:
    """Return the preset of a task's protocol by its name; None if there is none."""
    for preset in presets_for(task):
        if preset.name == name and preset.protocol == task.protocol:
            return preset
    return None


def preset_of(design: Design) -> Preset | None:
    """Return the preset whose choice of systems a design follows; None for other designs."""
    telling = {name: getattr(design, name) for name in TELLING}
    for preset in presets_for(design.task):
        is_equal = telling.items() <= preset.design.items()
        if is_equal and preset.protocol == design.task.protocol:
            return preset
    return None


def design_of_preset(preset: Preset, *, task: Task) -> Design:
    """Return the design of a preset for a task, not saved; the task may be of another protocol, or unsaved."""
    design = design_unless_chosen(task=task)
    for name, value in preset.design.items():
        setattr(design, name, value)
    return design
