import django.db.models.expressions
import django.db.models.lookups
import pgtrigger.compiler
import pgtrigger.migrations
from django.db import migrations, models

from campaign.database.renaming import constraint_renamed


class Migration(migrations.Migration):
    """Drop the checks of answers that `AnswerKind.refusal` makes, and rename constraints and triggers."""

    dependencies = [
        ('annotation', '0011_judgment_has_its_answer'),
        ('campaign', '0016_names_of_constraints'),
        ('protocols', '0004_suggested_spans'),
    ]

    operations = [
        migrations.SeparateDatabaseAndState(
            database_operations=[
                constraint_renamed(
                    'protocols_closedcomparison',
                    'sorting_winner_has_more',
                    'sorting_winner_has_more_wins',
                ),
                constraint_renamed(
                    'protocols_closedcomparison',
                    'sorting_judgments_are_those_counted',
                    'sorting_judgments_match_counts',
                ),
                constraint_renamed(
                    'protocols_editinganswer',
                    'editing_is_an_edit_or_is_about_one',
                    'editing_edit_xor_acceptance',
                ),
                constraint_renamed(
                    'protocols_editinganswer',
                    'editing_has_a_text_exactly_if_edited',
                    'editing_text_iff_edited',
                ),
                constraint_renamed(
                    'protocols_editinganswer',
                    'editing_keystrokes_are_of_edits',
                    'editing_keystrokes_only_for_edits',
                ),
                constraint_renamed(
                    'protocols_snippet',
                    'quiz_snippet_expects_an_answer_to_each_statement',
                    'quiz_snippet_expected_matches_statements',
                ),
                constraint_renamed(
                    'protocols_suggestedspans',
                    'suggested_spans_once_by_a_source',
                    'suggested_spans_once_per_source',
                ),
            ],
            state_operations=[
                migrations.RemoveConstraint(
                    model_name='closedcomparison',
                    name='sorting_winner_has_more',
                ),
                migrations.RemoveConstraint(
                    model_name='closedcomparison',
                    name='sorting_judgments_are_those_counted',
                ),
                migrations.RemoveConstraint(
                    model_name='editinganswer',
                    name='editing_is_an_edit_or_is_about_one',
                ),
                migrations.RemoveConstraint(
                    model_name='editinganswer',
                    name='editing_has_a_text_exactly_if_edited',
                ),
                migrations.RemoveConstraint(
                    model_name='editinganswer',
                    name='editing_keystrokes_are_of_edits',
                ),
                migrations.RemoveConstraint(
                    model_name='snippet',
                    name='quiz_snippet_expects_an_answer_to_each_statement',
                ),
                migrations.RemoveConstraint(
                    model_name='suggestedspans',
                    name='suggested_spans_once_by_a_source',
                ),
                migrations.AddConstraint(
                    model_name='closedcomparison',
                    constraint=models.CheckConstraint(condition=models.Q(models.Q(('is_drawn', False), ('wins__gt', models.F('losses'))), models.Q(('is_drawn', True), ('wins', models.F('losses'))), _connector='OR'), name='sorting_winner_has_more_wins'),
                ),
                migrations.AddConstraint(
                    model_name='closedcomparison',
                    constraint=models.CheckConstraint(condition=models.Q(('judgments__len', django.db.models.expressions.CombinedExpression(django.db.models.expressions.CombinedExpression(models.F('wins'), '+', models.F('losses')), '+', models.F('same')))), name='sorting_judgments_match_counts'),
                ),
                migrations.AddConstraint(
                    model_name='editinganswer',
                    constraint=models.CheckConstraint(condition=models.Q(models.Q(('acceptable__isnull', True), ('edit__isnull', True), models.Q(('outcome', ''), _negated=True)), models.Q(('acceptable__isnull', False), ('outcome', '')), _connector='OR'), name='editing_edit_xor_acceptance'),
                ),
                migrations.AddConstraint(
                    model_name='editinganswer',
                    constraint=models.CheckConstraint(condition=models.Q(models.Q(('outcome', 'edited'), models.Q(('text', ''), _negated=True)), models.Q(models.Q(('outcome', 'edited'), _negated=True), ('text', '')), _connector='OR'), name='editing_text_iff_edited'),
                ),
                migrations.AddConstraint(
                    model_name='editinganswer',
                    constraint=models.CheckConstraint(condition=models.Q(('keystrokes__isnull', True), models.Q(('outcome', ''), _negated=True), _connector='OR'), name='editing_keystrokes_only_for_edits'),
                ),
                migrations.AddConstraint(
                    model_name='snippet',
                    constraint=models.CheckConstraint(condition=models.Q(django.db.models.lookups.Exact(models.Func('statements', function='cardinality', output_field=models.IntegerField()), models.Func('expected', function='cardinality', output_field=models.IntegerField()))), name='quiz_snippet_expected_matches_statements'),
                ),
                migrations.AddConstraint(
                    model_name='suggestedspans',
                    constraint=models.UniqueConstraint(fields=('task', 'output', 'source'), name='suggested_spans_once_per_source'),
                ),
            ],
        ),
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
            model_name='snippet',
            name='quiz_snippet_before_it_is_read',
        ),
        pgtrigger.migrations.RemoveTrigger(
            model_name='spansanswer',
            name='spans_answer_fits_its_judgment',
        ),
        pgtrigger.migrations.RemoveTrigger(
            model_name='suggestedspans',
            name='suggested_spans_before_judging',
        ),
        pgtrigger.migrations.RemoveTrigger(
            model_name='twooutputsanswer',
            name='two_outputs_answer_fits_its_judgment',
        ),
        pgtrigger.migrations.AddTrigger(
            model_name='editinganswer',
            trigger=pgtrigger.compiler.Trigger(name='editing_edit_final_once_under_review', sql=pgtrigger.compiler.UpsertTriggerSql(declare='DECLARE edit RECORD; scans TEXT;', func="scans := current_setting('enable_seqscan');\nIF scans = 'on' THEN\n    PERFORM set_config('enable_seqscan', 'off', true);\nEND IF;\nFOR edit IN\n    SELECT j.*\n    FROM new_rows n CROSS JOIN LATERAL (\n        SELECT judgment.id, judgment.judge_id, judgment.block_id, block.hit_id\n        FROM annotation_judgment judgment, annotation_block block\n        WHERE judgment.id = n.judgment_id AND judgment.assignment_id IS NOT NULL\n            AND block.id = judgment.block_id\n        OFFSET 0\n    ) j\n    WHERE n.acceptable IS NULL\nLOOP\n    -- The next statement sees HITs lent while this one waits for its locks.\n    PERFORM FROM annotation_hit review WHERE review.repeats_id = edit.hit_id ORDER BY review.id FOR NO KEY UPDATE;\n    IF EXISTS (\n        SELECT FROM annotation_hit review JOIN annotation_assignment lent ON lent.hit_id = review.id\n        WHERE review.repeats_id = edit.hit_id\n    ) AND edit.judge_id = (\n        -- Judges review the first editor's text only; other editors may change theirs.\n        SELECT first.judge_id FROM annotation_judgment first\n        WHERE first.block_id = edit.block_id ORDER BY first.id LIMIT 1\n    ) THEN\n        RAISE EXCEPTION 'judgment % changes an edit that other judges have already received', edit.id\n            USING ERRCODE = 'check_violation',\n                  CONSTRAINT = 'editing_edit_final_once_under_review';\n    END IF;\nEND LOOP;\nIF scans = 'on' THEN\n    PERFORM set_config('enable_seqscan', 'on', true);\nEND IF;\nRETURN NULL;\n", hash='43e4504e682222e3043f3354145e2f3097d47677', level='STATEMENT', operation='INSERT', pgid='pgtrigger_editing_edit_final_once_under_review_27ff7', referencing='REFERENCING NEW TABLE AS new_rows ', table='protocols_editinganswer', when='AFTER')),
        ),
        pgtrigger.migrations.AddTrigger(
            model_name='snippet',
            trigger=pgtrigger.compiler.Trigger(name='quiz_snippets_final_once_read', sql=pgtrigger.compiler.UpsertTriggerSql(declare='DECLARE of_task BIGINT;', func="of_task := CASE TG_OP WHEN 'DELETE' THEN OLD.task_id ELSE NEW.task_id END;\nIF EXISTS (\n    SELECT FROM annotation_assignment a JOIN annotation_hit h ON h.id = a.hit_id\n    WHERE h.task_id = of_task\n) OR EXISTS (\n    -- Imported judgments were never lent.\n    SELECT FROM annotation_judgment j WHERE j.task_id = of_task\n) THEN\n    RAISE EXCEPTION 'snippets of task % cannot change: it has judgments or lent HITs', of_task\n        USING ERRCODE = 'check_violation',\n              CONSTRAINT = 'quiz_snippets_final_once_read';\nEND IF;\nRETURN CASE TG_OP WHEN 'DELETE' THEN OLD ELSE NEW END;\n", hash='56907c52aa5825686f19c73f4227700bdb71371d', operation='INSERT OR DELETE', pgid='pgtrigger_quiz_snippets_final_once_read_17840', table='protocols_snippet', when='BEFORE')),
        ),
        pgtrigger.migrations.AddTrigger(
            model_name='suggestedspans',
            trigger=pgtrigger.compiler.Trigger(name='suggested_spans_final_once_lent', sql=pgtrigger.compiler.UpsertTriggerSql(declare='DECLARE of_task BIGINT;', func="of_task := CASE TG_OP WHEN 'DELETE' THEN OLD.task_id ELSE NEW.task_id END;\nIF EXISTS (\n    SELECT FROM annotation_assignment a JOIN annotation_hit h ON h.id = a.hit_id\n    WHERE h.task_id = of_task\n) THEN\n    RAISE EXCEPTION 'suggestions of task % cannot change: it has lent HITs', of_task\n        USING ERRCODE = 'check_violation',\n              CONSTRAINT = 'suggested_spans_final_once_lent';\nEND IF;\nRETURN CASE TG_OP WHEN 'DELETE' THEN OLD ELSE NEW END;\n", hash='0f1658693b24a61dae74d76df92fba28b16d486f', operation='INSERT OR DELETE', pgid='pgtrigger_suggested_spans_final_once_lent_3ca84', table='protocols_suggestedspans', when='BEFORE')),
        ),
    ]
