from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ("annotation", "0029_blocks_of_one_output"),
    ]

    operations = [
        migrations.AddField(
            model_name="hit",
            name="part",
            field=models.PositiveSmallIntegerField(
                db_default=0,
                default=0,
                help_text="Of a protocol that shows judges the same outputs several times; 0 for all others.",
                verbose_name="pass",
            ),
        ),
    ]
