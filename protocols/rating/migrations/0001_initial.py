import django.core.validators
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
                ('criterion', models.CharField(choices=[('fluency', 'fluency'), ('adequacy', 'adequacy')], max_length=8, verbose_name='criterion')),
                ('value', models.PositiveSmallIntegerField(validators=[django.core.validators.MinValueValidator(1), django.core.validators.MaxValueValidator(5)], verbose_name='points')),
            ],
            options={
                'verbose_name': 'rating',
                'verbose_name_plural': 'ratings',
                'constraints': [models.CheckConstraint(condition=models.Q(('criterion__in', ['fluency', 'adequacy'])), name='rating_criterion_is_known'), models.CheckConstraint(condition=models.Q(('value__range', (1, 5))), name='rating_value_between_1_and_5')],
                'triggers': [pgtrigger.compiler.Trigger(name='rating_answer_append_only', sql=pgtrigger.compiler.UpsertTriggerSql(func="RAISE EXCEPTION 'pgtrigger: Cannot update or delete rows from % table', TG_TABLE_NAME;", hash='fd333054d6147584808df174eec70a6b03643e3d', operation='UPDATE OR DELETE', pgid='pgtrigger_rating_answer_append_only_71f24', table='rating_answer', when='BEFORE')), pgtrigger.compiler.Trigger(name='rating_answer_fits_its_judgment', sql=pgtrigger.compiler.UpsertTriggerSql(declare='DECLARE wrong RECORD; scans TEXT;', func="scans := current_setting('enable_seqscan');\nIF scans = 'on' THEN\n    PERFORM set_config('enable_seqscan', 'off', true);\nEND IF;\nSELECT n.judgment_id, n.criterion, j.labels,\n    j.protocol <> 'rating' AS is_of_another,\n    j.labels::integer[] <> '{1}'::integer[] AS is_labelled_otherwise,\n    j.part <> CASE n.criterion WHEN 'fluency' THEN 1 ELSE 2 END AS is_of_the_other_pass,\n    j.is_by_others\nINTO wrong\nFROM new_rows n CROSS JOIN LATERAL (\n    SELECT d.labels, d.judge_id, d.task_id, b.segment_id, b.outputs, h.part, k.protocol,\n        coalesce((k.rules ->> 'order_free')::boolean, false) AS is_order_free,\n        coalesce((k.rules ->> 'adequacy_by_others')::boolean, false) AS is_by_others\n    FROM annotation_judgment d\n    JOIN annotation_block b ON b.id = d.block_id\n    JOIN annotation_hit h ON h.id = b.hit_id\n    JOIN campaign_task k ON k.id = d.task_id\n    WHERE d.id = n.judgment_id\n    OFFSET 0\n) j\nWHERE j.protocol <> 'rating'\n    OR j.labels::integer[] <> '{1}'::integer[]\n    OR j.part <> CASE n.criterion WHEN 'fluency' THEN 1 ELSE 2 END\n    OR n.criterion = 'adequacy' AND NOT j.is_order_free AND NOT j.is_by_others AND NOT EXISTS (\n        SELECT FROM annotation_block own\n        JOIN annotation_judgment before ON before.block_id = own.id\n        JOIN rating_answer a ON a.judgment_id = before.id\n        WHERE own.segment_id = j.segment_id\n            AND own.outputs @> j.outputs AND own.outputs <@ j.outputs\n            AND before.judge_id = j.judge_id AND before.task_id = j.task_id\n            AND a.criterion = 'fluency'\n    )\n    OR j.is_by_others AND EXISTS (\n        SELECT FROM annotation_block own\n        JOIN annotation_judgment other ON other.block_id = own.id\n        JOIN rating_answer a ON a.judgment_id = other.id\n        WHERE own.segment_id = j.segment_id\n            AND other.judge_id = j.judge_id AND other.task_id = j.task_id\n            AND a.criterion <> n.criterion\n    )\nLIMIT 1;\nIF scans = 'on' THEN\n    PERFORM set_config('enable_seqscan', 'on', true);\nEND IF;\nIF wrong.is_of_another THEN\n    RAISE EXCEPTION 'judgment % is no rating', wrong.judgment_id\n        USING ERRCODE = 'check_violation',\n              CONSTRAINT = 'rating_answer_of_its_protocol';\nEND IF;\nIF wrong.is_labelled_otherwise THEN\n    RAISE EXCEPTION 'judgment % has the labels %, but a rating compares nothing',\n        wrong.judgment_id, wrong.labels\n        USING ERRCODE = 'check_violation',\n              CONSTRAINT = 'rating_labels_compare_nothing';\nEND IF;\nIF wrong.is_of_the_other_pass THEN\n    RAISE EXCEPTION 'judgment % is of a pass that does not ask about %',\n        wrong.judgment_id, wrong.criterion\n        USING ERRCODE = 'check_violation',\n              CONSTRAINT = 'rating_criterion_of_its_pass';\nEND IF;\nIF wrong.is_by_others THEN\n    RAISE EXCEPTION 'judgment % rates % of a segment that this judge has rated by the other criterion',\n        wrong.judgment_id, wrong.criterion\n        USING ERRCODE = 'check_violation',\n              CONSTRAINT = 'rating_adequacy_by_others';\nEND IF;\nIF wrong.judgment_id IS NOT NULL THEN\n    RAISE EXCEPTION 'judgment % rates adequacy of a text whose fluency this judge has not rated',\n        wrong.judgment_id\n        USING ERRCODE = 'check_violation',\n              CONSTRAINT = 'rating_adequacy_after_fluency';\nEND IF;\nRETURN NULL;\n", hash='f02ad8f5aa2abc50dbf43aefe06a62c57d530b33', level='STATEMENT', operation='INSERT', pgid='pgtrigger_rating_answer_fits_its_judgment_a1b29', referencing='REFERENCING NEW TABLE AS new_rows ', table='rating_answer', when='AFTER'))],
            },
        ),
    ]
