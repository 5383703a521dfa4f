from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ("campaign", "0027_triggers_of_tasks"),
    ]

    operations = [
        migrations.AlterField(
            model_name="task",
            name="protocol",
            field=models.CharField(
                choices=[("ranking", "five-way ranking"), ("two_outputs", "two outputs")],
                max_length=20,
                verbose_name="protocol",
            ),
        ),
        migrations.RemoveConstraint(model_name="task", name="task_protocol_is_known"),
        migrations.AddConstraint(
            model_name="task",
            constraint=models.CheckConstraint(
                condition=models.Q(("protocol__in", ["ranking", "two_outputs"])),
                name="task_protocol_is_known",
            ),
        ),
    ]
