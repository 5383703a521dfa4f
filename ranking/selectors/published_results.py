"""Published results: lookup by address, bundles, visibility, and data besides the ranking."""

import io
import zipfile
from collections.abc import Collection, Iterator
from datetime import datetime
from typing import IO, Any, Final, NamedTuple, TypedDict

from django.db.models import Count, F, Max, OuterRef, Q, QuerySet, Subquery
from django.db.models.functions import Coalesce, Left, Now
from django.utils.translation import ngettext

from annotation.models import JudgeTally, Judgment, QualityAction, QualityActionKind
from campaign.models import Campaign, Instructions, KeptFile, Membership, System, Task
from campaign.models.upload import PART_BYTES
from campaign.selectors.exported_files import exported_bytes
from ranking.models import ADDRESS_LENGTH, PublishedResult, RankingRun
from ranking.selectors.runs import judges_left_out, judges_not_counted


def published_at(address: str) -> PublishedResult | None:
    """Return the result with this address, with `is_embargoed`; None if there is none. One query."""
    beginning = _results_with_embargo().alias(begins=Left("digest", ADDRESS_LENGTH))
    return beginning.filter(begins=address).select_related("bundle").first()


def _results_with_embargo() -> QuerySet[PublishedResult, Any]:
    """Return all results with `is_embargoed`, by the database's clock."""
    is_embargoed = Q(embargo_until__isnull=False, embargo_until__gt=Now())
    return PublishedResult.objects.annotate(is_embargoed=is_embargoed)


def is_member(user: Any, result: PublishedResult) -> bool:
    """Return whether a user is a member of the campaign of a result; an anonymous user is not."""
    if not user.is_authenticated:
        return False
    campaign = Task.objects.filter(pk=result.task_id).values("test_set__campaign")
    return Membership.objects.filter(campaign__in=campaign, user=user).exists()


def versions_of(*, task_id: int) -> QuerySet[PublishedResult, Any]:
    """Return all versions of a test set, newest first, with `is_embargoed`."""
    rows = _results_with_embargo().filter(task=task_id)
    return rows.select_related("published_by", "bundle", "bundle_job").order_by(
        "-version",
    )


def visible_versions(result: PublishedResult) -> list[PublishedResult]:
    """Return the versions that a reader of this one may see: itself and all open ones, newest first."""
    rows = versions_of(task_id=result.task_id)
    return [row for row in rows if not row.is_embargoed or row.pk == result.pk]


def deletion_effects(*, campaign: Campaign, **_sent: Any) -> list[str]:
    """Return the effects of deleting a campaign on its published results; a signal receiver."""
    count = PublishedResult.objects.filter(task__test_set__campaign=campaign).count()
    if not count:
        return []
    effect = ngettext(
        "%(count)d published result will be deleted too, and links to it will stop working.",
        "%(count)d published results will be deleted too, and links to them will stop working.",
        count,
    )
    return [effect % {"count": count}]


def next_version(*, task_id: int) -> int:
    """Return the number of the next published version of a test set."""
    newest = PublishedResult.objects.filter(task=task_id).aggregate(
        newest=Max("version"),
    )["newest"]
    return (newest or 0) + 1


_SENT: Final = 1 << 16


def bundle_opened(bundle: KeptFile) -> IO[bytes]:
    """Return the zip of a bundle as a file that keeps one part in memory at a time."""
    return io.BufferedReader(_StoredBytes(bundle), PART_BYTES)


def bundled_bytes(bundle: KeptFile, name: str) -> Iterator[bytes]:
    """Yield the bytes of a file in the zip, unpacking as they are read."""
    with (
        bundle_opened(bundle) as stream,
        zipfile.ZipFile(stream) as archive,
        archive.open(name) as file,
    ):
        while piece := file.read(_SENT):
            yield piece


class _StoredBytes(io.RawIOBase):
    """The bytes of a bundle as a seekable file."""

    def __init__(self, bundle: KeptFile) -> None:
        self._bundle = bundle
        self._position = 0

    def readable(self) -> bool:
        return True

    def seekable(self) -> bool:
        return True

    def tell(self) -> int:
        return self._position

    def seek(self, offset: int, whence: int = io.SEEK_SET, /) -> int:
        if whence == io.SEEK_CUR:
            offset += self._position
        elif whence == io.SEEK_END:
            offset += self._bundle.size
        self._position = max(0, offset)
        return self._position

    def readinto(self, buffer: "memoryview[int]", /) -> int:  # type: ignore[override]
        stop = min(self._position + len(buffer), self._bundle.size)
        piece = b"".join(exported_bytes(self._bundle, start=self._position, stop=stop))
        buffer[: len(piece)] = piece
        self._position += len(piece)
        return len(piece)


class JudgedFacts(TypedDict):
    """Numbers of segments and documents, and first and last day of the judgments in a ranking."""

    segments: int
    documents: int
    first_day: str | None
    last_day: str | None


def judged_facts(run: RankingRun) -> JudgedFacts:
    """Return first and last day (UTC), segments and documents of the judgments that count in a ranking. One query.

    Segments and documents were counted when it was ranked (`ranking.core.live`), from the same judgments. Days are
    those of each judge's first and last judgment, found by index: the cost does not grow with judgments.
    """
    days = _days(run.task_id, run.watermark, judges_not_counted(run.parameters))
    first, last = days.get()
    counted = run.result["input"]
    return {
        "segments": counted["segments"],
        # A single document is not a unit of variation, so the ranking does not mention it.
        "documents": counted.get("documents", min(1, counted["segments"])),
        "first_day": _day(first),
        "last_day": _day(last),
    }


def _day(moment: datetime | None) -> str | None:
    """Return the day of a time of the connection, which is in UTC."""
    if moment is None:
        return None
    return moment.date().isoformat()


def _days(
    task_id: int,
    watermark: int,
    without: Collection[str],
) -> QuerySet[Task, Any]:
    """Return the times of the first and the last judgment that counts.

    All judgments of a judge are between the first and the last time in the judge's tally. Once the first judgment
    that counts is known for one judge, only judges who began before it need to be checked; the last one is found in the
    same way.
    """
    judgments = Judgment.objects.filter(task=OuterRef("task"), judge=OuterRef("judge"))
    own: Any = judgments.current(watermark=watermark).counted().values("submitted_at")
    tallies = JudgeTally.objects.filter(
        ~Q(judge__pseudonym__in=without),
        task=task_id,
        first_number__lte=watermark,
    )
    since = own.filter(submitted_at__gte=OuterRef("first_at"))
    until = own.filter(submitted_at__lte=OuterRef("last_at"))
    first = Subquery(since.order_by("submitted_at")[:1])
    last = Subquery(until.order_by("-submitted_at")[:1])
    begun_first = tallies.order_by("first_at").values(moment=first)[:1]
    seen_last = tallies.order_by("-last_at").values(moment=last)[:1]
    before = tallies.filter(first_at__lte=Coalesce(Subquery(begun_first), "last_at"))
    after = tallies.filter(last_at__gte=Coalesce(Subquery(seen_last), "first_at"))
    return Task.objects.filter(pk=task_id).values_list(
        Subquery(
            before.values(moment=first).order_by(F("moment").asc(nulls_last=True))[:1],
        ),
        Subquery(
            after.values(moment=last).order_by(F("moment").desc(nulls_last=True))[:1],
        ),
    )


class LeftOutJudge(NamedTuple):
    """A judge whom a ranking excludes for quality.

    `blocks` is the number judged up to the watermark; `action` is the exclusion, None if it is no longer in force.
    """

    name: str
    blocks: int
    action: QualityAction | None


def left_out_judges(run: RankingRun) -> list[LeftOutJudge]:
    """Return the judges that a ranking excludes for quality, by pseudonym. At most four queries."""
    names = judges_left_out(run)[run.task_id]
    if not names:
        return []
    judgments = Judgment.objects.of(run.task_id).current(watermark=run.watermark)
    of_judges = judgments.counted().filter(judge__pseudonym__in=names).order_by()
    counts = of_judges.values("judge__pseudonym").annotate(count=Count("pk"))
    blocks: dict[str, int] = dict(counts.values_list("judge__pseudonym", "count"))
    exclusions = QualityAction.objects.in_force().filter(
        action=QualityActionKind.EXCLUDE,
        judge__campaign__test_sets__tasks=run.task_id,
        judge__pseudonym__in=names,
    )
    action_by_judge = {}
    # Newest first, so that the oldest one, which excluded the judge, is kept.
    for action in exclusions.select_related("judge", "rule").order_by("-pk"):
        action_by_judge[action.judge.pseudonym] = action
    judges = []
    for name in names:
        judge = LeftOutJudge(name, blocks.get(name, 0), action_by_judge.get(name))
        judges.append(judge)
    return judges


def systems_entered(*, task_id: int) -> list[System]:
    """Return all systems of a test set by name, including references and withdrawn ones."""
    return list(System.objects.filter(test_set__tasks=task_id).order_by("name"))


def instructions_version(*, campaign_id: int, until: datetime) -> int | None:
    """Return the version of a campaign's instructions at a given time; None if there was none."""
    written = Instructions.objects.filter(campaign=campaign_id, created_at__lte=until)
    newest: int | None = written.aggregate(newest=Max("version"))["newest"]
    return newest
