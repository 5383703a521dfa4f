from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("campaign", "0010_languages_are_tags"),
    ]

    operations = [
        migrations.AddConstraint(
            model_name="testset",
            constraint=models.CheckConstraint(
                condition=models.Q(
                    ("source_language", models.F("target_language")), _negated=True
                ),
                name="test_set_source_differs_from_target",
            ),
        ),
    ]
