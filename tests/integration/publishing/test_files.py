"""Files of a published result: each from content alone, and none that its reader's program runs."""

import csv
import io
import json
import subprocess
from concurrent.futures import ThreadPoolExecutor
from hashlib import sha256
from threading import Barrier

import pytest
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from campaign.models import System
from campaign.texts.canonical_json import canonical
from ranking.models import PublishedResult
from ranking.reports.published import FILES, PublishedFile
from ranking.reports.published.image import drawn
from ranking.services import ranking_run_compute
from ranking.services.publishing import PublishedWords, result_publish
from tests.integration.ranking.writing import TestSetWriter

pytestmark = pytest.mark.django_db

AWKWARD = 'a_b & $c% #1 {x} ~^ \\ "q" <i>'
FORMULA = "=1+1"


@pytest.fixture
def result(judged: TestSetWriter) -> PublishedResult:
    words = PublishedWords(authors=("Horáková, Marta", "The {Group} & friends"))
    return result_publish(task=judged.task, by=None, words=words)


@pytest.fixture
def awkward(judged: TestSetWriter) -> PublishedResult:
    System.objects.filter(name="amber").update(name=AWKWARD)
    System.objects.filter(name="birch").update(name=FORMULA)
    judged.judgment("j1", judged.block(40, [AWKWARD.replace(",", ""), FORMULA]), [1, 2])
    ranking_run_compute(task_id=judged.task.pk)
    return result_publish(task=judged.task, by=None)


def file_of(client: Client, result: PublishedResult, name: str) -> str:
    answer = client.get(reverse("published-file", args=[result.address, name]))
    assert answer.status_code == 200
    return str(answer.content.decode())


def test_each_file_names_the_systems_and_is_sent_as_what_it_is(
    result: PublishedResult, client: Client
) -> None:
    for name in FILES:
        answer = client.get(reverse("published-file", args=[result.address, name]))
        assert answer["Content-Type"] == FILES[name].content_type
        assert answer["Cache-Control"] == "public, max-age=300"
        assert f'filename="{name}"' in answer["Content-Disposition"]
        if name == "ranking.png":
            continue
        body = answer.content.decode()
        assert ("amber" in body) == name.startswith(("ranking", "pairs"))
        assert body.endswith("\n")


def with_systems(result: PublishedResult, count: int) -> PublishedFile:
    """Return a result of many systems, as a file is written of it."""
    rows = result.content["ranking"]["systems"]
    many = [{**rows[0], "system": f"system {number}"} for number in range(count)]
    content = {**result.content, "ranking": {**result.content["ranking"], "systems": many}}
    return PublishedFile(content=content, digest=result.digest, url="")


def test_who_asks_for_one_image_at_once_has_it_drawn_once(result: PublishedResult) -> None:
    written = with_systems(result, 200)
    drawn.cache_clear()
    together = Barrier(4)

    def asked(_number: int) -> bytes:
        together.wait()
        return FILES["ranking.png"].write(written)

    with ThreadPoolExecutor(4) as threads:
        assert len(set(threads.map(asked, range(4)))) == 1
    assert drawn.cache_info().misses == 1


def test_a_file_that_a_cache_has_is_not_written_again(
    result: PublishedResult, client: Client
) -> None:
    cases: list[str] = [
        "ranking.png",
        "ranking.csv",
    ]
    for name in cases:
        address = reverse("published-file", args=[result.address, name])
        etag = client.get(address)["ETag"]
        again = client.get(address, headers={"If-None-Match": etag})
        assert again.status_code == 304
        assert again.content == b""
        assert again["Cache-Control"] == "public, max-age=300"
        # Another file, and the same at another address for everybody, are others.
        other = reverse("published-file", args=[result.address, "ranking.tex"])
        assert client.get(other, headers={"If-None-Match": etag}).status_code == 200
        secure = client.get(address, headers={"If-None-Match": etag}, secure=True)
        assert secure.status_code == 200


def test_anybody_can_check_the_digest(result: PublishedResult, client: Client) -> None:
    body = file_of(client, result, "ranking.json")
    said = json.loads(body)
    assert said["digest"] == sha256(canonical(said["content"]).encode()).hexdigest()
    assert said["digest"][:16] == result.address
    assert said["url"] == f"http://testserver/results/{result.address}/"
    # As docs/publishing.md has it.
    shell = "sed -n 4p | tr -d '\\n' | sha256sum"
    printed = subprocess.run(
        ["/bin/sh", "-c", shell], input=body.encode(), capture_output=True, check=True
    )
    assert printed.stdout.decode().split()[0] == result.digest


def test_latex_prints_names_and_runs_none(awkward: PublishedResult, client: Client) -> None:
    body = file_of(client, awkward, "ranking.tex")
    assert r"a\_b \& \$c\% \#1 \{x\} \textasciitilde{}\textasciicircum{} \textbackslash{}" in body
    assert r"\toprule" in body
    assert r"\bottomrule" in body
    assert body.count(r"\midrule") >= 1


def test_typst_has_names_as_strings(awkward: PublishedResult, client: Client) -> None:
    body = file_of(client, awkward, "ranking.typ")
    assert '"a_b & $c% #1 {x} ~^ \\\\ \\"q\\" <i>"' in body


def test_markdown_escapes_names(awkward: PublishedResult, client: Client) -> None:
    body = file_of(client, awkward, "ranking.md")
    assert r"a\_b & $c% \#1" in body
    assert r"\<i\>" in body


def test_a_spreadsheet_computes_nothing(awkward: PublishedResult, client: Client) -> None:
    rows = list(csv.DictReader(io.StringIO(file_of(client, awkward, "ranking.csv"))))
    names = {row["system"] for row in rows}
    assert f"'{FORMULA}" in names
    assert AWKWARD in names
    frozen = {row["system"]: row for row in awkward.content["ranking"]["systems"]}
    row = next(row for row in rows if row["system"] == AWKWARD)
    assert float(row["score"]) == frozen[AWKWARD]["score"]
    assert int(row["rank_high"]) == frozen[AWKWARD]["rank_high"]


def test_tables_have_the_pairs_and_what_went_in(result: PublishedResult, client: Client) -> None:
    cases: list[tuple[str, str]] = [
        ("ranking.md", "| amber | – | 92"),
        ("ranking.tex", "amber & -- & 92"),
        ("ranking.typ", '"amber", "–", "92'),
    ]
    for name, row in cases:
        body = file_of(client, result, name)
        assert row in body
        assert "How often the row beats the column" in body
        marks = "p adjusted by Holm: * up to 0.10, † up to 0.05, ‡ up to 0.01."
        # An asterisk is markup in one of them.
        assert marks in body.replace(r"\*", "*")
        today = timezone.now().date().isoformat()
        assert f"Sentences: 8, documents: 1, judged on {today} (UTC)." in body
        assert " between judges: 0." in body
