import campaign.database.create_models
import django.contrib.postgres.fields
import django.db.models.deletion
import django.db.models.functions.datetime
import django.db.models.functions.text
import pgtrigger.compiler
from django.conf import settings
from django.db import migrations, models


class Migration(migrations.Migration):

    replaces = [('ranking', '0001_initial'), ('ranking', '0002_remove_shard_jobs'), ('ranking', '0003_stopping_rule_tests'), ('ranking', '0004_reviewer_links_not_in_clear'), ('ranking', '0005_method_options'), ('ranking', '0006_names_of_constraints')]

    initial = True

    dependencies = [
        ('campaign', '0002_campaigns'),
        ('campaign', '0016_names_of_constraints'),
        ('campaign', '__first__'),
    ]

    operations = [
        campaign.database.create_models.CreateModels(
            models=[
                migrations.CreateModel(
                    name='Analysis',
                    fields=[
                        ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                        ('kind', models.CharField(max_length=40)),
                        ('choice', models.JSONField()),
                        ('choice_digest', models.CharField(max_length=32)),
                        ('judgments', models.JSONField()),
                        ('watermark', models.PositiveIntegerField(help_text='Number of the last judgment in it.')),
                        ('code_version', models.CharField(max_length=60)),
                        ('content_key_version', models.PositiveSmallIntegerField()),
                        ('digest', models.CharField(max_length=32)),
                        ('asked_at', models.DateTimeField(db_default=django.db.models.functions.datetime.Now(), editable=False)),
                        ('finished_at', models.DateTimeField(blank=True, null=True)),
                        ('data', models.JSONField(blank=True, null=True)),
                        ('reports', models.JSONField(blank=True, null=True)),
                        ('asked_by', models.ForeignKey(blank=True, db_index=False, null=True, on_delete=django.db.models.deletion.SET_NULL, related_name='+', to=settings.AUTH_USER_MODEL)),
                        ('job', models.ForeignKey(blank=True, db_index=False, null=True, on_delete=django.db.models.deletion.SET_NULL, related_name='+', to='campaign.job')),
                        ('campaign', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.CASCADE, related_name='analyses', to='campaign.campaign')),
                        ('task', models.ForeignKey(blank=True, db_index=False, null=True, on_delete=django.db.models.deletion.CASCADE, related_name='analyses', to='campaign.task')),
                    ],
                    options={
                        'get_latest_by': 'id',
                        'indexes': [models.Index(fields=['task', 'choice_digest', '-id'], name='analysis_of_choice')],
                        'constraints': [models.UniqueConstraint(fields=('campaign', 'task', 'digest'), name='analysis_once_for_each_answer', nulls_distinct=False), models.CheckConstraint(condition=models.Q(models.Q(('data__isnull', False), ('finished_at__isnull', False), ('reports__isnull', False)), models.Q(('data__isnull', True), ('finished_at__isnull', True), ('reports__isnull', True)), _connector='OR'), name='analysis_answer_iff_finished')],
                    },
                ),
                migrations.CreateModel(
                    name='JudgeMeasures',
                    fields=[
                        ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                        ('measures', models.JSONField()),
                        ('judge', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='measures', to='campaign.judge')),
                        ('task', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.CASCADE, related_name='judge_measures', to='campaign.task')),
                    ],
                    options={
                        'constraints': [models.UniqueConstraint(fields=('task', 'judge'), name='judge_measures_once_in_a_task')],
                    },
                ),
                migrations.CreateModel(
                    name='RankingRun',
                    fields=[
                        ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                        ('method', models.CharField(max_length=40)),
                        ('parameters', models.JSONField()),
                        ('seed', models.BigIntegerField()),
                        ('watermark', models.PositiveIntegerField(help_text='Number of the last judgment in it.')),
                        ('code_version', models.CharField(max_length=60)),
                        ('result', models.JSONField()),
                        ('started_at', models.DateTimeField()),
                        ('finished_at', models.DateTimeField(db_default=django.db.models.functions.datetime.Now(), editable=False)),
                        ('task', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.PROTECT, related_name='ranking_runs', to='campaign.task')),
                        ('comparisons', models.PositiveIntegerField()),
                        ('kept_for', models.CharField(choices=[('first', 'First'), ('growth', 'Growth'), ('day', 'Day'), ('parameters', 'Parameters'), ('rule', 'Rule'), ('asked', 'Asked')], max_length=10)),
                        ('standings', models.JSONField()),
                    ],
                    options={
                        'get_latest_by': 'id',
                        'indexes': [models.Index(fields=['task', '-id'], name='ranking_run_latest')],
                        'constraints': [models.CheckConstraint(condition=models.Q(('kept_for__in', ['first', 'growth', 'day', 'parameters', 'rule', 'asked'])), name='ranking_run_kept_for_a_known_reason')],
                    },
                ),
                migrations.CreateModel(
                    name='RankingSettings',
                    fields=[
                        ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                        ('resample', models.CharField(choices=[('two_way', 'Segments and judges'), ('segments', 'Segments'), ('judges', 'Judges'), ('blocks', 'Blocks'), ('pairs', 'Comparisons')], default='two_way', max_length=8, verbose_name='Sources of variation')),
                        ('ranges', models.CharField(choices=[('percentile', 'percentiles'), ('sign_test', 'sign tests'), ('confidence_set', 'confidence sets'), ('anytime', 'anytime ranges')], default='percentile', max_length=14, verbose_name='Rank ranges')),
                        ('correction', models.CharField(choices=[('none', 'none'), ('holm', 'Holm'), ('benjamini_hochberg', 'Benjamini–Hochberg')], default='none', max_length=18, verbose_name='Correction')),
                        ('sides', models.PositiveSmallIntegerField(default=2, verbose_name='Test sides')),
                        ('confidence', models.FloatField(default=0.95, verbose_name='Confidence')),
                        ('created_at', models.DateTimeField(db_default=django.db.models.functions.datetime.Now(), editable=False)),
                        ('changed_by', models.ForeignKey(blank=True, db_index=False, null=True, on_delete=django.db.models.deletion.SET_NULL, related_name='+', to=settings.AUTH_USER_MODEL)),
                        ('task', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.CASCADE, related_name='ranking_settings', to='campaign.task')),
                        ('judge_group', models.ForeignKey(blank=True, db_index=False, null=True, on_delete=django.db.models.deletion.PROTECT, related_name='ranking_settings', to='campaign.judgegroup', verbose_name='Judge group')),
                        ('judgments', models.PositiveIntegerField(blank=True, editable=False, null=True)),
                        ('method', models.CharField(choices=[('by_design', 'default for the design'), ('expected_wins', 'Expected Wins'), ('bradley_terry', 'Bradley–Terry with ties'), ('bojar', '> others, ties left out'), ('geq_others', '≥ others'), ('gt_others', '> others'), ('geq_all_in_block', '≥ all in block'), ('gt_all_in_block', '> all in block')], default='by_design', max_length=20, verbose_name='Method')),
                        ('reason', models.CharField(blank=True, default='', help_text='Required once there are judgments. Published with results.', max_length=1000, verbose_name='Reason')),
                        ('method_options', models.JSONField(blank=True, db_default={}, default=dict, verbose_name='Method options')),
                    ],
                    options={
                        'verbose_name': 'Ranking settings',
                        'get_latest_by': 'id',
                        'indexes': [models.Index(fields=['task', '-id'], name='ranking_settings_in_force')],
                        'constraints': [models.CheckConstraint(condition=models.Q(('method__in', ['by_design', 'expected_wins', 'bradley_terry', 'bojar', 'geq_others', 'gt_others', 'geq_all_in_block', 'gt_all_in_block'])), name='ranking_settings_method_is_known'), models.CheckConstraint(condition=models.Q(('resample__in', ['pairs', 'blocks', 'segments', 'judges', 'two_way'])), name='ranking_settings_level_is_known'), models.CheckConstraint(condition=models.Q(('ranges__in', ['percentile', 'sign_test', 'confidence_set', 'anytime'])), name='ranking_settings_ranges_are_known'), models.CheckConstraint(condition=models.Q(('correction__in', ['none', 'holm', 'benjamini_hochberg'])), name='ranking_settings_correction_is_known'), models.CheckConstraint(condition=models.Q(('sides__in', [1, 2])), name='ranking_settings_sides_one_or_two'), models.CheckConstraint(condition=models.Q(('confidence__gt', 0), ('confidence__lte', 0.999)), name='ranking_settings_confidence_above_0_up_to_0_999'), models.CheckConstraint(condition=models.Q(models.Q(('ranges', 'sign_test'), _negated=True), ('resample', 'pairs'), _connector='OR'), name='ranking_settings_sign_tests_resample_pairs'), models.CheckConstraint(condition=models.Q(models.Q(('ranges', 'confidence_set'), _negated=True), models.Q(('correction__in', ['none', 'holm']), ('sides', 2)), _connector='OR'), name='ranking_settings_confidence_set_correction'), models.CheckConstraint(condition=models.Q(models.Q(('ranges', 'anytime'), _negated=True), models.Q(('correction', 'holm'), ('resample', 'two_way'), ('sides', 2)), _connector='OR'), name='ranking_settings_anytime_ranges_corrected'), models.CheckConstraint(condition=models.Q(models.Q(('ranges', 'anytime'), _negated=True), ('method__in', ['by_design', 'expected_wins']), _connector='OR'), name='ranking_settings_anytime_ranges_method'), models.CheckConstraint(condition=models.Q(models.Q(('resample', 'pairs'), _negated=True), models.Q(('method__in', ['geq_all_in_block', 'gt_all_in_block']), _negated=True), _connector='OR'), name='ranking_settings_block_methods_resample_blocks')],
                        'triggers': [pgtrigger.compiler.Trigger(name='ranking_settings_immutable', sql=pgtrigger.compiler.UpsertTriggerSql(func='RAISE EXCEPTION \'pgtrigger: Cannot update of "task_id", "method", "method_options", "resample", "ranges", "correction", "sides", "confidence", "judge_group_id", "reason", "judgments" rows from % table\', TG_TABLE_NAME;', hash='147b06204cf3e96cc79b87f6d8d69d401cd92da7', operation='UPDATE OF "task_id", "method", "method_options", "resample", "ranges", "correction", "sides", "confidence", "judge_group_id", "reason", "judgments"', pgid='pgtrigger_ranking_settings_immutable_92b3f', table='ranking_rankingsettings', when='BEFORE')), pgtrigger.compiler.Trigger(name='ranking_settings_group_of_its_campaign', sql=pgtrigger.compiler.UpsertTriggerSql(func="IF NEW.judge_group_id IS NOT NULL AND NOT EXISTS (\n    SELECT FROM campaign_task k JOIN campaign_testset t ON t.id = k.test_set_id\n    JOIN campaign_judgegroup g ON g.campaign_id = t.campaign_id\n    WHERE k.id = NEW.task_id AND g.id = NEW.judge_group_id\n) THEN\n    RAISE EXCEPTION 'ranking settings of task % and group % belong to different campaigns',\n        NEW.task_id, NEW.judge_group_id\n        USING ERRCODE = 'check_violation',\n              CONSTRAINT = 'ranking_settings_group_of_its_campaign';\nEND IF;\nRETURN NEW;\n", hash='42f7f00ec6d0fb1a1f2bb4c9f9fe507d38182095', operation='INSERT', pgid='pgtrigger_ranking_settings_group_of_its_campaign_93f54', table='ranking_rankingsettings', when='BEFORE'))],
                    },
                ),
                migrations.CreateModel(
                    name='StoppingRule',
                    fields=[
                        ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                        ('judgments', models.PositiveIntegerField(blank=True, help_text='Stop at this number of judgments.', null=True, verbose_name='Judgments')),
                        ('pairs_share', models.FloatField(blank=True, help_text='Stop at this share of pairs told apart, above 0 and up to 1.', null=True, verbose_name='Share of pairs told apart')),
                        ('clusters', models.PositiveSmallIntegerField(blank=True, help_text='Stop at this number of clusters, at least 2.', null=True, verbose_name='Clusters')),
                        ('until', models.DateField(blank=True, help_text='Stop on this day.', null=True, verbose_name='Day')),
                        ('tests', models.CharField(choices=[('holm', 'pairwise tests with Holm correction'), ('anytime', 'anytime ranges')], default='anytime', max_length=8, verbose_name='Pairs told apart by')),
                        ('confidence', models.FloatField(default=0.95, verbose_name='Confidence')),
                        ('reason', models.CharField(blank=True, default='', help_text='Required once there are judgments. Published with results.', max_length=1000, verbose_name='Reason')),
                        ('after_judgments', models.PositiveIntegerField(editable=False)),
                        ('created_at', models.DateTimeField(db_default=django.db.models.functions.datetime.Now(), editable=False)),
                        ('changed_by', models.ForeignKey(blank=True, db_index=False, null=True, on_delete=django.db.models.deletion.SET_NULL, related_name='+', to=settings.AUTH_USER_MODEL)),
                        ('task', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.CASCADE, related_name='stopping_rules', to='campaign.task')),
                    ],
                    options={
                        'verbose_name': 'Stopping rule',
                        'get_latest_by': 'id',
                        'indexes': [models.Index(fields=['task', '-id'], name='stopping_rule_in_force')],
                        'constraints': [models.CheckConstraint(condition=models.Q(('tests__in', ['holm', 'anytime'])), name='stopping_rule_tests_are_known'), models.CheckConstraint(condition=models.Q(('judgments', None), ('judgments__gt', 0), _connector='OR'), name='stopping_rule_judgments_above_0'), models.CheckConstraint(condition=models.Q(('pairs_share', None), models.Q(('pairs_share__gt', 0), ('pairs_share__lte', 1)), _connector='OR'), name='stopping_rule_share_above_0_up_to_1'), models.CheckConstraint(condition=models.Q(('clusters', None), ('clusters__gte', 2), _connector='OR'), name='stopping_rule_clusters_at_least_2'), models.CheckConstraint(condition=models.Q(('confidence__gt', 0), ('confidence__lte', 0.999)), name='stopping_rule_confidence_above_0_up_to_0_999'), models.CheckConstraint(condition=models.Q(('after_judgments', 0), models.Q(('reason', ''), _negated=True), _connector='OR'), name='stopping_rule_set_later_has_a_reason')],
                        'triggers': [pgtrigger.compiler.Trigger(name='stopping_rule_immutable', sql=pgtrigger.compiler.UpsertTriggerSql(func='RAISE EXCEPTION \'pgtrigger: Cannot update of "task_id", "judgments", "pairs_share", "clusters", "until", "tests", "confidence", "reason", "after_judgments", "created_at" rows from % table\', TG_TABLE_NAME;', hash='2c0177aa1cfddd697cc1e9f4c8c8f329bd5e099a', operation='UPDATE OF "task_id", "judgments", "pairs_share", "clusters", "until", "tests", "confidence", "reason", "after_judgments", "created_at"', pgid='pgtrigger_stopping_rule_immutable_a7414', table='ranking_stoppingrule', when='BEFORE'))],
                    },
                ),
                migrations.CreateModel(
                    name='StoredTallies',
                    fields=[
                        ('task', models.OneToOneField(on_delete=django.db.models.deletion.CASCADE, primary_key=True, related_name='stored_tallies', serialize=False, to='campaign.task')),
                        ('build', models.UUIDField()),
                        ('watermark', models.PositiveIntegerField(help_text='Number of the last judgment in it.')),
                        ('definition', models.BinaryField()),
                        ('packed', models.BinaryField()),
                        ('checked_watermark', models.PositiveIntegerField(db_default=0, default=0)),
                        ('stored_at', models.DateTimeField(db_default=django.db.models.functions.datetime.Now(), editable=False)),
                    ],
                ),
                migrations.CreateModel(
                    name='RankingUpkeep',
                    fields=[
                        ('task', models.OneToOneField(on_delete=django.db.models.deletion.CASCADE, primary_key=True, related_name='ranking_upkeep', serialize=False, to='campaign.task')),
                        ('measured_watermark', models.PositiveIntegerField(blank=True, help_text='Number of the last judgment in it.', null=True)),
                        ('measured_at', models.DateTimeField(blank=True, null=True)),
                    ],
                ),
                migrations.CreateModel(
                    name='LatestRanking',
                    fields=[
                        ('method', models.CharField(max_length=40)),
                        ('parameters', models.JSONField()),
                        ('seed', models.BigIntegerField()),
                        ('watermark', models.PositiveIntegerField(help_text='Number of the last judgment in it.')),
                        ('code_version', models.CharField(max_length=60)),
                        ('result', models.JSONField()),
                        ('started_at', models.DateTimeField()),
                        ('finished_at', models.DateTimeField(db_default=django.db.models.functions.datetime.Now(), editable=False)),
                        ('task', models.OneToOneField(on_delete=django.db.models.deletion.CASCADE, primary_key=True, related_name='latest_ranking', serialize=False, to='campaign.task')),
                        ('is_kept', models.BooleanField()),
                        ('last_kept', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.PROTECT, related_name='+', to='ranking.rankingrun')),
                        ('rule_met', models.JSONField(blank=True, null=True)),
                    ],
                ),
                migrations.CreateModel(
                    name='PublishedResult',
                    fields=[
                        ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                        ('version', models.PositiveIntegerField(verbose_name='Version')),
                        ('content', models.JSONField()),
                        ('digest', models.CharField(max_length=64, verbose_name='SHA-256')),
                        ('labels', models.JSONField()),
                        ('published_at', models.DateTimeField()),
                        ('embargo_until', models.DateTimeField(blank=True, null=True, verbose_name='Embargo until')),
                        ('reviewer_token', models.TextField(blank=True, max_length=64, null=True, verbose_name='Reviewer link')),
                        ('retracted_at', models.DateTimeField(blank=True, null=True, verbose_name='Retracted')),
                        ('retraction_reason', models.TextField(blank=True, default='', verbose_name='Retraction reason')),
                        ('published_by', models.ForeignKey(blank=True, db_index=False, null=True, on_delete=django.db.models.deletion.SET_NULL, related_name='+', to=settings.AUTH_USER_MODEL)),
                        ('run', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.PROTECT, related_name='published_results', to='ranking.rankingrun')),
                        ('task', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.PROTECT, related_name='published_results', to='campaign.task')),
                        ('wordings', models.JSONField(blank=True, db_default={}, default=dict, verbose_name='Reworded reasons')),
                        ('bundle', models.OneToOneField(blank=True, null=True, on_delete=django.db.models.deletion.PROTECT, related_name='bundle_of', to='campaign.keptfile')),
                        ('bundle_has_texts', models.BooleanField(blank=True, null=True)),
                        ('bundle_has_seeds', models.BooleanField(default=False)),
                        ('bundle_job', models.ForeignKey(blank=True, db_index=False, null=True, on_delete=django.db.models.deletion.SET_NULL, related_name='+', to='campaign.job')),
                        ('bundle_files', models.JSONField(blank=True, default=list)),
                    ],
                    options={
                        'verbose_name': 'Published result',
                        'get_latest_by': 'version',
                        'constraints': [models.UniqueConstraint(fields=('task', 'version'), name='published_result_version_unique_in_task'), models.UniqueConstraint(django.db.models.functions.text.Left('digest', 16), name='published_result_address_unique'), models.CheckConstraint(condition=models.Q(('version__gte', 1)), name='published_result_version_from_1'), models.CheckConstraint(condition=models.Q(('digest__regex', '^[0-9a-f]{64}$')), name='published_result_digest_is_a_sha_256'), models.CheckConstraint(condition=models.Q(('reviewer_token__isnull', True), models.Q(('reviewer_token', ''), _negated=True), _connector='OR'), name='published_result_reviewer_token_not_empty'), models.CheckConstraint(condition=models.Q(models.Q(('retracted_at__isnull', True), ('retraction_reason', '')), models.Q(models.Q(('retracted_at__isnull', False)), models.Q(('retraction_reason', ''), _negated=True)), _connector='OR'), name='published_result_reason_iff_retracted')],
                        'triggers': [pgtrigger.compiler.Trigger(name='published_result_frozen', sql=pgtrigger.compiler.UpsertTriggerSql(func='RAISE EXCEPTION \'pgtrigger: Cannot update of "task_id", "version", "content", "digest", "labels", "wordings", "run_id", "published_at" rows from % table\', TG_TABLE_NAME;', hash='eb7579525836156e6da3c7fab110b06ac43b28d4', operation='UPDATE OF "task_id", "version", "content", "digest", "labels", "wordings", "run_id", "published_at"', pgid='pgtrigger_published_result_frozen_572c9', table='ranking_publishedresult', when='BEFORE')), pgtrigger.compiler.Trigger(name='published_result_bundle_frozen_once_made', sql=pgtrigger.compiler.UpsertTriggerSql(condition='WHEN (OLD."bundle_id" IS NOT NULL)', func='RAISE EXCEPTION \'pgtrigger: Cannot update of "bundle_id", "bundle_has_texts", "bundle_has_seeds", "bundle_files" rows from % table\', TG_TABLE_NAME;', hash='c3676d959ce794903d04c42989a2f42e947dcd22', operation='UPDATE OF "bundle_id", "bundle_has_texts", "bundle_has_seeds", "bundle_files"', pgid='pgtrigger_published_result_bundle_frozen_once_made_0cc5c', table='ranking_publishedresult', when='BEFORE')), pgtrigger.compiler.Trigger(name='published_result_ranking_of_its_task', sql=pgtrigger.compiler.UpsertTriggerSql(func="IF NOT EXISTS (\n    SELECT FROM ranking_rankingrun r WHERE r.id = NEW.run_id AND r.task_id = NEW.task_id\n) THEN\n    RAISE EXCEPTION 'ranking % does not belong to task %', NEW.run_id, NEW.task_id\n        USING ERRCODE = 'check_violation',\n              CONSTRAINT = 'published_result_ranking_of_its_task';\nEND IF;\nRETURN NEW;\n", hash='bef137c80f8223e241479483b0e26c4bc288963c', operation='INSERT', pgid='pgtrigger_published_result_ranking_of_its_task_535fd', table='ranking_publishedresult', when='BEFORE')), pgtrigger.compiler.Trigger(name='published_result_embargo_final_once_open', sql=pgtrigger.compiler.UpsertTriggerSql(condition='WHEN (OLD.embargo_until IS DISTINCT FROM NEW.embargo_until)', func="IF OLD.embargo_until IS NULL OR OLD.embargo_until <= statement_timestamp() THEN\n    RAISE EXCEPTION 'version % is public: it can be retracted, but not hidden', OLD.version\n        USING ERRCODE = 'check_violation',\n              CONSTRAINT = 'published_result_embargo_final_once_open';\nEND IF;\nRETURN NEW;\n", hash='f261421465d3afc0e5d9d509eb7af07f9bc3c668', operation='UPDATE OF "embargo_until"', pgid='pgtrigger_published_result_embargo_final_once_open_e66b9', table='ranking_publishedresult', when='BEFORE'))],
                    },
                ),
                migrations.CreateModel(
                    name='Metric',
                    fields=[
                        ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                        ('name', models.CharField(max_length=100, verbose_name='Name')),
                        ('signature', models.CharField(blank=True, help_text='Version and settings.', max_length=300, verbose_name='Signature')),
                        ('higher_is_better', models.BooleanField(default=True)),
                        ('uses_reference', models.BooleanField(blank=True, null=True)),
                        ('is_human', models.BooleanField(default=False)),
                        ('file_name', models.CharField(blank=True, help_text='Empty if computed from texts.', max_length=300, verbose_name='File')),
                        ('systems', django.contrib.postgres.fields.ArrayField(base_field=models.CharField(max_length=200), size=None)),
                        ('statistics', django.contrib.postgres.fields.ArrayField(base_field=models.CharField(max_length=40), blank=True, default=list, size=None)),
                        ('of_systems', django.contrib.postgres.fields.ArrayField(base_field=models.FloatField(null=True), blank=True, default=list, size=None)),
                        ('digests', django.contrib.postgres.fields.ArrayField(base_field=models.CharField(max_length=32), blank=True, default=list, help_text="Digest of each system's outputs with the references; empty for a file.", size=None)),
                        ('packed', models.BinaryField()),
                        ('digest', models.CharField(help_text='The same for the same numbers.', max_length=32, verbose_name='Digest')),
                        ('missing', models.PositiveIntegerField(default=0, help_text='Outputs without a score.')),
                        ('created_at', models.DateTimeField(db_default=django.db.models.functions.datetime.Now(), editable=False)),
                        ('created_by', models.ForeignKey(blank=True, db_index=False, null=True, on_delete=django.db.models.deletion.SET_NULL, related_name='+', to=settings.AUTH_USER_MODEL)),
                        ('test_set', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.CASCADE, related_name='metrics', to='campaign.testset')),
                    ],
                    options={
                        'verbose_name': 'Metric',
                        'constraints': [models.UniqueConstraint(fields=('test_set', 'name', 'signature', 'is_human'), name='metric_once_for_each_name_and_signature'), models.CheckConstraint(condition=models.Q(('name', ''), _negated=True), name='metric_name_not_empty')],
                        'triggers': [pgtrigger.compiler.Trigger(name='metric_frozen', sql=pgtrigger.compiler.UpsertTriggerSql(func='RAISE EXCEPTION \'pgtrigger: Cannot update of "test_set_id", "name", "signature", "higher_is_better", "is_human", "systems", "statistics", "of_systems", "packed", "digest" rows from % table\', TG_TABLE_NAME;', hash='5bdc5fabb8e1b80ca2ff02c164b3241c6d2d1189', operation='UPDATE OF "test_set_id", "name", "signature", "higher_is_better", "is_human", "systems", "statistics", "of_systems", "packed", "digest"', pgid='pgtrigger_metric_frozen_d6dcb', table='ranking_metric', when='BEFORE'))],
                    },
                ),
            ],
        ),
    ]
