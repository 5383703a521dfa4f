import django.db.models.deletion
import pgtrigger.compiler
from django.db import migrations, models


class Migration(migrations.Migration):

    initial = True

    dependencies = [
        ('annotation', '0001_initial'),
    ]

    operations = [
        migrations.CreateModel(
            name='Answer',
            fields=[
                ('judgment', models.OneToOneField(on_delete=django.db.models.deletion.PROTECT, primary_key=True, related_name='%(app_label)s_answer', serialize=False, to='annotation.judgment')),
                ('verdict', models.CharField(choices=[('first', 'A is better'), ('same', 'the same'), ('second', 'B is better'), ('both_fine', 'both fine'), ('both_wrong', 'both wrong')], max_length=10, verbose_name='verdict')),
            ],
            options={
                'verbose_name': 'answer about two outputs',
                'verbose_name_plural': 'answers about two outputs',
                'constraints': [models.CheckConstraint(condition=models.Q(('verdict__in', ['first', 'same', 'second', 'both_fine', 'both_wrong'])), name='two_outputs_verdict_is_known')],
                'triggers': [pgtrigger.compiler.Trigger(name='two_outputs_answer_append_only', sql=pgtrigger.compiler.UpsertTriggerSql(func="RAISE EXCEPTION 'pgtrigger: Cannot update or delete rows from % table', TG_TABLE_NAME;", hash='87e8eb1fd17fca5e0eea4869caca26fe0765e39f', operation='UPDATE OR DELETE', pgid='pgtrigger_two_outputs_answer_append_only_82aee', table='two_outputs_answer', when='BEFORE')), pgtrigger.compiler.Trigger(name='two_outputs_answer_fits_its_judgment', sql=pgtrigger.compiler.UpsertTriggerSql(declare='DECLARE wrong RECORD; scans TEXT;', func="scans := current_setting('enable_seqscan');\nIF scans = 'on' THEN\n    PERFORM set_config('enable_seqscan', 'off', true);\nEND IF;\nSELECT n.judgment_id, n.verdict, j.labels, j.protocol <> 'two_outputs' AS is_of_another\nINTO wrong\nFROM new_rows n CROSS JOIN LATERAL (\n    SELECT judgment.labels,\n        (SELECT k.protocol FROM campaign_task k WHERE k.id = judgment.task_id) AS protocol\n    FROM annotation_judgment judgment WHERE judgment.id = n.judgment_id\n    OFFSET 0\n) j\nWHERE j.protocol <> 'two_outputs'\n    OR j.labels::integer[] <> CASE n.verdict\n        WHEN 'first' THEN '{1,2}'::integer[] WHEN 'second' THEN '{2,1}' ELSE '{1,1}'\n    END\nLIMIT 1;\nIF scans = 'on' THEN\n    PERFORM set_config('enable_seqscan', 'on', true);\nEND IF;\nIF wrong.is_of_another THEN\n    RAISE EXCEPTION 'judgment % is not about two outputs', wrong.judgment_id\n        USING ERRCODE = 'check_violation',\n              CONSTRAINT = 'two_outputs_answer_of_its_protocol';\nEND IF;\nIF wrong.judgment_id IS NOT NULL THEN\n    RAISE EXCEPTION 'judgment % has the labels %, which % does not imply',\n        wrong.judgment_id, wrong.labels, wrong.verdict\n        USING ERRCODE = 'check_violation',\n              CONSTRAINT = 'two_outputs_labels_follow_from_the_verdict';\nEND IF;\nRETURN NULL;\n", hash='a9a0d16e47fc66053b63df83ed6c009713099cd3', level='STATEMENT', operation='INSERT', pgid='pgtrigger_two_outputs_answer_fits_its_judgment_3b1b5', referencing='REFERENCING NEW TABLE AS new_rows ', table='two_outputs_answer', when='AFTER'))],
            },
        ),
    ]
