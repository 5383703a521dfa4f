from django.db import migrations, models


class Migration(migrations.Migration):
    """Skips take time too, and it is shown to the judge; those stored before have none."""

    dependencies = [
        ("annotation", "0005_hits_stand_by"),
    ]

    operations = [
        migrations.AddField(
            model_name="skip",
            name="duration_ms",
            field=models.PositiveIntegerField(
                blank=True, null=True, verbose_name="time on the clock, ms"
            ),
        ),
        migrations.AddField(
            model_name="skip",
            name="active_ms",
            field=models.PositiveIntegerField(
                blank=True, null=True, verbose_name="active time, ms"
            ),
        ),
        migrations.AddConstraint(
            model_name="skip",
            constraint=models.CheckConstraint(
                condition=models.Q(("active_ms__lte", models.F("duration_ms"))),
                name="skip_active_within_its_time_on_the_clock",
            ),
        ),
    ]
