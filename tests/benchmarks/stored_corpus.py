"""Made-up segments in the database, for the benchmark of planning; needs Django set up."""

from collections.abc import Mapping

from django.db import transaction

from annotation.models import Design
from annotation.sampling.corpus import SegmentOutputs
from annotation.sampling.parameters import DesignParameters
from campaign.database.copy import rows_copy, statistics_refresh
from campaign.models import Document, Output, Segment, System, Task
from tests.factories import empty_task, make_campaign


@transaction.atomic
def corpus_store(
    texts: Mapping[int, SegmentOutputs], parameters: DesignParameters, *, document: int
) -> Task:
    """A test set of these segments and a design; outputs keep their ids, so that draws compare."""
    task = empty_task(
        campaign=make_campaign(), name="long", source_language="en", target_language="de"
    )
    Design.objects.create(task=task, kind=parameters.kind.value, seed=parameters.seed)
    kinds = {each.system: each.kind.value for of in texts.values() for each in of.outputs}
    systems = {
        name: System.objects.create(test_set=task.test_set, name=name, kind=kind).pk
        for name, kind in kinds.items()
    }
    documents = [
        Document.objects.create(test_set=task.test_set, name=str(number), position=number).pk
        for number in range(1, -(-len(texts) // document) + 1)
    ]
    segments = [
        Segment(
            test_set=task.test_set,
            document_id=documents[(number - 1) // document],
            number=number,
            position=(number - 1) % document + 1,
            source_text="word " * texts[number].words,
        )
        for number in sorted(texts)
    ]
    ids = {segment.number: segment.pk for segment in Segment.objects.bulk_create(segments)}
    rows_copy(
        Output,
        ("id", "segment_id", "system_id", "text"),
        (
            (each.output_id, ids[number], systems[each.system], each.text)
            for number, of in texts.items()
            for each in of.outputs
        ),
    )
    statistics_refresh(Segment, Output)
    return task
