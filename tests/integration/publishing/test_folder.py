"""The frozen folder of a result opens from a disk, names nobody who is not to be named, and holds what the docs list."""

import re
from datetime import timedelta
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import urlsplit

import pytest
from django.test import Client, override_settings
from django.urls import reverse
from django.utils import timezone, translation

from campaign.models import Segment, System
from ranking.models import PublishedResult
from ranking.pages.result_bundles import result_bundle_make
from ranking.reports.published_results import FOLDER
from ranking.services.published_results.content import FrontMatter
from ranking.services.published_results.publish import result_publish, result_retract
from tests.integration.publishing.bundled import (
    ROOT,
    bundled,
    files_of,
    made_and_undone,
)
from tests.integration.ranking.writing import TestSetWriter

pytestmark = pytest.mark.django_db


class Page(HTMLParser):
    """What a page leads to, what it loads by itself, and whether it runs anything."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.links: list[str] = []
        self.loaded: list[str] = []
        self.tags: set[str] = set()
        self.ids: set[str] = set()
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = dict(attrs)
        self.tags.add(tag)
        self.ids |= {given["id"] or ""} if "id" in given else set()
        if given.get("href"):
            (self.links if tag == "a" else self.loaded).append(given["href"] or "")
        self.loaded += [
            given[name] or "" for name in ("src", "srcset", "data") if name in given
        ]


def test_its_page_opens_without_a_network_and_leads_only_to_files_beside_it(
    judged: TestSetWriter,
) -> None:
    front_matter = FrontMatter(contact="mail@example.org", authors=("Horáková, Marta",))
    _result, zipped = bundled(judged.task, front_matter=front_matter, with_texts=True)
    files = files_of(zipped)
    text = files["index.html"].decode()
    page = Page(text)
    assert page.loaded == []
    assert page.tags.isdisjoint(
        {"script", "link", "img", "iframe", "object", "form", "base"},
    )
    # Styles, dark ones too, are in it, and ask for nothing either.
    styles = "".join(re.findall(r"<style>(.*?)</style>", text, re.DOTALL))
    assert "light-dark(" in styles
    assert ".published-columns" in styles
    assert "url(" not in styles
    assert "@import" not in styles
    assert "viewport" in text
    names = {link for link in page.links if not link.startswith(("#", "mailto:"))}
    assert names == set(files) - {"index.html"}
    assert {link[1:] for link in page.links if link.startswith("#")} <= page.ids


def test_its_page_is_the_one_that_is_served_in_english(
    judged: TestSetWriter,
    client: Client,
) -> None:
    with translation.override("de"):
        result, zipped = bundled(judged.task)
    text = files_of(zipped)["index.html"].decode()
    served = client.get(
        reverse("published-result", args=[result.address]),
    ).content.decode()
    tables = [
        re.findall(r"<table.*?</table>", each, re.DOTALL) for each in (text, served)
    ]
    assert len(tables[0]) == 4
    assert tables[0] == tables[1]


def test_nothing_that_happens_later_is_in_it(judged: TestSetWriter) -> None:
    until = timezone.now() + timedelta(days=3)
    result = result_publish(task=judged.task, by=None, embargo_until=until)
    first, _zipped = made_and_undone(result)
    result_retract(result=result, reason="Wrong texts.")
    result_publish(task=judged.task, by=None)
    again = result_bundle_make(result=PublishedResult.objects.get(pk=result.pk))
    assert first.bundle is not None
    assert again.bundle is not None
    assert again.bundle.digest == first.bundle.digest


@override_settings(PUBLIC_ADDRESS="https://q.example")
def test_its_citation_names_the_public_address(judged: TestSetWriter) -> None:
    result, zipped = bundled(judged.task)
    files = files_of(zipped)
    for name in ("citation.bib", "CITATION.cff", "ranking.md", "index.html"):
        assert f"https://q.example/results/{result.address}/" in files[name].decode(), (
            name
        )


def test_page_of_a_folder_does_not_name_anonymous_systems(
    judged: TestSetWriter,
) -> None:
    System.objects.filter(name="cobalt").update(team="Secret Lab")
    _result, zipped = bundled(judged.task, anonymous=["cobalt"])
    text = files_of(zipped)["index.html"].decode()
    assert "System A" in text
    assert "cobalt" not in text.lower()
    assert "secret lab" not in text.lower()


def test_page_zip_and_docs_have_one_list(judged: TestSetWriter, client: Client) -> None:
    Segment.objects.update(source_text="Věta.")
    result, zipped = bundled(judged.task, with_texts=True)
    names = list(files_of(zipped))
    of_answers = {
        "answers.jsonl",
        *(name for name in FOLDER if name.startswith("results.")),
    }
    missing = {"judgments-left-out.csv", *of_answers}
    assert names == [name for name in FOLDER if name not in missing]
    served = Page(
        client.get(reverse("published-result", args=[result.address])).content.decode(),
    ).links
    place = f"/results/{result.address}/"
    files = [
        urlsplit(link).path.removeprefix(place) for link in served if place in link
    ]
    assert files == ["bundle.zip", *names]
    docs = (Path(ROOT) / "docs" / "publishing.md").read_text("utf-8")
    section = docs.partition("## The bundle\n")[2].partition("\n## ")[0]
    table = re.findall(r"^\| (`.*?) \|", section, re.MULTILINE)
    assert [name for row in table for name in re.findall(r"`([^`]+)`", row)] == list(
        FOLDER,
    )
