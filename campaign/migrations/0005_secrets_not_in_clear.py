import campaign.models.panel
from django.db import migrations, models

from campaign.database.sealing import PREFIX, sealed

#: A session's row is found by a hash of its key, so that a copy of the table signs nobody in. Keys have 32 characters.
_SESSIONS = """
    UPDATE campaign_session SET session_key = left(encode(sha256(convert_to(session_key, 'UTF8')), 'hex'), 40)
    WHERE length(session_key) <= 32
"""
_SEALED = {"Panel": ("key", "events_key", "webhook_secret"), "WebhookEndpoint": ("secret", "old_secret")}


def secrets_seal(apps, _schema_editor):
    """Encrypt the secrets of panels and webhooks."""
    for model, columns in _SEALED.items():
        rows = apps.get_model("campaign", model).objects
        for row in rows.values("pk", *columns):
            values = {name: sealed(row[name]) for name in columns if not row[name].startswith(PREFIX)}
            rows.filter(pk=row["pk"]).update(**values)


class Migration(migrations.Migration):
    """Hash the keys of sessions, and encrypt the secrets of panels and webhooks."""

    dependencies = [
        ("campaign", "0004_campaign_time_zone"),
    ]

    operations = [
        migrations.RunSQL(_SESSIONS, migrations.RunSQL.noop),
        migrations.RemoveConstraint(
            model_name='webhookendpoint',
            name='webhook_secret_is_one',
        ),
        migrations.AlterField(
            model_name='panel',
            name='events_key',
            field=models.TextField(default=campaign.models.panel.panel_key),
        ),
        migrations.AlterField(
            model_name='panel',
            name='key',
            field=models.TextField(default=campaign.models.panel.panel_key),
        ),
        migrations.AlterField(
            model_name='panel',
            name='webhook_secret',
            field=models.TextField(blank=True, max_length=200, verbose_name='Webhook secret'),
        ),
        migrations.AlterField(
            model_name='webhookendpoint',
            name='old_secret',
            field=models.TextField(blank=True, default='', max_length=100),
        ),
        migrations.AlterField(
            model_name='webhookendpoint',
            name='secret',
            field=models.TextField(max_length=100, verbose_name='Secret'),
        ),
        migrations.AddConstraint(
            model_name='webhookendpoint',
            constraint=models.CheckConstraint(condition=models.Q(('secret', ''), _negated=True), name='webhook_secret_not_empty'),
        ),
        migrations.RunPython(secrets_seal, migrations.RunPython.noop),
    ]
