"""Each table leads to its campaign by its keys, or is known to belong to none."""

from pathlib import Path

from django.apps import apps
from django.conf import settings

from campaign.models import IdempotentAnswer, Session, SignInCount, User
from whole_campaigns.campaign_rows import TABLES, campaign_rows

NOT_OF_A_CAMPAIGN = {User, Session, SignInCount, IdempotentAnswer}


def test_models_are_declared_as_of_a_campaign_or_not() -> None:
    models = {
        model
        for app in apps.get_app_configs()
        if Path(settings.BASE_DIR, *app.name.split(".")).is_dir()
        for model in app.get_models()
        if not model._meta.proxy
    }
    assert models - set(TABLES) == NOT_OF_A_CAMPAIGN


def test_campaign_paths_lead_to_one_campaign() -> None:
    """A condition on something else than a campaign's key would delete rows of others."""
    for model in TABLES:
        sql, parameters = campaign_rows(model, 7).query.sql_with_params()
        condition = sql.partition(" WHERE ")[2].partition(" ORDER BY ")[0]
        assert parameters == (7,), model
        assert condition.rstrip(")").endswith('"campaign_id" = %s') or condition == (
            '"campaign_campaign"."id" = %s'
        ), condition
