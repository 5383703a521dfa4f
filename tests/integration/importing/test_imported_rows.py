"""Rows of a five-way CSV are stored as they are read: whatever the file, in whatever batches."""

import hashlib
import json
import uuid
from collections import Counter
from dataclasses import replace
from functools import partial
from io import BytesIO
from math import gcd

import pytest
from django.db import transaction
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from annotation.importing import answer_rows as placing
from annotation.importing import answer_subjects as finding
from annotation.importing import answers as importing
from annotation.importing.answers import answers_import
from annotation.models import Block, Judgment, Skip
from campaign.formats import JudgedBlock, read_five_way_csv, write_five_way_csv
from campaign.formats.streams import StoredFile
from campaign.importing import test_sets_without_texts as without_texts
from campaign.models import Campaign, Judge, Output, System, Task
from tests.factories import make_task
from tests.properties import examples

pytestmark = pytest.mark.django_db

_SYSTEMS = ("amber", "birch", "cobalt", "dune", "ember", "fjord")
_BLOCKS_OF_A_HIT = 3
_NAMESPACE = uuid.UUID("0d2b4e0e-6f0c-5a4b-8d1e-6f1f3a6c7b52")


@st.composite
def _rows(draw: st.DrawFn) -> JudgedBlock:
    systems = draw(st.permutations(_SYSTEMS))[: draw(st.integers(1, 6))]
    candidates: list[tuple[str, ...]] = []
    for system in systems:
        if candidates and len(candidates[-1]) < 3 and draw(st.integers(0, 3)) == 0:
            candidates[-1] += (system,)
        else:
            candidates.append((system,))
    label = st.none() | st.integers(1, 5)
    number = draw(st.integers(1, 4))
    return JudgedBlock(
        source_language="en",
        target_language="de",
        segment=number,
        document="",
        segment_id=str(number),
        judge=draw(st.sampled_from(["ada", "bob", 'é "q", \\', "-1"])),
        candidates=tuple(candidates),
        labels=tuple(draw(label) for _candidate in candidates),
        system_numbers=((),) * len(candidates),
    )


def _file(rows: list[JudgedBlock]) -> StoredFile:
    content = "".join(write_five_way_csv(rows, slots=6)).encode()
    return StoredFile("judgments.csv", partial(BytesIO, content))


def _stored(task: Task) -> list[tuple[object, ...]]:
    """All that an import writes of each row, in the order of the blocks."""
    systems = dict(Output.objects.values_list("pk", "system__name"))
    found: list[tuple[object, ...]] = []
    blocks = Block.objects.filter(hit__task=task).select_related("hit", "segment")
    for block in blocks.order_by("pk"):
        hit = block.hit
        judgment = Judgment.objects.filter(block=block).first()
        answer = judgment or Skip.objects.get(block=block)
        assert (hit.completed_at, hit.available_at) == (
            hit.available_at,
            hit.completed_at,
        )
        assert set(
            Output.objects.filter(pk__in=block.outputs).values_list("segment_id"),
        ) == {(block.segment_id,)}
        found.append(
            (
                hit.number,
                hit.why,
                block.position,
                block.segment.number,
                [systems[output] for output in block.outputs],
                block.stands_for,
                answer.judge.pseudonym,
                answer.client_id,
                answer.comment,
                judgment and (judgment.labels, judgment.numbered.number),
            ),
        )
    return found


def _without_copies(rows: list[JudgedBlock]) -> list[JudgedBlock]:
    """Return the rows once if the file holds all of them several times, equally often."""
    times: Counter[str] = Counter(_said(row) for row in rows)
    copies = gcd(*times.values())
    so_far: Counter[str] = Counter()
    kept = []
    for row in rows:
        if so_far[_said(row)] % copies == 0:
            kept.append(row)
        so_far[_said(row)] += 1
    return kept


def _said(row: JudgedBlock) -> str:
    return repr((row.segment, row.judge, row.candidates, row.labels))


def _expected(
    rows: list[JudgedBlock],
    task: Task,
    content: bytes,
) -> list[tuple[object, ...]]:
    sha256 = hashlib.sha256(content).hexdigest()
    why = {"file": "judgments.csv", "format": "five-way-csv", "sha256": sha256}
    seen: Counter[str] = Counter()
    judged = 0
    hits: list[str] = []
    open_hits: dict[str, tuple[int, int]] = {}
    found: list[tuple[object, ...]] = []
    for row in rows:
        number, position = open_hits.get(row.judge, (0, _BLOCKS_OF_A_HIT))
        if position == _BLOCKS_OF_A_HIT:
            hits.append(row.judge)
            number, position = len(hits), 0
        open_hits[row.judge] = number, position + 1
        said = json.dumps([task.pk, row.segment, row.judge, row.candidates, row.labels])
        seen[said] += 1
        name = said if seen[said] == 1 else f"{said} {seen[said]}"
        is_judged = any(label is not None for label in row.labels)
        judged += is_judged
        sizes = [len(systems) for systems in row.candidates]
        found.append(
            (
                number,
                why,
                position + 1,
                row.segment,
                [system for systems in row.candidates for system in systems],
                sizes if max(sizes) > 1 else None,
                row.judge,
                uuid.uuid5(_NAMESPACE, name),
                "",
                (list(row.labels), judged) if is_judged else None,
            ),
        )
    return found


@settings(examples(10), suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    rows=st.lists(_rows(), min_size=1, max_size=12),
    again=st.lists(st.integers(0, 11), max_size=4),
    batch=st.integers(1, 6),
    characters=st.sampled_from([0, 1_000_000]),
    with_texts=st.booleans(),
)
def test_every_row_is_stored_as_it_is_read(
    campaign: Campaign,
    monkeypatch: pytest.MonkeyPatch,
    rows: list[JudgedBlock],
    again: list[int],
    batch: int,
    characters: int,
    with_texts: bool,
) -> None:
    if with_texts:
        # Candidates of systems whose texts differ are refused.
        rows = [
            replace(row, candidates=tuple(each[:1] for each in row.candidates))
            for row in rows
        ]
    rows += [rows[each % len(rows)] for each in again]
    monkeypatch.setattr(importing, "_BATCH", batch)
    monkeypatch.setattr(finding, "_MOST_CHARACTERS", characters)
    monkeypatch.setattr(placing, "BLOCKS_OF_A_HIT", _BLOCKS_OF_A_HIT)
    file = _file(rows)
    kept = _without_copies(rows)
    with file.open() as stream:
        assert list(read_five_way_csv(stream, file.name)) == rows
    with transaction.atomic():
        if with_texts:
            task = make_task(campaign, planned=0)
        else:
            task = without_texts.test_set_without_texts_create(
                campaign=campaign,
                name="new",
                files=[file],
            ).tasks.get()
        done = answers_import(task=task, files=[file])
        with file.open() as stream:
            expected = _expected(kept, task, stream.read(-1))
        assert _stored(task) == expected
        assert done.judgments == sum(row[-1] is not None for row in expected)
        assert (done.skips, done.already_there) == (len(kept) - done.judgments, 0)
        said = {(row.segment, row.judge, row.candidates, row.labels) for row in rows}
        assert done.repeated == len(kept) - len(said)
        judges = Judge.objects.order_by("pk").values_list("pseudonym", flat=True)
        assert list(judges) == list(dict.fromkeys(row.judge for row in rows))
        if not with_texts:
            named = (
                system
                for row in rows
                for systems in row.candidates
                for system in systems
            )
            stored = System.objects.order_by("pk").values_list("name", flat=True)
            assert list(stored) == list(dict.fromkeys(named))
        again_done = answers_import(task=task, files=[file])
        assert (again_done.already_there, _stored(task)) == (len(kept), expected)
        transaction.set_rollback(True)
