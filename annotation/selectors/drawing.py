"""Read what the next HITs of a test set are drawn from."""

from collections.abc import Collection, Mapping
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any

from annotation.models import Design, HITSequence, SamplingState
from annotation.sampling.corpus import SegmentOutputs
from annotation.sampling.drawing import HITDrawer, SegmentQuota
from annotation.sampling.state import DrawState
from annotation.selectors.comparisons import blocks_wanted
from annotation.selectors.corpus import (
    TestSetTexts,
    texts_of_others,
    texts_without,
    windows_of,
)
from campaign.models import Task


@dataclass(frozen=True, slots=True, kw_only=True)
class DrawInputs:
    """What HITs of a test set are drawn from, as recorded.

    Attributes
    ----------
    task : Task
    design : Design
        May be unsaved.
    texts : TestSetTexts
    withdrawn : frozenset of str
        Names of the systems that are withdrawn.
    state : dict
        Of the draw, as JSON; for an active design with the comparisons judged so far.
    segment_blocks : list of int
        Blocks planned of each segment.
    """

    task: Task
    design: Design
    texts: TestSetTexts
    withdrawn: frozenset[str]
    state: dict[str, Any]
    segment_blocks: list[int]

    def drawer(
        self,
        *,
        avoid: Collection[int] = (),
        hide: Collection[str] = (),
        for_one_judge: bool = False,
        sample_of: str | None = None,
    ) -> HITDrawer:
        """Return what draws the next HITs: without these segments, and without these systems."""
        parameters = self.design.parameters
        shown: Mapping[int, SegmentOutputs] = texts_without(
            texts_of_others(self.texts, self.withdrawn), hide, parameters.normalisation
        )
        return HITDrawer(
            parameters=parameters,
            windows=windows_of(self.task, self.design),
            texts=shown,
            state=DrawState.from_json(self.state),
            quota=SegmentQuota(
                limit=self.task.blocks_per_segment,
                counts=list(self.segment_blocks),
                redundancy=parameters.redundancy,
            ),
            checkable=lambda: self.texts.checkable,
            avoid=avoid,
            for_one_judge=for_one_judge,
            sample_of=sample_of,
        )

    def limited(self, taken: Mapping[tuple[str, str], int], *, most: int) -> "DrawInputs":
        """Return the inputs for a judge who gives at most so many answers to a comparison, these included."""
        state = DrawState.from_json(self.state).limited(taken, most=most)
        return replace(self, state=state.to_json())


def draw_inputs(
    *,
    task: Task,
    design: Design,
    sequence: HITSequence,
    at: datetime,
    texts: TestSetTexts | None = None,
) -> DrawInputs:
    """Return what the next HITs are drawn from. Reads `texts` anew if a system came since."""
    systems = dict(task.test_set.systems.values_list("name", "withdrawn_at"))
    if texts is None or texts.systems.keys() != systems.keys():
        texts = TestSetTexts(task, at=at)
    withdrawn = frozenset(name for name, at in systems.items() if at is not None)
    return DrawInputs(
        task=task,
        design=design,
        texts=texts,
        withdrawn=withdrawn,
        state=_state(design, sequence, texts, withdrawn).to_json(),
        segment_blocks=list(sequence.segment_blocks),
    )


def _state(
    design: Design, sequence: HITSequence, texts: TestSetTexts, withdrawn: Collection[str]
) -> DrawState:
    """Return the draw state so far; for an active design with the comparisons judged so far."""
    state = DrawState.from_json(sequence.state) if sequence.state else DrawState.empty()
    # All systems, so that a batch records which systems existed.
    state = state.covering(texts.ranked_systems)
    if design.kind == Design.Kind.ACTIVE:
        found = SamplingState.objects.filter(task=design.task_id).first()
        if found is not None:
            state = state.judged(
                systems=found.systems,
                wins=found.wins,
                ties=found.ties,
                watermark=found.watermark,
            )
    parameters = design.parameters
    takes_part = texts.ranked_systems
    if parameters.reference_rate is not None:
        takes_part = texts.only_systems
    chosen = frozenset(parameters.systems or takes_part)
    remaining = [name for name in takes_part if name in chosen and name not in withdrawn]
    is_sort = design.kind == Design.Kind.SORTING
    # Anew each time: what comparisons lack follows from what is judged, lent and planned.
    state = state.comparing(blocks_wanted(design=design) if is_sort else ())
    return state.for_design(parameters, remaining)
