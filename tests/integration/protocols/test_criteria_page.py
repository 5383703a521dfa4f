"""Criteria set up by organisers: the page, REST, the campaign file, and wrong ones."""

from typing import Any

import pytest
from django.core.exceptions import ValidationError
from django.test import Client
from django.urls import reverse

from annotation.selectors.task_rules import task_rules
from annotation.services.tasks import task_rules_change
from campaign.formats.yaml_tree import read_yaml
from campaign.models import Protocol, Task
from protocols.frame.scale.criteria import criteria_read
from protocols.frame.scale.presets import PRESET_NAMES, preset_criteria
from tests.criteria import FOUR, criterion
from tests.factories import make_campaign, make_organiser, make_task
from whole_campaigns.campaign_file.applying import campaign_file, campaign_file_apply

pytestmark = pytest.mark.django_db


@pytest.fixture
def task() -> Task:
    ranking = make_task(make_campaign())
    return Task.objects.create(test_set=ranking.test_set, protocol=Protocol.RATING)


@pytest.fixture
def organiser(task: Task, client: Client) -> Client:
    client.force_login(make_organiser(task.test_set.campaign))
    return client


def address_of(task: Task) -> str:
    return reverse("criteria", args=[task.test_set.campaign.slug, task.pk])


def shown(organiser: Client, address: str) -> dict[str, Any]:
    """Return the fields of the page as a browser would send them."""
    context = organiser.get(address).context
    fields: dict[str, Any] = {}
    for form in (context["form"].management_form, context["at_once"], *context["form"]):
        for bound in form:
            value = bound.value()
            if value is not None and value is not False:
                fields[bound.html_name] = value
    return fields


def test_a_preset_is_chosen_and_saved(organiser: Client, task: Task) -> None:
    fields = shown(organiser, f"{address_of(task)}?preset=summaries")
    assert fields["form-0-name"] == "Coherence"
    saved = organiser.post(f"{address_of(task)}?preset=summaries", fields)
    assert saved.status_code == 302, (
        saved.context["at_once"].errors,
        saved.context["form"].errors,
    )
    task.refresh_from_db()
    assert task.rules["all_at_once"]
    # With its translations.
    assert task.rules["criteria"] == [
        each.as_json() for each in preset_criteria("summaries")
    ]


def test_adequacy_and_fluency_unchanged_stay_the_default(
    organiser: Client,
    task: Task,
) -> None:
    fields = shown(organiser, address_of(task))
    assert fields["form-0-question"] == "Is the text written in good {language}?"
    assert organiser.post(address_of(task), fields).status_code == 302
    task.refresh_from_db()
    assert not task.rules.get("criteria")


def test_criteria_are_edited_moved_removed_and_added(
    organiser: Client,
    task: Task,
) -> None:
    task_rules_change(task=task, rules={"criteria": FOUR})
    fields = shown(organiser, address_of(task))
    fields |= {
        "form-0-ORDER": 9,
        "form-1-DELETE": "on",
        "form-2-question": "Is it stylish?",
        "form-4-name": "Length",
        "form-4-question": "How long is it?",
        "form-4-labels": "0: too short\n2: too long",
        "form-4-lowest": "0",
        "form-4-highest": "2",
    }
    assert organiser.post(address_of(task), fields).status_code == 302
    task.refresh_from_db()
    style, overall, coherence, length = criteria_read(task.rules["criteria"])
    assert [each.key for each in (style, overall, coherence, length)] == [
        "style",
        "overall",
        "coherence",
        "length",
    ]
    assert style.question == {"": "Is it stylish?"}
    assert (overall.scale.lowest, overall.scale.highest) == (0, 100)
    assert length.labels == {0: {"en": "too short"}, 2: {"en": "too long"}}


def test_points_may_be_written_with_a_wide_colon(organiser: Client, task: Task) -> None:
    fields = shown(organiser, f"{address_of(task)}?preset=mos")
    fields["form-0-labels"] = "1：差\n 3: 一般：可读\n5：好"
    assert organiser.post(f"{address_of(task)}?preset=mos", fields).status_code == 302
    task.refresh_from_db()
    [quality] = criteria_read(task.rules["criteria"])
    assert [texts["en"] for texts in quality.labels.values()] == [
        "差",
        "一般：可读",
        "好",
    ]


def test_texts_are_written_in_several_languages(organiser: Client, task: Task) -> None:
    text = {"en": "How good is it?", "de": "Wie gut ist es?"}
    task_rules_change(
        task=task,
        rules={"criteria": [criterion("style", question=text)]},
    )
    address = f"{address_of(task)}?language=de"
    fields = shown(organiser, address)
    assert fields["form-0-question"] == "Wie gut ist es?"
    fields["form-0-question"] = "Wie schön ist es?"
    assert organiser.post(address, fields).status_code == 302
    task.refresh_from_db()
    [style] = criteria_read(task.rules["criteria"])
    assert style.question == {"en": "How good is it?", "de": "Wie schön ist es?"}


def test_a_changed_preset_asks_all_judges_the_same(
    organiser: Client,
    task: Task,
) -> None:
    """Judges in German were asked the question of the preset, and those in English another."""
    address = f"{address_of(task)}?preset=summaries"
    fields = shown(organiser, address)
    fields["form-0-name"] = "Faithfulness"
    fields["form-0-question"] = "Is everything true?"
    fields["form-0-labels"] = "1: Nothing\n5: Very good"
    saved = organiser.post(address, fields, follow=True)
    [_saved, warning] = [str(message) for message in saved.context["messages"]]
    assert "Arabic, Czech, German, Simplified Chinese, Spanish" in warning
    task.refresh_from_db()
    faithfulness, consistency, *_others = criteria_read(task.rules["criteria"])
    assert faithfulness.name == {"en": "Faithfulness"}
    assert faithfulness.question == {"en": "Is everything true?"}
    assert faithfulness.labels[1] == {"en": "Nothing"}
    assert faithfulness.labels[5]["de"] == "Sehr gut"
    assert consistency.question["de"].startswith("Sagt der Text nur")
    # A changed translation leaves the others.
    address = f"{address_of(task)}?language=de"
    fields = shown(organiser, address)
    fields["form-1-question"] = "Stimmt der Text?"
    organiser.post(address, fields)
    task.refresh_from_db()
    question = criteria_read(task.rules["criteria"])[1].question
    assert question["de"] == "Stimmt der Text?"
    assert question["en"] == "Does the text say only what the source supports?"


@pytest.mark.parametrize("preset", ["", "summaries"])
def test_criteria_changed_meanwhile_are_replaced_only_when_sent_again(
    organiser: Client,
    task: Task,
    preset: str,
) -> None:
    address = f"{address_of(task)}?preset={preset}"
    fields = shown(organiser, address)
    fields["version"] = organiser.get(address).context["at_once"].version
    task_rules_change(task=task, rules={"criteria": FOUR})
    refused = organiser.post(address, fields)
    assert refused.status_code == 400
    task.refresh_from_db()
    assert len(task.rules["criteria"]) == len(FOUR)
    version = refused.context["at_once"].version
    page = refused.content.decode()
    assert f'value="{version}"' in page
    assert f"<summary>{fields['form-0-name']}</summary>" in page
    assert organiser.post(address, fields | {"version": version}).status_code == 302


def test_a_refused_form_keeps_what_was_written(organiser: Client, task: Task) -> None:
    fields = shown(organiser, address_of(task))
    fields |= {"form-0-labels": "1: bad", "form-1-name": "", "form-2-name": "New"}
    refused = organiser.post(address_of(task), fields)
    assert refused.status_code == 400
    forms = refused.context["form"]
    assert forms[1].errors["name"]
    assert forms[2]["name"].value() == "New"
    fields |= {"form-1-name": "Adequacy", "form-2-name": ""}
    refused = organiser.post(address_of(task), fields)
    [problem] = refused.context["at_once"].non_field_errors()
    assert problem == "Criterion 1: the label at 5 is missing."
    assert "1: bad" in refused.content.decode()
    task.refresh_from_db()
    assert "criteria" not in task.rules


WRONG_CRITERIA: list[tuple[Any, str]] = [
    ([criterion(f"c{number}") for number in range(9)], "There are 9 criteria"),
    (
        [criterion("style"), criterion("style", name="Other")],
        "Two criteria have the name",
    ),
    (
        [criterion("style"), criterion("other", name="STYLE")],
        "Two criteria have the name",
    ),
    ([criterion("style", lowest=1, highest=1)], "2 to 11 points"),
    ([criterion("style", lowest=0, highest=11)], "2 to 11 points"),
    ([criterion("style", lowest=1, highest=100)], "2 to 11 points"),
    ([criterion("style", highest=5.5)], "“highest” must be a whole number"),
    ([criterion("style", lowest=True)], "“lowest” must be a whole number"),
    ([criterion("style", labels={"1": "bad"})], "the label at 5 is missing"),
    ([criterion("style", labels={"1": "bad", "5": " "})], "“labels.5” is empty"),
    (
        [criterion("style", labels={"1": "bad", "5": "good", "6": "great"})],
        "the label “6”",
    ),
    (
        [
            criterion(
                "style",
                lowest=0,
                highest=100,
                labels={"0": "a", "100": "b", "120": "c"},
            ),
        ],
        "the label “120”",
    ),
    (
        [criterion("style", labels={"1": "bad", "5": "good", "2.5": "so"})],
        "the label “2.5”",
    ),
    ([criterion("Style!")], "“key” must have"),
    ([criterion("style", name="")], "“name” is empty"),
    ([{"key": "style"}], "“name” is missing"),
    ([criterion("style", question={"xx-yy-zz": "?"})], "Criterion 1:"),
    ([criterion("style", beside="video")], "“beside” must be one of"),
    ([criterion("style", weight=-1)], "“weight” must be a whole number"),
    (
        [criterion("style", weight=1), criterion("other", highest=7, weight=1)],
        "must have the same scale",
    ),
    ([criterion("style", colour="red")], "unknown field: colour"),
    (["style"], "a criterion must be an object"),
    ({"style": 1}, "must be a list"),
    ("everything", "not a preset of criteria"),
]


def test_wrong_criteria_are_refused_in_a_sentence(
    task: Task,
    subtests: pytest.Subtests,
) -> None:
    for criteria, words in WRONG_CRITERIA:
        with subtests.test(criteria=criteria, words=words):
            with pytest.raises(ValidationError, match=words) as refused:
                task_rules_change(task=task, rules={"criteria": criteria})
            [sentence] = refused.value.messages
            assert sentence.endswith(".")
            task.refresh_from_db()
            assert task.rules == {}


@pytest.mark.parametrize("name", PRESET_NAMES)
def test_presets_are_valid_in_every_language(name: str) -> None:
    criteria = preset_criteria(name)
    assert criteria_read([each.as_json() for each in criteria]) == criteria
    for each in criteria:
        assert len(each.question) == len(each.name) >= 6


def test_rest_takes_and_shows_criteria(organiser: Client, task: Task) -> None:
    address = f"/api/v1/tasks/{task.pk}/"
    changed = organiser.patch(
        address,
        {"rules": {"criteria": FOUR, "all_at_once": True}},
        content_type="application/json",
    )
    assert changed.status_code == 200, changed.content
    assert changed.json()["rules"]["criteria"] == [
        each.as_json() for each in criteria_read(FOUR)
    ]
    refused = organiser.patch(
        address,
        {"rules": {"criteria": FOUR * 3}},
        content_type="application/json",
    )
    assert refused.status_code == 400
    assert "12 criteria" in str(refused.json()["errors"]["rules"])


def test_the_campaign_file_holds_criteria(organiser: Client, task: Task) -> None:
    del organiser
    campaign = task.test_set.campaign
    task_rules_change(task=task, rules={"criteria": FOUR, "all_at_once": True})
    content = campaign_file(campaign=campaign)
    [test_set] = read_yaml("c", content).value["test_sets"]
    [written] = test_set["tasks"]
    assert criteria_read(written["rules"]["criteria"]) == criteria_read(FOUR)
    user = campaign.memberships.get().user
    changed = content.replace(b"How good is the coherence?", b"Is it coherent?")
    applied = campaign_file_apply(name="c", content=changed, by=user)
    assert applied.is_done
    task.refresh_from_db()
    assert task.rules["criteria"][0]["question"] == "Is it coherent?"


@pytest.mark.parametrize(
    ("rules", "selected"),
    [
        ({}, "Adequacy and fluency"),
        ({"criteria": FOUR}, "Ratings by criteria"),
        ({"criteria": FOUR, "all_at_once": True}, "Ratings by criteria"),
    ],
)
def test_the_design_page_names_what_the_task_asks(
    organiser: Client,
    task: Task,
    rules: dict[str, Any],
    selected: str,
) -> None:
    task_rules_change(task=task, rules=rules)
    address = reverse("design", args=[task.test_set.campaign.slug, task.pk])
    context = organiser.get(address).context
    [chosen] = [card for card in context["presets"] if card.is_chosen]
    assert chosen.label == selected
    assert ("fluency first" in chosen.sentence) == (not rules)
    assert context["form"].preset.label == selected


@pytest.mark.parametrize(
    ("rules", "unused"),
    [
        ({}, set()),
        ({"criteria": FOUR}, {"adequacy_basis"}),
        (
            {"criteria": FOUR, "all_at_once": True},
            {
                "adequacy_basis",
                "raters",
                "items_per_judge",
                "order_free",
                "adequacy_by_others",
            },
        ),
    ],
)
def test_the_settings_leave_out_rules_without_effect(
    organiser: Client,
    task: Task,
    rules: dict[str, Any],
    unused: set[str],
) -> None:
    task_rules_change(task=task, rules=rules)
    address = reverse("test-set-settings", args=[task.test_set.campaign.slug, task.pk])
    form = organiser.get(address).context["form"]
    fields = {name for name in form.fields if name.startswith("rating_")}
    every = {"raters", "items_per_judge", "order_free", "adequacy_by_others"}
    every |= {"adequacy_basis", "all_at_once", "document", "page"}
    assert fields == {f"rating_{name}" for name in every - unused}
    sent = {
        name: value
        for name, field in form.fields.items()
        if (value := form[name].value()) not in (None, False)
    }
    assert organiser.post(address, sent).status_code == 302
    before = task_rules(task)
    task.refresh_from_db()
    assert task_rules(task) == before
