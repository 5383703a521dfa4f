import annotation.models.assignment
import annotation.models.judgment
import campaign.database.create_models
import campaign.database.seeds
import django.contrib.postgres.constraints
import django.contrib.postgres.fields
import django.contrib.postgres.fields.ranges
import django.contrib.postgres.functions
import django.core.serializers.json
import django.core.validators
import django.db.models.deletion
import django.db.models.functions.datetime
import pgtrigger.compiler
import pgtrigger.migrations
import uuid
from django.conf import settings
from django.db import migrations, models


class Migration(migrations.Migration):

    replaces = [('annotation', '0001_initial'), ('annotation', '0002_withdrawn_blocks'), ('annotation', '0003_labels_and_help'), ('annotation', '0004_best_and_worst'), ('annotation', '0005_played_shares'), ('annotation', '0006_machine_judgments'), ('annotation', '0007_item_of_problem_report'), ('annotation', '0008_machine_answers_of_files'), ('annotation', '0009_tallies_of_standing_skips'), ('annotation', '0010_blocks_of_plans'), ('annotation', '0011_judgment_has_its_answer'), ('annotation', '0012_share_of_machines_over_rest'), ('annotation', '0013_answers_taken_back')]

    initial = True

    dependencies = [
        ('campaign', '0002_campaigns'),
        ('campaign', '0009_labels_and_help'),
        ('campaign', '0013_machine_judges'),
        ('campaign', '0016_names_of_constraints'),
        ('campaign', '0018_upload_preset'),
        ('campaign', '__first__'),
    ]

    operations = [
        campaign.database.create_models.CreateModels(
            models=[
                migrations.CreateModel(
                    name='Design',
                    fields=[
                        ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                        ('kind', models.CharField(choices=[('uniform', 'uniform'), ('balanced', 'balanced'), ('active', 'active'), ('binary', 'blocks of two'), ('all', 'all systems'), ('sorting', 'sorting'), ('imported', 'imported')], default='uniform', max_length=8, verbose_name='Selection of systems')),
                        ('seed', campaign.database.seeds.SeedField(default=0, verbose_name='Seed')),
                        ('systems_per_block', models.PositiveSmallIntegerField(default=5, verbose_name='Outputs per block')),
                        ('segments_per_hit', models.PositiveSmallIntegerField(default=3, verbose_name='Sentences per HIT')),
                        ('segment_order', models.CharField(choices=[('random', 'random'), ('sequential', 'sequential')], default='random', max_length=10, verbose_name='Order of sentences')),
                        ('documents', django.contrib.postgres.fields.ArrayField(base_field=models.PositiveIntegerField(), blank=True, default=list, help_text='Positions of the documents to judge; empty for all.', size=None, verbose_name='Documents')),
                        ('segments', django.contrib.postgres.fields.ArrayField(base_field=models.PositiveIntegerField(), blank=True, default=list, help_text='Numbers of the segments to judge; empty for all.', size=None, verbose_name='Segments')),
                        ('reference_rate', models.FloatField(blank=True, help_text='Share of blocks with the reference; empty to draw it like a system.', null=True, verbose_name='Blocks with the reference')),
                        ('bad_reference_rate', models.FloatField(default=0.0, verbose_name='Blocks with a damaged reference')),
                        ('attention_every', models.PositiveSmallIntegerField(default=0, help_text='Average per judge. 0 leaves it to chance.', verbose_name='HITs between attention checks')),
                        ('length_limits', models.JSONField(blank=True, default=list, help_text='Pairs of words and outputs: segments with at least that many words show at most that many outputs.', verbose_name='Fewer outputs for long sentences')),
                        ('normalisation', models.CharField(choices=[('exact', 'exact'), ('nfc_whitespace', 'after normalising Unicode (NFC) and white space'), ('eye', 'visually identical')], default='exact', max_length=14, verbose_name='Identical outputs')),
                        ('active_floor', models.FloatField(default=0.1, verbose_name='Balanced share of an active design')),
                        ('inter_share', models.FloatField(default=0.0, verbose_name='HITs repeated by another judge')),
                        ('intra_share', models.FloatField(default=0.0, verbose_name='HITs repeated by the same judge')),
                        ('repeat_gap', models.PositiveSmallIntegerField(default=10, verbose_name='Minimum HITs before a repeat by the same judge')),
                        ('redundancy', models.PositiveSmallIntegerField(default=1, verbose_name='Judges per block')),
                        ('created_at', models.DateTimeField(db_default=django.db.models.functions.datetime.Now(), editable=False)),
                        ('changed_by', models.ForeignKey(blank=True, db_index=False, null=True, on_delete=django.db.models.deletion.SET_NULL, related_name='+', to=settings.AUTH_USER_MODEL)),
                        ('task', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='designs', to='campaign.task')),
                        ('judge_group', models.ForeignKey(blank=True, db_index=False, help_text='Only judges in this group get HITs of the test set. Leave empty for all judges.', null=True, on_delete=django.db.models.deletion.PROTECT, related_name='designs', to='campaign.judgegroup', verbose_name='Judge group')),
                        ('systems', django.contrib.postgres.fields.ArrayField(base_field=models.CharField(max_length=200), blank=True, default=list, help_text='Leave empty for all systems. Include a reference that is drawn like a system.', size=None, verbose_name='Systems')),
                        ('machine_share', models.FloatField(db_default=0.0, default=0.0, help_text='Share of the sentences that people are never asked about, drawn at random. Machine judges get them over REST, or their answers are imported from files.', verbose_name='Sentences for machine judges alone')),
                    ],
                    options={
                        'verbose_name': 'Design',
                        'get_latest_by': 'id',
                        'constraints': [models.CheckConstraint(condition=models.Q(('systems_per_block__range', (1, 26))), name='design_candidates_between_1_and_26'), models.CheckConstraint(condition=models.Q(('segments_per_hit__range', (1, 50))), name='design_segments_between_1_and_50'), models.CheckConstraint(condition=models.Q(('seed__gte', 0)), name='design_seed_not_negative'), models.CheckConstraint(condition=models.Q(('kind__in', ['uniform', 'balanced', 'active', 'binary', 'all', 'sorting', 'imported'])), name='design_kind_is_known'), models.CheckConstraint(condition=models.Q(('systems', []), ('systems__len__gte', models.F('systems_per_block')), models.Q(('kind__in', ['binary', 'all', 'sorting']), ('systems__len__gte', 2)), _connector='OR'), name='design_systems_fill_a_block'), models.CheckConstraint(condition=models.Q(('segment_order__in', ['random', 'sequential'])), name='design_segment_order_is_known'), models.CheckConstraint(condition=models.Q(('normalisation__in', ['exact', 'nfc_whitespace', 'eye'])), name='design_normalisation_is_known'), models.CheckConstraint(condition=models.Q(('reference_rate__isnull', True), ('reference_rate__range', (0, 1)), _connector='OR'), name='design_reference_rate_between_0_and_1'), models.CheckConstraint(condition=models.Q(('bad_reference_rate__range', (0, 1)), ('active_floor__range', (0, 1))), name='design_rates_between_0_and_1'), models.CheckConstraint(condition=models.Q(('attention_every', 0), ('bad_reference_rate__gt', 0), _connector='OR'), name='design_attention_checks_need_damaged_references'), models.CheckConstraint(condition=models.Q(('inter_share__range', (0, 0.9)), ('intra_share__range', (0, 0.9))), name='design_repeats_at_most_nine_tenths'), models.CheckConstraint(condition=models.Q(('redundancy__range', (1, 50))), name='design_redundancy_between_1_and_50'), models.CheckConstraint(condition=models.Q(('machine_share__range', (0, 0.9))), name='design_machine_share_at_most_nine_tenths')],
                        'triggers': [pgtrigger.compiler.Trigger(name='design_group_of_its_campaign', sql=pgtrigger.compiler.UpsertTriggerSql(func="IF NEW.judge_group_id IS NOT NULL AND NOT EXISTS (\n    SELECT FROM campaign_task k JOIN campaign_testset t ON t.id = k.test_set_id\n    JOIN campaign_judgegroup g ON g.campaign_id = t.campaign_id\n    WHERE k.id = NEW.task_id AND g.id = NEW.judge_group_id\n) THEN\n    RAISE EXCEPTION 'design of task % and group % belong to different campaigns',\n        NEW.task_id, NEW.judge_group_id\n        USING ERRCODE = 'check_violation',\n              CONSTRAINT = 'design_group_of_its_campaign';\nEND IF;\nRETURN NEW;\n", hash='4431dccb43dc92664d80c42d150627bca993f719', operation='INSERT OR UPDATE', pgid='pgtrigger_design_group_of_its_campaign_f1ef8', table='annotation_design', when='BEFORE'))],
                    },
                ),
                migrations.CreateModel(
                    name='JudgeAccount',
                    fields=[
                        ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                        ('hits_lent', models.PositiveIntegerField(default=0)),
                        ('intra_lent', models.PositiveIntegerField(default=0)),
                        ('blocks_closed', models.PositiveIntegerField(db_default=0, default=0)),
                        ('last_lent_at', models.DateTimeField(blank=True, null=True)),
                        ('requested_at', models.DateTimeField(blank=True, null=True)),
                        ('none_left_at', models.DateTimeField(blank=True, null=True)),
                        ('judge', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.CASCADE, related_name='accounts', to='campaign.judge')),
                        ('task', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='accounts', to='campaign.task')),
                        ('checks_lent', models.PositiveIntegerField(db_default=0, default=0)),
                        ('hits_since_check', models.PositiveIntegerField(db_default=0, default=0)),
                        ('hits_since_repeat', models.PositiveIntegerField(db_default=0, default=0)),
                    ],
                    options={
                        'indexes': [models.Index(condition=models.Q(('requested_at__isnull', False)), fields=['task', 'requested_at'], name='account_requested')],
                        'constraints': [models.UniqueConstraint(fields=('judge', 'task'), name='account_once_per_judge_and_task'), models.CheckConstraint(condition=models.Q(('intra_lent__lte', models.F('hits_lent'))), name='account_repeats_within_hits')],
                    },
                ),
                migrations.CreateModel(
                    name='JudgeTally',
                    fields=[
                        ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                        ('judged', models.PositiveIntegerField()),
                        ('first_number', models.PositiveIntegerField(blank=True, null=True)),
                        ('first_at', models.DateTimeField(blank=True, null=True)),
                        ('last_at', models.DateTimeField()),
                        ('judge', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='judge_tallies', to='campaign.judge')),
                        ('task', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.CASCADE, related_name='judge_tallies', to='campaign.task')),
                        ('skipped', models.PositiveIntegerField(db_default=0, default=0)),
                    ],
                    options={
                        'constraints': [models.UniqueConstraint(fields=('task', 'judge'), name='judge_tally_once_per_task_and_judge')],
                    },
                ),
                migrations.CreateModel(
                    name='JudgmentSequence',
                    fields=[
                        ('task', models.OneToOneField(on_delete=django.db.models.deletion.CASCADE, primary_key=True, related_name='judgment_sequence', serialize=False, to='campaign.task')),
                        ('last_number', models.PositiveIntegerField(db_default=0, default=0)),
                        ('changes', models.PositiveBigIntegerField(db_default=0, default=0)),
                        ('judged', models.PositiveIntegerField(db_default=0, default=0)),
                        ('judges', models.PositiveIntegerField(db_default=0, default=0)),
                        ('most_candidates', models.PositiveSmallIntegerField(db_default=0, default=0)),
                        ('skipped', models.PositiveIntegerField(db_default=0, default=0)),
                    ],
                ),
                migrations.CreateModel(
                    name='PageChanges',
                    fields=[
                        ('task', models.OneToOneField(on_delete=django.db.models.deletion.CASCADE, primary_key=True, related_name='page_changes', serialize=False, to='campaign.task')),
                        ('changes', models.PositiveBigIntegerField(db_default=0, default=0)),
                        ('problem_reports', models.PositiveIntegerField(db_default=0, default=0)),
                        ('problems_closed', models.PositiveIntegerField(db_default=0, default=0)),
                        ('ranking_requested_at', models.DateTimeField(blank=True, null=True)),
                    ],
                ),
                migrations.CreateModel(
                    name='QualityRule',
                    fields=[
                        ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                        ('measure', models.CharField(choices=[('reference', 'preference for the reference'), ('bad_reference', 'rejection of damaged references'), ('reference_random', 'random clicking p-value (reference)'), ('bad_reference_random', 'random clicking p-value (damaged references)'), ('inter', 'agreement with other judges (κ)'), ('intra', 'self-agreement (κ)'), ('ties', 'share of ties'), ('seconds', 'median time per block'), ('pace', 'reading pace'), ('one_label', 'blocks with one rank for all outputs'), ('shown_order', 'blocks ranked in display order'), ('position', 'position bias p-value'), ('reference_ignored', 'attention p-value (reference)'), ('damage_ignored', 'attention p-value (damaged references)'), ('typed_in_order', 'attention p-value (display order)'), ('disagrees', 'low agreement p-value')], max_length=20, verbose_name='Measure')),
                        ('direction', models.CharField(choices=[('below', 'Below'), ('above', 'Above')], max_length=5, verbose_name='Direction')),
                        ('threshold', models.FloatField(verbose_name='Threshold')),
                        ('minimum', models.PositiveIntegerField(help_text='Comparisons or blocks that the measure is based on.', verbose_name='Minimum evidence')),
                        ('action', models.CharField(choices=[('warn', 'Warn'), ('pause', 'Pause'), ('exclude', 'Exclude')], max_length=7, verbose_name='Action')),
                        ('created_at', models.DateTimeField(db_default=django.db.models.functions.datetime.Now())),
                        ('switched_off_at', models.DateTimeField(blank=True, null=True, verbose_name='Switched off')),
                        ('campaign', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='quality_rules', to='campaign.campaign')),
                        ('created_by', models.ForeignKey(blank=True, db_index=False, null=True, on_delete=django.db.models.deletion.PROTECT, related_name='+', to=settings.AUTH_USER_MODEL)),
                        ('replaces', models.OneToOneField(blank=True, null=True, on_delete=django.db.models.deletion.PROTECT, related_name='replaced_by', to='annotation.qualityrule')),
                        ('switched_off_by', models.ForeignKey(blank=True, db_index=False, null=True, on_delete=django.db.models.deletion.PROTECT, related_name='+', to=settings.AUTH_USER_MODEL)),
                        ('task', models.ForeignKey(blank=True, db_index=False, help_text='Empty for all test sets of the campaign.', null=True, on_delete=django.db.models.deletion.CASCADE, related_name='quality_rules', to='campaign.task', verbose_name='Task')),
                    ],
                    options={
                        'verbose_name': 'Quality rule',
                        'constraints': [models.CheckConstraint(condition=models.Q(('measure__in', ['reference', 'bad_reference', 'reference_random', 'bad_reference_random', 'inter', 'intra', 'ties', 'seconds', 'pace', 'one_label', 'shown_order', 'position', 'reference_ignored', 'damage_ignored', 'typed_in_order', 'disagrees'])), name='quality_rule_measure_is_known'), models.CheckConstraint(condition=models.Q(('direction__in', ['below', 'above'])), name='quality_rule_direction_is_known'), models.CheckConstraint(condition=models.Q(('action__in', ['warn', 'pause', 'exclude'])), name='quality_rule_action_is_known'), models.CheckConstraint(condition=models.Q(('minimum__gte', 1)), name='quality_rule_needs_evidence'), models.CheckConstraint(condition=models.Q(('switched_off_at__isnull', False), models.Q(('measure__in', ['bad_reference', 'one_label', 'reference', 'shown_order', 'ties']), ('threshold__gte', 0), ('threshold__lte', 1)), models.Q(('measure__in', ['inter', 'intra']), ('threshold__gte', -1), ('threshold__lte', 1)), models.Q(('measure__in', ['seconds']), ('threshold__gte', 0), ('threshold__lte', 86400)), models.Q(('measure__in', ['pace']), ('threshold__gte', 0), ('threshold__lte', 10000)), models.Q(('measure__in', ['bad_reference_random', 'damage_ignored', 'disagrees', 'position', 'reference_ignored', 'reference_random', 'typed_in_order']), ('threshold__gte', 0), ('threshold__lte', 1)), _connector='OR'), name='quality_rule_threshold_in_range')],
                        'triggers': [pgtrigger.compiler.Trigger(name='quality_rule_terms_immutable', sql=pgtrigger.compiler.UpsertTriggerSql(func="IF (NEW.campaign_id, NEW.task_id, NEW.measure, NEW.direction, NEW.threshold,\n    NEW.minimum, NEW.action, NEW.replaces_id)\n   IS DISTINCT FROM\n   (OLD.campaign_id, OLD.task_id, OLD.measure, OLD.direction, OLD.threshold,\n    OLD.minimum, OLD.action, OLD.replaces_id)\nTHEN\n    RAISE EXCEPTION 'the terms of quality rule % cannot change', NEW.id\n        USING ERRCODE = 'check_violation',\n              CONSTRAINT = 'quality_rule_terms_immutable';\nEND IF;\nRETURN NEW;\n", hash='8d369d55311be98ad5a7c84bec0bde24646e495e', operation='UPDATE', pgid='pgtrigger_quality_rule_terms_immutable_bb671', table='annotation_qualityrule', when='BEFORE'))],
                    },
                ),
                migrations.CreateModel(
                    name='SamplingState',
                    fields=[
                        ('task', models.OneToOneField(on_delete=django.db.models.deletion.CASCADE, primary_key=True, related_name='sampling_state', serialize=False, to='campaign.task')),
                        ('watermark', models.PositiveIntegerField()),
                        ('systems', django.contrib.postgres.fields.ArrayField(base_field=models.CharField(max_length=200), size=None)),
                        ('wins', models.JSONField()),
                        ('ties', models.JSONField()),
                    ],
                ),
                migrations.CreateModel(
                    name='ShownOutput',
                    fields=[
                    ],
                    options={
                        'proxy': True,
                    },
                    bases=('campaign.output',),
                ),
                migrations.CreateModel(
                    name='TrainingBlock',
                    fields=[
                        ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                        ('position', models.PositiveSmallIntegerField(help_text='From 1.', verbose_name='Position')),
                        ('explanation', models.TextField(help_text='Shown to the judge after this block. Name no systems.', verbose_name='Explanation')),
                        ('segment', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='+', to='campaign.segment', verbose_name='Segment')),
                        ('task', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.CASCADE, related_name='training_blocks', to='campaign.task')),
                    ],
                    options={
                        'verbose_name': 'Training block',
                        'ordering': ['position'],
                        'constraints': [models.UniqueConstraint(fields=('task', 'position'), name='training_block_position_unique_in_task'), models.UniqueConstraint(fields=('task', 'segment'), name='training_block_segment_unique_in_task'), models.CheckConstraint(condition=models.Q(('explanation', ''), _negated=True), name='training_block_is_explained')],
                    },
                ),
                migrations.CreateModel(
                    name='UncountedAnswer',
                    fields=[
                        ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                        ('is_skip', models.BooleanField()),
                        ('answer', models.BigIntegerField()),
                        ('task', models.ForeignKey(db_constraint=False, db_index=False, on_delete=django.db.models.deletion.CASCADE, related_name='+', to='campaign.task')),
                    ],
                    options={
                        'constraints': [models.UniqueConstraint(fields=('task', 'is_skip', 'answer'), name='uncounted_answer_once')],
                    },
                ),
                migrations.CreateModel(
                    name='WorkedQuarterHour',
                    fields=[
                        ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                        ('start', models.DateTimeField()),
                        ('sentences', models.PositiveIntegerField()),
                        ('active_ms', models.PositiveBigIntegerField()),
                        ('untimed', models.PositiveIntegerField()),
                        ('judged', models.PositiveIntegerField(default=0)),
                        ('judge', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.CASCADE, related_name='worked_quarter_hours', to='campaign.judge')),
                        ('task', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.CASCADE, related_name='worked_quarter_hours', to='campaign.task')),
                    ],
                    options={
                        'indexes': [models.Index(fields=['task', 'start'], name='worked_quarter_hour_of_a_task')],
                        'constraints': [models.UniqueConstraint(fields=('judge', 'task', 'start'), name='worked_quarter_hour_once')],
                    },
                ),
                migrations.CreateModel(
                    name='HITSequence',
                    fields=[
                        ('task', models.OneToOneField(on_delete=django.db.models.deletion.CASCADE, primary_key=True, related_name='hit_sequence', serialize=False, to='campaign.task')),
                        ('last_number', models.PositiveIntegerField(default=0)),
                        ('blocks_planned', models.PositiveIntegerField(default=0)),
                        ('scheduled', models.PositiveIntegerField(default=0)),
                        ('turns', models.PositiveIntegerField(default=0)),
                        ('state', models.JSONField(blank=True, default=dict)),
                        ('segment_blocks', django.contrib.postgres.fields.ArrayField(base_field=models.PositiveIntegerField(), blank=True, default=list, size=None)),
                        ('design', models.ForeignKey(blank=True, db_index=False, null=True, on_delete=django.db.models.deletion.SET_NULL, related_name='+', to='annotation.design')),
                        ('inter_scheduled', models.PositiveIntegerField(db_default=0, default=0)),
                    ],
                ),
                migrations.CreateModel(
                    name='PlanningBatch',
                    fields=[
                        ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                        ('avoided', django.contrib.postgres.fields.ArrayField(base_field=models.PositiveIntegerField(), blank=True, default=list, size=None)),
                        ('hidden', django.contrib.postgres.fields.ArrayField(base_field=models.CharField(max_length=200), blank=True, default=list, size=None)),
                        ('segment_limit', models.PositiveIntegerField(blank=True, null=True)),
                        ('segment_blocks', django.contrib.postgres.fields.ArrayField(base_field=models.PositiveIntegerField(), blank=True, default=list, size=None)),
                        ('state', models.JSONField(default=dict)),
                        ('created_at', models.DateTimeField(db_default=django.db.models.functions.datetime.Now())),
                        ('design', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.PROTECT, related_name='planning_batches', to='annotation.design')),
                        ('judge', models.ForeignKey(blank=True, db_index=False, null=True, on_delete=django.db.models.deletion.PROTECT, related_name='+', to='campaign.judge')),
                        ('task', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='planning_batches', to='campaign.task')),
                        ('withdrawn', django.contrib.postgres.fields.ArrayField(base_field=models.CharField(max_length=200), blank=True, db_default=[], default=list, size=None)),
                    ],
                ),
                migrations.CreateModel(
                    name='QualityAction',
                    fields=[
                        ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                        ('action', models.CharField(choices=[('warn', 'Warned'), ('pause', 'Paused'), ('exclude', 'Excluded'), ('again', 'Asked to judge again'), ('message', 'Messaged'), ('retract', 'Answer taken back')], max_length=7, verbose_name='Action')),
                        ('evidence', models.JSONField(default=dict)),
                        ('note', models.TextField(blank=True, help_text='Not shown to judges. For an exclusion, published results show it as the reason.', verbose_name='Note')),
                        ('created_at', models.DateTimeField(db_default=django.db.models.functions.datetime.Now(), editable=False)),
                        ('created_by', models.ForeignKey(blank=True, db_index=False, null=True, on_delete=django.db.models.deletion.PROTECT, related_name='+', to=settings.AUTH_USER_MODEL)),
                        ('judge', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='quality_actions', to='campaign.judge', verbose_name='Judge')),
                        ('task', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='quality_actions', to='campaign.task')),
                        ('rule', models.ForeignKey(blank=True, db_index=False, null=True, on_delete=django.db.models.deletion.PROTECT, related_name='actions', to='annotation.qualityrule', verbose_name='Quality rule')),
                        ('batch', models.UUIDField(blank=True, help_text='Shared by decisions about several judges at once.', null=True)),
                        ('text', models.TextField(blank=True, db_default='', default='', help_text='Message shown to the judge.', verbose_name='Message')),
                        ('reverted_at', models.DateTimeField(blank=True, null=True, verbose_name='Reverted')),
                        ('reverted_by', models.ForeignKey(blank=True, db_index=False, null=True, on_delete=django.db.models.deletion.PROTECT, related_name='+', to=settings.AUTH_USER_MODEL)),
                        ('revert_note', models.TextField(blank=True, default='', verbose_name='Note on the reversal')),
                        ('revert_batch', models.UUIDField(blank=True, null=True)),
                    ],
                    options={
                        'verbose_name': 'Quality action',
                        'constraints': [models.UniqueConstraint(fields=('rule', 'judge'), name='quality_action_once_per_rule_and_judge'), models.CheckConstraint(condition=models.Q(models.Q(('reverted_at__isnull', False), ('reverted_by__isnull', False)), models.Q(('revert_batch__isnull', True), ('revert_note', ''), ('reverted_at__isnull', True), ('reverted_by__isnull', True)), _connector='OR'), name='quality_action_reverted_by_a_person'), models.CheckConstraint(condition=models.Q(models.Q(('created_by__isnull', True), ('rule__isnull', False)), models.Q(('created_by__isnull', False), ('rule__isnull', True)), _connector='OR'), name='quality_action_by_rule_or_person'), models.CheckConstraint(condition=models.Q(models.Q(('action', 'message'), models.Q(('text', ''), _negated=True)), models.Q(models.Q(('action', 'message'), _negated=True), ('text', '')), _connector='OR'), name='quality_action_text_iff_message'), models.CheckConstraint(condition=models.Q(('action__in', ['warn', 'pause', 'exclude', 'again', 'message', 'retract'])), name='quality_action_is_known')],
                        'triggers': [pgtrigger.compiler.Trigger(name='quality_action_reverted_once', sql=pgtrigger.compiler.UpsertTriggerSql(condition='WHEN (OLD."reverted_at" IS NOT NULL)', func='RAISE EXCEPTION \'pgtrigger: Cannot update of "reverted_at", "reverted_by_id", "revert_note", "revert_batch" rows from % table\', TG_TABLE_NAME;', hash='002c6c60b86323cf8230e220e284e8b3e4cb6f4f', operation='UPDATE OF "reverted_at", "reverted_by_id", "revert_note", "revert_batch"', pgid='pgtrigger_quality_action_reverted_once_2bb52', table='annotation_qualityaction', when='BEFORE')), pgtrigger.compiler.Trigger(name='quality_action_immutable', sql=pgtrigger.compiler.UpsertTriggerSql(func='RAISE EXCEPTION \'pgtrigger: Cannot update of "judge_id", "task_id", "rule_id", "action", "evidence", "note", "text", "batch", "created_by_id", "created_at" rows from % table\', TG_TABLE_NAME;', hash='35e058870affdbba84972173149e73340fdb6d78', operation='UPDATE OF "judge_id", "task_id", "rule_id", "action", "evidence", "note", "text", "batch", "created_by_id", "created_at"', pgid='pgtrigger_quality_action_immutable_20b7d', table='annotation_qualityaction', when='BEFORE'))],
                    },
                ),
                migrations.CreateModel(
                    name='TrainingCandidate',
                    fields=[
                        ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                        ('expected', models.PositiveSmallIntegerField(blank=True, help_text='1 is best. Only the order counts; empty if any rank will do.', null=True, verbose_name='Expected rank')),
                        ('output', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='+', to='campaign.output', verbose_name='Output')),
                        ('training_block', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.CASCADE, related_name='candidates', to='annotation.trainingblock')),
                    ],
                    options={
                        'verbose_name': 'Output of a training block',
                        'ordering': ['expected', 'id'],
                        'constraints': [models.UniqueConstraint(fields=('training_block', 'output'), name='training_candidate_once_in_block'), models.CheckConstraint(condition=models.Q(('expected__range', (1, 5))), name='training_candidate_rank_between_1_and_5')],
                    },
                ),
                migrations.CreateModel(
                    name='HIT',
                    fields=[
                        ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                        ('number', models.PositiveIntegerField(help_text='Has gaps where a draw found nothing to judge or was repeated.')),
                        ('family', models.PositiveIntegerField(blank=True, null=True)),
                        ('purpose', models.CharField(choices=[('first', 'First'), ('redundancy', 'Redundancy'), ('inter', 'Inter'), ('intra', 'Intra'), ('training', 'Training')], db_default='first', default='first', max_length=10)),
                        ('reserved_until', models.DateTimeField(blank=True, null=True)),
                        ('segment_ids', django.contrib.postgres.fields.ArrayField(base_field=models.BigIntegerField(), db_default=[], default=list, size=None)),
                        ('system_ids', django.contrib.postgres.fields.ArrayField(base_field=models.BigIntegerField(), db_default=[], default=list, size=None)),
                        ('why', models.JSONField(blank=True, default=dict)),
                        ('available_at', models.DateTimeField(db_default=django.db.models.functions.datetime.Now())),
                        ('completed_at', models.DateTimeField(blank=True, null=True)),
                        ('withdrawn_at', models.DateTimeField(blank=True, null=True)),
                        ('design', models.ForeignKey(db_constraint=False, db_index=False, on_delete=django.db.models.deletion.PROTECT, related_name='hits', to='annotation.design')),
                        ('repeats', models.ForeignKey(blank=True, db_index=False, null=True, on_delete=django.db.models.deletion.PROTECT, related_name='repeated_by', to='annotation.hit')),
                        ('reserved_for', models.ForeignKey(blank=True, db_index=False, null=True, on_delete=django.db.models.deletion.PROTECT, related_name='reserved_hits', to='campaign.judge')),
                        ('task', models.ForeignKey(db_constraint=False, db_index=False, on_delete=django.db.models.deletion.CASCADE, related_name='hits', to='campaign.task')),
                        ('batch', models.ForeignKey(blank=True, db_index=False, null=True, on_delete=django.db.models.deletion.PROTECT, related_name='hits', to='annotation.planningbatch')),
                        ('holds_check', models.BooleanField(db_default=False, default=False)),
                        ('is_standby', models.BooleanField(db_default=False, default=False)),
                        ('part', models.PositiveSmallIntegerField(db_default=0, default=0)),
                    ],
                    options={
                        'indexes': [models.Index(condition=models.Q(('completed_at__isnull', True), ('is_standby', False), ('purpose__in', ['first', 'redundancy', 'inter'])), fields=['task', 'number'], name='hit_pool'), models.Index(condition=models.Q(('completed_at__isnull', True), ('holds_check', True), ('is_standby', False), ('purpose__in', ['first', 'redundancy', 'inter'])), fields=['task', 'number'], name='hit_pool_with_check'), models.Index(condition=models.Q(('is_standby', True)), fields=['task', 'number'], name='hit_standby'), models.Index(condition=models.Q(('completed_at__isnull', True), ('reserved_for__isnull', False)), fields=['reserved_for', 'task', 'number'], name='hit_reserved'), models.Index(condition=models.Q(('batch__isnull', False)), fields=['batch'], name='hit_of_a_batch'), models.Index(condition=models.Q(('repeats__isnull', False)), fields=['repeats'], name='hit_repeating'), models.Index(condition=models.Q(('reserved_for__isnull', False)), fields=['reserved_for'], name='hit_reserved_for'), models.Index(condition=models.Q(('purpose', 'training')), fields=['reserved_for', 'task', 'number'], name='hit_training')],
                        'constraints': [models.UniqueConstraint(fields=('task', 'number'), name='hit_number_unique_in_task'), models.CheckConstraint(condition=models.Q(('purpose__in', ['first', 'redundancy', 'inter', 'intra', 'training'])), name='hit_purpose_is_known'), models.CheckConstraint(condition=models.Q(('withdrawn_at__isnull', True), ('completed_at__isnull', False), _connector='OR'), name='hit_withdrawn_is_closed'), models.UniqueConstraint(condition=models.Q(('purpose', 'first')), fields=('design', 'family'), name='hit_one_first_in_a_family'), models.CheckConstraint(condition=models.Q(models.Q(('purpose__in', ['redundancy', 'inter', 'intra']), ('repeats__isnull', False)), models.Q(('purpose__in', ['first', 'training']), ('repeats__isnull', True)), _connector='OR'), name='hit_repeats_iff_repeat'), models.CheckConstraint(condition=models.Q(models.Q(('purpose__in', ['intra', 'training']), _negated=True), ('reserved_for__isnull', False), _connector='OR'), name='hit_of_one_judge_is_reserved'), models.CheckConstraint(condition=models.Q(models.Q(('reserved_for__isnull', True), ('reserved_until__isnull', True)), models.Q(('reserved_for__isnull', False), ('reserved_until__isnull', False)), _connector='OR'), name='hit_reserved_for_iff_reserved_until'), models.CheckConstraint(condition=models.Q(('is_standby', False), models.Q(('purpose__in', ['first', 'redundancy']), ('reserved_for__isnull', True)), _connector='OR'), name='hit_on_standby_not_reserved')],
                        'triggers': [pgtrigger.compiler.Trigger(name='hit_repeats_original_of_its_task', sql=pgtrigger.compiler.UpsertTriggerSql(condition='WHEN (NEW."repeats_id" IS NOT NULL)', func="IF NOT EXISTS (\n    SELECT FROM annotation_hit h\n    WHERE h.id = NEW.repeats_id AND h.task_id = NEW.task_id\n        AND h.purpose = 'first'\n) THEN\n    RAISE EXCEPTION 'HIT % must repeat an original HIT of the same task',\n        NEW.number\n        USING ERRCODE = 'check_violation',\n              CONSTRAINT = 'hit_repeats_original_of_its_task';\nEND IF;\nRETURN NEW;\n", hash='f17a42d2be63a0111e6da04e2caff84c22dfc58f', operation='INSERT OR UPDATE', pgid='pgtrigger_hit_repeats_original_of_its_task_2c16a', table='annotation_hit', when='BEFORE'))],
                    },
                ),
                migrations.CreateModel(
                    name='Assignment',
                    fields=[
                        ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                        ('public_id', models.UUIDField(default=uuid.uuid4, unique=True)),
                        ('lease', django.contrib.postgres.fields.ranges.DateTimeRangeField()),
                        ('ordinal', models.PositiveIntegerField(default=0)),
                        ('completed_at', models.DateTimeField(blank=True, null=True)),
                        ('released_at', models.DateTimeField(blank=True, null=True)),
                        ('judge', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.PROTECT, related_name='assignments', to='campaign.judge')),
                        ('hit', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.CASCADE, related_name='assignments', to='annotation.hit')),
                    ],
                    options={
                        'indexes': [models.Index(condition=models.Q(('completed_at__isnull', True)), fields=['judge'], name='assignment_begun'), models.Index(fields=['judge', '-ordinal'], name='assignment_of_a_judge')],
                        'constraints': [models.UniqueConstraint(fields=('hit', 'judge'), name='assignment_once_per_hit_and_judge'), django.contrib.postgres.constraints.ExclusionConstraint(expressions=[(annotation.models.assignment.IdRange('hit'), '&&'), ('lease', '&&')], name='assignment_leases_of_a_hit_never_overlap'), models.CheckConstraint(condition=models.Q(('lease__isempty', False), ('lease__startswith__isnull', False), ('lease__endswith__isnull', False)), name='assignment_lease_is_limited')],
                    },
                ),
                migrations.CreateModel(
                    name='Block',
                    fields=[
                        ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                        ('position', models.PositiveSmallIntegerField()),
                        ('control', models.CharField(blank=True, choices=[('', 'none'), ('attention', 'Attention check'), ('training', 'Training'), ('corrected', 'Wrong output'), ('withdrawn', 'Withdrawn')], default='', max_length=9)),
                        ('expected', django.contrib.postgres.fields.ArrayField(base_field=models.PositiveSmallIntegerField(null=True), blank=True, null=True, size=None)),
                        ('explanation', models.TextField(blank=True, db_default='', default='')),
                        ('public_id', models.UUIDField(db_default=django.contrib.postgres.functions.RandomUUID(), default=uuid.uuid4, unique=True)),
                        ('segment', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='blocks', to='campaign.segment')),
                        ('hit', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.CASCADE, related_name='blocks', to='annotation.hit')),
                        ('outputs', django.contrib.postgres.fields.ArrayField(base_field=models.BigIntegerField(), size=None)),
                        ('stands_for', django.contrib.postgres.fields.ArrayField(base_field=models.PositiveSmallIntegerField(), blank=True, null=True, size=None)),
                    ],
                    options={
                        'ordering': ['position'],
                        'constraints': [models.UniqueConstraint(fields=('hit', 'position'), name='block_position_unique_in_hit'), models.CheckConstraint(condition=models.Q(('outputs__len__gt', 0)), name='block_shows_an_output'), models.CheckConstraint(condition=models.Q(('control__in', ['', 'attention', 'training', 'corrected', 'withdrawn'])), name='block_control_is_known'), models.CheckConstraint(condition=models.Q(models.Q(('control__in', ['', 'corrected', 'withdrawn']), ('expected__isnull', True)), models.Q(('control__in', ['attention', 'training']), ('expected__isnull', False)), _connector='OR'), name='block_expected_iff_control')],
                        'triggers': [pgtrigger.compiler.Trigger(name='block_fits_its_segment', sql=pgtrigger.compiler.UpsertTriggerSql(declare='DECLARE wrong RECORD; scans TEXT;', func="scans := current_setting('enable_seqscan');\nIF scans = 'on' THEN\n    PERFORM set_config('enable_seqscan', 'off', true);\nEND IF;\n-- Deleting an output waits for this lock (see `output_kept_while_shown`).\nPERFORM (SELECT s.id FROM campaign_segment s WHERE s.id = n.segment_id FOR KEY SHARE)\nFROM (SELECT DISTINCT r.segment_id FROM new_rows r) n;\n-- Most blocks end here: if the segment has as many of these outputs as the block shows, none is shown twice.\n-- `+ 0` makes PostgreSQL look up outputs by primary key: a segment has more outputs than a block shows.\nSELECT block.*, counted.distinct_outputs, block.of_segment < counted.distinct_outputs AS is_of_other_segment INTO wrong\nFROM (\n    SELECT n.public_id, n.outputs,\n        cardinality(n.outputs) AS shown,\n        (\n            SELECT count(*) FROM campaign_output o\n            WHERE o.id = ANY (n.outputs) AND o.segment_id + 0 = n.segment_id\n        ) AS of_segment,\n        n.stands_for IS NULL OR 0 < ALL (n.stands_for) AND cardinality(n.outputs) = (\n            SELECT coalesce(sum(outputs), 0) FROM unnest(n.stands_for) outputs\n        ) AS adds_up\n    FROM new_rows n\n    OFFSET 0\n) block, LATERAL (\n    SELECT count(DISTINCT output) AS distinct_outputs FROM unnest(block.outputs) output\n) counted\nWHERE block.of_segment < block.shown OR NOT block.adds_up\nORDER BY is_of_other_segment DESC, block.adds_up DESC LIMIT 1;\nIF scans = 'on' THEN\n    PERFORM set_config('enable_seqscan', 'on', true);\nEND IF;\nIF wrong.is_of_other_segment THEN\n    RAISE EXCEPTION 'an output does not belong to the segment: outputs % of block %',\n        wrong.outputs, wrong.public_id\n        USING ERRCODE = 'check_violation',\n              CONSTRAINT = 'candidate_output_of_the_same_segment';\nEND IF;\nIF wrong.distinct_outputs < wrong.shown THEN\n    RAISE EXCEPTION 'block % shows an output twice: %',\n        wrong.public_id, wrong.outputs\n        USING ERRCODE = 'unique_violation',\n              CONSTRAINT = 'candidate_output_once_in_block';\nEND IF;\nIF NOT wrong.adds_up THEN\n    RAISE EXCEPTION 'the candidates of block % do not stand for exactly % outputs',\n        wrong.public_id, wrong.shown\n        USING ERRCODE = 'check_violation',\n              CONSTRAINT = 'candidate_counts_match_outputs';\nEND IF;\nRETURN NULL;\n", hash='3a18e5e4ab8395bd01b8d229b27175eacbbd64c3', level='STATEMENT', operation='INSERT', pgid='pgtrigger_block_fits_its_segment_65164', referencing='REFERENCING NEW TABLE AS new_rows ', table='annotation_block', when='AFTER')), pgtrigger.compiler.Trigger(name='block_content_immutable', sql=pgtrigger.compiler.UpsertTriggerSql(condition='WHEN (OLD."hit_id" IS DISTINCT FROM (NEW."hit_id") OR OLD."outputs" IS DISTINCT FROM (NEW."outputs") OR OLD."segment_id" IS DISTINCT FROM (NEW."segment_id") OR OLD."stands_for" IS DISTINCT FROM (NEW."stands_for"))', func="RAISE EXCEPTION 'pgtrigger: Cannot update rows from % table', TG_TABLE_NAME;", hash='553a63cb4c8d0f183e0944ac157d4ddd397443f4', operation='UPDATE', pgid='pgtrigger_block_content_immutable_e4415', table='annotation_block', when='BEFORE'))],
                        'indexes': [models.Index(condition=models.Q(('control', 'withdrawn')), fields=['hit'], name='block_withdrawn')],
                    },
                ),
                migrations.CreateModel(
                    name='Exposure',
                    fields=[
                        ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                        ('is_repeat', models.BooleanField(default=False)),
                        ('assignment', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.PROTECT, related_name='exposures', to='annotation.assignment')),
                        ('judge', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.PROTECT, related_name='exposures', to='campaign.judge')),
                        ('segment', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.PROTECT, related_name='exposures', to='campaign.segment')),
                        ('apart', models.CharField(blank=True, db_default='', default='', max_length=20)),
                    ],
                    options={
                        'constraints': [models.UniqueConstraint(models.F('judge'), models.F('segment'), models.F('apart'), models.Case(models.When(is_repeat=True, then='id')), name='exposure_once_except_as_a_repeat', nulls_distinct=False)],
                    },
                ),
                migrations.CreateModel(
                    name='Judgment',
                    fields=[
                        ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                        ('client_id', models.UUIDField(unique=True)),
                        ('labels', django.contrib.postgres.fields.ArrayField(base_field=models.PositiveSmallIntegerField(null=True, validators=[django.core.validators.MinValueValidator(1), django.core.validators.MaxValueValidator(5)]), size=None)),
                        ('duration_ms', models.PositiveIntegerField(blank=True, help_text='Time from display to submission in milliseconds.', null=True)),
                        ('active_ms', models.PositiveIntegerField(blank=True, help_text='Time without breaks in milliseconds.', null=True)),
                        ('comment', models.TextField(blank=True)),
                        ('submitted_at', models.DateTimeField(db_default=django.db.models.functions.datetime.Now(), editable=False)),
                        ('assignment', models.ForeignKey(blank=True, db_index=False, null=True, on_delete=django.db.models.deletion.PROTECT, related_name='%(class)ss', to='annotation.assignment')),
                        ('block', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.PROTECT, related_name='judgments', to='annotation.block')),
                        ('judge', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.PROTECT, related_name='%(class)ss', to='campaign.judge')),
                        ('supersedes', models.OneToOneField(blank=True, null=True, on_delete=django.db.models.deletion.PROTECT, related_name='superseded_by', to='annotation.judgment')),
                        ('task', models.ForeignKey(db_constraint=False, db_index=False, on_delete=django.db.models.deletion.PROTECT, related_name='%(class)ss', to='campaign.task')),
                        ('played', django.contrib.postgres.fields.ArrayField(base_field=models.FloatField(null=True), blank=True, help_text="Share of each candidate's recording that was played, from 0 to 1; null without a recording.", null=True, size=None)),
                    ],
                    options={
                        'indexes': [models.Index(condition=models.Q(('comment', ''), _negated=True), fields=['task', '-id'], name='judgment_with_comment'), models.Index(fields=['judge', '-submitted_at'], name='judgment_of_a_judge')],
                        'constraints': [models.CheckConstraint(condition=annotation.models.judgment.LabelsAreRanks('labels'), name='judgment_ranks_between_1_and_5'), models.UniqueConstraint(fields=('block', 'judge', 'supersedes'), name='judgment_one_first_per_judge_and_block', nulls_distinct=False), models.CheckConstraint(condition=annotation.models.judgment.PlayedSharesAreShares('played'), name='judgment_played_between_0_and_1'), models.CheckConstraint(condition=models.Q(('active_ms__lte', models.F('duration_ms'))), name='judgment_active_within_duration')],
                        'triggers': [pgtrigger.compiler.Trigger(name='judgment_append_only', sql=pgtrigger.compiler.UpsertTriggerSql(func="RAISE EXCEPTION 'pgtrigger: Cannot update or delete rows from % table', TG_TABLE_NAME;", hash='7d6f7f0f41fb86b6d967401274c1248160a6834a', operation='UPDATE OR DELETE', pgid='pgtrigger_judgment_append_only_4b2ba', table='annotation_judgment', when='BEFORE')), pgtrigger.compiler.Trigger(name='judgment_fits_its_block', sql=pgtrigger.compiler.UpsertTriggerSql(declare='DECLARE wrong RECORD; scans TEXT;', func="scans := current_setting('enable_seqscan');\nIF scans = 'on' THEN\n    PERFORM set_config('enable_seqscan', 'off', true);\nEND IF;\n-- The foreign key refuses a missing block.\nSELECT n.id, n.block_id, n.task_id, cardinality(n.labels) AS labels, b.shown,\n    b.task_id <> n.task_id AS is_of_other_task,\n    cardinality(n.labels) <> b.shown AS is_not_aligned\nINTO wrong\nFROM new_rows n LEFT JOIN LATERAL (\n    SELECT cardinality(coalesce(b.stands_for, b.outputs)) AS shown,\n        (SELECT h.task_id FROM annotation_hit h WHERE h.id = b.hit_id) AS task_id\n    FROM annotation_block b WHERE b.id = n.block_id\n    OFFSET 0\n) b ON true\nWHERE b.task_id <> n.task_id\n    OR cardinality(n.labels) <> b.shown\n    OR n.supersedes_id IS NOT NULL AND NOT EXISTS (\n        SELECT FROM annotation_judgment j\n        WHERE j.id = n.supersedes_id\n            AND j.judge_id = n.judge_id AND j.block_id = n.block_id\n            AND j.id < n.id\n        OFFSET 0\n    )\nLIMIT 1;\nIF scans = 'on' THEN\n    PERFORM set_config('enable_seqscan', 'on', true);\nEND IF;\nIF wrong.is_of_other_task THEN\n    RAISE EXCEPTION 'block % does not belong to task %',\n        wrong.block_id, wrong.task_id\n        USING ERRCODE = 'check_violation',\n              CONSTRAINT = 'judgment_of_its_task';\nEND IF;\nIF wrong.is_not_aligned THEN\n    RAISE EXCEPTION '% labels for the % candidates of block %',\n        wrong.labels, wrong.shown, wrong.block_id\n        USING ERRCODE = 'check_violation',\n              CONSTRAINT = 'judgment_labels_aligned_with_candidates';\nEND IF;\nIF wrong.id IS NOT NULL THEN\n    RAISE EXCEPTION\n        'judgment % may only supersede an earlier judgment by the same judge of the same block', wrong.id\n        USING ERRCODE = 'check_violation',\n              CONSTRAINT = 'judgment_supersedes_own_earlier_one';\nEND IF;\nRETURN NULL;\n", hash='84c492626d66ceaab8cabef74b92b4205bafe648', level='STATEMENT', operation='INSERT', pgid='pgtrigger_judgment_fits_its_block_05c49', referencing='REFERENCING NEW TABLE AS new_rows ', table='annotation_judgment', when='AFTER')), pgtrigger.compiler.Trigger(name='judgment_queued_for_numbering', sql=pgtrigger.compiler.UpsertTriggerSql(func='INSERT INTO annotation_uncountedanswer (task_id, is_skip, answer)\nSELECT inserted.task_id, false, inserted.id FROM inserted;\nRETURN NULL;\n', hash='c5c8104159e8aedc23cb5d3907f0125fc347f10d', level='STATEMENT', operation='INSERT', pgid='pgtrigger_judgment_queued_for_numbering_31c6e', referencing='REFERENCING NEW TABLE AS inserted ', table='annotation_judgment', when='AFTER')), pgtrigger.compiler.Trigger(name='judgment_has_its_answer', sql=pgtrigger.compiler.UpsertTriggerSql(constraint='CONSTRAINT', declare='DECLARE protocol TEXT; is_stored BOOLEAN; scans TEXT;', func="SELECT k.protocol INTO protocol FROM campaign_task k WHERE k.id = NEW.task_id;\nscans := current_setting('enable_seqscan');\nIF scans = 'on' THEN\n    PERFORM set_config('enable_seqscan', 'off', true);\nEND IF;\nCASE protocol\n    WHEN 'rating' THEN is_stored := EXISTS (SELECT FROM protocols_ratinganswer a WHERE a.judgment_id = NEW.id);\n    WHEN 'two_outputs' THEN is_stored := EXISTS (SELECT FROM protocols_twooutputsanswer a WHERE a.judgment_id = NEW.id);\n    WHEN 'spans' THEN is_stored := EXISTS (SELECT FROM protocols_spansanswer a WHERE a.judgment_id = NEW.id);\n    WHEN 'editing' THEN is_stored := EXISTS (SELECT FROM protocols_editinganswer a WHERE a.judgment_id = NEW.id);\n    WHEN 'quiz' THEN is_stored := EXISTS (SELECT FROM protocols_quizanswer a WHERE a.judgment_id = NEW.id);\nELSE is_stored := true;\nEND CASE;\nIF scans = 'on' THEN\n    PERFORM set_config('enable_seqscan', 'on', true);\nEND IF;\nIF NOT is_stored THEN\n    RAISE EXCEPTION 'judgment % has no answer', NEW.id\n        USING ERRCODE = 'integrity_constraint_violation',\n              CONSTRAINT = 'judgment_has_its_answer';\nEND IF;\nRETURN NULL;\n", hash='68feb6e09b4e17b60cdbd860d1b7b28ebae517ea', operation='INSERT', pgid='pgtrigger_judgment_has_its_answer_b8896', table='annotation_judgment', timing='DEFERRABLE INITIALLY DEFERRED', when='AFTER'))],
                    },
                ),
                migrations.CreateModel(
                    name='ProblemReport',
                    fields=[
                        ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                        ('client_id', models.UUIDField(unique=True)),
                        ('kind', models.CharField(choices=[('source', 'The source is wrong or cut off'), ('reference', 'The reference is wrong or belongs to another item'), ('output', 'An output is garbled or in the wrong language'), ('content', 'Something here is offensive or private'), ('page', 'This page does not work properly'), ('other', 'Something else')], max_length=9)),
                        ('comment', models.TextField(blank=True)),
                        ('created_at', models.DateTimeField(db_default=django.db.models.functions.datetime.Now(), editable=False)),
                        ('block', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='problem_reports', to='annotation.block')),
                        ('judge', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='problem_reports', to='campaign.judge')),
                        ('task', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.PROTECT, related_name='problem_reports', to='campaign.task')),
                    ],
                    options={
                        'indexes': [models.Index(fields=['task', '-id'], name='problem_report_latest')],
                        'constraints': [models.CheckConstraint(condition=models.Q(('kind__in', ['source', 'reference', 'output', 'content', 'page', 'other'])), name='problem_report_kind_is_known'), models.CheckConstraint(condition=models.Q(models.Q(('kind', 'other'), _negated=True), models.Q(('comment', ''), _negated=True), _connector='OR'), name='problem_report_other_has_comment')],
                        'triggers': [pgtrigger.compiler.Trigger(name='problem_report_of_its_task', sql=pgtrigger.compiler.UpsertTriggerSql(func="IF NOT EXISTS (\n    SELECT FROM annotation_block b JOIN annotation_hit h ON h.id = b.hit_id\n    WHERE b.id = NEW.block_id AND h.task_id = NEW.task_id\n) THEN\n    RAISE EXCEPTION 'block % does not belong to task %',\n        NEW.block_id, NEW.task_id\n        USING ERRCODE = 'check_violation',\n              CONSTRAINT = 'problem_report_of_its_task';\nEND IF;\nRETURN NEW;\n", hash='6ad2824c2fd068c6a79190887a36d7fd9cdd4d1e', operation='INSERT', pgid='pgtrigger_problem_report_of_its_task_50651', table='annotation_problemreport', when='BEFORE'))],
                    },
                ),
                migrations.CreateModel(
                    name='Skip',
                    fields=[
                        ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                        ('client_id', models.UUIDField(unique=True)),
                        ('reason', models.CharField(choices=[('bad_source', 'The source is unusable'), ('bad_reference', 'The reference is wrong'), ('cannot_judge', 'I cannot judge this'), ('other', 'Another reason'), ('not_stated', 'Not stated')], max_length=13)),
                        ('comment', models.TextField(blank=True)),
                        ('created_at', models.DateTimeField(db_default=django.db.models.functions.datetime.Now(), editable=False)),
                        ('assignment', models.ForeignKey(blank=True, db_index=False, null=True, on_delete=django.db.models.deletion.PROTECT, related_name='%(class)ss', to='annotation.assignment')),
                        ('block', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='skips', to='annotation.block')),
                        ('judge', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.PROTECT, related_name='%(class)ss', to='campaign.judge')),
                        ('duration_ms', models.PositiveIntegerField(blank=True, help_text='Time from display to submission in milliseconds.', null=True)),
                        ('active_ms', models.PositiveIntegerField(blank=True, help_text='Time without breaks in milliseconds.', null=True)),
                        ('task', models.ForeignKey(db_constraint=False, db_index=False, on_delete=django.db.models.deletion.PROTECT, related_name='%(class)ss', to='campaign.task')),
                    ],
                    options={
                        'indexes': [models.Index(fields=['task', '-id'], name='skip_of_a_task'), models.Index(condition=models.Q(('comment', ''), _negated=True), fields=['task', '-id'], name='skip_with_comment'), models.Index(fields=['judge', '-created_at'], name='skip_of_a_judge')],
                        'constraints': [models.UniqueConstraint(fields=('judge', 'block'), name='skip_once_per_judge_and_block'), models.CheckConstraint(condition=models.Q(('reason__in', ['bad_source', 'bad_reference', 'cannot_judge', 'other', 'not_stated'])), name='skip_reason_is_known'), models.CheckConstraint(condition=models.Q(('active_ms__lte', models.F('duration_ms'))), name='skip_active_within_duration')],
                        'triggers': [pgtrigger.compiler.Trigger(name='skip_append_only', sql=pgtrigger.compiler.UpsertTriggerSql(func="RAISE EXCEPTION 'pgtrigger: Cannot update or delete rows from % table', TG_TABLE_NAME;", hash='fbb907a8942f9c9ba99d1d36c447913cc096a3c3', operation='UPDATE OR DELETE', pgid='pgtrigger_skip_append_only_d55a3', table='annotation_skip', when='BEFORE')), pgtrigger.compiler.Trigger(name='skip_of_its_task', sql=pgtrigger.compiler.UpsertTriggerSql(func="IF NOT EXISTS (\n    SELECT FROM annotation_block b JOIN annotation_hit h ON h.id = b.hit_id\n    WHERE b.id = NEW.block_id AND h.task_id = NEW.task_id\n) THEN\n    RAISE EXCEPTION 'block % does not belong to task %',\n        NEW.block_id, NEW.task_id\n        USING ERRCODE = 'check_violation',\n              CONSTRAINT = 'skip_of_its_task';\nEND IF;\nRETURN NEW;\n", hash='845997f51d99cf75d76b7252657726389e6465ca', operation='INSERT', pgid='pgtrigger_skip_of_its_task_bad07', table='annotation_skip', when='BEFORE')), pgtrigger.compiler.Trigger(name='skip_queued_for_counting', sql=pgtrigger.compiler.UpsertTriggerSql(func='INSERT INTO annotation_uncountedanswer (task_id, is_skip, answer)\nSELECT inserted.task_id, true, inserted.id FROM inserted;\nRETURN NULL;\n', hash='18979dc72c5e0d1aa9e199ce98f39b3a96ae6a81', level='STATEMENT', operation='INSERT', pgid='pgtrigger_skip_queued_for_counting_ef8fb', referencing='REFERENCING NEW TABLE AS inserted ', table='annotation_skip', when='AFTER'))],
                    },
                ),
                migrations.CreateModel(
                    name='JudgmentNumber',
                    fields=[
                        ('judgment', models.OneToOneField(db_constraint=False, on_delete=django.db.models.deletion.PROTECT, primary_key=True, related_name='numbered', serialize=False, to='annotation.judgment')),
                        ('number', models.PositiveIntegerField()),
                        ('task', models.ForeignKey(db_constraint=False, db_index=False, on_delete=django.db.models.deletion.PROTECT, related_name='judgment_numbers', to='campaign.task')),
                    ],
                    options={
                        'constraints': [models.UniqueConstraint(fields=('task', 'number'), name='judgment_number_unique_in_task')],
                        'triggers': [pgtrigger.compiler.Trigger(name='judgment_number_append_only', sql=pgtrigger.compiler.UpsertTriggerSql(func="RAISE EXCEPTION 'pgtrigger: Cannot update or delete rows from % table', TG_TABLE_NAME;", hash='ecaf8aadeacdbccb2dfd2694c81a3bc5924028e5', operation='UPDATE OR DELETE', pgid='pgtrigger_judgment_number_append_only_0a0ba', table='annotation_judgmentnumber', when='BEFORE')), pgtrigger.compiler.Trigger(name='judgment_number_of_its_task', sql=pgtrigger.compiler.UpsertTriggerSql(declare='DECLARE wrong BIGINT; scans TEXT;', func="scans := current_setting('enable_seqscan');\nIF scans = 'on' THEN\n    PERFORM set_config('enable_seqscan', 'off', true);\nEND IF;\nSELECT n.judgment_id INTO wrong\nFROM new_rows n\nWHERE NOT EXISTS (\n    SELECT FROM annotation_judgment j\n    WHERE j.id = n.judgment_id AND j.task_id = n.task_id\n    OFFSET 0\n)\nLIMIT 1;\nIF scans = 'on' THEN\n    PERFORM set_config('enable_seqscan', 'on', true);\nEND IF;\nIF wrong IS NOT NULL THEN\n    RAISE EXCEPTION 'judgment % does not belong to the task of its number', wrong\n        USING ERRCODE = 'foreign_key_violation',\n              CONSTRAINT = 'judgment_number_of_its_task';\nEND IF;\nRETURN NULL;\n", hash='78124aacb37fabf2d43b28f8060ed3022f203155', level='STATEMENT', operation='INSERT', pgid='pgtrigger_judgment_number_of_its_task_6d40f', referencing='REFERENCING NEW TABLE AS new_rows ', table='annotation_judgmentnumber', when='AFTER'))],
                    },
                ),
                migrations.CreateModel(
                    name='ProblemReply',
                    fields=[
                        ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                        ('number', models.PositiveIntegerField()),
                        ('text', models.TextField(blank=True)),
                        ('closed', models.BooleanField()),
                        ('created_at', models.DateTimeField(db_default=django.db.models.functions.datetime.Now(), editable=False)),
                        ('created_by', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.PROTECT, related_name='+', to=settings.AUTH_USER_MODEL)),
                        ('report', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.PROTECT, related_name='replies', to='annotation.problemreport')),
                        ('takes_back', models.OneToOneField(blank=True, null=True, on_delete=django.db.models.deletion.PROTECT, related_name='taken_back_by', to='annotation.problemreply')),
                    ],
                    options={
                        'constraints': [models.UniqueConstraint(fields=('report', 'number'), name='problem_reply_number_once'), models.CheckConstraint(condition=models.Q(models.Q(('takes_back__isnull', False), ('text', '')), models.Q(models.Q(('closed', True), models.Q(('text', ''), _negated=True), _connector='OR'), ('takes_back__isnull', True)), _connector='OR'), name='problem_reply_has_effect')],
                    },
                ),
                migrations.CreateModel(
                    name='MachineJudgment',
                    fields=[
                        ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                        ('client_id', models.UUIDField(unique=True)),
                        ('part', models.PositiveSmallIntegerField()),
                        ('is_reversed', models.BooleanField()),
                        ('outputs', django.contrib.postgres.fields.ArrayField(base_field=models.BigIntegerField(), size=None)),
                        ('stands_for', django.contrib.postgres.fields.ArrayField(base_field=models.PositiveSmallIntegerField(), blank=True, null=True, size=None)),
                        ('labels', django.contrib.postgres.fields.ArrayField(base_field=models.PositiveSmallIntegerField(null=True), size=None)),
                        ('answer', models.JSONField(blank=True, encoder=django.core.serializers.json.DjangoJSONEncoder, null=True)),
                        ('skip_reason', models.CharField(blank=True, default='', max_length=13)),
                        ('duration_ms', models.PositiveIntegerField(blank=True, null=True)),
                        ('comment', models.TextField(blank=True)),
                        ('submitted_at', models.DateTimeField(db_default=django.db.models.functions.datetime.Now(), editable=False)),
                        ('block', models.ForeignKey(blank=True, db_index=False, null=True, on_delete=django.db.models.deletion.PROTECT, related_name='machine_judgments', to='annotation.block')),
                        ('machine', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.PROTECT, related_name='judgments', to='campaign.machinejudge')),
                        ('segment', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.PROTECT, related_name='machine_judgments', to='campaign.segment')),
                        ('task', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='machine_judgments', to='campaign.task')),
                    ],
                    options={
                        'indexes': [models.Index(fields=['segment', 'machine'], name='machine_judgment_of_a_segment'), models.Index(fields=['machine', 'id'], name='machine_judgment_of_a_machine')],
                        'constraints': [models.CheckConstraint(condition=models.Q(('skip_reason__in', ['', 'bad_source', 'bad_reference', 'cannot_judge', 'other', 'not_stated'])), name='machine_judgment_skip_reason_is_known'), models.UniqueConstraint(condition=models.Q(('skip_reason', '')), fields=('block', 'machine', 'is_reversed'), name='machine_judgment_block_once_per_order'), models.CheckConstraint(condition=models.Q(models.Q(('skip_reason', ''), annotation.models.judgment.LabelsAreRanks('labels')), models.Q(models.Q(('skip_reason', ''), _negated=True), ('labels', [])), _connector='OR'), name='machine_judgment_ranks_iff_not_skipped')],
                        'triggers': [pgtrigger.compiler.Trigger(name='machine_judgment_append_only', sql=pgtrigger.compiler.UpsertTriggerSql(func="RAISE EXCEPTION 'pgtrigger: Cannot update or delete rows from % table', TG_TABLE_NAME;", hash='42c727d8c7c0b8a7388e5e1d70e24834b99fe9d0', operation='UPDATE OR DELETE', pgid='pgtrigger_machine_judgment_append_only_70d26', table='annotation_machinejudgment', when='BEFORE'))],
                    },
                ),
            ],
        ),
        pgtrigger.migrations.AddTrigger(
            model_name='shownoutput',
            trigger=pgtrigger.compiler.Trigger(name='output_kept_while_shown', sql=pgtrigger.compiler.UpsertTriggerSql(declare='DECLARE shown BIGINT;', func="-- Transactions that write blocks hold a shared lock on the segment until they commit.\nPERFORM (SELECT s.id FROM campaign_segment s WHERE s.id = o.segment_id FOR UPDATE)\nFROM (SELECT DISTINCT segment_id FROM old_rows ORDER BY segment_id) o;\nSELECT o.id INTO shown\nFROM old_rows o\nWHERE EXISTS (\n    SELECT FROM annotation_block b\n    WHERE b.segment_id = o.segment_id AND o.id = ANY (b.outputs)\n)\nLIMIT 1;\nIF shown IS NOT NULL THEN\n    RAISE EXCEPTION 'output % is shown in a block', shown\n        USING ERRCODE = 'foreign_key_violation',\n              CONSTRAINT = 'output_kept_while_shown';\nEND IF;\nRETURN NULL;\n", hash='898b3c94b4474cd5442ec92683a2bfde3fe4c7ac', level='STATEMENT', operation='DELETE', pgid='pgtrigger_output_kept_while_shown_952e8', referencing='REFERENCING OLD TABLE AS old_rows ', table='campaign_output', when='AFTER')),
        ),
        pgtrigger.migrations.AddTrigger(
            model_name='shownoutput',
            trigger=pgtrigger.compiler.Trigger(name='output_segment_immutable', sql=pgtrigger.compiler.UpsertTriggerSql(condition='WHEN (OLD."id" IS DISTINCT FROM (NEW."id") OR OLD."segment_id" IS DISTINCT FROM (NEW."segment_id"))', func="RAISE EXCEPTION 'pgtrigger: Cannot update rows from % table', TG_TABLE_NAME;", hash='7e85bd5aac23fdd82324be0c3e6453d928b68d95', operation='UPDATE', pgid='pgtrigger_output_segment_immutable_6fb41', table='campaign_output', when='BEFORE')),
        ),
        migrations.RunSQL(
            sql='\n    ALTER TABLE annotation_design ADD CONSTRAINT design_of_one_task UNIQUE (id, task_id);\n    ALTER TABLE annotation_hit ADD CONSTRAINT hit_design_of_its_task\n    FOREIGN KEY (design_id, task_id) REFERENCES annotation_design (id, task_id)\n    DEFERRABLE INITIALLY DEFERRED;\n',
        ),
        migrations.RunSQL(
            sql='\n    ALTER TABLE annotation_judgment DROP CONSTRAINT annotation_judgment_supersedes_id_key;\n    CREATE UNIQUE INDEX judgment_superseded_once ON annotation_judgment (supersedes_id)\n    WHERE supersedes_id IS NOT NULL;\n',
        ),
        migrations.RunSQL(
            sql='ALTER TABLE annotation_assignment SET (autovacuum_analyze_threshold = 1000, autovacuum_vacuum_threshold = 1000);ALTER TABLE annotation_block SET (autovacuum_analyze_threshold = 1000, autovacuum_vacuum_threshold = 1000);ALTER TABLE annotation_hit SET (autovacuum_analyze_threshold = 1000, autovacuum_vacuum_threshold = 1000);ALTER TABLE annotation_judgment SET (autovacuum_analyze_threshold = 1000, autovacuum_vacuum_threshold = 1000);ALTER TABLE annotation_judgmentnumber SET (autovacuum_analyze_threshold = 1000, autovacuum_vacuum_threshold = 1000);',
        ),
    ]
