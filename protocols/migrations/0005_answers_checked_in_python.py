import pgtrigger.compiler
import pgtrigger.migrations
from django.db import migrations


class Migration(migrations.Migration):
    """Drop the checks of answers that `AnswerKind.refusal` makes."""

    dependencies = [
        ('protocols', '0004_suggested_spans'),
    ]

    operations = [
        pgtrigger.migrations.RemoveTrigger(
            model_name='editinganswer',
            name='editing_answer_fits_its_judgment',
        ),
        pgtrigger.migrations.RemoveTrigger(
            model_name='quizanswer',
            name='quiz_answer_fits_its_judgment',
        ),
        pgtrigger.migrations.RemoveTrigger(
            model_name='ratinganswer',
            name='rating_answer_fits_its_judgment',
        ),
        pgtrigger.migrations.RemoveTrigger(
            model_name='spansanswer',
            name='spans_answer_fits_its_judgment',
        ),
        pgtrigger.migrations.RemoveTrigger(
            model_name='twooutputsanswer',
            name='two_outputs_answer_fits_its_judgment',
        ),
        pgtrigger.migrations.AddTrigger(
            model_name='editinganswer',
            trigger=pgtrigger.compiler.Trigger(name='editing_edit_final_once_under_review', sql=pgtrigger.compiler.UpsertTriggerSql(declare='DECLARE edit RECORD; scans TEXT;', func="scans := current_setting('enable_seqscan');\nIF scans = 'on' THEN\n    PERFORM set_config('enable_seqscan', 'off', true);\nEND IF;\nFOR edit IN\n    SELECT j.*\n    FROM new_rows n CROSS JOIN LATERAL (\n        SELECT judgment.id, judgment.judge_id, judgment.block_id, block.hit_id\n        FROM annotation_judgment judgment, annotation_block block\n        WHERE judgment.id = n.judgment_id AND judgment.assignment_id IS NOT NULL\n            AND block.id = judgment.block_id\n        OFFSET 0\n    ) j\n    WHERE n.acceptable IS NULL\nLOOP\n    -- The next statement sees HITs lent while this one waits for its locks.\n    PERFORM FROM annotation_hit review WHERE review.repeats_id = edit.hit_id ORDER BY review.id FOR NO KEY UPDATE;\n    IF EXISTS (\n        SELECT FROM annotation_hit review JOIN annotation_assignment lent ON lent.hit_id = review.id\n        WHERE review.repeats_id = edit.hit_id\n    ) AND edit.judge_id = (\n        -- Judges review the first editor's text only; other editors may change theirs.\n        SELECT first.judge_id FROM annotation_judgment first\n        WHERE first.block_id = edit.block_id ORDER BY first.id LIMIT 1\n    ) THEN\n        RAISE EXCEPTION 'judgment % changes an edit that other judges have already received', edit.id\n            USING ERRCODE = 'check_violation',\n                  CONSTRAINT = 'editing_edit_final_once_under_review';\n    END IF;\nEND LOOP;\nIF scans = 'on' THEN\n    PERFORM set_config('enable_seqscan', 'on', true);\nEND IF;\nRETURN NULL;\n", hash='43e4504e682222e3043f3354145e2f3097d47677', level='STATEMENT', operation='INSERT', pgid='pgtrigger_editing_edit_final_once_under_review_27ff7', referencing='REFERENCING NEW TABLE AS new_rows ', table='protocols_editinganswer', when='AFTER')),
        ),
    ]
