"""Options of the ranking method: declared once, and set by service, page and REST."""

from typing import Any

import pytest
from django.test import Client
from django.urls import reverse

from campaign.models import Campaign, User
from ranking.core.methods.registry import METHODS
from ranking.core.rankings.rank import rank
from ranking.models import RankingRun, RankingSettings
from ranking.pages.ranking_settings import RankingSettingsForm
from ranking.reports.range_choices import RangeChoiceError
from ranking.reports.wording.methods import LiveMethod
from ranking.selectors.judged_columns import judged_blocks
from ranking.selectors.runs import ranking_settings_in_force
from ranking.services.reproduced_runs import ranking_run_reproduce
from ranking.services.runs import ranking_run_compute
from tests.integration.ranking.pages import text_of
from tests.integration.ranking.writing import TestSetWriter, settings_change

pytestmark = pytest.mark.django_db

LIVE_OPTIONS = [
    (method, option)
    for method in LiveMethod.values[1:]
    for option in METHODS[method].options
]


def test_live_ranking_has_the_options_of_the_settings(varied: TestSetWriter) -> None:
    settings_change(varied, method="bradley_terry", method_options={"prior": 2})
    run = ranking_run_compute(task_id=varied.task.pk)
    assert run is not None
    assert run.parameters["method_parameters"] == {"prior": 2.0}
    blocks = judged_blocks(task=varied.task, watermark=run.watermark)
    expected = rank(blocks, "bradley_terry", parameters={"prior": 2.0}).systems
    found = [(row["system"], row["score"]) for row in run.result["systems"]]
    assert found == [(row.system, row.score) for row in expected]
    assert ranking_run_reproduce(run) == run.result


def test_only_options_that_differ_from_defaults_are_stored(
    varied: TestSetWriter,
) -> None:
    settings_change(varied, method="bradley_terry")
    default = METHODS["bradley_terry"].defaults["prior"]
    settings_change(varied, method="bradley_terry", method_options={"prior": default})
    assert RankingSettings.objects.get().method_options == {}


def test_options_stay_until_another_method_is_chosen(varied: TestSetWriter) -> None:
    settings_change(varied, method="bradley_terry", method_options={"prior": 2})
    assert settings_change(varied, resample="segments").method_options == {"prior": 2.0}
    assert settings_change(varied, method="bojar").method_options == {}


WRONG_OPTIONS: list[tuple[str, dict[str, Any]]] = [
    ("bradley_terry", {"prior": -1}),
    ("bradley_terry", {"prior": 101}),
    ("bradley_terry", {"prior": True}),
    ("bradley_terry", {"prior": "2"}),
    ("bradley_terry", {"prior": float("nan")}),
    ("bradley_terry", {"priors": 2}),
    ("bojar", {"prior": 2}),
    ("by_design", {"prior": 2}),
]


def test_wrong_options_are_refused(
    varied: TestSetWriter,
    subtests: pytest.Subtests,
) -> None:
    for method, options in WRONG_OPTIONS:
        with subtests.test(method=method, options=options):
            with pytest.raises(RangeChoiceError) as refused:
                settings_change(varied, method=method, method_options=options)
            assert refused.value.field == "method_options"
            assert not RankingSettings.objects.exists()


def test_option_added_later_is_no_new_recipe(varied: TestSetWriter) -> None:
    settings_change(varied, method="bradley_terry")
    run = ranking_run_compute(task_id=varied.task.pk)
    assert run is not None
    earlier = RankingRun(
        method=run.method,
        parameters={**run.parameters, "method_parameters": {}},
        seed=run.seed,
        code_version=run.code_version,
    )
    assert earlier.recipe == run.recipe
    assert METHODS["bradley_terry"].is_usual({})
    assert not METHODS["bradley_terry"].is_usual({"prior": 2})


@pytest.mark.parametrize(("method", "option"), LIVE_OPTIONS)
def test_each_option_has_a_field_on_the_page(
    campaign: Campaign,
    method: str,
    option: str,
) -> None:
    form = RankingSettingsForm(campaign=campaign)
    assert form.fields[f"{method}.{option}"].label


def test_page_shows_and_changes_options(varied: TestSetWriter, organiser: User) -> None:
    client = Client()
    client.force_login(organiser)
    address = reverse("ranking-settings", args=[varied.campaign.slug, varied.task.pk])
    sent = {"method": "bradley_terry", "resample": "two_way", "reason": "Few blocks."}
    wrong = client.post(address, {**sent, "bradley_terry.prior": "-1"})
    assert wrong.status_code == 400
    assert (
        client.post(address, {**sent, "bradley_terry.prior": "2.5"}).status_code == 302
    )
    settings = ranking_settings_in_force(task_id=varied.task.pk)
    assert settings.method_options == {"prior": 2.5}
    page = client.get(address)
    assert 'value="2.5"' in page.content.decode()
    assert "2.5" in text_of(page)
    assert client.post(address, sent).status_code == 302
    assert ranking_settings_in_force(task_id=varied.task.pk).method_options == {}


def test_rest_changes_options(varied: TestSetWriter, organiser: User) -> None:
    client = Client()
    client.force_login(organiser)
    address = reverse("api-ranking-settings", args=[varied.task.pk])
    body = {
        "method": "bradley_terry",
        "method_options": {"prior": 2},
        "reason": "Few blocks.",
    }
    changed = client.patch(address, body, content_type="application/json")
    assert changed.json()["method_options"] == {"prior": 2.0}
    wrong = client.patch(
        address,
        {"method_options": {"prior": -1}},
        content_type="application/json",
    )
    assert wrong.status_code == 400
    assert "method_options" in wrong.json()["errors"]
