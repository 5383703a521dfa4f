import django.contrib.postgres.fields
from django.db import migrations, models


class Migration(migrations.Migration):
    """A block keeps the outputs it shows itself, in shown order; 0010 fills them in."""

    dependencies = [
        ("annotation", "0008_counters_of_judgments"),
    ]

    operations = [
        migrations.AddField(
            model_name="block",
            name="outputs",
            field=django.contrib.postgres.fields.ArrayField(
                base_field=models.BigIntegerField(),
                default=list,
                help_text="By id, in shown order; those of one candidate side by side.",
                size=None,
                verbose_name="outputs",
            ),
            preserve_default=False,
        ),
        migrations.AddField(
            model_name="block",
            name="stands_for",
            field=django.contrib.postgres.fields.ArrayField(
                base_field=models.PositiveSmallIntegerField(),
                blank=True,
                help_text="How many outputs each candidate stands for; empty: each for one.",
                null=True,
                size=None,
                verbose_name="outputs of each candidate",
            ),
        ),
    ]
