"""Rehearse a campaign: a clone in which simulated judges do the work within a minute.

The clone refers to the campaign by `rehearsal_of`, and the campaign itself is not changed. Simulated judges use the
same services as real ones for planning, lending and judgments. Only the times of submission are invented: on past
days, as if each judge had worked some hours a day, so that pace, forecast and time sheet contain data.
"""

import heapq
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from math import ceil
from random import Random
from typing import Any, Final, TypedDict, cast
from uuid import UUID

from django.db.models import Count
from django.utils import timezone
from django.utils.translation import gettext as _

from annotation.models import Assignment, JudgeAccount
from annotation.protocols.answer_kinds import answer_kind_of
from annotation.services.numbers import ranking_request
from annotation.services.planning.designs import design_ensure
from annotation.services.planning.pool import pool_fill
from annotation.services.simulation import (
    SimulatedJudge,
    SimulatedJudgment,
    blocks_asked,
    lend_prepared,
    noise_of_skill,
    simulated_answer,
    simulated_store,
)
from campaign.models import (
    Campaign,
    CampaignState,
    Instructions,
    Job,
    JobKind,
    Judge,
    Membership,
    Output,
    System,
    SystemKind,
    Task,
)
from campaign.services.campaigns import (
    RehearsalRefusedError,
    rehearsable_check,
    rehearsal_erase,
)
from campaign.services.instructions import instructions_accept
from campaign.services.jobs import JobProgress, JobResult, handles
from campaign.services.judges import judge_add, task_choose
from campaign.services.members import campaign_lock
from campaign.texts.counted import counted
from ranking.core.simulation.model import QUALITY_RANGE
from whole_campaigns.cloning import CloneRefusedError, rehearsal_clone

# Qualities are from 0 to 100. As in Koehn's model, those of systems are uniform, and those of outputs are normal
# around their system.
_SCALE: Final = 100 / QUALITY_RANGE
_OUTPUT_NOISE: Final = 15.0
_OF_REFERENCES: Final = 95.0
_DAMAGED: Final = 5.0
# Standard deviation of a uniform draw from 0 to 100 with the noise of outputs.
_SPREAD: Final = (100**2 / 12 + _OUTPUT_NOISE**2) ** 0.5
_TIES_WITHIN: Final = 2.0
# Judges read four words a second and think about each output for five seconds.
_SECONDS_A_WORD: Final = 0.25
_SECONDS_A_CANDIDATE: Final = 5.0
_HOURS_A_DAY: Final = 2.0
# A forecast needs a week of judging.
_FEWEST_DAYS: Final = 8
_BEGIN_AT_HOUR: Final = 9


class RehearsalParameters(TypedDict):
    """Parameters of a rehearsal, as recorded with its job."""

    bots: int
    skill: float
    share: float
    seed: int


@dataclass(frozen=True, slots=True)
class _Texts:
    """Texts of a task: quality and number of words of each output, and number of words of each source, by ID."""

    qualities: Mapping[int, float]
    lengths: Mapping[int, int]
    source_lengths: Mapping[int, int]

    @property
    def seconds_a_block(self) -> float:
        """Approximate time for a block of five outputs and a source of average length."""
        average_length = sum(self.lengths.values()) / max(1, len(self.lengths))
        reading = _SECONDS_A_WORD * average_length
        return 5 * (_SECONDS_A_CANDIDATE + reading) + reading


@dataclass(order=True)
class _Bot:
    """A simulated judge, ordered by the time worked so far: the one with the least time judges next."""

    worked: float
    number: int
    judge: Judge = field(compare=False)
    simulated: SimulatedJudge = field(compare=False)
    random: Random = field(compare=False)


def _calendar(seconds: float) -> Callable[[float], datetime]:
    """Return a function from time worked to time of submission: some hours a day from nine o'clock, until yesterday."""
    now = timezone.now()
    days = max(_FEWEST_DAYS, ceil(seconds / (_HOURS_A_DAY * 3600)))
    seconds_a_day = max(1.0, seconds / days)
    midnight = timezone.localtime(now).replace(
        hour=0,
        minute=0,
        second=0,
        microsecond=0,
    )
    first = midnight - timedelta(days=days) + timedelta(hours=_BEGIN_AT_HOUR)

    def submitted(worked: float) -> datetime:
        # Extra time of slow judges is added to yesterday.
        day = min(int(worked // seconds_a_day), days - 1)
        moment = first + timedelta(days=day, seconds=worked - day * seconds_a_day)
        return min(moment, now)

    return submitted


@handles(JobKind.REHEARSAL, RehearsalRefusedError, CloneRefusedError)
def _rehearse(job: Job, progress: JobProgress) -> JobResult:
    """Create the rehearsal for a job, replacing an earlier one."""
    campaign = job.campaign
    parameters = cast("RehearsalParameters", job.parameters)
    seed = parameters["seed"]
    rehearsable_check(campaign)
    rehearsal_erase(campaign=campaign)
    clone = _clone(campaign)
    bots = _bots(clone, parameters["bots"], parameters["skill"], seed)
    tasks: list[Any] = list(
        Task.objects.of(clone)
        .annotate(size=Count("test_set__segments"))
        .order_by("pk"),
    )
    targets = []
    for task in tasks:
        # The share of the target, or of one block per segment by default.
        target = task.blocks_wanted or task.size
        targets.append(ceil(parameters["share"] * target))
    blocks_judged = 0
    for number, (task, target) in enumerate(zip(tasks, targets, strict=True)):
        at_work = [bot for bot in bots if bot.number % len(tasks) == number]
        for judged in _judge(task, at_work or bots, target, seed):
            blocks_judged += judged
            progress(blocks_judged, sum(targets))
        ranking_request(task_id=task.pk)
    Campaign.objects.filter(pk=clone.pk).update(state=CampaignState.CLOSED)
    # Locked, so that the campaign cannot be opened before the commit.
    rehearsable_check(campaign_lock(campaign))
    return {"campaign": clone.slug, "blocks": blocks_judged}


def _clone(campaign: Campaign) -> Campaign:
    """Return an open clone of a campaign with the same members and without links."""
    name = _("Rehearsal of %(name)s") % {"name": campaign.name}
    slug = _free_slug(f"{campaign.slug[:45]}-rehearsal")
    clone = rehearsal_clone(source=campaign, slug=slug, name=name[:200])
    Membership.objects.bulk_create(
        Membership(campaign=clone, user_id=member.user_id, role=member.role)
        for member in campaign.memberships.order_by("pk")
    )
    Campaign.objects.filter(pk=clone.pk).update(state=CampaignState.OPEN)
    clone.refresh_from_db()
    return clone


def _free_slug(stem: str) -> str:
    """Return the stem, or the stem with the first number that gives an unused short name."""
    slugs = Campaign.objects.filter(slug__startswith=stem)
    used = set(slugs.values_list("slug", flat=True))
    slug = stem
    number = 2
    while slug in used:
        slug = f"{stem}-{number}"
        number += 1
    return slug


def _bots(clone: Campaign, count: int, skill: float, seed: int) -> list[_Bot]:
    """Add simulated judges who read every language and have accepted the instructions."""
    demanded = Instructions.objects.filter(campaign=clone, demands_acceptance=True)
    latest = demanded.order_by("-version").first()
    bots = []
    for number in range(1, count + 1):
        pseudonym = f"bot-{number:03}"
        simulated = SimulatedJudge(
            pseudonym,
            noise=noise_of_skill(skill, spread=_SPREAD),
            ties_within=_TIES_WITHIN,
        )
        # Marked as persons, so that measures of judges are shown for them.
        judge = judge_add(campaign=clone, pseudonym=pseudonym, note=simulated.note)
        if latest is not None:
            instructions_accept(judge=judge, instructions=latest)
        random = Random(f"{seed}/{pseudonym}")  # noqa: S311  a simulation, not a secret
        bots.append(_Bot(0.0, number, judge, simulated, random))
    return bots


def _judge(task: Task, bots: list[_Bot], target: int, seed: int) -> Iterator[int]:
    """Let bots judge until `target` blocks are done or no HIT is left; yield the number of blocks of each HIT."""
    texts = _texts_of(task, seed)
    submitted = _calendar(target * texts.seconds_a_block / len(bots))
    # By default, a draft would get a design with a random seed.
    design_ensure(task=task, seed=seed)
    pool_fill(task_id=task.pk, size=target)
    for bot in bots:
        task_choose(judge=bot.judge, task=task)
        bot.worked = 0.0
    at_work = list(bots)
    heapq.heapify(at_work)
    blocks_judged = 0
    while at_work and blocks_judged < target:
        bot = heapq.heappop(at_work)
        lent = lend_prepared(bot.judge)
        if lent is None:
            continue
        judged = _hit_judge(lent.assignment, bot, texts, submitted)
        blocks_judged += judged
        heapq.heappush(at_work, bot)
        yield judged
    for bot in bots:
        # All judges have finished.
        JudgeAccount.objects.filter(judge=bot.judge, task=task).update(
            last_lent_at=submitted(bot.worked),
        )


def _hit_judge(
    assignment: Assignment,
    bot: _Bot,
    texts: _Texts,
    submitted: Callable[[float], datetime],
) -> int:
    """Judge a HIT; return its number of blocks without controls."""
    kind = answer_kind_of(assignment.hit.task)
    judged = []
    counted = 0
    for block in blocks_asked(assignment.hit):
        length = texts.source_lengths[block.segment_id]
        qualities = []
        for output in block.outputs:
            length += texts.lengths[output]
            qualities.append(texts.qualities[output])
        seconds = len(block.outputs) * _SECONDS_A_CANDIDATE + length * _SECONDS_A_WORD
        seconds *= bot.random.lognormvariate(0, 0.4)
        bot.worked += seconds
        counted += not block.is_control
        judged.append(
            SimulatedJudgment(
                block_id=block.block_id,
                client_id=_client_id(block.block_id),
                answer=simulated_answer(
                    block,
                    qualities,
                    bot.simulated,
                    bot.random,
                    kind=kind,
                ),
                candidates=len(block.outputs),
                active_ms=round(1000 * seconds),
                duration_ms=round(1000 * seconds * bot.random.uniform(1, 1.3)),
                submitted_at=submitted(bot.worked),
            ),
        )
    simulated_store(assignment, judged)
    return counted


def _client_id(block_id: int) -> UUID:
    """Return the same ID for the judgment of a block each time."""
    random = Random(f"rehearsed/{block_id}")  # noqa: S311  a simulation, not a secret
    return UUID(int=random.getrandbits(128), version=4)


def _texts_of(task: Task, seed: int) -> _Texts:
    """Draw the qualities reproducibly, by names of systems and numbers of segments."""
    systems = {}
    for system in task.test_set.systems.all():
        systems[system.pk] = _SystemQuality.of(system, seed)
    qualities = {}
    lengths = {}
    outputs = Output.objects.current().filter(system__test_set=task.test_set_id)
    outputs = outputs.order_by("segment__number", "system")
    for pk, system_id, text in outputs.values_list("pk", "system", "text").iterator():
        qualities[pk] = systems[system_id].drawn()
        lengths[pk] = len((text or "").split())
    source_lengths = {}
    for pk, text in task.test_set.segments.values_list("pk", "source_text"):
        source_lengths[pk] = len((text or "").split())
    return _Texts(qualities, lengths, source_lengths)


@dataclass(frozen=True, slots=True)
class _SystemQuality:
    """Average quality of a system, and whether its outputs vary around it."""

    average: float
    varies: bool
    random: Random

    @classmethod
    def of(cls, system: System, seed: int) -> "_SystemQuality":
        """Draw the quality of a system by its name."""
        name = system.name
        random = Random(f"{seed}/{name}")  # noqa: S311  a simulation, not a secret
        if system.kind == SystemKind.REFERENCE:
            return cls(_OF_REFERENCES, varies=False, random=random)
        if system.kind == SystemKind.BAD_REFERENCE:
            return cls(_DAMAGED, varies=False, random=random)
        system_random = Random(f"{seed}/system/{name}")  # noqa: S311  as above
        average = _SCALE * system_random.uniform(0, QUALITY_RANGE)
        return cls(average, varies=True, random=random)

    def drawn(self) -> float:
        """Draw the quality of the next output."""
        if self.varies:
            return self.random.gauss(self.average, _OUTPUT_NOISE)
        return self.average


def rehearsal_in_words(parameters: RehearsalParameters) -> str:
    """Describe a rehearsal with these parameters."""
    bots = counted(
        "%(count)d simulated judge",
        "%(count)d simulated judges",
        parameters["bots"],
    )
    skill = _("prefers the better of two outputs %(times)d times in 100")
    return _("%(bots)s; each %(skill)s; %(share)d%% of the target; seed %(seed)d") % {
        "bots": bots,
        "skill": skill % {"times": round(100 * parameters["skill"])},
        "share": round(100 * parameters["share"]),
        "seed": parameters["seed"],
    }
