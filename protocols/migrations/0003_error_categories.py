import django.contrib.postgres.fields
import pgtrigger.compiler
import pgtrigger.migrations
from django.db import migrations, models

import protocols.models


class Migration(migrations.Migration):
    """Errors with severities other than minor and major, categories, and places other than the output."""

    dependencies = [
        ('protocols', '0002_criteria'),
    ]

    operations = [
        pgtrigger.migrations.RemoveTrigger(
            model_name='spansanswer',
            name='spans_answer_fits_its_judgment',
        ),
        migrations.RemoveConstraint(
            model_name='spansanswer',
            name='spans_scores_between_0_and_100',
        ),
        migrations.RemoveConstraint(
            model_name='spansanswer',
            name='spans_have_all_of_their_parts',
        ),
        migrations.RenameField(
            model_name='spansanswer',
            old_name='span_majors',
            new_name='span_severities',
        ),
        # Not by `AlterField`, which cannot turn true and false into numbers. Rewrites the table, without firing the
        # triggers that keep its rows unchanged.
        migrations.RunSQL(
            sql="""
                ALTER TABLE protocols_spansanswer
                    ALTER COLUMN span_severities TYPE smallint[]
                    USING replace(replace(span_severities::text, 'f', '1'), 't', '2')::smallint[];
            """,
            state_operations=[
                migrations.AlterField(
                    model_name='spansanswer',
                    name='span_severities',
                    field=django.contrib.postgres.fields.ArrayField(base_field=models.PositiveSmallIntegerField(), blank=True, default=list, size=None),
                ),
            ],
        ),
        migrations.AddField(
            model_name='spansanswer',
            name='span_categories',
            field=django.contrib.postgres.fields.ArrayField(base_field=models.CharField(max_length=100), blank=True, default=list, size=None),
        ),
        migrations.AddField(
            model_name='spansanswer',
            name='span_kinds',
            field=django.contrib.postgres.fields.ArrayField(base_field=models.CharField(max_length=100), blank=True, default=list, size=None),
        ),
        migrations.AlterField(
            model_name='spansanswer',
            name='scores',
            field=django.contrib.postgres.fields.ArrayField(base_field=models.PositiveSmallIntegerField(null=True), size=None),
        ),
        migrations.AddConstraint(
            model_name='spansanswer',
            constraint=models.CheckConstraint(condition=protocols.models.ScoresAreInRange('scores'), name='spans_scores_between_0_and_100'),
        ),
        migrations.AddConstraint(
            model_name='spansanswer',
            constraint=models.CheckConstraint(condition=protocols.models.SpansAreWhole(), name='spans_have_all_of_their_parts'),
        ),
        pgtrigger.migrations.AddTrigger(
            model_name='spansanswer',
            trigger=pgtrigger.compiler.Trigger(name='spans_answer_fits_its_judgment', sql=pgtrigger.compiler.UpsertTriggerSql(declare='DECLARE answer RECORD; ranks SMALLINT[]; span RECORD; candidate INTEGER; length INTEGER; spans INTEGER; kind TEXT; marked_until INTEGER; scans TEXT;', func='scans := current_setting(\'enable_seqscan\');\nIF scans = \'on\' THEN\n    PERFORM set_config(\'enable_seqscan\', \'off\', true);\nEND IF;\nFOR answer IN\n    SELECT n.*, j.*\n    FROM new_rows n CROSS JOIN LATERAL (\n        SELECT judgment.labels, judgment.assignment_id,\n            -- The place of a score in this list is the rank of the outputs with this score.\n            ARRAY(\n                SELECT DISTINCT given.score FROM unnest(n.scores) AS given (score) ORDER BY given.score DESC\n            ) AS scores_in_order,\n            -- The text of a candidate is that of the first output it stands for.\n            ARRAY(\n                SELECT (\n                    SELECT char_length(o.text) FROM campaign_output o\n                    WHERE o.id = block.outputs[CASE\n                        WHEN block.stands_for IS NULL THEN each.place\n                        ELSE 1 + (\n                            SELECT coalesce(sum(before), 0)\n                            FROM unnest(block.stands_for[:each.place - 1]) AS before\n                        )\n                    END]\n                )\n                FROM generate_series(1, cardinality(n.scores)) AS each (place)\n                ORDER BY each.place\n            ) AS lengths,\n            coalesce((SELECT char_length(s.source_text) FROM campaign_segment s WHERE s.id = block.segment_id), 0)\n                AS source_length,\n            task.protocol,\n            -- Without marks, judges always score.\n            coalesce((task.rules ->> \'scored\')::boolean, true)\n                OR NOT coalesce((task.rules ->> \'spans_asked\')::boolean, true) AS is_scored,\n            -- In the order of the numbers of severities, from 0.\n            coalesce(task.rules -> \'severities\', \'["minor", "major"]\'::jsonb) AS severities\n        FROM annotation_judgment judgment, annotation_block block, campaign_task task\n        WHERE judgment.id = n.judgment_id AND block.id = judgment.block_id AND task.id = judgment.task_id\n        OFFSET 0\n    ) j\nLOOP\n    IF answer.protocol <> \'spans\' THEN\n        RAISE EXCEPTION \'judgment % is not about error spans and scores\', answer.judgment_id\n            USING ERRCODE = \'check_violation\',\n                  CONSTRAINT = \'spans_answer_of_its_protocol\';\n    END IF;\n    IF answer.is_scored AND array_position(answer.scores, NULL) IS NOT NULL\n        OR NOT answer.is_scored AND cardinality(array_remove(answer.scores, NULL)) > 0\n    THEN\n        RAISE EXCEPTION \'judgment % has the scores %, which its task does not ask for\',\n            answer.judgment_id, answer.scores\n            USING ERRCODE = \'check_violation\',\n                  CONSTRAINT = \'spans_scores_as_the_task_asks\';\n    END IF;\n    IF EXISTS (\n        SELECT FROM unnest(answer.span_severities) AS given (severity)\n        WHERE NOT answer.severities ? (ARRAY[\'neutral\', \'minor\', \'major\', \'critical\'])[1 + given.severity]\n    ) THEN\n        RAISE EXCEPTION \'judgment % has a severity that its task does not have\', answer.judgment_id\n            USING ERRCODE = \'check_violation\',\n                  CONSTRAINT = \'spans_severities_of_the_task\';\n    END IF;\n    ranks := \'{}\';\n    FOR place IN 1..cardinality(answer.scores) LOOP\n        ranks[place] := array_position(answer.scores_in_order, answer.scores[place]);\n    END LOOP;\n    IF answer.labels IS DISTINCT FROM ranks THEN\n        RAISE EXCEPTION \'judgment % has the labels %, which the scores % do not imply\',\n            answer.judgment_id, answer.labels, answer.scores\n            USING ERRCODE = \'check_violation\',\n                  CONSTRAINT = \'spans_labels_follow_from_the_scores\';\n    END IF;\n    candidate := NULL;\n    FOR span IN\n        SELECT marked.candidate, marked.starts, marked.ends,\n            coalesce(marked.kind, CASE WHEN marked.starts IS NULL THEN \'missing\' ELSE \'error\' END) AS kind\n        FROM unnest(answer.span_candidates, answer.span_starts, answer.span_ends, answer.span_kinds)\n            AS marked (candidate, starts, ends, kind)\n        ORDER BY marked.candidate, 4, marked.starts, marked.ends\n    LOOP\n        IF span.candidate IS DISTINCT FROM candidate THEN\n            candidate := span.candidate;\n            spans := 0;\n            kind := NULL;\n        END IF;\n        IF span.kind IS DISTINCT FROM kind THEN\n            kind := span.kind;\n            marked_until := 0;\n            length := CASE kind WHEN \'source\' THEN answer.source_length ELSE answer.lengths[candidate] END;\n        END IF;\n        IF (candidate BETWEEN 1 AND cardinality(answer.scores)) IS NOT TRUE\n            OR (span.starts IS NOT NULL OR span.ends IS NOT NULL) IS DISTINCT FROM (kind IN (\'error\', \'source\'))\n            OR (span.starts IS NOT NULL OR span.ends IS NOT NULL)\n                AND (0 <= span.starts AND span.starts < span.ends AND span.ends <= length) IS NOT TRUE\n        THEN\n            RAISE EXCEPTION \'judgment % has a span (%) from % to % in candidate %, of % characters\',\n                answer.judgment_id, kind, span.starts, span.ends, candidate, length\n                USING ERRCODE = \'check_violation\',\n                      CONSTRAINT = \'spans_are_inside_their_text\';\n        END IF;\n        -- Imported errors may overlap: some tools mark each error on its own.\n        IF answer.assignment_id IS NOT NULL AND span.starts < marked_until THEN\n            RAISE EXCEPTION \'judgment % has a span in candidate % that begins at %, inside another one\',\n                answer.judgment_id, candidate, span.starts\n                USING ERRCODE = \'check_violation\',\n                      CONSTRAINT = \'spans_of_an_output_do_not_overlap\';\n        END IF;\n        spans := spans + 1;\n        IF spans > 100 THEN\n            RAISE EXCEPTION \'judgment % has more than 100 spans in candidate %\',\n                answer.judgment_id, candidate\n                USING ERRCODE = \'check_violation\',\n                      CONSTRAINT = \'spans_at_most_100_in_an_output\';\n        END IF;\n        marked_until := span.ends;\n    END LOOP;\nEND LOOP;\nIF scans = \'on\' THEN\n    PERFORM set_config(\'enable_seqscan\', \'on\', true);\nEND IF;\nRETURN NULL;\n', hash='26f4dc5d6ff829df86087a1e0cbc4a898a15954c', level='STATEMENT', operation='INSERT', pgid='pgtrigger_spans_answer_fits_its_judgment_ec3e1', referencing='REFERENCING NEW TABLE AS new_rows ', table='protocols_spansanswer', when='AFTER')),
        ),
    ]
