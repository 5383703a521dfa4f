import django.db.models.deletion
import django.db.models.functions.datetime
from django.db import migrations, models

# Each test set's five-way ranking gets the id of its test set, so that no row that hangs on it changes.
_FILL = """
    INSERT INTO campaign_task (
        id, test_set_id, protocol, blocks_wanted, blocks_per_segment, created_at, closed_at
    )
    SELECT id, id, 'ranking', blocks_wanted, blocks_per_segment, created_at, closed_at
    FROM campaign_testset;
    SELECT setval('campaign_task_id_seq', last_value, is_called) FROM campaign_testset_id_seq;
"""


class Migration(migrations.Migration):

    dependencies = [
        ("campaign", "0024_campaign_copies"),
    ]

    operations = [
        migrations.CreateModel(
            name="Task",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("protocol", models.CharField(choices=[("ranking", "five-way ranking")], max_length=20, verbose_name="protocol")),
                ("blocks_wanted", models.PositiveIntegerField(blank=True, help_text="What progress is measured against; no more are planned than that.", null=True, verbose_name="blocks wanted")),
                ("blocks_per_segment", models.PositiveIntegerField(blank=True, help_text="No segment is planned into more blocks than that; empty means no limit.", null=True, verbose_name="blocks of a segment")),
                ("created_at", models.DateTimeField(db_default=django.db.models.functions.datetime.Now(), editable=False, verbose_name="created")),
                ("closed_at", models.DateTimeField(blank=True, help_text="Judges are lent nothing more of it; what they hold they may finish.", null=True, verbose_name="closed")),
                ("test_set", models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.CASCADE, related_name="tasks", to="campaign.testset")),
            ],
            options={
                "verbose_name": "task",
                "verbose_name_plural": "tasks",
                "constraints": [
                    models.UniqueConstraint(fields=("test_set", "protocol"), name="task_protocol_once_in_a_test_set"),
                    models.CheckConstraint(condition=models.Q(("protocol__in", ["ranking"])), name="task_protocol_is_known"),
                    models.CheckConstraint(condition=models.Q(("blocks_per_segment__gte", 1)), name="task_blocks_per_segment_positive"),
                ],
            },
        ),
        migrations.RunSQL(_FILL, migrations.RunSQL.noop),
    ]
