"""Answers of analyses and tables over test sets in a static copy: which are in it, and whom they do not name."""

import re
from collections.abc import Iterator
from dataclasses import replace
from html import unescape
from typing import Any

import pytest

from annotation.services import judge_reinstate, quality_action_take
from campaign.models import Campaign, Judge, System, User
from campaign.services import judge_group_create, judge_group_members_change
from cells.campaign_copy import answers
from cells.campaign_copy.answers import answer_report, copied_answers
from cells.campaign_copy.naming import copied_names
from cells.campaign_copy.tables import copied_tables, table_report
from ranking.campaign_tables import TABLES
from ranking.reports import Report
from ranking.services import ranking_run_compute, stopping_rule_set
from tests.integration.copying.conftest import PEOPLE
from tests.integration.copying.copied_answers import ASKED, TABLED, ask, called_in, tabulate
from tests.integration.copying.test_static_copy import crawled, files_of, published
from tests.integration.ranking.writing import TestSetWriter, documents_of

pytestmark = pytest.mark.django_db


def remark(writer: TestSetWriter) -> None:
    """Two documents, a comment and a skip that name people, and a stopping rule."""
    documents_of(writer, 4)
    block = writer.block(9, ["amber", "birch", "cobalt", "dune"])
    writer.judgment("j1", block, [1, 2, 3, 4], comment="Cobalt, says Jana Judgeova of uncle Bob.")
    writer.skip("j2", block, comment="Ask jana@example.org at the Secret Lab.")
    documents_of(writer, 4)
    stopping_rule_set(task=writer.task, judgments=100, reason="Tried.")
    assert ranking_run_compute(task_id=writer.task.pk) is not None


@pytest.fixture
def answered(campaign: Campaign, news: TestSetWriter, talks: TestSetWriter) -> Campaign:
    """Two test sets with an answer of each kind, of all, of a group called after a team, and of other judges."""
    group = judge_group_create(campaign=campaign, name="Secret Lab", blocks_asked=None)
    judges = Judge.objects.filter(campaign=campaign, pseudonym__in=["j1", "j2"])
    judge_group_members_change(group=group, add=list(judges))
    System.objects.filter(name="cobalt").update(team="Secret Lab")
    for writer in (news, talks):
        remark(writer)
        for kind, given in ASKED.items():
            ask(writer, kind, **given)
        ask(writer, "ranking", judge_group="Secret Lab", resamples=100)
        ask(writer, "ranking", without=["j2"], resamples=100)
        ask(writer, "ranking", excluded_judges="count", resamples=100)
    for kind, given in TABLED.items():
        tabulate(campaign, kind, **given)
        tabulate(campaign, kind, **given, judge_group="Secret Lab")
        tabulate(campaign, kind, **given, excluded_judges="count")
    return campaign


@pytest.mark.thorough
def test_with_all_kinds_answered_nobody_is_named_and_every_link_leads_into_the_copy(
    answered: Campaign, news: TestSetWriter, talks: TestSetWriter
) -> None:
    for writer in (news, talks):
        published(writer, anonymous=["cobalt"])
    files = files_of(answered, with_texts=True)
    pages = crawled(files)
    for place in (1, 2):
        told = [path for path in pages if path.startswith(f"test-set-{place}/analyses/")]
        kinds = {path.rpartition("/")[2].partition("-")[2].removesuffix(".html") for path in told}
        assert kinds == set(answers.ANSWERED)
        assert len(told) == len(answers.ANSWERED)
    assert {
        (path.rpartition("/")[2].partition("-")[2].removesuffix(".html"))
        for path in pages
        if path.startswith("tables/")
    } == set(TABLES)
    # Those of what is stored anyway, and those that were asked for.
    assert len([path for path in pages if path.startswith("tables/")]) == 3 + len(TABLED)
    for path, text in files.items():
        words = ["cobalt", "secret lab", *addresses(answered)]
        # Published versions have pseudonyms, and reasons that were read in the preview.
        if not path.startswith("published/"):
            words += PEOPLE
            assert not re.search(r"\bj[123]\b", text), path
        for word in words:
            assert word.casefold() not in unescape(text).casefold(), (path, word)
    asked = [page for path, page in pages.items() if "/analyses/" in path or "tables/" in path]
    assert not [page.text for page in asked if "is not in the copy" in page.text]
    assert sum("<svg" in files[path] for path in files if "/analyses/" in path) >= 12
    for name in ("ranking", "agreement_by", "diagnosis", "remarks"):
        shown = next(page.text for path, page in pages.items() if path.endswith(f"-{name}.html"))
        assert re.search(r"\bSystem [A-Z]\b", shown), name
    assert "Stopping rule: " in next(
        page.text for path, page in pages.items() if path.endswith("-stopping.html")
    )


def addresses(campaign: Campaign) -> Iterator[str]:
    """What the campaign knows of people beside their names."""
    for judge in Judge.objects.filter(campaign=campaign).select_related("user"):
        yield from filter(None, (judge.address, judge.note))
        if judge.user is not None:
            yield from filter(None, (judge.user.email,))


def values_of(report: Report | None) -> list[Any]:
    assert report is not None
    return [
        list(report.notes),
        [
            (table.name, str(table.title), list(map(list, table.rows)), sorted(table.rules))
            for table in report.tables
        ],
    ]


@pytest.mark.thorough
def test_what_is_computed_again_is_what_was_answered(
    campaign: Campaign, talks: TestSetWriter
) -> None:
    remark(talks)
    for kind, given in ASKED.items():
        if kind in answers.ANSWERED:
            ask(talks, kind, **given)
    names = copied_names(talks.task)
    found = copied_answers(talks.task, names, None)
    assert {answer.kind.name for answer in found} == set(answers.ANSWERED)
    for answer in found:
        assert answer.is_stored
        again = answer_report(replace(answer, is_stored=False), talks.task, names)
        stored = answer_report(answer, talks.task, names)
        assert values_of(again) == values_of(stored), answer.kind.name
    for kind, given in TABLED.items():
        tabulate(campaign, kind, **given)
    called = {talks.task.pk: called_in(talks)}
    for table in copied_tables(campaign, called):
        if table.stored is None:
            continue
        assert table.is_stored
        again = table_report(replace(table, is_stored=False), campaign, called)
        assert values_of(again) == values_of(table_report(table, campaign, called))


@pytest.mark.thorough
@pytest.mark.parametrize("counts_first", [True, False])
def test_answers_that_count_other_judges_than_the_ranking_stay_at_home(
    campaign: Campaign, organiser: User, talks: TestSetWriter, counts_first: bool
) -> None:
    # Beside the ranking, they would say what this judge said.
    judge, idle, other = talks.judge("j2"), talks.judge("idle"), talks.judge("other")

    def exclude(judge: Judge) -> None:
        quality_action_take(
            judge=judge, task=talks.task, action="exclude", user=organiser, note="Tried."
        )

    def ask_and_tabulate() -> None:
        ask(talks, "remarks")
        tabulate(campaign, "agreement", **TABLED["agreement"])

    exclude(idle)
    if counts_first:
        ask_and_tabulate()
        exclude(judge)
    else:
        exclude(judge)
        ask_and_tabulate()
        judge_reinstate(judge=judge, user=organiser)
    ranking_run_compute(task_id=talks.task.pk)
    before = files_of(campaign)
    assert not [path for path in before if "remarks" in path or path.endswith("-agreement.html")]
    # Who judged nothing makes no difference.
    exclude(other)
    ask_and_tabulate()
    judge_reinstate(judge=idle, user=organiser)
    ranking_run_compute(task_id=talks.task.pk)
    after = files_of(campaign).keys() - before.keys()
    assert "test-set-1/analyses/1-remarks.html" in after
    assert [path for path in after if path.endswith("-agreement.html")]
