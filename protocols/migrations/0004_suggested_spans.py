import django.db.models.deletion
import pgtrigger.compiler
import pgtrigger.migrations
from django.db import migrations, models

import protocols.models


class Migration(migrations.Migration):
    """Errors from which judges start, and what they started from."""

    dependencies = [
        ('annotation', '0005_played_shares'),
        ('campaign', '0011_media_of_texts'),
        ('protocols', '0003_error_categories'),
    ]

    operations = [
        migrations.CreateModel(
            name='SuggestedSpans',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('source', models.CharField(max_length=200)),
                ('start', models.JSONField()),
            ],
        ),
        migrations.AddField(
            model_name='spansanswer',
            name='starts',
            field=models.JSONField(blank=True, null=True),
        ),
        migrations.AddConstraint(
            model_name='spansanswer',
            constraint=models.CheckConstraint(condition=protocols.models.StartsOfOutputs(), name='spans_start_for_each_output'),
        ),
        migrations.AddField(
            model_name='suggestedspans',
            name='output',
            field=models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='suggestions', to='campaign.output'),
        ),
        migrations.AddField(
            model_name='suggestedspans',
            name='task',
            field=models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.CASCADE, related_name='suggestions', to='campaign.task'),
        ),
        migrations.AddConstraint(
            model_name='suggestedspans',
            constraint=models.UniqueConstraint(fields=('task', 'output', 'source'), name='suggested_spans_once_by_a_source'),
        ),
        pgtrigger.migrations.AddTrigger(
            model_name='suggestedspans',
            trigger=pgtrigger.compiler.Trigger(name='suggested_spans_before_judging', sql=pgtrigger.compiler.UpsertTriggerSql(declare='DECLARE of_task BIGINT;', func="of_task := CASE TG_OP WHEN 'DELETE' THEN OLD.task_id ELSE NEW.task_id END;\nIF EXISTS (\n    SELECT FROM annotation_assignment a JOIN annotation_hit h ON h.id = a.hit_id\n    WHERE h.task_id = of_task\n) THEN\n    RAISE EXCEPTION 'judges were lent HITs of task %: its suggestions stay as they are', of_task\n        USING ERRCODE = 'check_violation',\n              CONSTRAINT = 'suggested_spans_before_judging';\nEND IF;\nRETURN CASE TG_OP WHEN 'DELETE' THEN OLD ELSE NEW END;\n", hash='29024de243a7522d650aa042af0d7a0319db257b', operation='INSERT OR DELETE', pgid='pgtrigger_suggested_spans_before_judging_4a992', table='protocols_suggestedspans', when='BEFORE')),
        ),
    ]
