"""Owners, and analysts, who were called researchers."""

from typing import Any

import pgtrigger.compiler
import pgtrigger.migrations
from django.db import migrations, models


def roles_of_today_store(apps: Any, _schema_editor: Any) -> None:
    """Make each campaign's earliest organiser its owner; a campaign without organisers stays without an owner."""
    members = apps.get_model("campaign", "Membership").objects
    members.filter(role="researcher").update(role="analyst", daily_alerts=False)
    earliest = (
        members.filter(role="organiser", campaign=models.OuterRef("campaign"))
        .order_by("pk")
        .values("pk")[:1]
    )
    members.filter(pk=models.Subquery(earliest)).update(role="owner")


def roles_of_before_store(apps: Any, _schema_editor: Any) -> None:
    members = apps.get_model("campaign", "Membership").objects
    members.filter(role="owner").update(role="organiser")
    members.filter(role="analyst").update(role="researcher")
    links = apps.get_model("campaign", "Invitation").objects
    links.filter(role__in=["owner", "analyst"]).update(role="organiser")


class Migration(migrations.Migration):

    dependencies = [
        ('campaign', '0017_alerts'),
    ]

    operations = [
        migrations.RemoveConstraint(
            model_name='invitation',
            name='invitation_role_is_known',
        ),
        migrations.RemoveConstraint(
            model_name='membership',
            name='membership_role_is_known',
        ),
        migrations.RunPython(roles_of_today_store, roles_of_before_store),
        migrations.AlterField(
            model_name='invitation',
            name='role',
            field=models.CharField(choices=[('owner', 'owner'), ('organiser', 'organiser'), ('analyst', 'analyst'), ('judge', 'judge')], max_length=9, verbose_name='role'),
        ),
        migrations.AlterField(
            model_name='membership',
            name='role',
            field=models.CharField(choices=[('owner', 'owner'), ('organiser', 'organiser'), ('analyst', 'analyst')], max_length=10, verbose_name='role'),
        ),
        pgtrigger.migrations.AddTrigger(
            model_name='membership',
            trigger=pgtrigger.compiler.Trigger(name='membership_leaves_an_owner', sql=pgtrigger.compiler.UpsertTriggerSql(constraint='CONSTRAINT', declare='DECLARE touched BIGINT;', func="-- Campaigns from before there were owners may have none: nothing but an owner's going is refused there.\nIF OLD.role <> 'owner' AND coalesce(NEW.campaign_id, OLD.campaign_id) = OLD.campaign_id THEN\n    RETURN NULL;\nEND IF;\nFOREACH touched IN ARRAY ARRAY[OLD.campaign_id, NEW.campaign_id] LOOP\n    -- Of two owners who go at once, the second waits here and then sees that the first is gone.\n    PERFORM FROM campaign_campaign c WHERE c.id = touched FOR NO KEY UPDATE;\n    IF EXISTS (SELECT FROM campaign_membership m WHERE m.campaign_id = touched)\n        AND NOT EXISTS (\n            SELECT FROM campaign_membership m WHERE m.campaign_id = touched AND m.role = 'owner'\n        )\n    THEN\n        RAISE EXCEPTION 'campaign % has members and no owner', touched\n            USING ERRCODE = 'check_violation',\n                  CONSTRAINT = 'membership_leaves_an_owner';\n    END IF;\nEND LOOP;\nRETURN NULL;\n", hash='c0caafb8d709f595ded4872a22fb41c52b7cf3c1', operation='INSERT OR UPDATE OF "campaign_id", "role" OR DELETE', pgid='pgtrigger_membership_leaves_an_owner_6d520', table='campaign_membership', timing='DEFERRABLE INITIALLY DEFERRED', when='AFTER')),
        ),
        migrations.AddConstraint(
            model_name='invitation',
            constraint=models.CheckConstraint(condition=models.Q(('role__in', ['owner', 'organiser', 'analyst', 'judge'])), name='invitation_role_is_known'),
        ),
        migrations.AddConstraint(
            model_name='membership',
            constraint=models.CheckConstraint(condition=models.Q(('role__in', ['owner', 'organiser', 'analyst'])), name='membership_role_is_known'),
        ),
        migrations.AddConstraint(
            model_name='membership',
            constraint=models.CheckConstraint(condition=models.Q(('daily_alerts', False), ('role__in', ('owner', 'organiser')), _connector='OR'), name='membership_with_daily_alerts_may_act'),
        ),
    ]
