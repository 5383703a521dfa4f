"""Small campaigns for tests, made through the same services as real ones."""

from collections.abc import Sequence
from datetime import timedelta
from functools import cache
from itertools import count
from typing import Any

from django.contrib.auth.hashers import make_password
from django.db.backends.postgresql.psycopg_any import DateTimeTZRange
from django.utils import timezone

from annotation.models import HIT, Assignment, Block, Exposure
from annotation.services.planning.designs import design_ensure
from annotation.services.planning.pool import hits_plan
from campaign.models import (
    Campaign,
    Document,
    Judge,
    MembershipRole,
    Output,
    Protocol,
    Reference,
    Segment,
    System,
    SystemKind,
    Task,
    TestSet,
    User,
)
from campaign.services.judges import JudgeChanges, judge_add, judge_change
from campaign.services.members import member_add, organiser_add


def make_campaign(slug: str = "museum", **fields: Any) -> Campaign:
    return Campaign.objects.create(slug=slug, name=slug.title(), **fields)


def make_server_organiser() -> User:
    """Create the organiser of the server, who owns the campaigns that commands create."""
    return User.objects.create_user(
        name="Sina",
        email="sina@example.org",
        is_staff=True,
    )


def make_organiser(campaign: Campaign, email: str = "organiser@example.org") -> User:
    """Create an organiser; the first one is the owner."""
    user = User.objects.create_user(name="Olga", email=email)
    user.password = _password_hashed()
    user.save(update_fields=["password"])
    organiser_add(campaign=campaign, user=user)
    return user


@cache
def _password_hashed() -> str:
    """Hash the password once, because hashing is slow on purpose."""
    return make_password("correct horse battery")


def make_analyst(campaign: Campaign, email: str = "rita@example.org") -> User:
    """Create an analyst of a campaign that has an owner."""
    user = User.objects.create_user(name="Rita", email=email)
    member_add(campaign=campaign, user=user, role=MembershipRole.ANALYST)
    return user


def make_judge(
    campaign: Campaign,
    pseudonym: str = "judge01",
    *,
    expertise: Sequence[str] = (),
    **fields: Any,
) -> Judge:
    judge = judge_add(campaign=campaign, pseudonym=pseudonym, **fields)
    if expertise:
        judge_change(judge=judge, changes=JudgeChanges(expertise=expertise))
    return judge


def make_task(
    campaign: Campaign,
    *,
    name: str = "museum en-de",
    source_language: str = "en",
    target_language: str = "de",
    documents: Sequence[int] = (4, 3),
    systems: Sequence[str] = ("amber", "birch", "cobalt", "dune", "ember", "fjord"),
    with_reference: bool = True,
    identical: Sequence[tuple[str, str]] = (("amber", "birch"),),
    seed: int = 7,
    planned: int = 12,
    **fields: Any,
) -> Task:
    """Documents of the given lengths; on every other segment, `identical` systems agree.

    `planned` HITs wait in the pool, as if a worker had been there.
    """
    task = empty_task(
        campaign,
        name=name,
        source_language=source_language,
        target_language=target_language,
        **fields,
    )
    kinds = dict.fromkeys(systems, SystemKind.SYSTEM)
    if with_reference:
        kinds["_ref"] = SystemKind.REFERENCE
    rows = System.objects.bulk_create(
        System(test_set=task.test_set, name=name, kind=kind)
        for name, kind in kinds.items()
    )
    stories = Document.objects.bulk_create(
        Document(test_set=task.test_set, name=f"document {position}", position=position)
        for position in range(1, len(documents) + 1)
    )
    number = count(1)
    segments = Segment.objects.bulk_create(
        Segment(
            test_set=task.test_set,
            document=document,
            number=(each := next(number)),
            position=position,
            source_text=f"Source sentence {each} of the story.",
        )
        for document, length in zip(stories, documents, strict=True)
        for position in range(1, length + 1)
    )
    references = {each: f"Reference {each.number} der Geschichte." for each in segments}
    Reference.objects.bulk_create(
        Reference(segment=segment, number=1, text=text)
        for segment, text in references.items()
    )
    twins = dict(identical)

    def text(segment: Segment, system: System) -> str:
        if system.kind == SystemKind.REFERENCE:
            return references[segment]
        name = (
            twins.get(system.name, system.name) if segment.number % 2 else system.name
        )
        return f"Ausgabe {segment.number}, Fassung {_variant(name, systems)}."

    Output.objects.bulk_create(
        Output(system=system, segment=segment, text=text(segment, system))
        for segment in segments
        # The reference first, as it always was: designs draw by the order of ids.
        for system in sorted(rows, key=lambda row: row.kind == SystemKind.SYSTEM)
    )
    design_ensure(task=task, seed=seed)
    hits_plan(task_id=task.pk, count=planned)
    return task


def empty_task(
    campaign: Campaign,
    *,
    name: str = "empty",
    source_language: str = "en",
    target_language: str = "de",
    expertise: Sequence[str] = (),
    **fields: Any,
) -> Task:
    """The five-way ranking of a new test set without texts."""
    test_set = TestSet.objects.create(
        campaign=campaign,
        name=name,
        source_language=source_language,
        target_language=target_language,
        expertise=list(expertise),
    )
    return Task.objects.create(test_set=test_set, protocol=Protocol.RANKING, **fields)


def _variant(system: str, systems: Sequence[str]) -> str:
    """A word that differs between systems without revealing them."""
    return ("eins", "zwei", "drei", "vier", "fünf", "sechs", "sieben", "acht", "neun")[
        list(systems).index(system) % 9
    ] + "x" * (list(systems).index(system) // 9)


def make_long_task(
    campaign: Campaign,
    *,
    segments: int,
    systems: int = 6,
    document_length: int = 10,
    name: str = "long",
    seed: int = 7,
    with_reference: bool = False,
    **fields: Any,
) -> Task:
    """Many segments in documents of equal length, by one statement per table; nothing is planned."""
    task = empty_task(
        campaign,
        name=name,
        source_language="en",
        target_language="de",
        **fields,
    )
    documents = Document.objects.bulk_create(
        Document(test_set=task.test_set, name=f"document {position}", position=position)
        for position in range(1, -(-segments // document_length) + 1)
    )
    rows = Segment.objects.bulk_create(
        Segment(
            test_set=task.test_set,
            document=documents[(number - 1) // document_length],
            number=number,
            position=(number - 1) % document_length + 1,
            source_text=f"Source sentence {number}.",
        )
        for number in range(1, segments + 1)
    )
    made = System.objects.bulk_create(
        System(test_set=task.test_set, name=f"system-{index:02}")
        for index in range(systems)
    )
    Output.objects.bulk_create(
        Output(
            segment=segment,
            system=system,
            text=f"Ausgabe {segment.number} {index}.",
        )
        for segment in rows
        for index, system in enumerate(made)
    )
    if with_reference:
        reference = System.objects.create(
            test_set=task.test_set,
            name="_ref",
            kind=SystemKind.REFERENCE,
        )
        texts = {
            segment: f"Reference {segment.number} of the story, in words."
            for segment in rows
        }
        Reference.objects.bulk_create(
            Reference(segment=segment, number=1, text=text)
            for segment, text in texts.items()
        )
        Output.objects.bulk_create(
            Output(segment=segment, system=reference, text=text)
            for segment, text in texts.items()
        )
    design_ensure(task=task, seed=seed)
    return task


def make_seen(judge: Judge, segments: Sequence[Segment], *, task: Task) -> None:
    """Make a judge have seen segments in a completed HIT."""
    now = timezone.now()
    hit = HIT.objects.create(
        task=task,
        design=design_ensure(task=task),
        number=1_000_000 + HIT.objects.count(),
        segment_ids=[segment.pk for segment in segments],
        completed_at=now,
    )
    outputs = Output.objects.filter(segment=segments[0]).order_by("pk")[:2]
    Block.objects.create(
        hit=hit,
        segment=segments[0],
        position=1,
        outputs=[output.pk for output in outputs],
    )
    lent = Assignment.objects.create(
        hit=hit,
        judge=judge,
        lease=DateTimeTZRange(now - timedelta(hours=1), now),
        completed_at=now,
    )
    Exposure.objects.bulk_create(
        Exposure(judge=judge, segment=segment, assignment=lent) for segment in segments
    )
