"""A stored HIT drawn once more from recorded data alone, as proof that draws can be repeated."""

from dataclasses import replace

from annotation.models import HIT, HITPurpose, PlanningBatch
from annotation.sampling.parameters import Checks
from annotation.sampling.plans import HITPlan, Purpose, repeated
from annotation.selectors.drawing import DrawInputs, TestSetTexts, texts_of_others
from annotation.selectors.hits import judge_history, plans_read
from annotation.selectors.passes import rounds_of
from campaign.models import Segment


def hit_redraw(hit: HIT) -> HITPlan:
    """Redraw a HIT and return its plan, which equals `plans_read([hit.pk])[hit.pk]` bit for bit.

    The plan follows from the design, the HIT's number, its batch, and the texts of the systems that
    existed at the time. A repeat is drawn from the HIT it repeats.

    Raises
    ------
    ValueError
        If the HIT was not drawn here but created for imported judgments.
    """
    if hit.batch is None:
        raise ValueError(f"HIT {hit.number} was not drawn here.")
    if hit.part:
        return _of_pass(hit, hit.batch)
    if hit.purpose == HITPurpose.FIRST:
        return _first(hit, hit.batch)
    original = _original(hit)
    return repeated(
        plans_read([original])[original],
        seed=hit.design.seed,
        number=hit.number,
        purpose=Purpose(hit.purpose),
    )


def _of_pass(hit: HIT, batch: PlanningBatch) -> HITPlan:
    """Redraw a HIT of a task with passes: from its round, or from the blocks shown before."""
    rounds = rounds_of(task=hit.task, design=hit.design)
    if hit.purpose == HITPurpose.FIRST:
        number = hit.why["turn"]
        place = hit.why["place"]
        inputs = _inputs_then(hit, batch)
        texts = texts_of_others(inputs.texts, inputs.withdrawn)
        drawn = rounds.drawn(number, texts=texts, parameters=hit.design.parameters)
        return rounds.first(drawn[place], hit=hit.number, number=number, position=place)
    original = HIT.objects.get(task=hit.task_id, number=hit.why["repeats"])
    plan = plans_read([original.pk])[original.pk]
    # Segments that the judge skipped are not shown again.
    shown = Segment.objects.filter(pk__in=hit.segment_ids).values_list(
        "number", flat=True
    )
    blocks = tuple(block for block in plan.blocks if block.segment in set(shown))
    return rounds.again(
        replace(plan, blocks=blocks), hit=hit.number, purpose=Purpose(hit.purpose)
    )


def _inputs_then(hit: HIT, batch: PlanningBatch) -> DrawInputs:
    """Return the inputs from which a batch's HITs were drawn."""
    texts = TestSetTexts(hit.task, moment=batch.created_at)
    added_since = set(texts.ranked_systems).difference(batch.state["systems"])
    return DrawInputs(
        task=hit.task,
        design=hit.design,
        texts=texts,
        withdrawn=frozenset(batch.withdrawn) | added_since,
        state=batch.state,
        segment_blocks=batch.segment_blocks,
        segment_limit=batch.segment_limit,
    )


def _first(hit: HIT, batch: PlanningBatch) -> HITPlan:
    drawer = _inputs_then(hit, batch).drawer(
        avoid=batch.avoided,
        hide=batch.hidden,
        for_one_judge=batch.judge_id is not None,
        sample_of=batch.judge.pseudonym
        if batch.judge and hit.why.get("sample")
        else None,
    )
    before = dict(
        batch.hits.filter(number__lt=hit.number)
        .order_by("number")
        .values_list("pk", "purpose")
    )
    plans = plans_read(before)
    for pk, purpose in before.items():
        drawer.add(plans[pk], Purpose(purpose))
    # Nothing is recorded about checks if the design has none.
    checks = Checks(hit.why.get("checks", Checks.CHANCE))
    drawn = drawer.first(number=hit.number, turn=hit.why["turn"], checks=checks)
    assert drawn is not None, "A stored HIT has a window."
    return drawn


def _original(hit: HIT) -> int:
    """Return the id of the HIT whose order a repeat changes; for an intra repeat, the judge's own HIT."""
    assert hit.repeats_id is not None
    if hit.purpose != HITPurpose.INTRA:
        return hit.repeats_id
    assert hit.reserved_for_id is not None
    _history, hit_ids = judge_history(judge_id=hit.reserved_for_id, task_id=hit.task_id)
    return hit_ids[hit.why["repeats"]]
