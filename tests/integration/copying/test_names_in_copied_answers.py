"""Whom a task does not name, no answer in the copy names: by no table, no order of rows, no words."""

from dataclasses import replace

import pytest

from campaign.models import Campaign, Document, System, TestSet
from cells.campaign_copy.answers import answer_report, copied_answers
from cells.campaign_copy.naming import copied_names
from cells.campaign_copy.rankings import present_content
from cells.campaign_copy.tables import copied_tables, table_report
from ranking.selectors.runs import latest_run
from ranking.services import ranking_history_compute, ranking_run_compute
from ranking.services.publishing import PublishingRefusedError
from tests.integration.copying.copied_answers import ASKED, TABLED, ask, called_in, tabulate
from tests.integration.copying.test_static_copy import crawled, files_of, published
from tests.integration.ranking.writing import TestSetWriter, documents_of

pytestmark = pytest.mark.django_db


@pytest.mark.thorough
def test_a_system_that_a_task_does_not_name_is_in_no_table_by_names(
    campaign: Campaign, news: TestSetWriter, talks: TestSetWriter
) -> None:
    tabulate(campaign, "average-ranks", **TABLED["average-ranks"])
    tabulate(campaign, "methods", **TABLED["methods"])
    before = crawled(files_of(campaign))
    averages = [path for path in before if path.endswith("-average-ranks.html")]
    assert len(averages) == 2
    assert all("cobalt" in before[path].text for path in averages)
    published(news, anonymous=["cobalt"])
    pages = crawled(files_of(campaign))
    for path in averages:
        text = pages[path].text
        assert "amber" in text
        assert "cobalt" not in text
        assert "System A" not in text
        assert "Systems that a test set does not name are not in this table." in text
    # Elsewhere each test set has its own names.
    clusters = next(page.text for path, page in pages.items() if path.endswith("-clusters.html"))
    of_news, _title, of_talks = clusters.partition("English, talks")
    assert "System A" in of_news
    assert "cobalt" not in of_news
    assert "cobalt" in of_talks


def test_the_order_of_rows_tells_no_name(campaign: Campaign, news: TestSetWriter) -> None:
    # By its name it would be third of all.
    ask(news, "diagnosis", **ASKED["diagnosis"])
    published(news, anonymous=["cobalt"])
    names = copied_names(news.task)
    (answer,) = copied_answers(news.task, names, None)
    report = answer_report(answer, news.task, names)
    assert report is not None
    systems = next(table for table in report.tables if table.name == "systems")
    listed = [str(row[0]) for row in systems.rows]
    assert listed == sorted(listed)
    assert "System A" in listed


@pytest.mark.thorough
def test_ties_are_in_the_order_of_letters_on_every_page_and_the_history_of_names_is_left_out(
    campaign: Campaign,
) -> None:
    tied = TestSetWriter(campaign, "tied", ["amber", "birch", "cobalt"])
    with tied.at_once():
        for segment in range(1, 9):
            tied.judgment("j1", tied.block(segment, ["amber", "birch", "cobalt"]), [1, 2, 1])
    ranking_history_compute(task_id=tied.task.pk, steps=4)
    before = crawled(files_of(campaign))
    assert "How the ranking formed" in before["test-set-1/index.html"].text
    published(tied, anonymous=["cobalt"])
    pages = crawled(files_of(campaign))
    clusters = next(path for path in pages if path.endswith("-clusters.html"))
    for path in ("test-set-1/index.html", clusters):
        # By its name, it would be the second of the two.
        text = pages[path].text
        assert before[path].text.index("amber") < before[path].text.index("cobalt"), path
        assert text.index("System A") < text.index("amber"), path
    assert "How the ranking formed" not in pages["test-set-1/index.html"].text
    called = called_in(tied)
    run = latest_run(task_id=tied.task.pk)
    assert run is not None
    present = present_content(tied.task, run, called.names)
    named = {tied.task.pk: replace(called, present=present)}
    averages = next(
        each for each in copied_tables(campaign, named) if each.kind.name == "average-ranks"
    )
    report = table_report(averages, campaign, named)
    assert report is not None
    # It shares ranks 1 and 2 with the letter, which this table leaves out.
    assert [list(row[:2]) for row in report.tables[0].rows] == [["amber", 1.5], ["birch", 3.0]]


@pytest.mark.thorough
def test_words_of_people_keep_an_answer_at_home_where_they_name_who_is_not_named(
    campaign: Campaign, news: TestSetWriter
) -> None:
    documents_of(news, 4)
    first = Document.objects.filter(
        test_set_id=news.task.test_set_id, name__startswith="d9"
    ).first()
    assert first is not None
    Document.objects.filter(pk=first.pk).update(name="Cobalt, first page")
    ask(news, "agreement_by", **ASKED["agreement_by"])
    ask(news, "ranking", documents=["Cobalt, first page"], resamples=100)
    ask(news, "remarks")
    before = "".join(files_of(campaign).values())
    assert "Cobalt, first page" in before
    published(news, anonymous=["cobalt"])
    files = files_of(campaign)
    pages = crawled(files)
    told = {path.rpartition("-")[2]: page.text for path, page in pages.items()}
    assert "This answer is not in the copy" in told["agreement_by.html"]
    assert "System A" in told["remarks.html"]
    assert "ranking.html" not in told
    assert "cobalt" not in "".join(files.values()).casefold()
    # With the texts, there is no page without these words.
    with pytest.raises(PublishingRefusedError, match="is in this text: “Cobalt, first page”"):
        files_of(campaign, with_texts=True)


@pytest.mark.thorough
def test_words_of_tables_name_nobody_whom_another_task_does_not_name(
    campaign: Campaign, news: TestSetWriter, talks: TestSetWriter
) -> None:
    # A team of the other test set.
    TestSet.objects.filter(pk=talks.task.test_set_id).update(name="Talks of the Secret Lab")
    tabulate(campaign, "agreement", **TABLED["agreement"])
    before = files_of(campaign)
    assert [path for path in before if path.endswith("-agreement.html")]
    published(news, anonymous=["cobalt"])
    with pytest.raises(PublishingRefusedError, match="“Talks of the Secret Lab”"):
        files_of(campaign)
    TestSet.objects.filter(pk=talks.task.test_set_id).update(name="talks")
    files = files_of(campaign)
    assert not [path for path in files if path.endswith("-agreement.html")]
    assert "Secret Lab" not in "".join(files.values())


@pytest.mark.thorough
def test_a_task_that_names_no_ranked_system_is_not_in_average_ranks(
    campaign: Campaign, talks: TestSetWriter
) -> None:
    metals = TestSetWriter(campaign, "metals", ["nickel", "zinc"])
    with metals.at_once():
        for segment in range(1, 9):
            metals.judgment("j1", metals.block(segment, ["nickel", "zinc"]), [1, 2])
    ranking_run_compute(task_id=metals.task.pk)
    published(metals, anonymous=["nickel", "zinc"])

    def average_ranks() -> str:
        pages = crawled(files_of(campaign))
        return next(page.text for path, page in pages.items() if path.endswith("-ranks.html"))

    averages = average_ranks()
    assert "amber" in averages
    assert "Systems that a test set does not name are not in this table." in averages
    assert "no system can be ranked" not in averages
    published(talks, anonymous=["amber", "birch", "cobalt", "dune"])
    averages = average_ranks()
    assert "This answer is not in the copy" in averages
    assert "No test set has a ranking yet" not in averages


@pytest.mark.thorough
def test_answers_of_systems_that_were_renamed_since_stay_at_home(
    campaign: Campaign, news: TestSetWriter
) -> None:
    ask(news, "remarks")
    tabulate(campaign, "agreement", **TABLED["agreement"])
    System.objects.filter(test_set_id=news.task.test_set_id, name="cobalt").update(name="nickel")
    news.judgment("j1", news.block(30, ["amber", "birch"]), [1, 2])
    ranking_run_compute(task_id=news.task.pk)
    files = files_of(campaign)
    pages = crawled(files)
    assert not [path for path in pages if "/analyses/" in path]
    assert not [path for path in pages if path.endswith("-agreement.html")]
    assert "cobalt" not in "".join(files.values())
