"""Import test sets of any format into the database, and create campaigns for them."""
# ruff: noqa: PT028  # ruff takes `test_set_…` for test functions

from collections.abc import Collection, Iterable, Iterator
from functools import partial
from itertools import zip_longest
from typing import Final

from django.core.exceptions import ValidationError
from django.db import transaction

from campaign.database.many_rows import (
    constraints_check_now,
    rows_insert,
    statistics_refresh,
)
from campaign.formats import SegmentTexts, system_name_problem
from campaign.formats.errors import Location
from campaign.formats.isolation import isolated_items
from campaign.formats.segments import filled_text
from campaign.formats.streams import StoredFile
from campaign.formats.system_outputs import SystemOutput, system_outputs
from campaign.importing.errors import ImportRefusedError
from campaign.models import (
    Campaign,
    CampaignState,
    Document,
    Output,
    Protocol,
    Reference,
    Segment,
    System,
    SystemKind,
    TestSet,
)
from campaign.selectors.credentials import owners_by_default
from campaign.selectors.media import media_refused
from campaign.services.campaigns import NoOwnerError, campaign_create
from campaign.texts.languages import language_pair_checked
from campaign.texts.refusals import refused_if_broken


def campaign_for_import(*, slug: str, create_as: str | None = None) -> Campaign:
    """Return the campaign `slug`, or create it with the name `create_as` for the organisers of this server.

    Raises ImportRefusedError if it is missing, if nobody could own it, or if it should be created but already exists.
    """
    if create_as is None:
        try:
            return Campaign.objects.get(slug=slug)
        except Campaign.DoesNotExist:
            slugs = ", ".join(
                Campaign.objects.order_by("slug").values_list("slug", flat=True)[:20],
            )
            remedy = "create it with --create-campaign NAME"
            if slugs:
                remedy = f"choose one of: {slugs}"
            raise ImportRefusedError(f'campaign "{slug}" not found', remedy) from None
    campaign = Campaign.objects.filter(slug=slug).first()
    if campaign is not None:
        raise ImportRefusedError(
            f'a campaign "{slug}" already exists, called "{campaign.name}"',
            "to import another test set into it, omit --create-campaign; for a new campaign, choose another "
            "--campaign",
        )
    try:
        return campaign_create(
            slug=slug,
            name=create_as,
            organisers=owners_by_default(),
            state=CampaignState.OPEN,
        )
    except NoOwnerError as error:
        raise ImportRefusedError(
            "this server has no organiser to own the campaign",
            "run organiser_link to create an account first",
        ) from error
    except ValidationError as error:
        raise ImportRefusedError(
            # Sentences of Django end with a full stop, these phrases do not.
            f'the campaign "{slug}" cannot be created: {" ".join(error.messages).rstrip(".")}',
            "choose a short name of letters, digits and hyphens with --campaign, and a name that is not empty",
        ) from error


REFERENCE_SYSTEM: Final = "_ref"  # as in released files of WMT

_BATCH_SEGMENTS: Final = 2_000
_BATCH_CHARACTERS: Final = 4_000_000


def test_set_create(
    *,
    campaign: Campaign,
    name: str,
    source_language: str,
    target_language: str,
    blocks_wanted: int | None = None,
    protocol: str = Protocol.RANKING,
) -> TestSet:
    """Create an empty test set with a task.

    The languages are stored as canonical tags. Raises LanguageTagError for invalid or identical languages, and
    ImportRefusedError if the name is too long or already used in the campaign.
    """
    source, target = language_pair_checked(source_language, target_language)
    test_set = TestSet(
        campaign=campaign,
        name=name.strip(),
        source_language=source,
        target_language=target,
    )
    _refuse_overlong(test_set)
    if not test_set.name:
        raise ImportRefusedError("the test set has no name", "enter a name")
    same = TestSet.objects.filter(campaign=campaign, name__iexact=test_set.name).first()
    message = f'the campaign "{campaign.slug}" already has a test set "{same or test_set.name}"'
    refusal = ImportRefusedError(message, "choose another name")
    # Also if it differs in upper and lower case only.
    with refused_if_broken("test_set_name_unique_in_campaign", refusal):
        test_set.save()
        test_set.tasks.create(protocol=protocol, blocks_wanted=blocks_wanted)
    return test_set


@transaction.atomic
def test_set_fill(
    *,
    test_set: TestSet,
    segments: Iterable[SegmentTexts],
    protocol: str,
    reference_system: str | None = REFERENCE_SYSTEM,
) -> None:
    """Store the documents, segments, references, systems and outputs of an empty test set with a task of this protocol.

    The first reference also takes part as a system called `reference_system`,
    marked as a reference; None leaves it out. Memory holds one batch of
    segments. `segments` come from `opened_set`, which refuses texts that cannot be ranked.

    Raises ImportRefusedError, or FormatError from `segments`,
    and then stores nothing.
    """
    writer = _Writer(test_set, reference_system)
    written = 0
    for batch in _batches(segments):
        writer.write(batch)
        written += len(batch)
    if not written:
        raise ImportRefusedError(
            "the test set has no segments",
            "provide at least one segment",
        )
    if media_refused(test_set=test_set, protocol=protocol):
        raise ImportRefusedError(
            "outputs are recordings or pictures, but judges of this protocol work with words",
            "choose ranking, two outputs or ratings",
        )
    statistics_refresh(Document, Segment, Reference, Output)


def _refuse_overlong(test_set: TestSet) -> None:
    """Refuse a name that is too long for its column."""
    most = TestSet._meta.get_field("name").max_length or 0
    if len(test_set.name) > most:
        raise ImportRefusedError(
            f'the test set "{test_set.name[:40]}…" has '
            f"{len(test_set.name)} characters; the maximum is {most}",
            "shorten it",
        )


def _batches(segments: Iterable[SegmentTexts]) -> Iterator[list[SegmentTexts]]:
    batch: list[SegmentTexts] = []
    characters = 0
    for segment in segments:
        batch.append(segment)
        characters += len(segment.source)
        characters += sum(map(len, segment.references))
        characters += sum(map(len, segment.outputs.values()))
        # Segments can be as long as lines, so their number alone does not limit memory.
        if len(batch) >= _BATCH_SEGMENTS or characters >= _BATCH_CHARACTERS:
            yield batch
            batch = []
            characters = 0
    if batch:
        yield batch


class _Writer:
    """Write batches; keep the systems and the last document of the previous batch."""

    def __init__(self, test_set: TestSet, reference_system: str | None) -> None:
        self._test_set = test_set
        self._reference_system = reference_system
        self._systems: dict[str, int] = {}
        self._reference_system_id: int | None = None
        self._document: Document | None = None

    def write(self, batch: list[SegmentTexts]) -> None:
        if not self._systems:
            self._create_systems(batch[0].outputs.keys())
        if self._reference_system and self._reference_system_id is None:
            self._create_reference_system(batch)
        documents = self._create_documents(batch)
        segments = []
        for document, texts in zip(documents, batch, strict=True):
            segment_row = {
                "document_id": document,
                "number": texts.number,
                "position": texts.position,
                "source_text": texts.source,
            }
            segments.append(segment_row)
        ids = rows_insert(Segment, segments, test_set_id=self._test_set.pk)
        references = []
        outputs = []
        for segment, texts in zip(ids, batch, strict=True):
            for number, text in enumerate(texts.references, 1):
                if text:  # empty if this reference does not cover the segment
                    references.append(
                        {"segment_id": segment, "number": number, "text": text},
                    )
            by_system = {}
            for name, text in texts.outputs.items():
                by_system[self._systems[name]] = text
            if self._reference_system_id and texts.references and texts.references[0]:
                by_system[self._reference_system_id] = texts.references[0]
            for system, text in by_system.items():
                outputs.append(
                    {"system_id": system, "segment_id": segment, "text": text},
                )
        rows_insert(Reference, references)
        rows_insert(Output, outputs)
        constraints_check_now()

    def _create_systems(self, names: Collection[str]) -> None:
        for name in names:
            self._systems[name] = self._create_system(name, SystemKind.SYSTEM)

    def _create_system(self, name: str, kind: SystemKind) -> int:
        system = System(test_set=self._test_set, name=name, kind=kind)
        system.save()
        return system.pk

    def _create_reference_system(self, batch: list[SegmentTexts]) -> None:
        """Create the system for references once there is a first reference, since it cannot be ranked without outputs."""
        if self._reference_system is None or not any(
            segment.references and segment.references[0] for segment in batch
        ):
            return
        self._reference_system_id = self._create_system(
            self._reference_system,
            SystemKind.REFERENCE,
        )

    def _create_documents(self, batch: list[SegmentTexts]) -> list[int]:
        """Create the documents that begin in this batch; return the document of each segment."""
        new: list[Document] = []
        documents: list[Document] = []
        for segment in batch:
            if self._document is None or segment.document != self._document.name:
                if self._document:
                    position = self._document.position + 1
                else:
                    position = 1
                self._document = Document(
                    test_set=self._test_set,
                    name=segment.document,
                    position=position,
                )
                new.append(self._document)
            documents.append(self._document)
        Document.objects.bulk_create(new)
        return [document.pk for document in documents]


_REMEDY: Final = "provide one output for each segment, in the order of the test set"


def system_import(*, test_set: TestSet, name: str, file: StoredFile) -> System:
    """Store a system with an output for every segment, and return it. Call it in a transaction.

    The file is plain text with one line per segment, or SGML with a `tstset` that has the documents of the
    test set. Raises ImportRefusedError for the name, and FormatError at the first mismatch.
    """
    problem = system_name_problem(name)
    if problem:
        raise ImportRefusedError(problem, "rename the system")
    if System.objects.filter(test_set=test_set, name=name).exists():
        raise ImportRefusedError(
            f'the test set already has a system "{name}"',
            "choose another name",
        )
    with isolated_items(
        file.name,
        file.size(),
        partial(system_outputs, file),
    ) as outputs:
        texts = list(_texts_of_segments(test_set, file.name, outputs))
    system = System.objects.create(test_set=test_set, name=name)
    rows = [{"segment_id": segment, "text": text} for segment, text in texts]
    rows_insert(Output, rows, system_id=system.pk)
    constraints_check_now()
    return system


def _texts_of_segments(
    test_set: TestSet,
    file: str,
    outputs: Iterable[SystemOutput],
) -> Iterator[tuple[int, str]]:
    """Yield the ID and output of each segment."""
    segments = (
        Segment.objects.filter(test_set=test_set)
        .order_by("number")
        .values_list("pk", "number", "document__name")
    )
    location = Location(file)
    for segment, output in zip_longest(segments, outputs):
        if output is None:
            raise location.error(
                f"the file ends too early: segment {segment[1]} and later segments have no output",
                _REMEDY,
            )
        location = Location(file, output.line)
        if segment is None:
            raise location.error(
                f"the file continues after the last of {len(segments):,} segments",
                _REMEDY,
            )
        pk, number, its_document = segment
        if output.document not in (None, its_document):
            raise location.error(
                f'segment {number} is in the document "{its_document}", but here in "{output.document}"',
                _REMEDY,
            )
        yield (
            pk,
            filled_text(
                output.text,
                f"the output for segment {number}",
                location,
                _REMEDY,
            ),
        )
