"""A stored HIT drawn once more from recorded data alone, as proof that draws can be repeated."""

from collections.abc import Iterable, Sequence
from dataclasses import replace

from annotation.models import HIT, HITPurpose, PlanningBatch
from annotation.sampling.drawing import HITDrawer
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
    return hits_redraw([hit])[hit.pk]


def hits_redraw(hits: Iterable[HIT]) -> dict[int, HITPlan]:
    """Redraw HITs by id; those of a batch are drawn one after another, as they were when they were planned."""
    redrawn = {}
    together: dict[tuple[int, int, bool], list[HIT]] = {}
    for hit in sorted(hits, key=lambda hit: hit.number):
        if hit.batch is None:
            raise ValueError(f"HIT {hit.number} was not drawn here.")
        if hit.part:
            redrawn[hit.pk] = _of_pass(hit, hit.batch)
        elif hit.purpose == HITPurpose.FIRST:
            is_sample = bool(hit.why.get("sample"))
            key = (hit.batch.pk, hit.design_id, is_sample)
            together.setdefault(key, []).append(hit)
        else:
            redrawn[hit.pk] = _repeated(hit)
    for of_batch in together.values():
        redrawn.update(_first(of_batch))
    return redrawn


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
        "number",
        flat=True,
    )
    blocks = tuple(block for block in plan.blocks if block.segment in set(shown))
    return rounds.again(
        replace(plan, blocks=blocks),
        hit=hit.number,
        purpose=Purpose(hit.purpose),
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


def _first(hits: Sequence[HIT]) -> dict[int, HITPlan]:
    """Redraw HITs of one batch, in order of their numbers, with all that the batch has before the last of them."""
    batch = hits[0].batch
    assert batch is not None
    drawer = _drawer(hits[0], batch)
    chosen = {hit.pk: hit for hit in hits}
    rows = batch.hits.filter(number__lte=hits[-1].number).order_by("number")
    purposes = dict(rows.values_list("pk", "purpose"))
    plans = plans_read(purposes)
    redrawn = {}
    for pk, purpose in purposes.items():
        if pk in chosen:
            why = chosen[pk].why
            # Nothing is recorded about checks if the design has none.
            checks = Checks(why.get("checks", Checks.CHANCE))
            drawn = drawer.first(
                number=chosen[pk].number,
                turn=why["turn"],
                checks=checks,
            )
            assert drawn is not None, "A stored HIT has a window."
            redrawn[pk] = drawn
        drawer.add(plans[pk], Purpose(purpose))
    return redrawn


def _drawer(hit: HIT, batch: PlanningBatch) -> HITDrawer:
    return _inputs_then(hit, batch).drawer(
        avoid=batch.avoided,
        hide=batch.hidden,
        for_one_judge=batch.judge_id is not None,
        sample_of=batch.judge.pseudonym
        if batch.judge and hit.why.get("sample")
        else None,
    )


def _repeated(hit: HIT) -> HITPlan:
    """Redraw a repeat from its original."""
    original = _original(hit)
    return repeated(
        plans_read([original])[original],
        seed=hit.design.seed,
        number=hit.number,
        purpose=Purpose(hit.purpose),
    )


def _original(hit: HIT) -> int:
    """Return the id of the HIT whose order a repeat changes; for an intra repeat, the judge's own HIT."""
    assert hit.repeats_id is not None
    if hit.purpose != HITPurpose.INTRA:
        return hit.repeats_id
    assert hit.reserved_for_id is not None
    _history, hit_ids = judge_history(judge_id=hit.reserved_for_id, task_id=hit.task_id)
    return hit_ids[hit.why["repeats"]]
