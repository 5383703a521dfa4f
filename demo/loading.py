"""Load missing demo campaigns, each completely or not at all."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from csv import DictReader
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from django.core.management import call_command
from django.db import transaction

from annotation.protocols.answer_kinds import DOCUMENT_PAGE, PAGE, answer_kinds
from annotation.services.numbers import judgments_number
from annotation.services.planning.designs import design_change, design_ensure
from annotation.services.planning.pool import pool_fill
from annotation.services.quality import quality_rules_suggest
from annotation.services.simulation import (
    SimulatedJudge,
    SimulatedWork,
    campaign_simulate,
)
from annotation.services.tasks import task_rules_change
from campaign.formats.archives import opener
from campaign.formats.streams import StoredFile
from campaign.models import (
    BadReference,
    Campaign,
    Output,
    Protocol,
    Segment,
    SystemKind,
    Task,
    TestSet,
    User,
)
from campaign.services.bad_references import bad_reference_review, bad_references_make
from campaign.services.campaigns import task_close, task_create
from campaign.services.instructions import instructions_accept, instructions_write
from campaign.services.judges import judge_add, task_choose
from campaign.services.members import organiser_add
from campaign.texts.damage import Damage
from demo.sound import SYSTEMS, recordings_write
from protocols.frame.scale.criteria import Criterion
from protocols.frame.scale.presets import preset_criteria
from protocols.quiz.snippets import snippets_import
from protocols.spans.presets import SPANS_PRESETS
from ranking.services.analyses import answer_keep_up
from ranking.services.quality import quality_evaluate
from ranking.services.runs import ranking_history_compute

HERE = Path(__file__).parent
MUSEUM = "museum"
HIDDEN = "museum-hidden"
PROTOCOLS = "museum-protocols"
WMT12 = "wmt12"
SEED = 2026
# A different seed, since the IDs of judgments are unique across campaigns.
SEED_OF_HIDDEN = 2027
# Share of blocks; each judge sees one in about every third HIT.
BAD_REFERENCE_RATE = 0.1
# Damaged references are far below the worst output.
DAMAGED_QUALITY = 5.0

# Number of stored points of the curve of each task, fewer if it has only a few answers.
RANKINGS = 6
RANKINGS_OF_FEW = 2

ORGANISER_EMAIL = "organiser@demo.invalid"
GERMAN_JUDGES = ("Ada", "Bruno", "Clara")
ARABIC_JUDGES = ("Dalia", "Emil")
INSTRUCTIONS = ("en", "de", "ar")

# Pseudonyms of judges of several outputs with error spans, and the number of outputs.
SIDE_BY_SIDE = "spans-side-by-side"
CRITERIA = "rating-criteria"
MQM = "spans-mqm"
SOUND = "rating-sound"
SENTENCES_SPOKEN = 12
OUTPUTS_SIDE_BY_SIDE = 3

SIMULATED_GERMAN = (
    SimulatedJudge("sim-careful-1", noise=8, seconds_per_block=55),
    SimulatedJudge("sim-careful-2", noise=10, seconds_per_block=48),
    SimulatedJudge("sim-steady-1", noise=14, seconds_per_block=38),
    SimulatedJudge("sim-steady-2", noise=18, seconds_per_block=35),
    SimulatedJudge("sim-steady-3", noise=16, seconds_per_block=42),
    SimulatedJudge("sim-quick-1", noise=20, seconds_per_block=27),
    SimulatedJudge("sim-quick-2", noise=22, ties_within=6, seconds_per_block=24),
    SimulatedJudge("sim-hasty", noise=28, ties_within=10, seconds_per_block=20),
    SimulatedJudge("sim-careless", noise=None, seconds_per_block=4),
)
SIMULATED_ARABIC = (
    SimulatedJudge("sim-arabic-1", noise=10, seconds_per_block=45),
    SimulatedJudge("sim-arabic-2", noise=16, seconds_per_block=36),
)
SIMULATED_WITHOUT_REFERENCE = (
    SimulatedJudge("sim-careful-1", noise=8, seconds_per_block=52),
    SimulatedJudge("sim-steady-1", noise=14, seconds_per_block=40),
    SimulatedJudge("sim-steady-2", noise=18, seconds_per_block=36),
    SimulatedJudge("sim-quick-1", noise=22, seconds_per_block=25),
    SimulatedJudge("sim-careless", noise=None, seconds_per_block=4),
)
# Number of answers by protocol: enough for each of its tables, and fast to load.
HITS_IN_PROTOCOLS = 6
SIMULATED_IN_PROTOCOLS = (
    SimulatedJudge("careful", noise=8, seconds_per_block=40),
    SimulatedJudge("steady", noise=14, seconds_per_block=30),
    SimulatedJudge("quick", noise=20, ties_within=6, seconds_per_block=18),
)

Say = Callable[[str], None]


def demo_load(*, say: Say) -> Iterator[list[str]]:
    """Create the campaigns and their organiser; existing ones are unchanged.

    Yields:
        The names of campaigns still to be loaded, before each campaign and at the end.
    """
    organiser = _organiser()
    there = set(
        Campaign.objects.filter(slug__in=CAMPAIGNS).values_list("slug", flat=True),
    )
    missing = [slug for slug in CAMPAIGNS if slug not in there]
    for number, slug in enumerate(missing):
        yield [CAMPAIGNS[protocol][0] for protocol in missing[number:]]
        name, load = CAMPAIGNS[slug]
        say(f"Loading “{name}” …")
        load(organiser, name)
    yield []


def _organiser() -> User:
    user = User.objects.filter(email=ORGANISER_EMAIL).first()
    return user or User.objects.create_user(
        name="Olga Organiser",
        email=ORGANISER_EMAIL,
    )


@transaction.atomic
def _museum_load(organiser: User, name: str) -> None:
    campaign = Campaign.objects.create(slug=MUSEUM, name=name, blocks_per_judge=45)
    organiser_add(campaign=campaign, user=organiser)
    quality_rules_suggest(campaign=campaign, user=None)
    german = _texts_load(
        "en-de",
        language="de",
        name="Museum English–German",
        blocks_wanted=1500,
    )
    arabic = _texts_load(
        "en-ar",
        language="ar",
        name="Museum English–Arabic",
        blocks_wanted=300,
    )
    for task, judges, hits_each, rankings in (
        # No judge sees a sentence twice, so these judges see nearly all of the 48 or 12 sentences.
        (german, SIMULATED_GERMAN, 16, RANKINGS),
        (arabic, SIMULATED_ARABIC, 4, RANKINGS_OF_FEW),
    ):
        _checks_add(task)
        pool_fill(task_id=task.pk)
        campaign_simulate(
            campaign=campaign,
            judges=judges,
            languages=[task.test_set.source_language, task.test_set.target_language],
            work=SimulatedWork(
                hits_each=hits_each,
                qualities=_qualities(task),
                seed=SEED,
            ),
        )
        runs = ranking_history_compute(task_id=task.pk, steps=rankings)
        quality_evaluate(run=runs[-1])
    for language in INSTRUCTIONS:
        path = HERE / "museum" / "instructions" / f"{language}.md"
        instructions_write(
            campaign=campaign,
            language=language,
            text=path.read_text(encoding="utf-8"),
            # The other languages have the same content, so accepting one accepts all.
            demands_acceptance=language == INSTRUCTIONS[0],
            user=organiser,
        )
    version = campaign.instructions.get(version=1)
    for language, names in (("de", GERMAN_JUDGES), ("ar", ARABIC_JUDGES)):
        for name in names:
            judge = judge_add(
                campaign=campaign,
                pseudonym=name,
                languages=["en", language],
            )
            # Judges with these links start at once; new judges read the instructions first.
            instructions_accept(judge=judge, instructions=version)


@transaction.atomic
def _hidden_load(organiser: User, name: str) -> None:
    """Load a campaign where the reference is ranked instead of shown, which reveals careless judges."""
    campaign = Campaign.objects.create(slug=HIDDEN, name=name, show_reference=False)
    organiser_add(campaign=campaign, user=organiser)
    quality_rules_suggest(campaign=campaign, user=None)
    task = _texts_load(
        "en-de",
        language="de",
        name="English–German, reference hidden",
        blocks_wanted=400,
        campaign=HIDDEN,
    )
    pool_fill(task_id=task.pk)
    campaign_simulate(
        campaign=campaign,
        judges=SIMULATED_WITHOUT_REFERENCE,
        languages=[task.test_set.source_language, task.test_set.target_language],
        work=SimulatedWork(
            hits_each=10,
            qualities=_qualities(task),
            seed=SEED_OF_HIDDEN,
        ),
    )
    quality_evaluate(run=ranking_history_compute(task_id=task.pk, steps=RANKINGS)[-1])


@transaction.atomic
def _protocols_load(organiser: User, name: str) -> None:
    """Load a campaign with a task of each protocol on one test set, each with some answers and its own judge."""
    campaign = Campaign.objects.create(slug=PROTOCOLS, name=name)
    organiser_add(campaign=campaign, user=organiser)
    ranking = _texts_load(
        "en-de",
        language="de",
        name="English–German, in every way",
        blocks_wanted=150,
        campaign=PROTOCOLS,
    )
    for kind in answer_kinds():
        task = ranking
        if kind.protocol != ranking.protocol:
            task = task_create(
                test_set=ranking.test_set,
                protocol=kind.protocol,
                by=None,
                blocks_wanted=300,
            )
            if kind.protocol == Protocol.SPANS:
                task_rules_change(task=task, rules={PAGE: DOCUMENT_PAGE})
            design_ensure(task=task, seed=SEED)
        if kind.protocol == Protocol.QUIZ:
            _snippets_load(task)
        _answers_simulate(task, name=kind.protocol)
        if kind.compares_outputs:
            ranking_history_compute(task_id=task.pk, steps=RANKINGS_OF_FEW)
        judgments_number(task_id=task.pk)
        answer_keep_up(task=task)
    _side_by_side_load()
    _mqm_load()
    _sound_load(campaign, ranking.test_set)


def _sound_load(campaign: Campaign, texts: TestSet) -> None:
    """Load recordings of some sentences, and mean opinion scores of them."""
    segments = Segment.objects.filter(test_set=texts).order_by("number")[
        :SENTENCES_SPOKEN
    ]
    with TemporaryDirectory() as folder:
        recordings_write(
            Path(folder),
            [str(segment.source_text) for segment in segments],
        )
        call_command(
            "import_test_set",
            folder,
            campaign=PROTOCOLS,
            name="Read aloud",
            source_language="en",
            target_language="de",
            verbosity=0,
        )
    ranking = Task.objects.get(test_set__campaign=campaign, test_set__name="Read aloud")
    task_close(task=ranking)
    outputs = Output.objects.filter(system__test_set=ranking.test_set_id)
    _task_load(
        ranking.test_set,
        rules=_criteria(preset_criteria("mos")),
        outputs=1,
        name=SOUND,
        qualities={
            output.pk: 100 - 100 * SYSTEMS[output.system.name]
            for output in outputs.select_related("system")
        },
    )


def _side_by_side_load() -> None:
    """Load error spans and ratings by two criteria of several outputs side by side, to compare with single outputs."""
    test_set = _arabic_load("English–Arabic, side by side")
    _task_load(
        test_set,
        protocol=Protocol.SPANS,
        rules={},
        outputs=OUTPUTS_SIDE_BY_SIDE,
        name=SIDE_BY_SIDE,
    )
    [adequacy] = preset_criteria("da")
    fluency = next(
        preset_criterion
        for preset_criterion in preset_criteria("summaries")
        if preset_criterion.key == "fluency"
    )
    _task_load(test_set, rules=_criteria([adequacy, fluency]), outputs=2, name=CRITERIA)


def _mqm_load() -> None:
    """Load errors with severities and categories."""
    preset = next(
        spans_preset
        for spans_preset in SPANS_PRESETS
        if spans_preset.name == "mqm-core"
    )
    _task_load(
        _arabic_load("English–Arabic, MQM"),
        protocol=Protocol.SPANS,
        rules=preset.rules,
        outputs=1,
        name=MQM,
    )


def _arabic_load(name: str) -> TestSet:
    """Load texts whose ranking is closed."""
    ranking = _texts_load(
        "en-ar",
        language="ar",
        name=name,
        blocks_wanted=150,
        campaign=PROTOCOLS,
    )
    task_close(task=ranking)
    return ranking.test_set


def _criteria(criteria: Sequence[Criterion]) -> dict[str, Any]:
    return {
        "criteria": [criterion.as_json() for criterion in criteria],
        "all_at_once": True,
    }


def _task_load(
    test_set: TestSet,
    *,
    protocol: Protocol = Protocol.RATING,
    rules: Mapping[str, Any],
    outputs: int,
    name: str,
    qualities: Mapping[int, float] | None = None,
) -> None:
    """Load a task of blocks of this number of outputs, with some answers and its own judge."""
    task = task_create(test_set=test_set, protocol=protocol, by=None, blocks_wanted=150)
    task_rules_change(task=task, rules=rules)
    design_change(task=task, kind="balanced", systems_per_block=outputs, seed=SEED)
    _answers_simulate(task, name=name, qualities=qualities)
    ranking_history_compute(task_id=task.pk, steps=RANKINGS_OF_FEW)
    judgments_number(task_id=task.pk)
    answer_keep_up(task=task)


def _answers_simulate(
    task: Task,
    *,
    name: str,
    qualities: Mapping[int, float] | None = None,
) -> None:
    """Let simulated judges give some answers, and add a judge who uses no other protocol."""
    test_set = task.test_set
    languages = [test_set.source_language, test_set.target_language]
    pool_fill(task_id=task.pk)
    campaign_simulate(
        campaign=test_set.campaign,
        judges=[
            replace(simulated, pseudonym=f"sim-{name}-{simulated.pseudonym}")
            for simulated in SIMULATED_IN_PROTOCOLS
        ],
        languages=languages,
        work=SimulatedWork(
            hits_each=HITS_IN_PROTOCOLS,
            qualities=_qualities(task) if qualities is None else qualities,
            seed=SEED,
        ),
        task=task,
    )
    person = judge_add(campaign=test_set.campaign, pseudonym=name, languages=languages)
    task_choose(judge=person, task=task)


def _snippets_load(task: Task) -> None:
    """Load the questions of a quiz."""
    path = HERE / "museum" / "en-de.snippets.jsonl"
    snippets_import(task=task, file=StoredFile(path.name, opener(path)))


def _checks_add(task: Task) -> None:
    """Add damaged references as attention checks, most of them approved and some pending.

    Words are only removed or reordered, which is obvious in any language.
    """
    bad_references_make(
        test_set=task.test_set,
        seed=SEED,
        damages=[Damage.DROPPED, Damage.REORDERED, Damage.REPLACED],
    )
    for number, row in enumerate(BadReference.objects.of(task.test_set_id).in_order()):
        if number % 6:
            bad_reference_review(bad_reference=row, approve=True, reviewer=None)
    design_change(task=task, bad_reference_rate=BAD_REFERENCE_RATE)


def _texts_load(
    pair: str,
    *,
    language: str,
    name: str,
    blocks_wanted: int,
    campaign: str = MUSEUM,
) -> Task:
    call_command(
        "import_test_set",
        str(HERE / "museum" / f"{pair}.tsv"),
        campaign=campaign,
        name=name,
        source_language="en",
        target_language=language,
        blocks_wanted=blocks_wanted,
        verbosity=0,
    )
    task = Task.objects.get(test_set__campaign__slug=campaign, test_set__name=name)
    design_ensure(task=task, seed=SEED)
    return task


@transaction.atomic
def _wmt12_load(organiser: User, name: str) -> None:
    campaign = Campaign.objects.create(slug=WMT12, name=name)
    organiser_add(campaign=campaign, user=organiser)
    call_command(
        "import_answers",
        str(HERE / "wmt12-cs-en" / "judgments.csv"),
        campaign=WMT12,
        test_set="newstest2012 Czech–English",
        create_test_set=True,
        verbosity=0,
    )
    task = Task.objects.get(test_set__campaign=campaign)
    ranking_history_compute(task_id=task.pk, steps=RANKINGS)


def _qualities(task: Task) -> Mapping[int, float]:
    """Return the quality (0–100) of each output by ID, from the file next to the texts."""
    pair = f"{task.test_set.source_language}-{task.test_set.target_language}"
    path = HERE / "museum" / f"{pair}.quality.tsv"
    with path.open(encoding="utf-8", newline="") as lines:
        stated = {
            (row["document"], int(row["segment"])): row
            for row in DictReader(lines, delimiter="\t")
        }
    outputs = Output.objects.filter(system__test_set=task.test_set_id).values_list(
        "id",
        "segment__document__name",
        "segment__position",
        "system__name",
        "system__kind",
    )
    return {
        output_id: DAMAGED_QUALITY
        if kind == SystemKind.BAD_REFERENCE
        else float(
            stated[document, position][
                "reference" if kind == SystemKind.REFERENCE else name
            ],
        )
        for output_id, document, position, name, kind in outputs
    }


#: Functions to load campaigns by name; those that users usually open first come first.
CAMPAIGNS: Mapping[str, tuple[str, Callable[[User, str], None]]] = {
    WMT12: ("WMT12 (real judgments, without texts)", _wmt12_load),
    MUSEUM: ("A day at the museum", _museum_load),
    HIDDEN: ("A day at the museum (reference hidden)", _hidden_load),
    PROTOCOLS: ("A day at the museum (asked in every way)", _protocols_load),
}
