import django.db.models.deletion
import pgtrigger.migrations
from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ("campaign", "0025_tasks"),
    ]

    operations = [
        pgtrigger.migrations.RemoveTrigger(
            model_name='testset',
            name='test_set_recorded',
        ),
        migrations.RemoveConstraint(model_name="testset", name="test_set_blocks_per_segment_positive"),
        migrations.RemoveField(model_name="testset", name="blocks_wanted"),
        migrations.RemoveField(model_name="testset", name="blocks_per_segment"),
        migrations.RemoveField(model_name="testset", name="closed_at"),
        migrations.RenameField(model_name="judge", old_name="chosen_test_set", new_name="chosen_task"),
        migrations.AlterField(
            model_name="judge",
            name="chosen_task",
            field=models.ForeignKey(
                blank=True,
                help_text="What the judge chose to work on; empty, or not theirs to judge: any.",
                null=True,
                on_delete=django.db.models.deletion.SET_NULL,
                related_name="+",
                to="campaign.task",
            ),
        ),
    ]
