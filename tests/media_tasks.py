"""Tasks whose outputs are recordings."""

from collections.abc import Mapping, Sequence
from functools import partial

from annotation.importing.test_sets import TestSetFiles, test_set_from_files
from annotation.services.planning.designs import design_ensure
from annotation.services.planning.pool import hits_plan
from campaign.formats.recognising import recognise
from campaign.formats.streams import StoredFile
from campaign.models import Campaign, Protocol, Task
from tests.media_samples import opened, png, wav

SYSTEMS = ("amber", "birch", "cobalt")


def recordings(
    *,
    segments: int = 3,
    systems: Sequence[str] = SYSTEMS,
) -> dict[str, bytes]:
    """Return texts to be spoken, and a folder of recordings for each system."""
    lines = "".join(f"Say sentence {number}.\n" for number in range(1, segments + 1))
    files = {"source.txt": lines.encode()}
    for place, system in enumerate(systems):
        for number in range(1, segments + 1):
            files[f"{system}/{number}.wav"] = wav(
                200 + 100 * place + 10 * number,
                seconds=2,
            )
    return files


def pictures() -> dict[str, bytes]:
    """Return descriptions of pictures."""
    rows = ["source\tamber\tbirch"]
    files = {}
    for number in range(1, 4):
        files[f"pictures/{number}.png"] = png(40 * number)
        rows.append(
            f"Describe it. pictures/{number}.png\tGrey {number}.\tA square {number}.",
        )
    return {"set.tsv": ("\n".join(rows) + "\n").encode(), **files}


def make_media_task(
    campaign: Campaign,
    files: Mapping[str, bytes] | None = None,
    *,
    protocol: str = Protocol.RANKING,
    name: str = "speech",
) -> Task:
    """Import files, by default recordings, and plan the first HITs."""
    given = [
        StoredFile(path, partial(opened, content))
        for path, content in (files or recordings()).items()
    ]
    test_set = test_set_from_files(
        campaign=campaign,
        files=TestSetFiles(
            recognised=recognise(name, given),
            name=name,
            source_language="en",
            target_language="de",
        ),
        protocol=protocol,
    )
    task = test_set.tasks.get()
    design_ensure(task=task, seed=7)
    hits_plan(task_id=task.pk, count=4)
    return task
