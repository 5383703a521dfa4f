from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ("campaign", "0035_segments_again"),
    ]

    operations = [
        migrations.AlterField(
            model_name="task",
            name="protocol",
            field=models.CharField(
                choices=[
                    ("ranking", "five-way ranking"),
                    ("rating", "adequacy and fluency"),
                    ("two_outputs", "two outputs"),
                    ("top", "top or not"),
                    ("spans", "error spans and scores"),
                    ("sorting", "sorting"),
                    ("editing", "blind editing"),
                    ("quiz", "quiz"),
                ],
                max_length=20,
                verbose_name="protocol",
            ),
        ),
        migrations.RemoveConstraint(model_name="task", name="task_protocol_is_known"),
        migrations.AddConstraint(
            model_name="task",
            constraint=models.CheckConstraint(
                condition=models.Q(
                    (
                        "protocol__in",
                        ["ranking", "rating", "two_outputs", "top", "spans", "sorting", "editing", "quiz"],
                    )
                ),
                name="task_protocol_is_known",
            ),
        ),
    ]
