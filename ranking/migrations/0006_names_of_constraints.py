import pgtrigger.compiler
import pgtrigger.migrations
from django.conf import settings
from django.db import migrations, models

from campaign.database.renaming import constraint_renamed


class Migration(migrations.Migration):
    """Rename constraints and triggers."""

    dependencies = [
        ('campaign', '0016_names_of_constraints'),
        ('ranking', '0005_method_options'),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        migrations.SeparateDatabaseAndState(
            database_operations=[
                constraint_renamed(
                    'ranking_analysis',
                    'analysis_has_an_answer_exactly_if_finished',
                    'analysis_answer_iff_finished',
                ),
                constraint_renamed(
                    'ranking_publishedresult',
                    'published_result_retracted_exactly_with_a_reason',
                    'published_result_reason_iff_retracted',
                ),
                constraint_renamed(
                    'ranking_rankingsettings',
                    'ranking_settings_sign_tests_are_of_pairs',
                    'ranking_settings_sign_tests_resample_pairs',
                ),
                constraint_renamed(
                    'ranking_rankingsettings',
                    'ranking_settings_confidence_sets_hold_each_or_all',
                    'ranking_settings_confidence_set_correction',
                ),
                constraint_renamed(
                    'ranking_rankingsettings',
                    'ranking_settings_anytime_ranges_hold_for_all_pairs',
                    'ranking_settings_anytime_ranges_corrected',
                ),
                constraint_renamed(
                    'ranking_rankingsettings',
                    'ranking_settings_anytime_ranges_of_expected_wins',
                    'ranking_settings_anytime_ranges_method',
                ),
                constraint_renamed(
                    'ranking_rankingsettings',
                    'ranking_settings_methods_of_blocks_need_blocks',
                    'ranking_settings_block_methods_resample_blocks',
                ),
            ],
            state_operations=[
                migrations.RemoveConstraint(
                    model_name='analysis',
                    name='analysis_has_an_answer_exactly_if_finished',
                ),
                migrations.RemoveConstraint(
                    model_name='publishedresult',
                    name='published_result_retracted_exactly_with_a_reason',
                ),
                migrations.RemoveConstraint(
                    model_name='rankingsettings',
                    name='ranking_settings_sign_tests_are_of_pairs',
                ),
                migrations.RemoveConstraint(
                    model_name='rankingsettings',
                    name='ranking_settings_confidence_sets_hold_each_or_all',
                ),
                migrations.RemoveConstraint(
                    model_name='rankingsettings',
                    name='ranking_settings_anytime_ranges_hold_for_all_pairs',
                ),
                migrations.RemoveConstraint(
                    model_name='rankingsettings',
                    name='ranking_settings_anytime_ranges_of_expected_wins',
                ),
                migrations.RemoveConstraint(
                    model_name='rankingsettings',
                    name='ranking_settings_methods_of_blocks_need_blocks',
                ),
                migrations.AddConstraint(
                    model_name='analysis',
                    constraint=models.CheckConstraint(condition=models.Q(models.Q(('data__isnull', False), ('finished_at__isnull', False), ('reports__isnull', False)), models.Q(('data__isnull', True), ('finished_at__isnull', True), ('reports__isnull', True)), _connector='OR'), name='analysis_answer_iff_finished'),
                ),
                migrations.AddConstraint(
                    model_name='publishedresult',
                    constraint=models.CheckConstraint(condition=models.Q(models.Q(('retracted_at__isnull', True), ('retraction_reason', '')), models.Q(models.Q(('retracted_at__isnull', False)), models.Q(('retraction_reason', ''), _negated=True)), _connector='OR'), name='published_result_reason_iff_retracted'),
                ),
                migrations.AddConstraint(
                    model_name='rankingsettings',
                    constraint=models.CheckConstraint(condition=models.Q(models.Q(('ranges', 'sign_test'), _negated=True), ('resample', 'pairs'), _connector='OR'), name='ranking_settings_sign_tests_resample_pairs'),
                ),
                migrations.AddConstraint(
                    model_name='rankingsettings',
                    constraint=models.CheckConstraint(condition=models.Q(models.Q(('ranges', 'confidence_set'), _negated=True), models.Q(('correction__in', ['none', 'holm']), ('sides', 2)), _connector='OR'), name='ranking_settings_confidence_set_correction'),
                ),
                migrations.AddConstraint(
                    model_name='rankingsettings',
                    constraint=models.CheckConstraint(condition=models.Q(models.Q(('ranges', 'anytime'), _negated=True), models.Q(('correction', 'holm'), ('resample', 'two_way'), ('sides', 2)), _connector='OR'), name='ranking_settings_anytime_ranges_corrected'),
                ),
                migrations.AddConstraint(
                    model_name='rankingsettings',
                    constraint=models.CheckConstraint(condition=models.Q(models.Q(('ranges', 'anytime'), _negated=True), ('method__in', ['by_design', 'expected_wins']), _connector='OR'), name='ranking_settings_anytime_ranges_method'),
                ),
                migrations.AddConstraint(
                    model_name='rankingsettings',
                    constraint=models.CheckConstraint(condition=models.Q(models.Q(('resample', 'pairs'), _negated=True), models.Q(('method__in', ['geq_all_in_block', 'gt_all_in_block']), _negated=True), _connector='OR'), name='ranking_settings_block_methods_resample_blocks'),
                ),
            ],
        ),
        pgtrigger.migrations.RemoveTrigger(
            model_name='publishedresult',
            name='published_result_of_a_ranking_of_its_task',
        ),
        pgtrigger.migrations.RemoveTrigger(
            model_name='publishedresult',
            name='published_result_once_open_stays_open',
        ),
        pgtrigger.migrations.RemoveTrigger(
            model_name='rankingsettings',
            name='ranking_is_of_a_group_of_its_campaign',
        ),
        pgtrigger.migrations.AddTrigger(
            model_name='publishedresult',
            trigger=pgtrigger.compiler.Trigger(name='published_result_ranking_of_its_task', sql=pgtrigger.compiler.UpsertTriggerSql(func="IF NOT EXISTS (\n    SELECT FROM ranking_rankingrun r WHERE r.id = NEW.run_id AND r.task_id = NEW.task_id\n) THEN\n    RAISE EXCEPTION 'ranking % does not belong to task %', NEW.run_id, NEW.task_id\n        USING ERRCODE = 'check_violation',\n              CONSTRAINT = 'published_result_ranking_of_its_task';\nEND IF;\nRETURN NEW;\n", hash='bef137c80f8223e241479483b0e26c4bc288963c', operation='INSERT', pgid='pgtrigger_published_result_ranking_of_its_task_535fd', table='ranking_publishedresult', when='BEFORE')),
        ),
        pgtrigger.migrations.AddTrigger(
            model_name='publishedresult',
            trigger=pgtrigger.compiler.Trigger(name='published_result_embargo_final_once_open', sql=pgtrigger.compiler.UpsertTriggerSql(condition='WHEN (OLD.embargo_until IS DISTINCT FROM NEW.embargo_until)', func="IF OLD.embargo_until IS NULL OR OLD.embargo_until <= statement_timestamp() THEN\n    RAISE EXCEPTION 'version % is public: it can be retracted, but not hidden', OLD.version\n        USING ERRCODE = 'check_violation',\n              CONSTRAINT = 'published_result_embargo_final_once_open';\nEND IF;\nRETURN NEW;\n", hash='f261421465d3afc0e5d9d509eb7af07f9bc3c668', operation='UPDATE OF "embargo_until"', pgid='pgtrigger_published_result_embargo_final_once_open_e66b9', table='ranking_publishedresult', when='BEFORE')),
        ),
        pgtrigger.migrations.AddTrigger(
            model_name='rankingsettings',
            trigger=pgtrigger.compiler.Trigger(name='ranking_settings_group_of_its_campaign', sql=pgtrigger.compiler.UpsertTriggerSql(func="IF NEW.judge_group_id IS NOT NULL AND NOT EXISTS (\n    SELECT FROM campaign_task k JOIN campaign_testset t ON t.id = k.test_set_id\n    JOIN campaign_judgegroup g ON g.campaign_id = t.campaign_id\n    WHERE k.id = NEW.task_id AND g.id = NEW.judge_group_id\n) THEN\n    RAISE EXCEPTION 'ranking settings of task % and group % belong to different campaigns',\n        NEW.task_id, NEW.judge_group_id\n        USING ERRCODE = 'check_violation',\n              CONSTRAINT = 'ranking_settings_group_of_its_campaign';\nEND IF;\nRETURN NEW;\n", hash='42f7f00ec6d0fb1a1f2bb4c9f9fe507d38182095', operation='INSERT', pgid='pgtrigger_ranking_settings_group_of_its_campaign_93f54', table='ranking_rankingsettings', when='BEFORE')),
        ),
    ]
