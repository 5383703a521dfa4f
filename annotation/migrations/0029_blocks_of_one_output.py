from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ("annotation", "0028_labels_of_top"),
    ]

    operations = [
        migrations.RemoveConstraint(
            model_name="design", name="design_candidates_between_2_and_26"
        ),
        migrations.AddConstraint(
            model_name="design",
            constraint=models.CheckConstraint(
                condition=models.Q(("systems_per_block__range", (1, 26))),
                name="design_candidates_between_1_and_26",
            ),
        ),
    ]
