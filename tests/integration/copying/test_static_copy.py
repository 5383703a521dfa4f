"""A static copy: it finds its way without a server, names nobody, and is the same each time."""

import io
import posixpath
import re
import zipfile
from collections.abc import Mapping
from datetime import timedelta
from html import unescape
from html.parser import HTMLParser
from typing import Any

import pytest
from django.utils import timezone

from campaign.models import Campaign, Segment, System, User
from campaign.services import (
    instructions_write,
    judge_group_create,
    judge_group_members_change,
)
from cells.campaign_copy.rankings import CopyRefusedError
from cells.campaign_copy.writing import zip_write
from ranking.models import PublishedResult
from ranking.reports.published import FILES
from ranking.services import ranking_run_compute, ranking_settings_change
from ranking.services.publishing import (
    PublishedWords,
    PublishingRefusedError,
    result_publish,
    result_retract,
    result_reviewer_link_make,
)
from tests.factories import make_campaign
from tests.integration.copying.conftest import PEOPLE
from tests.integration.ranking.writing import TestSetWriter

pytestmark = pytest.mark.django_db

ADDRESS = "https://q.example"


def zipped(campaign: Campaign, *, with_texts: bool = False) -> bytes:
    stream = io.BytesIO()
    zip_write(
        stream, campaign, with_texts=with_texts, address=ADDRESS, told=lambda _done, _total: None
    )
    return stream.getvalue()


def files_of(campaign: Campaign, **chosen: Any) -> dict[str, str]:
    """Return the files of a copy by their paths below its folder, images as far as they are text."""
    with zipfile.ZipFile(io.BytesIO(zipped(campaign, **chosen))) as archive:
        names = archive.namelist()
        assert len(set(names)) == len(names)
        return {
            name.removeprefix(f"{campaign.slug}/"): archive.read(name).decode(errors="replace")
            for name in names
        }


class Links(HTMLParser):
    """What a page has of addresses, scripts and forms, and words that are read."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.asked: list[str] = []
        self.followed: list[str] = []
        self.ids: set[str] = set()
        self.tags: set[str] = set()
        self.without_way: list[str] = []
        self.words: list[str] = []
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = dict(attrs)
        self.tags.add(tag)
        assert not [name for name in given if name.startswith(("hx-", "on"))], given
        assert "style" not in given
        if "id" in given:
            self.ids.add(given["id"] or "")
        if tag == "a":
            if not given.get("href"):
                self.without_way.append(str(given))
            else:
                self.followed.append(given["href"] or "")
        self.asked += [given[name] or "" for name in ("src", "srcset", "data") if name in given]
        if tag in {"link", "use", "image"}:
            self.asked.append(given.get("href") or "")

    def handle_data(self, data: str) -> None:
        self.words.append(data)

    @property
    def text(self) -> str:
        return re.sub(r"\s+", " ", " ".join(self.words))


def crawled(files: Mapping[str, str]) -> dict[str, Links]:
    """Follow all links from the first page; assert that each leads somewhere, and that all is reached."""
    pages = {path: Links(text) for path, text in files.items() if path.endswith(".html")}
    reached, waiting = {"index.html"}, ["index.html"]
    while waiting:
        path = waiting.pop()
        page = pages.get(path)
        if page is None:
            continue
        assert not page.without_way, (path, page.without_way)
        assert not page.tags & {"script", "form", "iframe", "input", "button"}, (path, page.tags)
        for way in [*page.followed, *page.asked]:
            if way in page.followed and way.startswith(("https://", "mailto:")):
                continue
            assert "://" not in way, (path, way)
            assert not way.startswith("/"), (path, way)
            target, _hash, anchor = way.partition("#")
            there = posixpath.normpath(posixpath.join(posixpath.dirname(path), target))
            there = there if target else path
            assert there in files, (path, way)
            if anchor:
                assert anchor in pages[there].ids, (path, way)
            if there not in reached:
                reached.add(there)
                waiting.append(there)
    assert reached == set(files)
    return pages


def published(writer: TestSetWriter, **chosen: Any) -> PublishedResult:
    return result_publish(task=writer.task, by=None, **chosen)


@pytest.mark.thorough
def test_every_link_leads_into_the_copy_and_all_of_it_is_reached(
    campaign: Campaign, news: TestSetWriter, talks: TestSetWriter
) -> None:
    Segment.objects.filter(test_set_id=news.task.test_set_id).update(source_text="Ahoj.")
    first, second = published(news), published(news)
    result_retract(result=first, reason="Wrong texts.")
    files = files_of(campaign, with_texts=True)
    pages = crawled(files)
    expected = {
        "index.html",
        "instructions/1.html",
        # Those of what is stored anyway.
        *(f"tables/{name}.html" for name in ("1-collected", "2-clusters", "3-average-ranks")),
        *(
            f"test-set-{place}/{name}.html"
            for place in (1, 2)
            for name in ("index", "pairs", "agreement", "design", "texts/1")
        ),
        *(f"published/{each.address}/index.html" for each in (first, second)),
    }
    assert pages.keys() == expected
    assert {f"published/{first.address}/{name}" for name in FILES} <= files.keys()
    assert "PNG" in files[f"published/{first.address}/ranking.png"][:4]
    index = pages["index.html"].text
    assert "news" in index
    assert "talks" in index
    assert "All four systems are told apart" in index
    ranking = files["test-set-1/index.html"]
    assert "<svg" in ranking
    assert 'class="matrix"' in ranking
    assert "κ between judges" in pages["test-set-1/index.html"].text
    assert "Read both" in pages["instructions/1.html"].text
    assert "Ahoj." in pages["test-set-1/texts/1.html"].text
    assert "Wrong texts." in pages[f"published/{first.address}/index.html"].text
    # Citations name the address for everybody.
    assert (
        f"{ADDRESS}/results/{second.address}/" in files[f"published/{second.address}/ranking.json"]
    )


def test_it_names_no_judge_and_no_member(campaign: Campaign, news: TestSetWriter) -> None:
    everything = "".join(files_of(campaign, with_texts=True).values())
    for word in PEOPLE:
        assert word not in unescape(everything), word
    # Nor a pseudonym, where nothing was published.
    assert not re.search(r"\bj[123]\b", everything)
    assert "A judge" in everything
    assert "The reason is not in this copy." in everything


def test_the_group_whose_judgments_count_is_not_named(
    campaign: Campaign, organiser: User, news: TestSetWriter
) -> None:
    group = judge_group_create(campaign=campaign, name="Cobalt’s own", blocks_asked=None)
    judge_group_members_change(group=group, add=[news.judge("j1")])
    ranking_settings_change(task=news.task, judge_group=group, reason="Tried.")
    ranking_run_compute(task_id=news.task.pk)
    published(news)
    published(news, anonymous=["birch"])
    files = files_of(campaign)
    own = {path: unescape(text) for path, text in files.items() if "published/" not in path}
    assert "Not of the group “…”" in own["test-set-1/index.html"]
    assert not [path for path, text in own.items() if "Cobalt’s own" in text]


def test_published_versions_have_the_pseudonyms_that_they_have_and_no_link_of_reviewers(
    campaign: Campaign, news: TestSetWriter
) -> None:
    # The reason of an organiser is public once it is published: it was read in the preview.
    result = published(news)
    token = result_reviewer_link_make(result=result)
    Segment.objects.filter(test_set_id=news.task.test_set_id).update(source_text="Ahoj.")
    files = files_of(campaign)
    # Nor texts, unless they are asked for.
    assert "Ahoj." not in "".join(files.values())
    assert "Judge j3" in files[f"published/{result.address}/index.html"]
    others = "".join(text for path, text in files.items() if not path.startswith("published/"))
    assert not re.search(r"\bj[123]\b", others)
    assert token not in "".join(files.values())


def test_who_is_not_named_in_the_newest_version_is_named_nowhere(
    campaign: Campaign, news: TestSetWriter, talks: TestSetWriter
) -> None:
    naming = published(news)
    newest = published(news, anonymous=["cobalt"])
    files = files_of(campaign, with_texts=True)
    pages = crawled(files)
    assert f"published/{newest.address}/index.html" in files
    assert f"published/{naming.address}/index.html" not in files
    # In tables over test sets, each has its own names: `test_copied_answers.py`.
    others = ("test-set-2/", "tables/", "style/")
    of_news = {path: text for path, text in files.items() if not path.startswith(others)}
    for path, text in of_news.items():
        assert "cobalt" not in text, path
        assert "Secret Lab" not in text, path
        assert naming.address not in text, path
    assert "System A" in pages["test-set-1/index.html"].text
    assert "System A" in pages["test-set-1/pairs.html"].text
    assert "System A" in pages["test-set-1/texts/1.html"].text
    assert "1 published version is not in this copy" in pages["index.html"].text
    # Of another test set, whose results are its own.
    assert "cobalt" in pages["test-set-2/index.html"].text


@pytest.mark.thorough
def test_reasons_are_as_the_newest_version_words_them(
    campaign: Campaign, news: TestSetWriter
) -> None:
    reason = "Cobalt asked for it."
    ranking_settings_change(task=news.task, confidence=0.9, reason=reason)
    ranking_run_compute(task_id=news.task.pk)
    words = PublishedWords(wordings={reason: "A team asked for it."})
    published(news, anonymous=["cobalt"], words=words)
    files = files_of(campaign)
    assert "cobalt" not in "".join(files.values()).lower()
    assert "A team asked for it. (reworded for publication)" in files["test-set-1/index.html"]


def test_what_is_under_an_embargo_is_left_out_and_decides_all_the_same(
    campaign: Campaign, news: TestSetWriter
) -> None:
    until = timezone.now() + timedelta(days=3)
    result = published(news, anonymous=["cobalt"], embargo_until=until)
    files = files_of(campaign)
    assert not [path for path in files if path.startswith("published/")]
    assert result.address not in "".join(files.values())
    assert "cobalt" not in "".join(files.values())


def test_texts_that_name_who_is_not_named_are_refused(
    campaign: Campaign, news: TestSetWriter
) -> None:
    published(news, anonymous=["cobalt"])
    instructions_write(
        campaign=campaign, language="en", text="Hello.\n\nCobalt is new.", demands_acceptance=False
    )
    with pytest.raises(PublishingRefusedError, match=r"is in this text: “Cobalt is new.”"):
        zipped(campaign)


@pytest.mark.thorough
def test_a_ranking_from_before_a_system_was_renamed_is_refused(
    campaign: Campaign, news: TestSetWriter
) -> None:
    published(news, anonymous=["cobalt"])
    System.objects.filter(name="cobalt").update(name="nickel")
    with pytest.raises(CopyRefusedError, match="a system was renamed since the ranking"):
        zipped(campaign)
    news.judgment("j1", news.block(30, ["amber", "birch"]), [1, 2])
    ranking_run_compute(task_id=news.task.pk)
    everything = "".join(files_of(campaign).values())
    assert "cobalt" not in everything
    assert "nickel" not in everything


@pytest.mark.thorough
def test_a_version_that_is_published_meanwhile_decides(
    campaign: Campaign, news: TestSetWriter
) -> None:
    published(news)

    def publish(done: int, total: int) -> None:
        if done == total // 2:
            published(news, anonymous=["cobalt"])

    with pytest.raises(CopyRefusedError, match="While the copy was made"):
        zip_write(io.BytesIO(), campaign, with_texts=False, address=ADDRESS, told=publish)
    assert "cobalt" not in "".join(files_of(campaign).values())


@pytest.mark.usefixtures("db")
def test_rehearsals_and_what_was_not_ranked_say_so() -> None:
    rehearsed = make_campaign("rehearsed", rehearsal_of=make_campaign("spring", state="draft"))
    TestSetWriter(rehearsed, "empty", ["A", "B"])
    pages = crawled(files_of(rehearsed))
    assert all("Rehearsal of Spring: simulated judges" in page.text for page in pages.values())
    assert "No ranking yet" in pages["index.html"].text
    assert set(pages) == {"index.html", "test-set-1/index.html", "test-set-1/design.html"}
