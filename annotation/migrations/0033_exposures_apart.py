from django.db import migrations, models


class Migration(migrations.Migration):
    """A column with a constant: PostgreSQL rewrites no row."""

    dependencies = [
        ("annotation", "0032_designs_of_chosen_systems"),
        ("campaign", "0035_segments_again"),
    ]

    operations = [
        migrations.AddField(
            model_name="exposure",
            name="apart",
            field=models.CharField(
                blank=True,
                db_default="",
                default="",
                help_text="The protocol of a task that shows judges segments again; empty of all others, which count together.",
                max_length=20,
                verbose_name="apart",
            ),
        ),
    ]
