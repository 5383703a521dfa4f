from datetime import timedelta
from typing import Any

from django.conf import settings
from django.db import migrations, models
from django.db.models.functions import Now


def let_them_end(apps: Any, schema_editor: Any) -> None:
    """Let links and tokens without an end expire as long after today as a new one would."""
    links = apps.get_model("campaign", "Invitation").objects.filter(expires_at__isnull=True)
    for role, days in (
        ("judge", settings.JUDGE_LINK_DAYS),
        ("organiser", settings.ORGANISER_LINK_DAYS),
    ):
        links.filter(role=role).update(expires_at=Now() + timedelta(days=days))
    # Without a dependency on knox, whose first migration depends on this app's, squashed or not. A database
    # without the table has no tokens.
    connection = schema_editor.connection
    if "knox_authtoken" in connection.introspection.table_names():
        with connection.cursor() as cursor:
            cursor.execute(
                "UPDATE knox_authtoken SET expiry = now() + %s WHERE expiry IS NULL",
                [timedelta(days=settings.TOKEN_DAYS)],
            )


class Migration(migrations.Migration):
    dependencies = [
        ("campaign", "0006_panel_arrivals"),
    ]

    operations = [
        migrations.RunPython(let_them_end, migrations.RunPython.noop),
        migrations.AlterField(
            model_name="invitation",
            name="expires_at",
            field=models.DateTimeField(verbose_name="expires"),
        ),
        migrations.AddField(
            model_name="judge",
            name="withdrawn_at",
            field=models.DateTimeField(
                blank=True,
                help_text="When they were withdrawn, and their links with them; empty: they may judge.",
                null=True,
                verbose_name="withdrawn",
            ),
        ),
    ]
