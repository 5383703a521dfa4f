from django.db import migrations, models

from campaign.database.sealing import PREFIX, sealed


def tokens_seal(apps, _schema_editor):
    """Encrypt the tokens of reviewers' links."""
    rows = apps.get_model("ranking", "PublishedResult").objects
    for row in rows.exclude(reviewer_token=None).exclude(reviewer_token__startswith=PREFIX):
        rows.filter(pk=row.pk).update(reviewer_token=sealed(row.reviewer_token))


class Migration(migrations.Migration):
    """Encrypt the tokens of reviewers' links."""

    dependencies = [
        ('ranking', '0003_stopping_rule_tests'),
    ]

    operations = [
        migrations.AlterField(
            model_name='publishedresult',
            name='reviewer_token',
            field=models.TextField(blank=True, max_length=64, null=True, verbose_name='Reviewer link'),
        ),
        migrations.RunPython(tokens_seal, migrations.RunPython.noop),
    ]
