import annotation.models.judgment
import pgtrigger.compiler
import pgtrigger.migrations
from django.conf import settings
from django.db import migrations, models

from campaign.database.renaming import constraint_renamed


class Migration(migrations.Migration):
    """Check only that a judgment has its answer, and rename constraints and triggers."""

    dependencies = [
        ('annotation', '0010_blocks_of_plans'),
        ('campaign', '0016_names_of_constraints'),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        migrations.SeparateDatabaseAndState(
            database_operations=[
                constraint_renamed(
                    'annotation_block',
                    'block_expects_an_order_exactly_if_a_control',
                    'block_expected_iff_control',
                ),
                constraint_renamed(
                    'annotation_hit',
                    'hit_repeats_another_exactly_if_a_repeat',
                    'hit_repeats_iff_repeat',
                ),
                constraint_renamed(
                    'annotation_hit',
                    'hit_for_one_judge_is_reserved',
                    'hit_of_one_judge_is_reserved',
                ),
                constraint_renamed(
                    'annotation_hit',
                    'hit_reserved_for_a_judge_and_a_time',
                    'hit_reserved_for_iff_reserved_until',
                ),
                constraint_renamed(
                    'annotation_hit',
                    'hit_on_standby_is_for_everybody',
                    'hit_on_standby_not_reserved',
                ),
                constraint_renamed(
                    'annotation_judgeaccount',
                    'account_repeats_are_among_the_hits',
                    'account_repeats_within_hits',
                ),
                constraint_renamed(
                    'annotation_judgment',
                    'judgment_active_within_its_time_on_the_clock',
                    'judgment_active_within_duration',
                ),
                constraint_renamed(
                    'annotation_machinejudgment',
                    'machine_judgment_has_ranks_exactly_if_no_skip',
                    'machine_judgment_ranks_iff_not_skipped',
                ),
                constraint_renamed(
                    'annotation_machinejudgment',
                    'machine_judgment_answers_a_block_once_per_order',
                    'machine_judgment_block_once_per_order',
                    is_index=True,
                ),
                constraint_renamed(
                    'annotation_problemreply',
                    'problem_reply_says_closes_or_takes_back',
                    'problem_reply_has_effect',
                ),
                constraint_renamed(
                    'annotation_problemreport',
                    'problem_report_of_something_else_says_what',
                    'problem_report_other_has_comment',
                ),
                constraint_renamed(
                    'annotation_qualityaction',
                    'quality_action_by_a_rule_or_by_a_person',
                    'quality_action_by_rule_or_person',
                ),
                constraint_renamed(
                    'annotation_qualityaction',
                    'quality_action_has_a_text_exactly_if_a_message',
                    'quality_action_text_iff_message',
                ),
                constraint_renamed(
                    'annotation_skip',
                    'skip_active_within_its_time_on_the_clock',
                    'skip_active_within_duration',
                ),
            ],
            state_operations=[
                migrations.RemoveConstraint(
                    model_name='block',
                    name='block_expects_an_order_exactly_if_a_control',
                ),
                migrations.RemoveConstraint(
                    model_name='hit',
                    name='hit_repeats_another_exactly_if_a_repeat',
                ),
                migrations.RemoveConstraint(
                    model_name='hit',
                    name='hit_for_one_judge_is_reserved',
                ),
                migrations.RemoveConstraint(
                    model_name='hit',
                    name='hit_reserved_for_a_judge_and_a_time',
                ),
                migrations.RemoveConstraint(
                    model_name='hit',
                    name='hit_on_standby_is_for_everybody',
                ),
                migrations.RemoveConstraint(
                    model_name='judgeaccount',
                    name='account_repeats_are_among_the_hits',
                ),
                migrations.RemoveConstraint(
                    model_name='judgment',
                    name='judgment_active_within_its_time_on_the_clock',
                ),
                migrations.RemoveConstraint(
                    model_name='machinejudgment',
                    name='machine_judgment_has_ranks_exactly_if_no_skip',
                ),
                migrations.RemoveConstraint(
                    model_name='machinejudgment',
                    name='machine_judgment_answers_a_block_once_per_order',
                ),
                migrations.RemoveConstraint(
                    model_name='problemreply',
                    name='problem_reply_says_closes_or_takes_back',
                ),
                migrations.RemoveConstraint(
                    model_name='problemreport',
                    name='problem_report_of_something_else_says_what',
                ),
                migrations.RemoveConstraint(
                    model_name='qualityaction',
                    name='quality_action_by_a_rule_or_by_a_person',
                ),
                migrations.RemoveConstraint(
                    model_name='qualityaction',
                    name='quality_action_has_a_text_exactly_if_a_message',
                ),
                migrations.RemoveConstraint(
                    model_name='skip',
                    name='skip_active_within_its_time_on_the_clock',
                ),
                migrations.AddConstraint(
                    model_name='block',
                    constraint=models.CheckConstraint(condition=models.Q(models.Q(('control__in', ['', 'corrected', 'withdrawn']), ('expected__isnull', True)), models.Q(('control__in', ['attention', 'training']), ('expected__isnull', False)), _connector='OR'), name='block_expected_iff_control'),
                ),
                migrations.AddConstraint(
                    model_name='hit',
                    constraint=models.CheckConstraint(condition=models.Q(models.Q(('purpose__in', ['redundancy', 'inter', 'intra']), ('repeats__isnull', False)), models.Q(('purpose__in', ['first', 'training']), ('repeats__isnull', True)), _connector='OR'), name='hit_repeats_iff_repeat'),
                ),
                migrations.AddConstraint(
                    model_name='hit',
                    constraint=models.CheckConstraint(condition=models.Q(models.Q(('purpose__in', ['intra', 'training']), _negated=True), ('reserved_for__isnull', False), _connector='OR'), name='hit_of_one_judge_is_reserved'),
                ),
                migrations.AddConstraint(
                    model_name='hit',
                    constraint=models.CheckConstraint(condition=models.Q(models.Q(('reserved_for__isnull', True), ('reserved_until__isnull', True)), models.Q(('reserved_for__isnull', False), ('reserved_until__isnull', False)), _connector='OR'), name='hit_reserved_for_iff_reserved_until'),
                ),
                migrations.AddConstraint(
                    model_name='hit',
                    constraint=models.CheckConstraint(condition=models.Q(('is_standby', False), models.Q(('purpose__in', ['first', 'redundancy']), ('reserved_for__isnull', True)), _connector='OR'), name='hit_on_standby_not_reserved'),
                ),
                migrations.AddConstraint(
                    model_name='judgeaccount',
                    constraint=models.CheckConstraint(condition=models.Q(('intra_lent__lte', models.F('hits_lent'))), name='account_repeats_within_hits'),
                ),
                migrations.AddConstraint(
                    model_name='judgment',
                    constraint=models.CheckConstraint(condition=models.Q(('active_ms__lte', models.F('duration_ms'))), name='judgment_active_within_duration'),
                ),
                migrations.AddConstraint(
                    model_name='machinejudgment',
                    constraint=models.UniqueConstraint(condition=models.Q(('skip_reason', '')), fields=('block', 'machine', 'is_reversed'), name='machine_judgment_block_once_per_order'),
                ),
                migrations.AddConstraint(
                    model_name='machinejudgment',
                    constraint=models.CheckConstraint(condition=models.Q(models.Q(('skip_reason', ''), annotation.models.judgment.LabelsAreRanks('labels')), models.Q(models.Q(('skip_reason', ''), _negated=True), ('labels', [])), _connector='OR'), name='machine_judgment_ranks_iff_not_skipped'),
                ),
                migrations.AddConstraint(
                    model_name='problemreply',
                    constraint=models.CheckConstraint(condition=models.Q(models.Q(('takes_back__isnull', False), ('text', '')), models.Q(models.Q(('closed', True), models.Q(('text', ''), _negated=True), _connector='OR'), ('takes_back__isnull', True)), _connector='OR'), name='problem_reply_has_effect'),
                ),
                migrations.AddConstraint(
                    model_name='problemreport',
                    constraint=models.CheckConstraint(condition=models.Q(models.Q(('kind', 'other'), _negated=True), models.Q(('comment', ''), _negated=True), _connector='OR'), name='problem_report_other_has_comment'),
                ),
                migrations.AddConstraint(
                    model_name='qualityaction',
                    constraint=models.CheckConstraint(condition=models.Q(models.Q(('created_by__isnull', True), ('rule__isnull', False)), models.Q(('created_by__isnull', False), ('rule__isnull', True)), _connector='OR'), name='quality_action_by_rule_or_person'),
                ),
                migrations.AddConstraint(
                    model_name='qualityaction',
                    constraint=models.CheckConstraint(condition=models.Q(models.Q(('action', 'message'), models.Q(('text', ''), _negated=True)), models.Q(models.Q(('action', 'message'), _negated=True), ('text', '')), _connector='OR'), name='quality_action_text_iff_message'),
                ),
                migrations.AddConstraint(
                    model_name='skip',
                    constraint=models.CheckConstraint(condition=models.Q(('active_ms__lte', models.F('duration_ms'))), name='skip_active_within_duration'),
                ),
            ],
        ),
        pgtrigger.migrations.RemoveTrigger(
            model_name='block',
            name='block_fits_its_segment',
        ),
        pgtrigger.migrations.RemoveTrigger(
            model_name='block',
            name='block_keeps_its_hit_and_outputs',
        ),
        pgtrigger.migrations.RemoveTrigger(
            model_name='design',
            name='design_is_for_a_group_of_its_campaign',
        ),
        pgtrigger.migrations.RemoveTrigger(
            model_name='hit',
            name='hit_repeats_a_first_of_its_task',
        ),
        pgtrigger.migrations.RemoveTrigger(
            model_name='judgment',
            name='judgment_fits_its_block',
        ),
        pgtrigger.migrations.RemoveTrigger(
            model_name='judgment',
            name='judgment_waits_for_its_number',
        ),
        pgtrigger.migrations.RemoveTrigger(
            model_name='judgment',
            name='judgment_has_its_answer',
        ),
        pgtrigger.migrations.RemoveTrigger(
            model_name='judgmentnumber',
            name='number_of_a_judgment',
        ),
        pgtrigger.migrations.RemoveTrigger(
            model_name='problemreport',
            name='problem_report_of_its_task',
        ),
        pgtrigger.migrations.RemoveTrigger(
            model_name='qualityaction',
            name='quality_action_stays',
        ),
        pgtrigger.migrations.RemoveTrigger(
            model_name='qualityrule',
            name='quality_rule_terms_stay',
        ),
        pgtrigger.migrations.RemoveTrigger(
            model_name='shownoutput',
            name='output_stays_while_shown',
        ),
        pgtrigger.migrations.RemoveTrigger(
            model_name='shownoutput',
            name='output_segment_stays',
        ),
        pgtrigger.migrations.RemoveTrigger(
            model_name='skip',
            name='skip_of_its_task',
        ),
        pgtrigger.migrations.RemoveTrigger(
            model_name='skip',
            name='skip_waits_to_be_counted',
        ),
        pgtrigger.migrations.AddTrigger(
            model_name='block',
            trigger=pgtrigger.compiler.Trigger(name='block_fits_its_segment', sql=pgtrigger.compiler.UpsertTriggerSql(declare='DECLARE wrong RECORD; scans TEXT;', func="scans := current_setting('enable_seqscan');\nIF scans = 'on' THEN\n    PERFORM set_config('enable_seqscan', 'off', true);\nEND IF;\n-- Deleting an output waits for this lock (see `output_kept_while_shown`).\nPERFORM (SELECT s.id FROM campaign_segment s WHERE s.id = n.segment_id FOR KEY SHARE)\nFROM (SELECT DISTINCT r.segment_id FROM new_rows r) n;\n-- Most blocks end here: if the segment has as many of these outputs as the block shows, none is shown twice.\n-- `+ 0` makes PostgreSQL look up outputs by primary key: a segment has more outputs than a block shows.\nSELECT block.*, counted.distinct_outputs, block.of_segment < counted.distinct_outputs AS is_of_other_segment INTO wrong\nFROM (\n    SELECT n.public_id, n.outputs,\n        cardinality(n.outputs) AS shown,\n        (\n            SELECT count(*) FROM campaign_output o\n            WHERE o.id = ANY (n.outputs) AND o.segment_id + 0 = n.segment_id\n        ) AS of_segment,\n        n.stands_for IS NULL OR 0 < ALL (n.stands_for) AND cardinality(n.outputs) = (\n            SELECT coalesce(sum(outputs), 0) FROM unnest(n.stands_for) outputs\n        ) AS adds_up\n    FROM new_rows n\n    OFFSET 0\n) block, LATERAL (\n    SELECT count(DISTINCT output) AS distinct_outputs FROM unnest(block.outputs) output\n) counted\nWHERE block.of_segment < block.shown OR NOT block.adds_up\nORDER BY is_of_other_segment DESC, block.adds_up DESC LIMIT 1;\nIF scans = 'on' THEN\n    PERFORM set_config('enable_seqscan', 'on', true);\nEND IF;\nIF wrong.is_of_other_segment THEN\n    RAISE EXCEPTION 'an output does not belong to the segment: outputs % of block %',\n        wrong.outputs, wrong.public_id\n        USING ERRCODE = 'check_violation',\n              CONSTRAINT = 'candidate_output_of_the_same_segment';\nEND IF;\nIF wrong.distinct_outputs < wrong.shown THEN\n    RAISE EXCEPTION 'block % shows an output twice: %',\n        wrong.public_id, wrong.outputs\n        USING ERRCODE = 'unique_violation',\n              CONSTRAINT = 'candidate_output_once_in_block';\nEND IF;\nIF NOT wrong.adds_up THEN\n    RAISE EXCEPTION 'the candidates of block % do not stand for exactly % outputs',\n        wrong.public_id, wrong.shown\n        USING ERRCODE = 'check_violation',\n              CONSTRAINT = 'candidate_counts_match_outputs';\nEND IF;\nRETURN NULL;\n", hash='3a18e5e4ab8395bd01b8d229b27175eacbbd64c3', level='STATEMENT', operation='INSERT', pgid='pgtrigger_block_fits_its_segment_65164', referencing='REFERENCING NEW TABLE AS new_rows ', table='annotation_block', when='AFTER')),
        ),
        pgtrigger.migrations.AddTrigger(
            model_name='block',
            trigger=pgtrigger.compiler.Trigger(name='block_content_immutable', sql=pgtrigger.compiler.UpsertTriggerSql(condition='WHEN (OLD."hit_id" IS DISTINCT FROM (NEW."hit_id") OR OLD."outputs" IS DISTINCT FROM (NEW."outputs") OR OLD."segment_id" IS DISTINCT FROM (NEW."segment_id") OR OLD."stands_for" IS DISTINCT FROM (NEW."stands_for"))', func="RAISE EXCEPTION 'pgtrigger: Cannot update rows from % table', TG_TABLE_NAME;", hash='553a63cb4c8d0f183e0944ac157d4ddd397443f4', operation='UPDATE', pgid='pgtrigger_block_content_immutable_e4415', table='annotation_block', when='BEFORE')),
        ),
        pgtrigger.migrations.AddTrigger(
            model_name='design',
            trigger=pgtrigger.compiler.Trigger(name='design_group_of_its_campaign', sql=pgtrigger.compiler.UpsertTriggerSql(func="IF NEW.judge_group_id IS NOT NULL AND NOT EXISTS (\n    SELECT FROM campaign_task k JOIN campaign_testset t ON t.id = k.test_set_id\n    JOIN campaign_judgegroup g ON g.campaign_id = t.campaign_id\n    WHERE k.id = NEW.task_id AND g.id = NEW.judge_group_id\n) THEN\n    RAISE EXCEPTION 'design of task % and group % belong to different campaigns',\n        NEW.task_id, NEW.judge_group_id\n        USING ERRCODE = 'check_violation',\n              CONSTRAINT = 'design_group_of_its_campaign';\nEND IF;\nRETURN NEW;\n", hash='4431dccb43dc92664d80c42d150627bca993f719', operation='INSERT OR UPDATE', pgid='pgtrigger_design_group_of_its_campaign_f1ef8', table='annotation_design', when='BEFORE')),
        ),
        pgtrigger.migrations.AddTrigger(
            model_name='hit',
            trigger=pgtrigger.compiler.Trigger(name='hit_repeats_original_of_its_task', sql=pgtrigger.compiler.UpsertTriggerSql(condition='WHEN (NEW."repeats_id" IS NOT NULL)', func="IF NOT EXISTS (\n    SELECT FROM annotation_hit h\n    WHERE h.id = NEW.repeats_id AND h.task_id = NEW.task_id\n        AND h.purpose = 'first'\n) THEN\n    RAISE EXCEPTION 'HIT % must repeat an original HIT of the same task',\n        NEW.number\n        USING ERRCODE = 'check_violation',\n              CONSTRAINT = 'hit_repeats_original_of_its_task';\nEND IF;\nRETURN NEW;\n", hash='f17a42d2be63a0111e6da04e2caff84c22dfc58f', operation='INSERT OR UPDATE', pgid='pgtrigger_hit_repeats_original_of_its_task_2c16a', table='annotation_hit', when='BEFORE')),
        ),
        pgtrigger.migrations.AddTrigger(
            model_name='judgment',
            trigger=pgtrigger.compiler.Trigger(name='judgment_fits_its_block', sql=pgtrigger.compiler.UpsertTriggerSql(declare='DECLARE wrong RECORD; scans TEXT;', func="scans := current_setting('enable_seqscan');\nIF scans = 'on' THEN\n    PERFORM set_config('enable_seqscan', 'off', true);\nEND IF;\n-- The foreign key refuses a missing block.\nSELECT n.id, n.block_id, n.task_id, cardinality(n.labels) AS labels, b.shown,\n    b.task_id <> n.task_id AS is_of_other_task,\n    cardinality(n.labels) <> b.shown AS is_not_aligned\nINTO wrong\nFROM new_rows n LEFT JOIN LATERAL (\n    SELECT cardinality(coalesce(b.stands_for, b.outputs)) AS shown,\n        (SELECT h.task_id FROM annotation_hit h WHERE h.id = b.hit_id) AS task_id\n    FROM annotation_block b WHERE b.id = n.block_id\n    OFFSET 0\n) b ON true\nWHERE b.task_id <> n.task_id\n    OR cardinality(n.labels) <> b.shown\n    OR n.supersedes_id IS NOT NULL AND NOT EXISTS (\n        SELECT FROM annotation_judgment j\n        WHERE j.id = n.supersedes_id\n            AND j.judge_id = n.judge_id AND j.block_id = n.block_id\n            AND j.id < n.id\n        OFFSET 0\n    )\nLIMIT 1;\nIF scans = 'on' THEN\n    PERFORM set_config('enable_seqscan', 'on', true);\nEND IF;\nIF wrong.is_of_other_task THEN\n    RAISE EXCEPTION 'block % does not belong to task %',\n        wrong.block_id, wrong.task_id\n        USING ERRCODE = 'check_violation',\n              CONSTRAINT = 'judgment_of_its_task';\nEND IF;\nIF wrong.is_not_aligned THEN\n    RAISE EXCEPTION '% labels for the % candidates of block %',\n        wrong.labels, wrong.shown, wrong.block_id\n        USING ERRCODE = 'check_violation',\n              CONSTRAINT = 'judgment_labels_aligned_with_candidates';\nEND IF;\nIF wrong.id IS NOT NULL THEN\n    RAISE EXCEPTION\n        'judgment % may only supersede an earlier judgment by the same judge of the same block', wrong.id\n        USING ERRCODE = 'check_violation',\n              CONSTRAINT = 'judgment_supersedes_own_earlier_one';\nEND IF;\nRETURN NULL;\n", hash='84c492626d66ceaab8cabef74b92b4205bafe648', level='STATEMENT', operation='INSERT', pgid='pgtrigger_judgment_fits_its_block_05c49', referencing='REFERENCING NEW TABLE AS new_rows ', table='annotation_judgment', when='AFTER')),
        ),
        pgtrigger.migrations.AddTrigger(
            model_name='judgment',
            trigger=pgtrigger.compiler.Trigger(name='judgment_queued_for_numbering', sql=pgtrigger.compiler.UpsertTriggerSql(func='INSERT INTO annotation_uncountedanswer (task_id, is_skip, answer)\nSELECT inserted.task_id, false, inserted.id FROM inserted;\nRETURN NULL;\n', hash='c5c8104159e8aedc23cb5d3907f0125fc347f10d', level='STATEMENT', operation='INSERT', pgid='pgtrigger_judgment_queued_for_numbering_31c6e', referencing='REFERENCING NEW TABLE AS inserted ', table='annotation_judgment', when='AFTER')),
        ),
        pgtrigger.migrations.AddTrigger(
            model_name='judgment',
            trigger=pgtrigger.compiler.Trigger(name='judgment_has_its_answer', sql=pgtrigger.compiler.UpsertTriggerSql(constraint='CONSTRAINT', declare='DECLARE protocol TEXT; is_stored BOOLEAN; scans TEXT;', func="SELECT k.protocol INTO protocol FROM campaign_task k WHERE k.id = NEW.task_id;\nscans := current_setting('enable_seqscan');\nIF scans = 'on' THEN\n    PERFORM set_config('enable_seqscan', 'off', true);\nEND IF;\nCASE protocol\n    WHEN 'rating' THEN is_stored := EXISTS (SELECT FROM protocols_ratinganswer a WHERE a.judgment_id = NEW.id);\n    WHEN 'two_outputs' THEN is_stored := EXISTS (SELECT FROM protocols_twooutputsanswer a WHERE a.judgment_id = NEW.id);\n    WHEN 'spans' THEN is_stored := EXISTS (SELECT FROM protocols_spansanswer a WHERE a.judgment_id = NEW.id);\n    WHEN 'editing' THEN is_stored := EXISTS (SELECT FROM protocols_editinganswer a WHERE a.judgment_id = NEW.id);\n    WHEN 'quiz' THEN is_stored := EXISTS (SELECT FROM protocols_quizanswer a WHERE a.judgment_id = NEW.id);\nELSE is_stored := true;\nEND CASE;\nIF scans = 'on' THEN\n    PERFORM set_config('enable_seqscan', 'on', true);\nEND IF;\nIF NOT is_stored THEN\n    RAISE EXCEPTION 'judgment % has no answer', NEW.id\n        USING ERRCODE = 'integrity_constraint_violation',\n              CONSTRAINT = 'judgment_has_its_answer';\nEND IF;\nRETURN NULL;\n", hash='68feb6e09b4e17b60cdbd860d1b7b28ebae517ea', operation='INSERT', pgid='pgtrigger_judgment_has_its_answer_b8896', table='annotation_judgment', timing='DEFERRABLE INITIALLY DEFERRED', when='AFTER')),
        ),
        pgtrigger.migrations.AddTrigger(
            model_name='judgmentnumber',
            trigger=pgtrigger.compiler.Trigger(name='judgment_number_of_its_task', sql=pgtrigger.compiler.UpsertTriggerSql(declare='DECLARE wrong BIGINT; scans TEXT;', func="scans := current_setting('enable_seqscan');\nIF scans = 'on' THEN\n    PERFORM set_config('enable_seqscan', 'off', true);\nEND IF;\nSELECT n.judgment_id INTO wrong\nFROM new_rows n\nWHERE NOT EXISTS (\n    SELECT FROM annotation_judgment j\n    WHERE j.id = n.judgment_id AND j.task_id = n.task_id\n    OFFSET 0\n)\nLIMIT 1;\nIF scans = 'on' THEN\n    PERFORM set_config('enable_seqscan', 'on', true);\nEND IF;\nIF wrong IS NOT NULL THEN\n    RAISE EXCEPTION 'judgment % does not belong to the task of its number', wrong\n        USING ERRCODE = 'foreign_key_violation',\n              CONSTRAINT = 'judgment_number_of_its_task';\nEND IF;\nRETURN NULL;\n", hash='78124aacb37fabf2d43b28f8060ed3022f203155', level='STATEMENT', operation='INSERT', pgid='pgtrigger_judgment_number_of_its_task_6d40f', referencing='REFERENCING NEW TABLE AS new_rows ', table='annotation_judgmentnumber', when='AFTER')),
        ),
        pgtrigger.migrations.AddTrigger(
            model_name='problemreport',
            trigger=pgtrigger.compiler.Trigger(name='problem_report_of_its_task', sql=pgtrigger.compiler.UpsertTriggerSql(func="IF NOT EXISTS (\n    SELECT FROM annotation_block b JOIN annotation_hit h ON h.id = b.hit_id\n    WHERE b.id = NEW.block_id AND h.task_id = NEW.task_id\n) THEN\n    RAISE EXCEPTION 'block % does not belong to task %',\n        NEW.block_id, NEW.task_id\n        USING ERRCODE = 'check_violation',\n              CONSTRAINT = 'problem_report_of_its_task';\nEND IF;\nRETURN NEW;\n", hash='6ad2824c2fd068c6a79190887a36d7fd9cdd4d1e', operation='INSERT', pgid='pgtrigger_problem_report_of_its_task_50651', table='annotation_problemreport', when='BEFORE')),
        ),
        pgtrigger.migrations.AddTrigger(
            model_name='qualityaction',
            trigger=pgtrigger.compiler.Trigger(name='quality_action_immutable', sql=pgtrigger.compiler.UpsertTriggerSql(func='RAISE EXCEPTION \'pgtrigger: Cannot update of "judge_id", "task_id", "rule_id", "action", "evidence", "note", "text", "batch", "created_by_id", "created_at" rows from % table\', TG_TABLE_NAME;', hash='35e058870affdbba84972173149e73340fdb6d78', operation='UPDATE OF "judge_id", "task_id", "rule_id", "action", "evidence", "note", "text", "batch", "created_by_id", "created_at"', pgid='pgtrigger_quality_action_immutable_20b7d', table='annotation_qualityaction', when='BEFORE')),
        ),
        pgtrigger.migrations.AddTrigger(
            model_name='qualityrule',
            trigger=pgtrigger.compiler.Trigger(name='quality_rule_terms_immutable', sql=pgtrigger.compiler.UpsertTriggerSql(func="IF (NEW.campaign_id, NEW.task_id, NEW.measure, NEW.direction, NEW.threshold,\n    NEW.minimum, NEW.action, NEW.replaces_id)\n   IS DISTINCT FROM\n   (OLD.campaign_id, OLD.task_id, OLD.measure, OLD.direction, OLD.threshold,\n    OLD.minimum, OLD.action, OLD.replaces_id)\nTHEN\n    RAISE EXCEPTION 'the terms of quality rule % cannot change', NEW.id\n        USING ERRCODE = 'check_violation',\n              CONSTRAINT = 'quality_rule_terms_immutable';\nEND IF;\nRETURN NEW;\n", hash='8d369d55311be98ad5a7c84bec0bde24646e495e', operation='UPDATE', pgid='pgtrigger_quality_rule_terms_immutable_bb671', table='annotation_qualityrule', when='BEFORE')),
        ),
        pgtrigger.migrations.AddTrigger(
            model_name='shownoutput',
            trigger=pgtrigger.compiler.Trigger(name='output_kept_while_shown', sql=pgtrigger.compiler.UpsertTriggerSql(declare='DECLARE shown BIGINT;', func="-- Transactions that write blocks hold a shared lock on the segment until they commit.\nPERFORM (SELECT s.id FROM campaign_segment s WHERE s.id = o.segment_id FOR UPDATE)\nFROM (SELECT DISTINCT segment_id FROM old_rows ORDER BY segment_id) o;\nSELECT o.id INTO shown\nFROM old_rows o\nWHERE EXISTS (\n    SELECT FROM annotation_block b\n    WHERE b.segment_id = o.segment_id AND o.id = ANY (b.outputs)\n)\nLIMIT 1;\nIF shown IS NOT NULL THEN\n    RAISE EXCEPTION 'output % is shown in a block', shown\n        USING ERRCODE = 'foreign_key_violation',\n              CONSTRAINT = 'output_kept_while_shown';\nEND IF;\nRETURN NULL;\n", hash='898b3c94b4474cd5442ec92683a2bfde3fe4c7ac', level='STATEMENT', operation='DELETE', pgid='pgtrigger_output_kept_while_shown_952e8', referencing='REFERENCING OLD TABLE AS old_rows ', table='campaign_output', when='AFTER')),
        ),
        pgtrigger.migrations.AddTrigger(
            model_name='shownoutput',
            trigger=pgtrigger.compiler.Trigger(name='output_segment_immutable', sql=pgtrigger.compiler.UpsertTriggerSql(condition='WHEN (OLD."id" IS DISTINCT FROM (NEW."id") OR OLD."segment_id" IS DISTINCT FROM (NEW."segment_id"))', func="RAISE EXCEPTION 'pgtrigger: Cannot update rows from % table', TG_TABLE_NAME;", hash='7e85bd5aac23fdd82324be0c3e6453d928b68d95', operation='UPDATE', pgid='pgtrigger_output_segment_immutable_6fb41', table='campaign_output', when='BEFORE')),
        ),
        pgtrigger.migrations.AddTrigger(
            model_name='skip',
            trigger=pgtrigger.compiler.Trigger(name='skip_of_its_task', sql=pgtrigger.compiler.UpsertTriggerSql(func="IF NOT EXISTS (\n    SELECT FROM annotation_block b JOIN annotation_hit h ON h.id = b.hit_id\n    WHERE b.id = NEW.block_id AND h.task_id = NEW.task_id\n) THEN\n    RAISE EXCEPTION 'block % does not belong to task %',\n        NEW.block_id, NEW.task_id\n        USING ERRCODE = 'check_violation',\n              CONSTRAINT = 'skip_of_its_task';\nEND IF;\nRETURN NEW;\n", hash='845997f51d99cf75d76b7252657726389e6465ca', operation='INSERT', pgid='pgtrigger_skip_of_its_task_bad07', table='annotation_skip', when='BEFORE')),
        ),
        pgtrigger.migrations.AddTrigger(
            model_name='skip',
            trigger=pgtrigger.compiler.Trigger(name='skip_queued_for_counting', sql=pgtrigger.compiler.UpsertTriggerSql(func='INSERT INTO annotation_uncountedanswer (task_id, is_skip, answer)\nSELECT inserted.task_id, true, inserted.id FROM inserted;\nRETURN NULL;\n', hash='18979dc72c5e0d1aa9e199ce98f39b3a96ae6a81', level='STATEMENT', operation='INSERT', pgid='pgtrigger_skip_queued_for_counting_ef8fb', referencing='REFERENCING NEW TABLE AS inserted ', table='annotation_skip', when='AFTER')),
        ),
    ]
