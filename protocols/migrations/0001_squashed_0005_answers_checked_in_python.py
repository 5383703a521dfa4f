import campaign.database.create_models
import django.contrib.postgres.fields
import django.db.models.deletion
import django.db.models.expressions
import django.db.models.functions.comparison
import django.db.models.functions.datetime
import django.db.models.lookups
import pgtrigger.compiler
import protocols.models
from django.db import migrations, models


class Migration(migrations.Migration):

    replaces = [('protocols', '0001_initial'), ('protocols', '0002_criteria'), ('protocols', '0003_error_categories'), ('protocols', '0004_suggested_spans'), ('protocols', '0005_answers_checked_in_python')]

    initial = True

    dependencies = [
        ('annotation', '0001_initial'),
        ('annotation', '0005_played_shares'),
        ('annotation', '0011_judgment_has_its_answer'),
        ('campaign', '0002_campaigns'),
        ('campaign', '0011_media_of_texts'),
        ('campaign', '0016_names_of_constraints'),
    ]

    operations = [
        campaign.database.create_models.CreateModels(
            models=[
                migrations.CreateModel(
                    name='EditingAnswer',
                    fields=[
                        ('judgment', models.OneToOneField(on_delete=django.db.models.deletion.PROTECT, primary_key=True, serialize=False, to='annotation.judgment')),
                        ('outcome', models.CharField(blank=True, choices=[('edited', 'edited'), ('unchanged', 'no corrections needed'), ('unable', 'unable to correct')], default='', max_length=9)),
                        ('text', models.TextField(blank=True, default='')),
                        ('keystrokes', models.PositiveIntegerField(blank=True, null=True)),
                        ('acceptable', models.BooleanField(blank=True, null=True)),
                        ('edit', models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.PROTECT, related_name='editing_acceptances', to='annotation.judgment')),
                    ],
                    options={
                        'constraints': [models.CheckConstraint(condition=models.Q(('outcome__in', ['', 'edited', 'unchanged', 'unable'])), name='editing_outcome_is_known'), models.CheckConstraint(condition=models.Q(models.Q(('acceptable__isnull', True), ('edit__isnull', True), models.Q(('outcome', ''), _negated=True)), models.Q(('acceptable__isnull', False), ('outcome', '')), _connector='OR'), name='editing_edit_xor_acceptance'), models.CheckConstraint(condition=models.Q(models.Q(('outcome', 'edited'), models.Q(('text', ''), _negated=True)), models.Q(models.Q(('outcome', 'edited'), _negated=True), ('text', '')), _connector='OR'), name='editing_text_iff_edited'), models.CheckConstraint(condition=models.Q(('keystrokes__isnull', True), models.Q(('outcome', ''), _negated=True), _connector='OR'), name='editing_keystrokes_only_for_edits')],
                        'triggers': [pgtrigger.compiler.Trigger(name='editing_answer_append_only', sql=pgtrigger.compiler.UpsertTriggerSql(func="RAISE EXCEPTION 'pgtrigger: Cannot update or delete rows from % table', TG_TABLE_NAME;", hash='9ece45947ed02344d1ddf2fb49e8daff8c70e977', operation='UPDATE OR DELETE', pgid='pgtrigger_editing_answer_append_only_87d39', table='protocols_editinganswer', when='BEFORE')), pgtrigger.compiler.Trigger(name='editing_edit_final_once_under_review', sql=pgtrigger.compiler.UpsertTriggerSql(declare='DECLARE edit RECORD; scans TEXT;', func="scans := current_setting('enable_seqscan');\nIF scans = 'on' THEN\n    PERFORM set_config('enable_seqscan', 'off', true);\nEND IF;\nFOR edit IN\n    SELECT j.*\n    FROM new_rows n CROSS JOIN LATERAL (\n        SELECT judgment.id, judgment.judge_id, judgment.block_id, block.hit_id\n        FROM annotation_judgment judgment, annotation_block block\n        WHERE judgment.id = n.judgment_id AND judgment.assignment_id IS NOT NULL\n            AND block.id = judgment.block_id\n        OFFSET 0\n    ) j\n    WHERE n.acceptable IS NULL\nLOOP\n    -- The next statement sees HITs lent while this one waits for its locks.\n    PERFORM FROM annotation_hit review WHERE review.repeats_id = edit.hit_id ORDER BY review.id FOR NO KEY UPDATE;\n    IF EXISTS (\n        SELECT FROM annotation_hit review JOIN annotation_assignment lent ON lent.hit_id = review.id\n        WHERE review.repeats_id = edit.hit_id\n    ) AND edit.judge_id = (\n        -- Judges review the first editor's text only; other editors may change theirs.\n        SELECT first.judge_id FROM annotation_judgment first\n        WHERE first.block_id = edit.block_id ORDER BY first.id LIMIT 1\n    ) THEN\n        RAISE EXCEPTION 'judgment % changes an edit that other judges have already received', edit.id\n            USING ERRCODE = 'check_violation',\n                  CONSTRAINT = 'editing_edit_final_once_under_review';\n    END IF;\nEND LOOP;\nIF scans = 'on' THEN\n    PERFORM set_config('enable_seqscan', 'on', true);\nEND IF;\nRETURN NULL;\n", hash='43e4504e682222e3043f3354145e2f3097d47677', level='STATEMENT', operation='INSERT', pgid='pgtrigger_editing_edit_final_once_under_review_27ff7', referencing='REFERENCING NEW TABLE AS new_rows ', table='protocols_editinganswer', when='AFTER'))],
                    },
                ),
                migrations.CreateModel(
                    name='QuizAnswer',
                    fields=[
                        ('judgment', models.OneToOneField(on_delete=django.db.models.deletion.PROTECT, primary_key=True, serialize=False, to='annotation.judgment')),
                        ('answers', django.contrib.postgres.fields.ArrayField(base_field=models.BooleanField(null=True), size=None)),
                    ],
                    options={
                        'triggers': [pgtrigger.compiler.Trigger(name='quiz_answer_append_only', sql=pgtrigger.compiler.UpsertTriggerSql(func="RAISE EXCEPTION 'pgtrigger: Cannot update or delete rows from % table', TG_TABLE_NAME;", hash='ee01a9555deba6a6932b4457a497ff756c0a6eeb', operation='UPDATE OR DELETE', pgid='pgtrigger_quiz_answer_append_only_7a59a', table='protocols_quizanswer', when='BEFORE'))],
                    },
                ),
                migrations.CreateModel(
                    name='RatingAnswer',
                    fields=[
                        ('judgment', models.OneToOneField(on_delete=django.db.models.deletion.PROTECT, primary_key=True, serialize=False, to='annotation.judgment')),
                        ('criteria', django.contrib.postgres.fields.ArrayField(base_field=models.CharField(max_length=40), size=None)),
                        ('points', django.contrib.postgres.fields.ArrayField(base_field=models.PositiveSmallIntegerField(), size=None)),
                    ],
                    options={
                        'constraints': [models.CheckConstraint(condition=models.Q(('criteria__len__range', (1, 8)), ('points__len__range', (1, 40))), name='rating_has_criteria_and_points')],
                        'triggers': [pgtrigger.compiler.Trigger(name='rating_answer_append_only', sql=pgtrigger.compiler.UpsertTriggerSql(func="RAISE EXCEPTION 'pgtrigger: Cannot update or delete rows from % table', TG_TABLE_NAME;", hash='4221660fa425ff14cc54a3928b2fdaddbfbec724', operation='UPDATE OR DELETE', pgid='pgtrigger_rating_answer_append_only_c19cb', table='protocols_ratinganswer', when='BEFORE'))],
                    },
                ),
                migrations.CreateModel(
                    name='Snippet',
                    fields=[
                        ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                        ('number', models.PositiveIntegerField(help_text='From 1 in the task.', verbose_name='Number')),
                        ('name', models.CharField(max_length=200, verbose_name='Name')),
                        ('first', models.PositiveIntegerField(help_text='Position in the document, from 1.', verbose_name='First segment')),
                        ('last', models.PositiveIntegerField(verbose_name='Last segment')),
                        ('statements', django.contrib.postgres.fields.ArrayField(base_field=models.TextField(), size=None, verbose_name='Statements')),
                        ('expected', django.contrib.postgres.fields.ArrayField(base_field=models.BooleanField(), help_text='True or false for each statement.', size=None, verbose_name='Expected answers')),
                        ('document', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='snippets', to='campaign.document')),
                        ('task', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.CASCADE, related_name='snippets', to='campaign.task')),
                    ],
                    options={
                        'verbose_name': 'Snippet',
                        'ordering': ['number'],
                        'constraints': [models.UniqueConstraint(fields=('task', 'number'), name='quiz_snippet_number_unique_in_task'), models.UniqueConstraint(fields=('task', 'name'), name='quiz_snippet_name_unique_in_task'), models.CheckConstraint(condition=models.Q(('first__gte', 1), ('last__gte', models.F('first')), ('last__lt', django.db.models.expressions.CombinedExpression(models.F('first'), '+', models.Value(50)))), name='quiz_snippet_has_1_to_50_segments'), models.CheckConstraint(condition=models.Q(('statements__len__gte', 1), ('statements__len__lte', 20)), name='quiz_snippet_has_1_to_20_statements'), models.CheckConstraint(condition=models.Q(django.db.models.lookups.Exact(models.Func('statements', function='cardinality', output_field=models.IntegerField()), models.Func('expected', function='cardinality', output_field=models.IntegerField()))), name='quiz_snippet_expected_matches_statements')],
                        'triggers': [pgtrigger.compiler.Trigger(name='quiz_snippets_final_once_read', sql=pgtrigger.compiler.UpsertTriggerSql(declare='DECLARE of_task BIGINT;', func="of_task := CASE TG_OP WHEN 'DELETE' THEN OLD.task_id ELSE NEW.task_id END;\nIF EXISTS (\n    SELECT FROM annotation_assignment a JOIN annotation_hit h ON h.id = a.hit_id\n    WHERE h.task_id = of_task\n) OR EXISTS (\n    -- Imported judgments were never lent.\n    SELECT FROM annotation_judgment j WHERE j.task_id = of_task\n) THEN\n    RAISE EXCEPTION 'snippets of task % cannot change: it has judgments or lent HITs', of_task\n        USING ERRCODE = 'check_violation',\n              CONSTRAINT = 'quiz_snippets_final_once_read';\nEND IF;\nRETURN CASE TG_OP WHEN 'DELETE' THEN OLD ELSE NEW END;\n", hash='56907c52aa5825686f19c73f4227700bdb71371d', operation='INSERT OR DELETE', pgid='pgtrigger_quiz_snippets_final_once_read_17840', table='protocols_snippet', when='BEFORE'))],
                    },
                ),
                migrations.CreateModel(
                    name='SpansAnswer',
                    fields=[
                        ('judgment', models.OneToOneField(on_delete=django.db.models.deletion.PROTECT, primary_key=True, serialize=False, to='annotation.judgment')),
                        ('scores', django.contrib.postgres.fields.ArrayField(base_field=models.PositiveSmallIntegerField(null=True), size=None)),
                        ('span_candidates', django.contrib.postgres.fields.ArrayField(base_field=models.PositiveSmallIntegerField(), blank=True, default=list, size=None)),
                        ('span_starts', django.contrib.postgres.fields.ArrayField(base_field=models.PositiveIntegerField(null=True), blank=True, default=list, size=None)),
                        ('span_ends', django.contrib.postgres.fields.ArrayField(base_field=models.PositiveIntegerField(null=True), blank=True, default=list, size=None)),
                        ('span_severities', django.contrib.postgres.fields.ArrayField(base_field=models.PositiveSmallIntegerField(), blank=True, default=list, size=None)),
                        ('span_categories', django.contrib.postgres.fields.ArrayField(base_field=models.CharField(max_length=100), blank=True, default=list, size=None)),
                        ('span_kinds', django.contrib.postgres.fields.ArrayField(base_field=models.CharField(max_length=100), blank=True, default=list, size=None)),
                        ('starts', models.JSONField(blank=True, null=True)),
                    ],
                    options={
                        'constraints': [models.CheckConstraint(condition=protocols.models.ScoresAreInRange('scores'), name='spans_scores_between_0_and_100'), models.CheckConstraint(condition=protocols.models.SpansAreWhole(), name='spans_have_all_of_their_parts'), models.CheckConstraint(condition=protocols.models.StartsOfOutputs(), name='spans_start_for_each_output')],
                        'triggers': [pgtrigger.compiler.Trigger(name='spans_answer_append_only', sql=pgtrigger.compiler.UpsertTriggerSql(func="RAISE EXCEPTION 'pgtrigger: Cannot update or delete rows from % table', TG_TABLE_NAME;", hash='96ce395c87f284856d588498f411d4bf226fde23', operation='UPDATE OR DELETE', pgid='pgtrigger_spans_answer_append_only_ebdcf', table='protocols_spansanswer', when='BEFORE'))],
                    },
                ),
                migrations.CreateModel(
                    name='SystemSort',
                    fields=[
                        ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                        ('number', models.PositiveSmallIntegerField()),
                        ('systems', django.contrib.postgres.fields.ArrayField(base_field=models.CharField(max_length=200), size=None)),
                        ('seed', models.BigIntegerField()),
                        ('watermark', models.PositiveIntegerField()),
                        ('begun_at', models.DateTimeField(db_default=django.db.models.functions.datetime.Now(), editable=False)),
                        ('task', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.CASCADE, related_name='sorts', to='campaign.task')),
                    ],
                    options={
                        'constraints': [models.UniqueConstraint(fields=('task', 'number'), name='sorting_number_unique_in_task'), models.CheckConstraint(condition=models.Q(('seed__gte', 0)), name='sorting_seed_not_negative')],
                    },
                ),
                migrations.CreateModel(
                    name='TwoOutputsAnswer',
                    fields=[
                        ('judgment', models.OneToOneField(on_delete=django.db.models.deletion.PROTECT, primary_key=True, serialize=False, to='annotation.judgment')),
                        ('verdict', models.CharField(choices=[('first', 'A is better'), ('same', 'the same'), ('second', 'B is better'), ('both_fine', 'both fine'), ('both_wrong', 'both wrong')], max_length=10)),
                    ],
                    options={
                        'constraints': [models.CheckConstraint(condition=models.Q(('verdict__in', ['first', 'same', 'second', 'both_fine', 'both_wrong'])), name='two_outputs_verdict_is_known')],
                        'triggers': [pgtrigger.compiler.Trigger(name='two_outputs_answer_append_only', sql=pgtrigger.compiler.UpsertTriggerSql(func="RAISE EXCEPTION 'pgtrigger: Cannot update or delete rows from % table', TG_TABLE_NAME;", hash='9df1882e190a3fc0a09e32b8112dd2091b3516a4', operation='UPDATE OR DELETE', pgid='pgtrigger_two_outputs_answer_append_only_cab32', table='protocols_twooutputsanswer', when='BEFORE'))],
                    },
                ),
                migrations.CreateModel(
                    name='ClosedComparison',
                    fields=[
                        ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                        ('step', models.PositiveSmallIntegerField()),
                        ('winner', models.CharField(max_length=200)),
                        ('loser', models.CharField(max_length=200)),
                        ('wins', models.PositiveIntegerField()),
                        ('losses', models.PositiveIntegerField()),
                        ('same', models.PositiveIntegerField()),
                        ('is_drawn', models.BooleanField()),
                        ('judgments', django.contrib.postgres.fields.ArrayField(base_field=models.PositiveIntegerField(), size=None)),
                        ('watermark', models.PositiveIntegerField()),
                        ('closed_at', models.DateTimeField(db_default=django.db.models.functions.datetime.Now(), editable=False)),
                        ('sort', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.PROTECT, related_name='verdicts', to='protocols.systemsort')),
                    ],
                    options={
                        'constraints': [models.UniqueConstraint(fields=('sort', 'step'), name='sorting_step_unique_in_sort'), models.UniqueConstraint(models.F('sort'), django.db.models.functions.comparison.Least('winner', 'loser'), django.db.models.functions.comparison.Greatest('winner', 'loser'), name='sorting_pair_closed_once'), models.CheckConstraint(condition=models.Q(('winner', models.F('loser')), _negated=True), name='sorting_verdict_of_two_systems'), models.CheckConstraint(condition=models.Q(models.Q(('is_drawn', False), ('wins__gt', models.F('losses'))), models.Q(('is_drawn', True), ('wins', models.F('losses'))), _connector='OR'), name='sorting_winner_has_more_wins'), models.CheckConstraint(condition=models.Q(('judgments__len', django.db.models.expressions.CombinedExpression(django.db.models.expressions.CombinedExpression(models.F('wins'), '+', models.F('losses')), '+', models.F('same')))), name='sorting_judgments_match_counts')],
                    },
                ),
                migrations.CreateModel(
                    name='SuggestedSpans',
                    fields=[
                        ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                        ('source', models.CharField(max_length=200)),
                        ('start', models.JSONField()),
                        ('output', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='suggestions', to='campaign.output')),
                        ('task', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.CASCADE, related_name='suggestions', to='campaign.task')),
                    ],
                    options={
                        'constraints': [models.UniqueConstraint(fields=('task', 'output', 'source'), name='suggested_spans_once_per_source')],
                        'triggers': [pgtrigger.compiler.Trigger(name='suggested_spans_final_once_lent', sql=pgtrigger.compiler.UpsertTriggerSql(declare='DECLARE of_task BIGINT;', func="of_task := CASE TG_OP WHEN 'DELETE' THEN OLD.task_id ELSE NEW.task_id END;\nIF EXISTS (\n    SELECT FROM annotation_assignment a JOIN annotation_hit h ON h.id = a.hit_id\n    WHERE h.task_id = of_task\n) THEN\n    RAISE EXCEPTION 'suggestions of task % cannot change: it has lent HITs', of_task\n        USING ERRCODE = 'check_violation',\n              CONSTRAINT = 'suggested_spans_final_once_lent';\nEND IF;\nRETURN CASE TG_OP WHEN 'DELETE' THEN OLD ELSE NEW END;\n", hash='0f1658693b24a61dae74d76df92fba28b16d486f', operation='INSERT OR DELETE', pgid='pgtrigger_suggested_spans_final_once_lent_3ca84', table='protocols_suggestedspans', when='BEFORE'))],
                    },
                ),
            ],
        ),
    ]
