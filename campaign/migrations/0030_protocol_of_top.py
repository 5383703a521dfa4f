from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("campaign", "0029_rules_of_tasks"),
    ]

    operations = [
        migrations.AlterField(
            model_name="task",
            name="protocol",
            field=models.CharField(
                choices=[
                    ("ranking", "five-way ranking"),
                    ("two_outputs", "two outputs"),
                    ("top", "top or not"),
                ],
                max_length=20,
                verbose_name="protocol",
            ),
        ),
        migrations.RemoveConstraint(model_name="task", name="task_protocol_is_known"),
        migrations.AddConstraint(
            model_name="task",
            constraint=models.CheckConstraint(
                condition=models.Q(("protocol__in", ["ranking", "two_outputs", "top"])),
                name="task_protocol_is_known",
            ),
        ),
    ]
