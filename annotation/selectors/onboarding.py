"""The steps a judge must take before they judge, the test sets they may choose from, and the tour of the judging page."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import Any, Final
from uuid import UUID, uuid4

from django.contrib.postgres.expressions import ArraySubquery
from django.db.models import Count, Exists, OuterRef, Q, QuerySet
from django.utils.translation import get_language

from annotation.models import Block, Exposure, TrainingBlock
from annotation.practice import practice_story
from annotation.selectors.pool import tasks_open_to_judge
from annotation.selectors.progress import tasks_done
from annotation.selectors.shown import (
    CONTEXT_SEGMENTS,
    BlockData,
    CandidateData,
    ContextData,
    NeighbourData,
    TextData,
)
from campaign.models import Campaign, Instructions, Judge, Segment, Task, User
from campaign.texts.damage import Damage, bad_text, damage_draw
from campaign.texts.hash_draw import HashDraw
from campaign.texts.languages import language_direction


@dataclass(frozen=True, slots=True)
class JudgeOnboarding:
    """A judge who opens one of their pages, and the steps they may have to take first."""

    judge: Judge
    owes_acceptance: bool
    has_instructions: bool
    has_choice: bool
    # Of the campaign's tasks, closed ones too: their blocks are still in the judge's history.
    protocols: list[str]


def judge_onboarding(*, user: User, campaign_slug: str) -> JudgeOnboarding | None:
    """Return the judge this user is in the campaign, with their open steps, or None. One query."""
    judge = (
        Judge.objects.filter(user=user, campaign__slug=campaign_slug, withdrawn_at=None)
        .select_related("campaign")
        .annotate(
            owes_acceptance=Exists(Instructions.objects.demanded_of(OuterRef("pk"))),
            has_instructions=Exists(Instructions.objects.filter(campaign=OuterRef("campaign"))),
            # More than one: there is a second.
            has_choice=Exists(tasks_open_to_judge(OuterRef("pk"))[1:2]),
            protocols=ArraySubquery(
                Task.objects.filter(test_set__campaign=OuterRef("campaign"))
                .order_by()
                .values("protocol")
                .distinct()
            ),
        )
        .first()
    )
    if judge is None:
        return None
    return JudgeOnboarding(
        judge=judge,
        owes_acceptance=judge.owes_acceptance,
        has_instructions=judge.has_instructions,
        has_choice=judge.has_choice,
        protocols=judge.protocols,
    )


@dataclass(frozen=True, slots=True)
class TaskOnOffer:
    """A test set a judge may choose: the sentences they did, and at most how many are left."""

    task: Task
    done: int
    left: int

    # Not a test case, whatever pytest makes of the name.
    __test__ = False


def tasks_on_offer(*, judge: Judge) -> list[TaskOnOffer]:
    """Return the test sets open to the judge, with their progress in each. Four queries.

    No sentence is shown to a judge twice, so those they have seen are not left: in the task, if it shows again what
    others showed, and otherwise in all that do not. They are counted, of
    which there are at most as many as segments; what was judged is not.
    """
    seen = Exposure.objects.filter(judge=judge, is_repeat=False)
    rows: list[Any] = list(
        tasks_open_to_judge(judge)
        .select_related("test_set")
        .annotate(sentences=Count("test_set__segments"))
        .order_by("test_set", "pk")
    )
    done_each = tasks_done(judge)
    seen_each = {
        (test_set, apart): count
        for test_set, apart, count in seen.order_by()
        .values_list("segment__test_set", "apart")
        .annotate(Count("pk"))
    }
    return [
        TaskOnOffer(
            task=row,
            done=done_each.get(row.pk, 0),
            left=max(0, row.sentences - seen_each.get((row.test_set_id, row.exposed_apart), 0)),
        )
        for row in rows
    ]


#: Sentences of a tour, one after the other.
TOUR_BLOCKS: Final = 3
# A judge is lent no HIT with a sentence of their tour, so a small test set has none to spare.
_SEGMENTS_TO_SPARE: Final = 200
# Characters. The tour takes two minutes, too short for long sentences; Chinese needs a third of them.
_LONGEST: Final = 160
_SHORTEST: Final = 10
_DOCUMENTS_LOOKED_AT: Final = 10
# Shown beside the reference. The last is another sentence's: fluent, but wrong to anybody who reads.
_DAMAGES: Final = (Damage.REPLACED, Damage.DROPPED, Damage.REORDERED, Damage.SWAPPED)


@dataclass(frozen=True, slots=True)
class TourBlock:
    """A block without systems' outputs: `best` is the reference, `worst` another sentence's."""

    block: BlockData
    best: UUID
    worst: UUID | None


@dataclass(frozen=True, slots=True)
class Tour:
    source_language: str
    target_language: str
    blocks: list[TourBlock]


@dataclass(frozen=True, slots=True)
class _Story:
    """Consecutive sentences; `practised` are the indices of those to rank, the others are context."""

    source_language: str
    target_language: str
    sources: Sequence[str | None]
    references: Sequence[str]
    practised: range


def tour_due(judge: Judge) -> bool:
    """Return whether the judge is to take the tour before they go on.

    Not if they were lent work before there was a tour. No query if they have taken it, or if the
    campaign has none.
    """
    if judge.tour or not judge.campaign.tour:
        return False
    return not Exposure.objects.filter(judge=judge, assignment__isnull=False).exists()


def tour_segments(judge: Judge) -> QuerySet[Segment]:
    """Return the sentences reserved for the judge's tour, in order; none if it uses our own story."""
    return (
        Segment.objects.filter(
            exposures__judge=judge, exposures__assignment__isnull=True, exposures__apart=""
        )
        .order_by("document", "position")
        .select_related("test_set")
    )


def tour_segments_to_spare(judge: Judge) -> list[Segment]:
    """Return consecutive sentences this judge has not seen; empty if the test set has none to spare.

    They differ from judge to judge, or nobody would be left to judge them.
    """
    task = (
        tasks_open_to_judge(judge)
        .annotate(size=Count("test_set__segments"))
        .filter(size__gte=_SEGMENTS_TO_SPARE)
        .first()
    )
    if task is None:
        return []
    return _run_of(task, judge.pk, _excluded(judge, task))


def _run_of(task: Task, seed: int, excluded: Collection[int]) -> list[Segment]:
    draw = HashDraw(seed=seed, number=0)
    documents = draw.shuffled(
        task.test_set.documents.values_list("id", flat=True), lambda document: document, "tour"
    )
    for document in documents[:_DOCUMENTS_LOOKED_AT]:
        segments = Segment.objects.filter(document=document).prefetch_related("references")
        runs = _runs(list(segments.order_by("position")), excluded)
        if runs:
            return runs[draw.below(len(runs), "run")]
    return []


def _excluded(judge: Judge, task: Task) -> set[int]:
    """Return the segments that the judge has seen, that are reserved for them, or used in training."""
    seen = Exposure.objects.filter(judge=judge, segment__test_set=task.test_set_id)
    reserved = Block.objects.filter(hit__reserved_for=judge, hit__completed_at__isnull=True)
    training = TrainingBlock.objects.filter(task=task)
    return {
        segment
        for rows in (seen, reserved, training)
        for segment in rows.values_list("segment_id", flat=True)
    }


def _runs(segments: Sequence[Segment], excluded: Collection[int]) -> list[list[Segment]]:
    runs = (
        list(segments[start : start + TOUR_BLOCKS])
        for start in range(len(segments) - TOUR_BLOCKS + 1)
    )
    return [run for run in runs if all(_suits(segment, excluded) for segment in run)]


def _suits(segment: Segment, excluded: Collection[int]) -> bool:
    texts = [segment.source_text or "", _reference_of(segment)]
    return segment.pk not in excluded and all(_SHORTEST <= len(text) <= _LONGEST for text in texts)


def _reference_of(segment: Segment) -> str:
    return next((reference.text for reference in segment.references.all()), "")


def tour_of(judge: Judge) -> Tour:
    """Return the judge's tour: of the sentences reserved for them, or else of our own story.

    It shows made-up texts instead of outputs, so that nothing is learnt about a system. Ids are new
    each time, and the server accepts no judgment of any of them.
    """
    segments = list(tour_segments(judge))
    return _tour(segments or tasks_open_to_judge(judge).first(), judge.campaign)


def tour_unreserved(task: Task) -> Tour:
    """Return a tour as a new judge of the test set might have it; no sentence is reserved for anybody."""
    segments = []
    if task.test_set.segments.count() >= _SEGMENTS_TO_SPARE:
        training = TrainingBlock.objects.filter(task=task)
        segments = _run_of(task, 0, set(training.values_list("segment_id", flat=True)))
    return _tour(segments or task, task.test_set.campaign)


def _tour(shown: list[Segment] | Task | None, campaign: Campaign) -> Tour:
    """Return the tour of these sentences, or else of our own story in the languages of a test set."""
    story = _story_of(shown) if isinstance(shown, list) else _our_story(shown)
    return Tour(
        source_language=story.source_language,
        target_language=story.target_language,
        blocks=[_tour_block(story, place, campaign) for place in story.practised],
    )


def _story_of(segments: Sequence[Segment]) -> _Story:
    first, last, test_set = segments[0], segments[-1], segments[0].test_set
    around = list(
        Segment.objects.filter(
            Q(document=first.document_id),
            position__range=(
                first.position - CONTEXT_SEGMENTS,
                last.position + CONTEXT_SEGMENTS,
            ),
        )
        .order_by("position")
        .prefetch_related("references")
    )
    start = [segment.pk for segment in around].index(first.pk)
    return _Story(
        source_language=test_set.source_language,
        target_language=test_set.target_language,
        sources=[segment.source_text for segment in around],
        references=[_reference_of(segment) for segment in around],
        practised=range(start, start + len(segments)),
    )


def _our_story(task: Task | None) -> _Story:
    """Return our own story in the languages of the judge's test set, as far as it exists in them."""
    tags = [task.test_set.target_language] if task else []
    target = next(tag for tag in (*tags, get_language() or "", "en") if practice_story(tag))
    references = practice_story(target) or ()
    source = task.test_set.source_language if task else ""
    sources = practice_story(source)
    if not sources or sources == references:
        source, sources = target, None
    return _Story(
        source_language=source,
        target_language=target,
        sources=sources or [None] * len(references),
        references=references,
        practised=range(1, 1 + TOUR_BLOCKS),
    )


def _tour_block(story: _Story, place: int, campaign: Campaign) -> TourBlock:
    with_source = campaign.show_source and story.sources[place] is not None
    with_reference = campaign.show_reference or not with_source

    def neighbours(places: range) -> list[NeighbourData]:
        return [
            NeighbourData(
                source=_source(story, at) if with_source else None,
                reference=_target(story, story.references[at]) if with_reference else None,
            )
            for at in places
            if 0 <= at < len(story.references)
        ]

    candidates, worst = _candidates(story, place)
    shown = HashDraw(seed=place, number=0).shuffled(candidates, candidates.index, "tour")
    return TourBlock(
        block=BlockData(
            id=uuid4(),
            source=_source(story, place) if with_source else None,
            references=[_target(story, story.references[place])] if with_reference else [],
            context=ContextData(
                before=neighbours(range(place - CONTEXT_SEGMENTS, place)),
                after=neighbours(range(place + 1, place + CONTEXT_SEGMENTS + 1)),
            ),
            candidates=shown,
            state="open",
            judgment=None,
            skip_reason=None,
        ),
        best=candidates[0]["id"],
        worst=worst,
    )


def _candidates(story: _Story, place: int) -> tuple[list[CandidateData], UUID | None]:
    """Return the reference and damaged versions of it, and the id of another sentence's text."""
    reference = story.references[place]
    others = [text for text in story.references if text and text != reference]
    texts, worst = [reference], None
    ids = [uuid4() for _text in range(1 + len(_DAMAGES))]
    for number, damage in enumerate(_DAMAGES, start=1):
        made = bad_text(
            reference,
            others=others,
            forbidden=texts,
            draw=damage_draw(seed=0, segment=place, attempt=number),
            damages=[damage],
        )
        texts.append(made.text)
        if made.damage == Damage.SWAPPED:
            worst = ids[number]
    language = story.target_language
    direction = language_direction(language)
    views = [
        CandidateData(id=id_, text=text, lang=language, dir=direction)
        for id_, text in zip(ids, texts, strict=True)
    ]
    return views, worst


def _source(story: _Story, place: int) -> TextData | None:
    text = story.sources[place]
    if text is None:
        return None
    language = story.source_language
    return TextData(text=text, lang=language, dir=language_direction(language))


def _target(story: _Story, text: str) -> TextData:
    language = story.target_language
    return TextData(text=text, lang=language, dir=language_direction(language))
