"""Answers of analyses and tables over test sets in a static copy: which are in it, and whom they do not name."""

import re
from collections.abc import Iterator, Mapping
from dataclasses import replace
from html import unescape
from typing import Any

import pytest
from django.db.models import F

from annotation.services import judge_reinstate, quality_action_take
from campaign.models import Campaign, Document, Judge, System, TestSet, User
from campaign.services import judge_group_create, judge_group_members_change
from cells.campaign_copy import answers, tables
from cells.campaign_copy.answers import answer_report, copied_answers
from cells.campaign_copy.counted import counted_judges
from cells.campaign_copy.naming import copied_names
from cells.campaign_copy.rankings import KINDS, CopyRefusedError, present_content
from cells.campaign_copy.renaming import renamed_input
from cells.campaign_copy.table_rows import CopiedTaskNames
from cells.campaign_copy.tables import copied_tables, table_report
from ranking.analyses import ANALYSES
from ranking.campaign_tables import TABLES
from ranking.core.judged.blocks import BlockRow, blocks_from_rows
from ranking.models import Analysis, CampaignTable
from ranking.reports import Report
from ranking.selectors.chosen_judgments import judgments_of_run, stored_input
from ranking.selectors.runs import latest_run
from ranking.services import ranking_history_compute, ranking_run_compute, stopping_rule_set
from ranking.services.analyses import analysis_ask, analysis_choice, analysis_compute
from ranking.services.campaign_tables import table_ask, table_choice, table_compute
from ranking.services.publishing import PublishingRefusedError
from tests.integration.copying.conftest import PEOPLE
from tests.integration.copying.test_static_copy import crawled, files_of, published
from tests.integration.ranking.writing import TestSetWriter, documents_of

pytestmark = pytest.mark.django_db

#: A question of each kind, with names where it takes some.
ASKED: Mapping[str, Mapping[str, Any]] = {
    "ranking": {"method": "bradley_terry", "ranges": "confidence_set", "resamples": 100},
    "pairs": {"method": "bojar"},
    "system": {"system": "cobalt"},
    "firmness": {},
    "stopping": {"experiments": 40, "limit": 1000},
    "methods": {"methods": ["expected_wins", "bojar", "geq_others"]},
    "beside": {"resamples": 100},
    "agreement": {"chance": "uniform", "resamples": 100},
    "agreement_by": {"fewest": 1, "resamples": 100},
    "diagnosis": {"skipped_blocks": "count"},
    "remarks": {},
    "judges": {},
    "judge_pairs": {"judge": "j1", "other": "j2"},
    "without": {"leave_out": ["j1"], "resamples": 100},
}
#: Choices of tables that somebody has to ask for.
TABLED: Mapping[str, Mapping[str, Any]] = {
    "clusters": {"method": "bojar", "resamples": 100},
    "agreement": {"resamples": 100},
    "methods": {"methods": ["bojar", "geq_others"], "resamples": 100},
    "average-ranks": {"method": "expected_wins"},
}


def ask(writer: TestSetWriter, kind: str, **given: Any) -> Analysis:
    asked = analysis_ask(task=writer.task, choice=analysis_choice(kind, given), is_queued=False)
    return analysis_compute(analysis=asked)


def tabulate(campaign: Campaign, kind: str, **given: Any) -> CampaignTable:
    asked = table_ask(campaign=campaign, choice=table_choice(kind, given), is_queued=False)
    return table_compute(table=asked)


def called_in(writer: TestSetWriter) -> CopiedTaskNames:
    counted = counted_judges(writer.task, latest_run(task_id=writer.task.pk))
    return CopiedTaskNames(writer.task, copied_names(writer.task), counted)


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


def test_each_kind_is_in_the_copy_or_stays_at_home_with_a_reason() -> None:
    copied = {*KINDS, *answers.ANSWERED}
    assert copied.isdisjoint(answers.NOT_COPIED)
    assert copied | answers.NOT_COPIED.keys() == ANALYSES.keys()
    assert tables.NOT_COPIED.keys() <= TABLES.keys()
    assert all([*answers.NOT_COPIED.values(), *tables.NOT_COPIED.values()])
    # What is copied may have to be computed again, over other names: from orders alone.
    assert all(ANALYSES[name].read is None for name in copied)
    # The questions below are all there are of comparisons.
    assert ASKED.keys() == {name for name, kind in ANALYSES.items() if kind.protocols is None}
    live = {name for name, kind in TABLES.items() if kind.is_live(kind.complete({}))}
    assert live | TABLED.keys() == TABLES.keys()


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


def test_the_copied_tables_are_about_no_single_judge(
    answered: Campaign, news: TestSetWriter
) -> None:
    found = dict(told_of(news))
    assert "judges" not in found["firmness"]
    assert "deciding" not in found["firmness"]
    assert "documents" in found["firmness"]
    assert "identical_texts" not in found["diagnosis"]
    assert "systems" in found["diagnosis"]


def told_of(writer: TestSetWriter) -> Iterator[tuple[str, list[str]]]:
    """Return the names of the tables of each copied answer, by its kind."""
    names = copied_names(writer.task)
    for answer in copied_answers(writer.task, names, None):
        report = answer_report(answer, writer.task, names)
        assert report is not None
        yield answer.kind.name, [table.name for table in report.tables]


def values_of(report: Report | None) -> list[Any]:
    assert report is not None
    return [
        list(report.notes),
        [
            (table.name, str(table.title), list(map(list, table.rows)), sorted(table.rules))
            for table in report.tables
        ],
    ]


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
    # The tie is behind the letter, which this table leaves out.
    assert [list(row[:2]) for row in report.tables[0].rows] == [["amber", 2.0], ["birch", 3.0]]


def test_what_is_computed_again_is_resampled_by_letters(talks: TestSetWriter) -> None:
    # Two systems with one output, in an order that is not that of names; one judgment twice.
    for _turn in range(2):
        block = talks.block(20, ["dune", "cobalt,amber", "_ref", "birch"])
        talks.judgment("j1", block, [1, 2, 3, None])
    ranking_run_compute(task_id=talks.task.pk)
    run = latest_run(task_id=talks.task.pk)
    assert run is not None
    given = stored_input(
        task=talks.task,
        watermark=run.watermark,
        chosen=judgments_of_run(run),
        languages=("cs", "en"),
    )
    labels = {name: name for name in ("amber", "birch", "cobalt", "dune", "_ref")}
    assert (renamed_input(given, labels).blocks.key == given.blocks.key).all()
    renamed = renamed_input(given, labels | {"cobalt": "System A"}).blocks
    every = [("System A",), ("amber",), ("birch",), ("dune",)]
    rows = [
        BlockRow(judge, segment, every, [slips[2], slips[0], slips[1], slips[3]])
        for segment in range(1, 9)
        for judge in ("j1", "j2", "j3")
        for slips in [[2, 1, 3, 3] if judge == "j3" and segment % 3 == 0 else [1, 2, 3, 4]]
    ]
    shared = BlockRow("j1", 20, [("System A", "amber"), ("birch",), ("dune",)], [2, None, 1])
    expected = blocks_from_rows([*rows, shared, shared], renamed.systems)
    assert sorted(renamed.key.tolist()) == sorted(expected.key.tolist())
    assert not set(renamed.key.tolist()) & set(given.blocks.key.tolist())


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


def test_a_table_of_a_ranking_from_before_a_system_was_renamed_is_refused(
    campaign: Campaign, news: TestSetWriter
) -> None:
    names = {news.task.pk: called_in(news)}
    System.objects.filter(test_set=news.task.test_set_id, name="cobalt").update(name="nickel")
    after = {news.task.pk: called_in(news)}
    clusters = next(each for each in copied_tables(campaign, names) if each.kind.name == "clusters")
    with pytest.raises(CopyRefusedError, match="a system was renamed since the ranking"):
        table_report(clusters, campaign, after)


def test_each_question_is_answered_once_by_its_newest_answer(
    campaign: Campaign, news: TestSetWriter
) -> None:
    first = ask(news, "remarks")
    # What the copy says of the present ranking anyway.
    ask(news, "agreement")
    news.judgment("j1", news.block(30, ["amber", "birch"]), [1, 2])
    newest = ask(news, "remarks")
    ask(news, "remarks", confidence=0.9)
    ranking_run_compute(task_id=news.task.pk)
    run = latest_run(task_id=news.task.pk)
    found = copied_answers(news.task, copied_names(news.task), run)
    assert first.watermark < newest.watermark
    assert [(each.kind.name, each.words) for each in found] == [
        ("remarks", "Confidence 0.9"),
        ("remarks", ""),
    ]
    assert found[1].analysis == newest
    page = crawled(files_of(campaign))["test-set-1/analyses.html"].text
    assert "Comments and skips : Confidence 0.9" in page
    assert "answers and tables about single judges" in page


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


def test_what_was_chosen_is_said_and_what_follows_from_it_is_not(
    campaign: Campaign, news: TestSetWriter
) -> None:
    ask(news, "ranking")
    ask(news, "ranking", method="bojar", resample="segments", reference="include")
    tabulate(campaign, "methods")
    tabulate(campaign, "clusters", method="bojar", ranges="sign_test")
    found = copied_answers(news.task, copied_names(news.task), None)
    assert [each.words for each in found] == [
        "Method > others, ties left out; Accounting for segments; Reference ranked like a system",
        "",
    ]
    names = {news.task.pk: called_in(news)}
    told = {(each.kind.name, each.words) for each in copied_tables(campaign, names)}
    assert ("methods", "") in told
    assert (
        "clusters",
        "Method > others, ties left out; Rank ranges from sign tests of pairs",
    ) in told


def test_what_is_asked_without_bounds_is_copied_within(
    campaign: Campaign, news: TestSetWriter
) -> None:
    asked = ask(news, "remarks")
    rows = [
        Analysis(
            **{
                name: getattr(asked, name)
                for name in ("kind", "judgments", "watermark", "code_version", "finished_at")
            },
            task=news.task,
            content_key_version=asked.content_key_version,
            choice={**asked.choice, "confidence": 0.5 + number / 1000},
            choice_digest=f"{number:032d}",
            digest=f"{number:032d}",
            data=asked.data,
            reports=asked.reports,
        )
        for number in range(answers.MOST_ANSWERS + 3)
    ]
    Analysis.objects.bulk_create(rows)
    found = copied_answers(news.task, copied_names(news.task), None)
    assert len(found) == answers.MOST_ANSWERS
    assert asked not in [each.analysis for each in found]


def test_answers_of_other_content_keys_are_copied_only_as_they_are_stored(
    campaign: Campaign, talks: TestSetWriter
) -> None:
    ask(talks, "remarks")
    Analysis.objects.update(content_key_version=F("content_key_version") + 1)
    assert "test-set-1/analyses/1-remarks.html" in files_of(campaign)
    published(talks, anonymous=["cobalt"])
    assert not [path for path in files_of(campaign) if "/analyses/" in path]
