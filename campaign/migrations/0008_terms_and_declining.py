from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("campaign", "0007_every_link_ends"),
    ]

    operations = [
        migrations.AddField(
            model_name="campaign",
            name="pay",
            field=models.CharField(
                blank=True,
                db_default="",
                default="",
                help_text="What judges get for their work, in your words; shown before they begin.",
                max_length=200,
                verbose_name="pay",
            ),
        ),
        migrations.AddField(
            model_name="campaign",
            name="duration",
            field=models.CharField(
                blank=True,
                db_default="",
                default="",
                help_text="How long the work takes, in your words; shown before they begin.",
                max_length=200,
                verbose_name="duration",
            ),
        ),
        migrations.AddField(
            model_name="campaign",
            name="contact",
            field=models.CharField(
                blank=True,
                db_default="",
                default="",
                help_text="Whom judges may ask: a name, an address.",
                max_length=200,
                verbose_name="contact",
            ),
        ),
        migrations.AddField(
            model_name="judge",
            name="declined_at",
            field=models.DateTimeField(
                blank=True,
                help_text="When they declined to take part; empty: they did not, or take part again.",
                null=True,
                verbose_name="declined",
            ),
        ),
    ]
