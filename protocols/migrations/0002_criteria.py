import django.contrib.postgres.fields
import pgtrigger.compiler
import pgtrigger.migrations
from django.db import migrations, models


class Migration(migrations.Migration):
    """Ratings by criteria of the task: the stored ones become lists of one criterion and one value."""

    dependencies = [
        ('protocols', '0001_initial'),
    ]

    operations = [
        pgtrigger.migrations.RemoveTrigger(
            model_name='ratinganswer',
            name='rating_answer_fits_its_judgment',
        ),
        migrations.RemoveConstraint(
            model_name='ratinganswer',
            name='rating_criterion_is_known',
        ),
        migrations.RemoveConstraint(
            model_name='ratinganswer',
            name='rating_value_between_1_and_5',
        ),
        migrations.RenameField(
            model_name='ratinganswer',
            old_name='criterion',
            new_name='criteria',
        ),
        migrations.RenameField(
            model_name='ratinganswer',
            old_name='value',
            new_name='points',
        ),
        # Not by `AlterField`, which cannot turn a value into a list. Rewrites the table, without firing the triggers that
        # keep its rows unchanged.
        migrations.RunSQL(
            sql="""
                ALTER TABLE protocols_ratinganswer
                    DROP CONSTRAINT IF EXISTS protocols_ratinganswer_value_check,
                    ALTER COLUMN criteria TYPE varchar(40)[] USING ARRAY[criteria],
                    ALTER COLUMN points TYPE smallint[] USING ARRAY[points];
            """,
            state_operations=[
                migrations.AlterField(
                    model_name='ratinganswer',
                    name='criteria',
                    field=django.contrib.postgres.fields.ArrayField(base_field=models.CharField(max_length=40), size=None),
                ),
                migrations.AlterField(
                    model_name='ratinganswer',
                    name='points',
                    field=django.contrib.postgres.fields.ArrayField(base_field=models.PositiveSmallIntegerField(), size=None),
                ),
            ],
        ),
        migrations.AddConstraint(
            model_name='ratinganswer',
            constraint=models.CheckConstraint(condition=models.Q(('criteria__len__range', (1, 8)), ('points__len__range', (1, 40))), name='rating_has_criteria_and_points'),
        ),
        pgtrigger.migrations.AddTrigger(
            model_name='ratinganswer',
            trigger=pgtrigger.compiler.Trigger(name='rating_answer_fits_its_judgment', sql=pgtrigger.compiler.UpsertTriggerSql(declare='DECLARE scans TEXT; broken RECORD;', func='scans := current_setting(\'enable_seqscan\');\nIF scans = \'on\' THEN\n    PERFORM set_config(\'enable_seqscan\', \'off\', true);\nEND IF;\nSELECT found.* INTO broken FROM (\n    SELECT n.judgment_id, CASE\n        WHEN j.protocol <> \'rating\'\n            THEN ARRAY[\'rating_answer_of_its_protocol\', \'is no rating\']\n        WHEN n.criteria::text[] IS DISTINCT FROM ARRAY(\n            SELECT each.criterion ->> \'key\'\n            FROM jsonb_array_elements(j.asked) WITH ORDINALITY AS each (criterion, place) ORDER BY each.place\n        ) THEN ARRAY[\'rating_criteria_of_its_pass\', \'is of a pass that does not ask about \' || array_to_string(n.criteria, \', \')]\n        WHEN cardinality(n.points) <> j.outputs_shown * cardinality(n.criteria)\n            THEN ARRAY[\'rating_points_for_each_output_and_criterion\', \'lacks points for an output, or has too many\']\n        WHEN EXISTS (\n            SELECT FROM unnest(n.points) WITH ORDINALITY AS given (value, place)\n            CROSS JOIN LATERAL (\n                SELECT j.asked -> ((given.place - 1) % cardinality(n.criteria))::integer AS criterion\n            ) c\n            WHERE (\n                given.value BETWEEN coalesce((c.criterion ->> \'lowest\')::integer, 1)\n                    AND coalesce((c.criterion ->> \'highest\')::integer, 5)\n            ) IS NOT TRUE\n        ) THEN ARRAY[\'rating_points_on_their_scale\', \'has points outside the scale of their criterion\']\n        WHEN j.labels::integer[] IS DISTINCT FROM ARRAY(\n            -- Outputs compare by the weighted sum of their points. A single criterion has all the weight; without\n            -- weights, all outputs tie.\n            SELECT (dense_rank() OVER (ORDER BY sum(\n                CASE WHEN cardinality(n.criteria) = 1 THEN 1 ELSE coalesce((c.criterion ->> \'weight\')::integer, 0) END\n                * CASE WHEN coalesce((c.criterion ->> \'lower_is_better\')::boolean, false) THEN -given.value ELSE given.value END\n            ) DESC))::integer\n            FROM unnest(n.points) WITH ORDINALITY AS given (value, place)\n            CROSS JOIN LATERAL (\n                SELECT j.asked -> ((given.place - 1) % cardinality(n.criteria))::integer AS criterion\n            ) c\n            GROUP BY (given.place - 1) / cardinality(n.criteria)\n            ORDER BY (given.place - 1) / cardinality(n.criteria)\n        ) THEN ARRAY[\'rating_labels_follow_from_the_points\', \'has labels that its points do not imply\']\n        WHEN j.is_by_others AND EXISTS (\n            SELECT FROM annotation_block own\n            JOIN annotation_judgment other ON other.block_id = own.id\n            JOIN protocols_ratinganswer a ON a.judgment_id = other.id\n            WHERE own.segment_id = j.segment_id\n                AND other.judge_id = j.judge_id AND other.task_id = j.task_id\n                AND a.criteria <> n.criteria\n        ) THEN ARRAY[\'rating_criteria_by_others\', \'rates a segment that this judge has rated by the other criterion\']\n        WHEN j.earlier IS NOT NULL AND NOT j.is_order_free AND NOT j.is_by_others AND NOT EXISTS (\n            SELECT FROM annotation_block own\n            JOIN annotation_judgment before ON before.block_id = own.id\n            JOIN protocols_ratinganswer a ON a.judgment_id = before.id\n            WHERE own.segment_id = j.segment_id\n                AND own.outputs @> j.outputs AND own.outputs <@ j.outputs\n                AND before.judge_id = j.judge_id AND before.task_id = j.task_id\n                AND a.criteria = ARRAY[j.earlier]::varchar[]\n        ) THEN ARRAY[\n            \'rating_criteria_in_order\',\n            format(\'rates %s of a text whose %s this judge has not rated\', n.criteria[1], j.earlier)\n        ]\n    END AS rule\n    FROM new_rows n CROSS JOIN LATERAL (\n        SELECT d.labels, d.judge_id, d.task_id, b.segment_id, b.outputs, k.protocol,\n            cardinality(coalesce(b.stands_for::bigint[], b.outputs)) AS outputs_shown,\n            -- With passes, HITs are numbered by the criterion they ask about.\n            CASE WHEN s.is_at_once THEN s.criteria\n                WHEN h.part > 0 THEN jsonb_build_array(s.criteria -> (h.part - 1)) ELSE \'[]\' END AS asked,\n            CASE WHEN NOT s.is_at_once AND h.part > 1 THEN s.criteria -> (h.part - 2) ->> \'key\' END AS earlier,\n            s.is_order_free, NOT s.is_at_once AND s.is_by_others AS is_by_others\n        FROM annotation_judgment d\n        JOIN annotation_block b ON b.id = d.block_id\n        JOIN annotation_hit h ON h.id = b.hit_id\n        JOIN campaign_task k ON k.id = d.task_id\n        CROSS JOIN LATERAL (\n            SELECT\n                -- Without criteria of its own, a task asks about fluency and adequacy.\n                CASE WHEN coalesce(jsonb_array_length(k.rules -> \'criteria\'), 0) > 0 THEN k.rules -> \'criteria\'\n                    ELSE \'[{"key": "fluency"}, {"key": "adequacy"}]\'::jsonb END AS criteria,\n                coalesce((k.rules ->> \'all_at_once\')::boolean, false) AS is_at_once,\n                coalesce((k.rules ->> \'order_free\')::boolean, false) AS is_order_free,\n                coalesce((k.rules ->> \'adequacy_by_others\')::boolean, false) AS is_by_others\n        ) s\n        WHERE d.id = n.judgment_id\n        OFFSET 0\n    ) j\n) found\nWHERE found.rule IS NOT NULL LIMIT 1;\nIF broken.rule IS NOT NULL THEN\n    RAISE EXCEPTION \'judgment % %\', broken.judgment_id, broken.rule[2]\n        USING ERRCODE = \'check_violation\', CONSTRAINT = broken.rule[1];\nEND IF;\nIF scans = \'on\' THEN\n    PERFORM set_config(\'enable_seqscan\', \'on\', true);\nEND IF;\nRETURN NULL;\n', hash='b4f7ba121b101db5195219f994c02796fb625e9a', level='STATEMENT', operation='INSERT', pgid='pgtrigger_rating_answer_fits_its_judgment_52d18', referencing='REFERENCING NEW TABLE AS new_rows ', table='protocols_ratinganswer', when='AFTER')),
        ),
    ]
