import django.db.models.deletion
from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ('annotation', '0025_of_tasks'),
        ('campaign', '0025_tasks'),
        ('ranking', '0019_reworded_reasons'),
    ]

    operations = [
        migrations.SeparateDatabaseAndState(
            state_operations=[
                migrations.RemoveConstraint(
                    model_name='analysis',
                    name='analysis_once_for_each_answer',
                ),
                migrations.RemoveConstraint(
                    model_name='judgemeasures',
                    name='judge_measures_once_in_a_test_set',
                ),
                migrations.RemoveConstraint(
                    model_name='publishedresult',
                    name='published_result_version_unique_in_test_set',
                ),
                migrations.RemoveIndex(
                    model_name='analysis',
                    name='analysis_of_choice',
                ),
                migrations.RemoveIndex(
                    model_name='rankingrun',
                    name='ranking_run_latest',
                ),
                migrations.RemoveIndex(
                    model_name='rankingsettings',
                    name='ranking_settings_in_force',
                ),
                migrations.RemoveIndex(
                    model_name='stoppingrule',
                    name='stopping_rule_in_force',
                ),
            ],
        ),
        migrations.RenameField(
            model_name='analysis',
            old_name='test_set',
            new_name='task',
        ),
        migrations.RenameField(
            model_name='judgemeasures',
            old_name='test_set',
            new_name='task',
        ),
        migrations.RenameField(
            model_name='latestranking',
            old_name='test_set',
            new_name='task',
        ),
        migrations.RenameField(
            model_name='publishedresult',
            old_name='test_set',
            new_name='task',
        ),
        migrations.RenameField(
            model_name='qualityreport',
            old_name='test_set',
            new_name='task',
        ),
        migrations.RenameField(
            model_name='rankingrun',
            old_name='test_set',
            new_name='task',
        ),
        migrations.RenameField(
            model_name='rankingsettings',
            old_name='test_set',
            new_name='task',
        ),
        migrations.RenameField(
            model_name='stoppingrule',
            old_name='test_set',
            new_name='task',
        ),
        migrations.RenameField(
            model_name='storedtallies',
            old_name='test_set',
            new_name='task',
        ),
        migrations.RenameField(
            model_name='talliesbuild',
            old_name='test_set',
            new_name='task',
        ),
        migrations.AlterField(
            model_name='analysis',
            name='task',
            field=models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='analyses', to='campaign.task'),
        ),
        migrations.AlterField(
            model_name='judgemeasures',
            name='task',
            field=models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.CASCADE, related_name='judge_measures', to='campaign.task'),
        ),
        migrations.AlterField(
            model_name='latestranking',
            name='task',
            field=models.OneToOneField(on_delete=django.db.models.deletion.CASCADE, primary_key=True, related_name='latest_ranking', serialize=False, to='campaign.task'),
        ),
        migrations.AlterField(
            model_name='publishedresult',
            name='task',
            field=models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='published_results', to='campaign.task'),
        ),
        migrations.AlterField(
            model_name='qualityreport',
            name='task',
            field=models.OneToOneField(on_delete=django.db.models.deletion.CASCADE, primary_key=True, related_name='quality_report', serialize=False, to='campaign.task'),
        ),
        migrations.AlterField(
            model_name='rankingrun',
            name='task',
            field=models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='ranking_runs', to='campaign.task'),
        ),
        migrations.AlterField(
            model_name='rankingsettings',
            name='task',
            field=models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='ranking_settings', to='campaign.task'),
        ),
        migrations.AlterField(
            model_name='stoppingrule',
            name='task',
            field=models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='stopping_rules', to='campaign.task'),
        ),
        migrations.AlterField(
            model_name='storedtallies',
            name='task',
            field=models.OneToOneField(on_delete=django.db.models.deletion.CASCADE, primary_key=True, related_name='stored_tallies', serialize=False, to='campaign.task'),
        ),
        migrations.AlterField(
            model_name='talliesbuild',
            name='task',
            field=models.OneToOneField(on_delete=django.db.models.deletion.CASCADE, primary_key=True, related_name='tallies_build', serialize=False, to='campaign.task'),
        ),
        migrations.SeparateDatabaseAndState(
            database_operations=[
                migrations.RunSQL(
                    sql='ALTER INDEX judge_measures_once_in_a_test_set RENAME TO judge_measures_once_in_a_task',
                    reverse_sql='ALTER INDEX judge_measures_once_in_a_task RENAME TO judge_measures_once_in_a_test_set',
                ),
                migrations.RunSQL(
                    sql='ALTER INDEX published_result_version_unique_in_test_set RENAME TO published_result_version_unique_in_task',
                    reverse_sql='ALTER INDEX published_result_version_unique_in_task RENAME TO published_result_version_unique_in_test_set',
                ),
            ],
            state_operations=[
                migrations.AddIndex(
                    model_name='analysis',
                    index=models.Index(fields=['task', 'choice_digest', '-id'], name='analysis_of_choice'),
                ),
                migrations.AddIndex(
                    model_name='rankingrun',
                    index=models.Index(fields=['task', '-id'], name='ranking_run_latest'),
                ),
                migrations.AddIndex(
                    model_name='rankingsettings',
                    index=models.Index(fields=['task', '-id'], name='ranking_settings_in_force'),
                ),
                migrations.AddIndex(
                    model_name='stoppingrule',
                    index=models.Index(fields=['task', '-id'], name='stopping_rule_in_force'),
                ),
                migrations.AddConstraint(
                    model_name='analysis',
                    constraint=models.UniqueConstraint(fields=('task', 'digest'), name='analysis_once_for_each_answer'),
                ),
                migrations.AddConstraint(
                    model_name='judgemeasures',
                    constraint=models.UniqueConstraint(fields=('task', 'judge'), name='judge_measures_once_in_a_task'),
                ),
                migrations.AddConstraint(
                    model_name='publishedresult',
                    constraint=models.UniqueConstraint(fields=('task', 'version'), name='published_result_version_unique_in_task'),
                ),
            ],
        ),
    ]
