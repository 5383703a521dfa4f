"""Questions to judges: asked before and after the sentences, kept, corrected and deleted."""

import csv
from typing import Any

import pytest
import yaml
from django.test import Client

from annotation.services.lending.lend import LendingRefusedError
from campaign.models import ActivityEvent, Campaign, Judge, KeptFile, Task
from campaign.models.questions import QuestionsRefusedError, questions_stored
from campaign.selectors.questions import AnswersSummary, answers_summaries
from campaign.services.campaigns import campaign_change
from campaign.services.exported_files import exported_file_keep
from campaign.services.judge_groups import judge_group_members_change
from campaign.services.questions import (
    judge_answers_delete,
    judge_answers_write,
    judge_group_from_answer,
    question_move,
)
from ranking.export.asked import requested_export
from ranking.export.columns import described_columns
from ranking.export.kinds import KINDS
from ranking.export.writing import export_bytes
from tests.at_work import judge_all_of, lend
from tests.factories import (
    make_analyst,
    make_campaign,
    make_judge,
    make_organiser,
    make_task,
)
from tests.recruiting import make_panel
from whole_campaigns.cloning import campaign_clone

pytestmark = pytest.mark.django_db
AGE: dict[str, Any] = {
    "name": "age",
    "kind": "number",
    "required": True,
    "texts": [
        {"language": "en", "question": "How old are you?"},
        {"language": "de", "question": "Wie alt sind Sie?"},
    ],
}
NATIVE: dict[str, Any] = {
    "name": "native",
    "kind": "one",
    "texts": [
        {"language": "en", "question": "Native speaker?", "choices": ["Yes", "No"]},
    ],
}
REMARKS = {
    "name": "remarks",
    "kind": "text",
    "stage": "end",
    "texts": [{"language": "en", "question": "Any remarks?"}],
}
PAGE = "/judge/museum/questions/"


def ask(campaign: Campaign, *questions: dict[str, Any]) -> None:
    campaign_change(campaign=campaign, questions=list(questions))
    campaign.refresh_from_db()


@pytest.fixture
def judge() -> Judge:
    campaign = make_task(make_campaign()).test_set.campaign
    ask(campaign, AGE, NATIVE, REMARKS)
    return make_judge(campaign)


@pytest.fixture
def browser(client: Client, judge: Judge) -> Client:
    assert judge.user is not None
    client.force_login(judge.user)
    return client


def values(judge: Judge) -> dict[str, Any]:
    judge.refresh_from_db()
    return {name: answer["value"] for name, answer in judge.answers.items()}


def save(browser: Client, page: str = PAGE, **entries: Any) -> Any:
    return browser.post(page, {"action": "save", **entries})


def test_judge_answers_before_the_first_sentence_and_once(
    browser: Client,
    judge: Judge,
) -> None:
    assert browser.get("/judge/museum/").headers["Location"] == PAGE
    refused = save(browser, native="No")
    assert (refused.status_code, values(judge)) == (400, {})
    assert b'value="No" id="answer-native_1" checked' in refused.content
    assert save(browser, age="34").headers["Location"] == "/judge/museum/"
    assert values(judge) == {"age": 34, "native": None}
    assert browser.get("/judge/museum/").status_code == 200


def version_of(page: Any) -> str:
    return str(page.context["answers_form"].version)


def test_a_second_window_replaces_answers_only_when_asked_again(
    browser: Client,
    judge: Judge,
) -> None:
    opened = version_of(browser.get(PAGE))
    assert save(browser, age="34", native="No", version=opened).status_code == 302
    refused = save(browser, age="9", native="No", version=opened)
    assert (refused.status_code, values(judge)) == (400, {"age": 34, "native": "No"})
    form = refused.context["answers_form"]
    assert "34" in form.changed_meanwhile
    assert form["age"].value() == "9"
    again = save(browser, age="9", native="No", version=version_of(refused))
    assert (again.status_code, values(judge)) == (302, {"age": 9, "native": "No"})


READS: dict[str, Any] = {
    "name": "reads",
    "kind": "several",
    "last_excludes": True,
    "texts": [
        {
            "language": "en",
            "question": "Which do you read?",
            "choices": ["English", "German", "None of these"],
        },
    ],
}


def test_last_choice_excludes_the_others_and_the_answer_is_kept(
    browser: Client,
    judge: Judge,
) -> None:
    ask(judge.campaign, READS)
    refused = save(browser, reads=["English", "None of these"])
    assert (refused.status_code, values(judge)) == (400, {})
    assert refused.content.count(b" checked") == 2
    assert save(browser, reads=["English", "German"]).status_code == 302
    assert save(browser, reads=["None of these"]).status_code == 302
    assert values(judge) == {"reads": ["None of these"]}


def test_only_several_choices_have_one_that_excludes_the_others(judge: Judge) -> None:
    with pytest.raises(QuestionsRefusedError, match="several choices"):
        ask(judge.campaign, {**NATIVE, "last_excludes": True})


def test_choices_that_exclude_nothing_are_stored_as_before(judge: Judge) -> None:
    ask(judge.campaign, {**READS, "last_excludes": False})
    assert "last_excludes" not in judge.campaign.questions[0]


@pytest.mark.parametrize("text", ["\u200b", " \u2060 ", "\ufeff"])
def test_invisible_text_is_no_answer(browser: Client, judge: Judge, text: str) -> None:
    ask(judge.campaign, {**REMARKS, "stage": "start", "required": True})
    assert (save(browser, remarks=text).status_code, values(judge)) == (400, {})


def test_number_with_an_underscore_is_refused(browser: Client, judge: Judge) -> None:
    assert (save(browser, age="1_000").status_code, values(judge)) == (400, {})


def test_nothing_is_lent_before_required_answers(judge: Judge) -> None:
    with pytest.raises(LendingRefusedError, match="questions"):
        lend(judge)
    judge_answers_write(judge=judge, questions=[], values={}, language="en")
    ask(judge.campaign, REMARKS)
    assert lend(judge)


def test_question_is_read_in_the_language_of_the_judge(browser: Client) -> None:
    assert b"Wie alt" in browser.get(PAGE, headers={"Accept-Language": "de-AT"}).content
    assert b"How old" in browser.get(PAGE, headers={"Accept-Language": "cs"}).content


def test_last_questions_are_linked_from_the_end_and_asked_once(
    browser: Client,
    judge: Judge,
) -> None:
    save(browser, age="34")
    assert b"questions/?stage=end" in browser.get("/judge/museum/").content
    assert b"remarks" not in browser.get(PAGE).content
    save(browser, f"{PAGE}?stage=end", remarks="Thanks")
    assert values(judge)["remarks"] == "Thanks"
    assert b"questions/?stage=end" not in browser.get("/judge/museum/").content
    assert b"Thanks" in browser.get(PAGE).content


def test_participant_of_a_panel_goes_on_to_the_code_with_or_without_answers(
    browser: Client,
    judge: Judge,
) -> None:
    make_panel(judge.campaign).participations.create(
        judge=judge,
        session_id="s",
        blocks_asked=3,
        blocks_before=0,
    )
    Judge.objects.filter(pk=judge.pk).update(blocks_asked=3)
    code = "/judge/museum/completion/"
    assert code in browser.get(f"{PAGE}?stage=end").content.decode()
    assert "stage=end" in browser.get(code).content.decode()
    assert save(browser, f"{PAGE}?stage=end").headers["Location"] == code
    assert "stage=end" not in browser.get(code).content.decode()


def test_judge_corrects_and_deletes_answers(browser: Client, judge: Judge) -> None:
    save(browser, age="34", native="Yes")
    save(browser, age="43", native="")
    assert values(judge) == {"age": 43, "native": None}
    browser.post(PAGE, {"action": "delete"})
    assert values(judge) == {"age": None, "native": None}
    # The required answer is missing again.
    assert browser.get("/judge/museum/").headers["Location"] == PAGE


def test_changed_question_keeps_its_answers_and_says_so(
    browser: Client,
    judge: Judge,
) -> None:
    save(browser, age="34", native="Yes")
    text = {
        "language": "en",
        "question": "Raised with the target language?",
        "choices": ["Y", "N"],
    }
    ask(judge.campaign, AGE, NATIVE | {"texts": [text]})
    assert values(judge)["native"] == "Yes"
    assert b"Native speaker?" in browser.get(PAGE).content
    assert browser.get("/judge/museum/").status_code == 200


def test_activity_log_has_no_answer(browser: Client, judge: Judge) -> None:
    save(browser, age="34")
    event = ActivityEvent.objects.filter(kind="campaign.judge").order_by("-pk")[0]
    assert event.changes == {"answers": [False, True]}


def test_refused_questions_change_nothing(judge: Judge) -> None:
    with pytest.raises(QuestionsRefusedError):
        campaign_change(campaign=judge.campaign, pay="none", questions=[{"name": "x"}])
    judge.campaign.refresh_from_db()
    assert judge.campaign.pay == ""
    assert [row["name"] for row in judge.campaign.questions] == [
        "age",
        "native",
        "remarks",
    ]


EDITOR = "/campaigns/museum/people/questions/"
ENTRY = {
    "act": "save",
    "name": "native",
    "kind": "one",
    "stage": "start",
    "language": "en",
    "question": "Native speaker?",
    "choices": "Yes\nNo\n",
}


@pytest.fixture
def organiser(client: Client) -> Client:
    client.force_login(make_organiser(make_campaign()))
    return client


def questions_of(slug: str = "museum") -> list[dict[str, Any]]:
    return list(Campaign.objects.get(slug=slug).questions)


def test_organiser_writes_translates_and_deletes_questions(organiser: Client) -> None:
    organiser.post(EDITOR, ENTRY)
    german = {"language": "de", "question": "Muttersprache?", "choices": "Ja\nNein"}
    organiser.post(EDITOR, ENTRY | german)
    organiser.post(EDITOR, ENTRY | {"name": "age", "kind": "number", "choices": ""})
    assert [row["name"] for row in questions_of()] == ["native", "age"]
    assert [text["language"] for text in questions_of()[0]["texts"]] == ["en", "de"]
    shown = organiser.get(f"{EDITOR}?question=native&language=de").content.decode()
    assert "Muttersprache?" in shown
    organiser.post(EDITOR, {"act": "delete", "name": "age"})
    assert [row["name"] for row in questions_of()] == ["native"]


def named(slug: str = "museum") -> list[str]:
    return [row["name"] for row in questions_of(slug)]


def test_questions_move_among_those_asked_at_the_same_time(
    client: Client,
    judge: Judge,
) -> None:
    """A move exchanges two questions of the start or of the end; answers stay with their question."""
    client.force_login(make_organiser(judge.campaign))
    ask(judge.campaign, AGE, REMARKS, NATIVE)
    stored = questions_stored(judge.campaign.questions)
    judge_answers_write(
        judge=judge,
        questions=[stored[0], stored[2]],
        values={"age": 40, "native": "No"},
        language="en",
    )
    page = client.post(EDITOR, {"act": "up", "name": "native"}, follow=True)
    assert page.redirect_chain == [(f"{EDITOR}#summary-native", 302)]
    assert "“native” is now question 1 of 2." in page.content.decode()
    assert named() == ["native", "remarks", "age"]
    assert values(judge) == {"age": 40, "native": "No"}
    # It is the first one already.
    client.post(EDITOR, {"act": "up", "name": "native"})
    assert named() == ["native", "remarks", "age"]
    client.post(EDITOR, {"act": "down", "name": "native"})
    assert named() == ["age", "remarks", "native"]
    gone = client.post(EDITOR, {"act": "down", "name": "deleted"}, follow=True)
    assert "This question has been deleted." in gone.content.decode()


def test_judges_read_questions_in_their_order(browser: Client, judge: Judge) -> None:
    ask(judge.campaign, NATIVE, AGE)
    shown = browser.get(PAGE).content.decode()
    assert shown.index("Native speaker?") < shown.index("How old are you?")
    question_move(campaign=judge.campaign, name="age", is_up=True)
    shown = browser.get(PAGE).content.decode()
    assert shown.index("How old are you?") < shown.index("Native speaker?")


def test_rest_and_campaign_files_order_questions(
    client: Client,
    campaign: Campaign,
) -> None:
    client.force_login(make_organiser(campaign))
    address = "/api/v1/campaigns/museum/"
    before = client.get(address).json()["questions"]
    turned = {"questions": before[::-1]}
    client.patch(address, turned, content_type="application/json")
    assert named() == ["native", "age"]
    counted = client.get(f"{address}questions/").json()["questions"]
    assert [row["name"] for row in counted] == ["native", "age"]
    assert [row["median"] for row in counted] == [None, 40]
    file = yaml.safe_load(client.get(f"{address}file/").content)
    assert [row["name"] for row in file["questions"]] == ["native", "age"]
    file["questions"].reverse()
    applied = client.put(
        f"{address}file/",
        yaml.safe_dump(file),
        content_type="application/yaml",
    )
    assert applied.status_code == 200, applied.content
    assert named() == ["age", "native"]


@pytest.mark.parametrize(
    ("choices", "german"),
    [
        ("No\nYes", ["Nein", "Ja"]),
        ("Yes\nPartly\nNo", ["Ja", "Partly", "Nein"]),
        ("No\nPartly", ["Nein", "Partly"]),
    ],
)
def test_choices_in_other_languages_follow_those_of_the_first(
    organiser: Client,
    choices: str,
    german: list[str],
) -> None:
    organiser.post(EDITOR, ENTRY)
    organiser.post(EDITOR, ENTRY | {"language": "de", "choices": "Ja\nNein"})
    organiser.post(EDITOR, ENTRY | {"choices": choices})
    english, translated = questions_of()[0]["texts"]
    assert english["choices"] == choices.split("\n")
    assert translated["choices"] == german


@pytest.mark.parametrize(
    "change",
    [
        {"name": "Native?"},
        {"choices": "Yes"},
        {"question": ""},
        {"kind": "text"},
        {"language": "xx-yy"},
    ],
)
def test_impossible_question_is_refused_on_the_page(
    organiser: Client,
    change: dict[str, str],
) -> None:
    response = organiser.post(EDITOR, ENTRY | change)
    assert (response.status_code, questions_of()) == (400, [])


def answered(campaign: Campaign, **answers: list[Any]) -> None:
    """Make a judge for each row of answers."""
    questions = questions_stored(campaign.questions)
    for number, row in enumerate(zip(*answers.values(), strict=True)):
        judge = make_judge(campaign, f"judge{number}")
        values = dict(zip(answers, row, strict=True))
        judge_answers_write(
            judge=judge,
            questions=questions,
            values=values,
            language="en",
        )


@pytest.fixture
def campaign() -> Campaign:
    campaign = make_task(make_campaign()).test_set.campaign
    ask(campaign, AGE | {"required": False}, NATIVE)
    answered(
        campaign,
        age=[20, 30, 50, 61, None],
        native=["Yes", "Yes", "Yes", "No", None],
    )
    return campaign


def counted(summary: AnswersSummary) -> dict[str, int]:
    return {row.answer: row.judges for row in summary.counts}


def test_answers_are_counted(campaign: Campaign) -> None:
    age, native = answers_summaries(campaign=campaign)
    assert (age.answered, age.unanswered, age.median, age.lowest, age.highest) == (
        4,
        1,
        40,
        20,
        61,
    )
    assert counted(age) == {"≤ 40": 2, "> 40": 2}
    assert counted(native) == {"Yes": 3, "No": 1}
    # One judge would be known by their answer, also by subtraction.
    assert native.published_counts == {}


def test_answers_to_changed_questions_are_counted(campaign: Campaign) -> None:
    text = {"language": "en", "question": "Native?", "choices": ["Yes", "Partly"]}
    ask(campaign, NATIVE | {"texts": [text]})
    [native] = answers_summaries(campaign=campaign)
    assert native.earlier == 4
    assert counted(native) == {"Yes": 3, "Partly": 0, "No": 1}


def test_answers_of_three_judges_each_are_published(campaign: Campaign) -> None:
    questions = questions_stored(campaign.questions)
    for number in range(2):
        judge = make_judge(campaign, f"other{number}")
        values = {"age": None, "native": "No"}
        judge_answers_write(
            judge=judge,
            questions=questions,
            values=values,
            language="",
        )
    assert answers_summaries(campaign=campaign)[1].published_counts == {
        "Yes": 3,
        "No": 3,
    }


@pytest.mark.parametrize(
    ("answer", "members"),
    [
        ("native=Yes", ["judge0", "judge1", "judge2"]),
        ("age=> 40", ["judge2", "judge3"]),
    ],
)
def test_judges_are_grouped_by_an_answer(
    client: Client,
    campaign: Campaign,
    answer: str,
    members: list[str],
) -> None:
    client.force_login(make_organiser(campaign))
    client.post(EDITOR, {"act": "group", "group": "some", "answer": answer})
    in_group = Judge.objects.filter(group_members__group__name="some").order_by(
        "pseudonym",
    )
    assert [judge.pseudonym for judge in in_group] == members


@pytest.mark.parametrize("is_deleted", [True, False])
def test_judge_leaves_a_group_with_the_answer_that_it_was_made_from(
    client: Client,
    campaign: Campaign,
    is_deleted: bool,
) -> None:
    client.force_login(make_organiser(campaign))
    client.post(EDITOR, {"act": "group", "group": "some", "answer": "age=> 40"})
    group = campaign.judge_groups.get(name="some")
    by_hand = campaign.judges.exclude(group_members__group=group).earliest("pk")
    judge_group_members_change(group=group, add=[by_hand])
    asked = questions_stored(campaign.questions)
    for judge in [*campaign.judges.filter(group_members__group=group)]:
        if is_deleted:
            judge_answers_delete(judge=judge)
        else:
            judge_answers_write(
                judge=judge,
                questions=[question for question in asked if question.name == "age"],
                values={"age": 77},
                language="en",
            )
    assert [member.judge for member in group.members.all()] == [by_hand]


def test_exported_answers_end_with_an_answer_that_was_in_them(
    campaign: Campaign,
) -> None:
    task = Task.objects.of(campaign).get()
    for kind, names_people in (("judge-answers", True), ("texts", False)):
        exported_file_keep(
            task=task,
            content=[b"x"],
            by=None,
            kind=kind,
            file_format="csv",
            name=f"{kind}.csv",
            until=1,
            watermark=1,
            names_people=names_people,
        )
    judge_answers_delete(judge=campaign.judges.earliest("pk"))
    assert [file.kind for file in KeptFile.objects.all()] == ["texts"]


def test_log_does_not_say_whom_an_answer_put_into_a_group(
    client: Client,
    campaign: Campaign,
) -> None:
    client.force_login(make_organiser(campaign))
    client.post(EDITOR, {"act": "group", "group": "some", "answer": "age=> 40"})
    group = campaign.judge_groups.get(name="some")
    members = [member.judge for member in group.members.all()]
    judge_group_members_change(group=group, remove=members)
    assert members
    assert not group.members.exists()
    assert not ActivityEvent.objects.filter(kind="campaign.groupmember").exists()


def test_empty_group_is_refused(client: Client, campaign: Campaign) -> None:
    client.force_login(make_organiser(campaign))
    client.post(EDITOR, {"act": "group", "group": "old", "answer": "age=90"})
    assert not campaign.judge_groups.exists()


def test_paragraph_has_number_answers_pay_and_time(
    client: Client,
    campaign: Campaign,
) -> None:
    client.force_login(make_organiser(campaign))
    assert b'id="paragraph"' not in client.get(EDITOR).content
    for judge in campaign.judges.order_by("pk")[:3]:
        judge_all_of(lend(judge))
    campaign_change(campaign=campaign, pay="€15 an hour")
    paragraph = (
        client.get(EDITOR).content.decode().split('id="paragraph">')[1].split("</p>")[0]
    )
    assert "3 people judged." in paragraph
    assert "median 30, range 20 to 50 (3 answers)" in paragraph
    assert "Pay: €15 an hour." in paragraph
    assert "“Native speaker?”: Yes 3." in paragraph


def test_questions_and_counts_are_read_over_rest(
    client: Client,
    campaign: Campaign,
) -> None:
    client.force_login(make_organiser(campaign))
    age, native = client.get("/api/v1/campaigns/museum/questions/").json()["questions"]
    assert (age["median"], age["minimum"], age["kind"]) == (40, 20, "number")
    assert native["counts"][0] == {"answer": "Yes", "judges": 3, "share": 0.75}


def test_analysts_read_no_answer_on_page_or_over_rest(
    client: Client,
    campaign: Campaign,
) -> None:
    """docs/privacy.md promises it; the export of answers is refused to them, too."""
    organiser = make_organiser(campaign)
    client.force_login(make_analyst(campaign))
    assert client.get("/api/v1/campaigns/museum/questions/").status_code == 403
    page = client.get(EDITOR)
    assert page.status_code == 200
    assert "age" in page.text
    shown = page.context["summaries"]
    assert {summary.answered for summary in shown} == {0}
    assert {row.judges for summary in shown for row in summary.counts} <= {0}
    assert page.context["worked"] is None
    client.force_login(organiser)
    answered = [summary.answered for summary in client.get(EDITOR).context["summaries"]]
    assert max(answered) > 0


def test_questions_are_changed_over_rest_or_refused(
    client: Client,
    campaign: Campaign,
) -> None:
    client.force_login(make_organiser(campaign))
    for questions, status in ([[REMARKS], 200], [[{"name": "x"}], 400]):
        response = client.patch(
            "/api/v1/campaigns/museum/",
            {"questions": questions},
            content_type="application/json",
        )
        assert response.status_code == status, response.content
        assert [row["name"] for row in questions_of()] == ["remarks"]


def test_clone_has_the_questions_and_no_answers(campaign: Campaign) -> None:
    judge_group_from_answer(
        campaign=campaign,
        question="native",
        answer="No",
        name="some",
    )
    clone = campaign_clone(
        source=campaign,
        slug="clone",
        name="Clone",
        texts=False,
        people=True,
        by=None,
    ).campaign
    assert clone.questions == campaign.questions
    assert list(clone.judges.values_list("answers", flat=True).distinct()) == [{}]
    assert not clone.judge_groups.get().members.exists()


def test_exported_answers_have_a_described_column_each(campaign: Campaign) -> None:
    ask(campaign, NATIVE | {"texts": [NATIVE["texts"][0] | {"question": "Native?"}]})
    task = Task.objects.get(test_set__campaign=campaign)
    export = requested_export(task=task, kind="judge-answers", file_format="csv")
    lines = b"".join(export_bytes(export)).decode().splitlines()
    assert lines[0].split(",")[1:] == ["judge", "native", "age", "earlier_wording"]
    assert lines[4].split(",")[1:] == ["judge3", "No", "61", "native"]
    assert described_columns(KINDS["judge-answers"], task)["native"] == "Native?"


def test_exported_choices_are_told_apart(judge: Judge) -> None:
    choices = ["Translator, freelance", "Teacher", "Other"]
    work = {"language": "en", "question": "Work?", "choices": choices}
    ask(judge.campaign, {"name": "work", "kind": "several", "texts": [work]})
    answers = {"work": choices[:2]}
    questions = questions_stored(judge.campaign.questions)
    judge_answers_write(judge=judge, questions=questions, values=answers, language="en")
    task = Task.objects.get(test_set__campaign=judge.campaign)
    export = requested_export(task=task, kind="judge-answers", file_format="csv")
    [_header, row] = csv.reader(
        b"".join(export_bytes(export)).decode().splitlines(keepends=True),
    )
    assert row[2].splitlines() == choices[:2]
