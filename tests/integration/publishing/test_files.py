"""Files of a published result: each from content alone, and none that its reader's program runs."""

import csv
import io
import json
from collections.abc import Iterator
from dataclasses import dataclass
from hashlib import sha256

import pytest
from django.test import Client
from django.urls import reverse
from django.utils import timezone
from pytest_django import DjangoDbBlocker

from campaign.models import System
from ranking.models import PublishedResult
from ranking.services.published_results.content import FrontMatter
from ranking.services.runs import ranking_run_compute
from tests.factories import make_campaign
from tests.integration.publishing.bundled import bundled
from tests.integration.publishing.conftest import ranked_task
from tests.shared_rows import shared_rows

pytestmark = pytest.mark.django_db

AWKWARD = 'a_b & $c% #1 {x} ~^ \\ "q" <i>'
FORMULA = "=1+1"


@dataclass(frozen=True)
class Published:
    """A result with plain names, and one with names that programs would run."""

    plain: PublishedResult
    awkward: PublishedResult


def make_published() -> Published:
    writer = ranked_task(make_campaign("autumn"))
    authors = ("Horáková, Marta", "The {Group} & friends")
    plain, _bundle = bundled(writer.task, front_matter=FrontMatter(authors=authors))
    return Published(plain, make_awkward())


def make_awkward() -> PublishedResult:
    writer = ranked_task(make_campaign("spring"))
    systems = System.objects.filter(test_set=writer.task.test_set)
    systems.filter(name="amber").update(name=AWKWARD)
    systems.filter(name="birch").update(name=FORMULA)
    writer.judgment("j1", writer.block(40, [AWKWARD.replace(",", ""), FORMULA]), [1, 2])
    ranking_run_compute(task_id=writer.task.pk)
    result, _bundle = bundled(writer.task)
    return result


@pytest.fixture(scope="module")
def published(
    django_db_setup: None,
    django_db_blocker: DjangoDbBlocker,
) -> Iterator[Published]:
    with shared_rows(django_db_blocker, make_published) as made:
        yield made


@pytest.fixture
def result(published: Published) -> PublishedResult:
    return PublishedResult.objects.get(pk=published.plain.pk)


@pytest.fixture
def awkward(published: Published) -> PublishedResult:
    return PublishedResult.objects.get(pk=published.awkward.pk)


def file_of(client: Client, result: PublishedResult, name: str) -> str:
    answer = client.get(reverse("published-file", args=[result.address, name]))
    assert answer.status_code == 200
    return b"".join(answer).decode()


def test_files_are_sent_as_what_they_are(
    result: PublishedResult,
    client: Client,
) -> None:
    for each in result.bundle_files:
        name = each["name"]
        answer = client.get(reverse("published-file", args=[result.address, name]))
        body = b"".join(answer)
        assert answer["Cache-Control"] == "public, max-age=300"
        assert f'filename="{name}"' in answer["Content-Disposition"]
        assert sha256(body).hexdigest() == each["sha256"]
        if name.startswith(("ranking", "pairs")) and name != "ranking.png":
            assert b"amber" in body
        # The page says what has happened since; the file of it does not, so it is saved.
        is_shown = (
            name in {"result.json", "citation.bib", "ranking.md"}
            or "image" in answer["Content-Type"]
        )
        assert answer["Content-Disposition"].startswith("inline") == is_shown


def test_a_file_that_a_cache_has_is_not_sent_again(
    result: PublishedResult,
    client: Client,
) -> None:
    for name in ("ranking.png", "ranking.csv", "bundle.zip"):
        address = reverse("published-file", args=[result.address, name])
        etag = client.get(address)["ETag"]
        again = client.get(address, headers={"If-None-Match": etag})
        assert again.status_code == 304
        assert again.content == b""
        assert again["Cache-Control"] == "public, max-age=300"
        other = reverse("published-file", args=[result.address, "ranking.tex"])
        assert client.get(other, headers={"If-None-Match": etag}).status_code == 200


def test_anybody_can_check_the_digest(result: PublishedResult, client: Client) -> None:
    body = file_of(client, result, "result.json")
    assert sha256(body.encode()).hexdigest() == result.digest
    assert json.loads(body) == result.content


def test_latex_prints_names_and_runs_none(
    awkward: PublishedResult,
    client: Client,
) -> None:
    body = file_of(client, awkward, "ranking.tex")
    assert (
        r"a\_b \& \$c\% \#1 \{x\} \textasciitilde{}\textasciicircum{} \textbackslash{}"
        in body
    )
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


def test_a_spreadsheet_computes_nothing(
    awkward: PublishedResult,
    client: Client,
) -> None:
    rows = list(csv.DictReader(io.StringIO(file_of(client, awkward, "ranking.csv"))))
    names = {row["system"] for row in rows}
    assert f"'{FORMULA}" in names
    assert AWKWARD in names
    frozen = {row["system"]: row for row in awkward.content["ranking"]["systems"]}
    row = next(row for row in rows if row["system"] == AWKWARD)
    assert float(row["score"]) == frozen[AWKWARD]["score"]
    assert int(row["rank_high"]) == frozen[AWKWARD]["rank_high"]


def test_tables_have_the_pairs_and_what_went_in(
    result: PublishedResult,
    client: Client,
) -> None:
    cases: list[tuple[str, str]] = [
        ("ranking.md", "| amber | – | 92"),
        ("ranking.tex", "amber & -- & 92"),
        ("ranking.typ", '"amber", "–", "92'),
    ]
    for name, row in cases:
        body = file_of(client, result, name)
        assert row in body
        assert "in which the row beats the column" in body
        assert "tests of the pair's own comparisons" in body.replace("’", "'")
        marks = "Marks: * up to 0.10, † up to 0.05, ‡ up to 0.01."
        # An asterisk is markup in one of them.
        assert marks in body.replace(r"\*", "*")
        today = timezone.now().date().isoformat()
        assert f"Sentences: 8, documents: 1, judged on {today} (UTC)." in body
        # Three judges say too little about κ.
        assert " between judges is not given: its interval, " in body
