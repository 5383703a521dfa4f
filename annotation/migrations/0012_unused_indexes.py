import django.db.models.deletion
from django.db import migrations, models


class Migration(migrations.Migration):
    """Two indexes that nothing was ever looked up by."""

    dependencies = [
        ("annotation", "0011_candidates_folded"),
    ]

    operations = [
        migrations.AlterField(
            model_name="exposure",
            name="assignment",
            field=models.ForeignKey(
                blank=True,
                db_index=False,
                help_text="Empty where it was a practice sentence of the tour.",
                null=True,
                on_delete=django.db.models.deletion.PROTECT,
                related_name="exposures",
                to="annotation.assignment",
            ),
        ),
        migrations.AlterField(
            model_name="hit",
            name="design",
            field=models.ForeignKey(
                db_index=False,
                on_delete=django.db.models.deletion.PROTECT,
                related_name="hits",
                to="annotation.design",
            ),
        ),
        migrations.AlterField(
            model_name="hit",
            name="plan",
            field=models.JSONField(
                blank=True,
                help_text="What it shows of each of its segments, until its blocks are written by it; empty from then on.",
                null=True,
                verbose_name="plan",
            ),
        ),
    ]
