import django.db.models.deletion
from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ('annotation', '0024_what_notes_are_for'),
        ('campaign', '0025_tasks'),
    ]

    operations = [
        migrations.SeparateDatabaseAndState(
            state_operations=[
                migrations.RemoveConstraint(
                    model_name='hit',
                    name='hit_number_unique_in_test_set',
                ),
                migrations.RemoveConstraint(
                    model_name='judgeaccount',
                    name='account_once_per_judge_and_test_set',
                ),
                migrations.RemoveConstraint(
                    model_name='judgedquarterhour',
                    name='judged_quarter_hour_once',
                ),
                migrations.RemoveConstraint(
                    model_name='judgetally',
                    name='judge_tally_once_per_test_set_and_judge',
                ),
                migrations.RemoveConstraint(
                    model_name='judgmentnumber',
                    name='judgment_number_unique_in_test_set',
                ),
                migrations.RemoveConstraint(
                    model_name='trainingblock',
                    name='training_block_position_unique_in_test_set',
                ),
                migrations.RemoveConstraint(
                    model_name='trainingblock',
                    name='training_block_segment_unique_in_test_set',
                ),
                migrations.RemoveConstraint(
                    model_name='workedquarterhour',
                    name='worked_quarter_hour_once',
                ),
                migrations.RemoveIndex(
                    model_name='hit',
                    name='hit_reserved',
                ),
                migrations.RemoveIndex(
                    model_name='hit',
                    name='hit_pool',
                ),
                migrations.RemoveIndex(
                    model_name='hit',
                    name='hit_pool_with_check',
                ),
                migrations.RemoveIndex(
                    model_name='hit',
                    name='hit_standby',
                ),
                migrations.RemoveIndex(
                    model_name='hit',
                    name='hit_training',
                ),
                migrations.RemoveIndex(
                    model_name='judgeaccount',
                    name='account_requested',
                ),
                migrations.RemoveIndex(
                    model_name='judgment',
                    name='judgment_with_comment',
                ),
                migrations.RemoveIndex(
                    model_name='problemreport',
                    name='problem_report_latest',
                ),
                migrations.RemoveIndex(
                    model_name='skip',
                    name='skip_with_comment',
                ),
                migrations.RemoveIndex(
                    model_name='skip',
                    name='skip_of_a_test_set',
                ),
                migrations.RemoveIndex(
                    model_name='uncountedskip',
                    name='skip_uncounted',
                ),
                migrations.RemoveIndex(
                    model_name='unnumberedjudgment',
                    name='judgment_unnumbered',
                ),
            ],
        ),
        migrations.RenameField(
            model_name='design',
            old_name='test_set',
            new_name='task',
        ),
        migrations.RenameField(
            model_name='hit',
            old_name='test_set',
            new_name='task',
        ),
        migrations.RenameField(
            model_name='hitsequence',
            old_name='test_set',
            new_name='task',
        ),
        migrations.RenameField(
            model_name='judgeaccount',
            old_name='test_set',
            new_name='task',
        ),
        migrations.RenameField(
            model_name='judgedquarterhour',
            old_name='test_set',
            new_name='task',
        ),
        migrations.RenameField(
            model_name='judgetally',
            old_name='test_set',
            new_name='task',
        ),
        migrations.RenameField(
            model_name='judgment',
            old_name='test_set',
            new_name='task',
        ),
        migrations.RenameField(
            model_name='judgmentnumber',
            old_name='test_set',
            new_name='task',
        ),
        migrations.RenameField(
            model_name='judgmentsequence',
            old_name='test_set',
            new_name='task',
        ),
        migrations.RenameField(
            model_name='pagechanges',
            old_name='test_set',
            new_name='task',
        ),
        migrations.RenameField(
            model_name='planningbatch',
            old_name='test_set',
            new_name='task',
        ),
        migrations.RenameField(
            model_name='problemreport',
            old_name='test_set',
            new_name='task',
        ),
        migrations.RenameField(
            model_name='qualityaction',
            old_name='test_set',
            new_name='task',
        ),
        migrations.RenameField(
            model_name='qualityrule',
            old_name='test_set',
            new_name='task',
        ),
        migrations.RenameField(
            model_name='rankingrequest',
            old_name='test_set',
            new_name='task',
        ),
        migrations.RenameField(
            model_name='samplingstate',
            old_name='test_set',
            new_name='task',
        ),
        migrations.RenameField(
            model_name='skip',
            old_name='test_set',
            new_name='task',
        ),
        migrations.RenameField(
            model_name='trainingblock',
            old_name='test_set',
            new_name='task',
        ),
        migrations.RenameField(
            model_name='uncountedskip',
            old_name='test_set',
            new_name='task',
        ),
        migrations.RenameField(
            model_name='unnumberedjudgment',
            old_name='test_set',
            new_name='task',
        ),
        migrations.RenameField(
            model_name='workedquarterhour',
            old_name='test_set',
            new_name='task',
        ),
        migrations.AlterField(
            model_name='design',
            name='task',
            field=models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='designs', to='campaign.task'),
        ),
        migrations.AlterField(
            model_name='hit',
            name='task',
            field=models.ForeignKey(db_constraint=False, db_index=False, on_delete=django.db.models.deletion.CASCADE, related_name='hits', to='campaign.task'),
        ),
        migrations.AlterField(
            model_name='hitsequence',
            name='task',
            field=models.OneToOneField(on_delete=django.db.models.deletion.CASCADE, primary_key=True, related_name='hit_sequence', serialize=False, to='campaign.task'),
        ),
        migrations.AlterField(
            model_name='judgeaccount',
            name='task',
            field=models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='accounts', to='campaign.task'),
        ),
        migrations.AlterField(
            model_name='judgedquarterhour',
            name='task',
            field=models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.CASCADE, related_name='judged_quarter_hours', to='campaign.task'),
        ),
        migrations.AlterField(
            model_name='judgetally',
            name='task',
            field=models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.CASCADE, related_name='judge_tallies', to='campaign.task'),
        ),
        migrations.AlterField(
            model_name='judgment',
            name='task',
            field=models.ForeignKey(db_constraint=False, db_index=False, on_delete=django.db.models.deletion.PROTECT, related_name='judgments', to='campaign.task'),
        ),
        migrations.AlterField(
            model_name='judgmentnumber',
            name='task',
            field=models.ForeignKey(db_constraint=False, db_index=False, on_delete=django.db.models.deletion.PROTECT, related_name='judgment_numbers', to='campaign.task'),
        ),
        migrations.AlterField(
            model_name='judgmentsequence',
            name='task',
            field=models.OneToOneField(on_delete=django.db.models.deletion.CASCADE, primary_key=True, related_name='judgment_sequence', serialize=False, to='campaign.task'),
        ),
        migrations.AlterField(
            model_name='pagechanges',
            name='task',
            field=models.OneToOneField(on_delete=django.db.models.deletion.CASCADE, primary_key=True, related_name='page_changes', serialize=False, to='campaign.task'),
        ),
        migrations.AlterField(
            model_name='planningbatch',
            name='task',
            field=models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='planning_batches', to='campaign.task'),
        ),
        migrations.AlterField(
            model_name='problemreport',
            name='task',
            field=models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='problem_reports', to='campaign.task'),
        ),
        migrations.AlterField(
            model_name='qualityaction',
            name='task',
            field=models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='quality_actions', to='campaign.task'),
        ),
        migrations.AlterField(
            model_name='qualityrule',
            name='task',
            field=models.ForeignKey(blank=True, help_text='Empty: each test set of the campaign.', null=True, on_delete=django.db.models.deletion.CASCADE, related_name='quality_rules', to='campaign.task'),
        ),
        migrations.AlterField(
            model_name='rankingrequest',
            name='task',
            field=models.OneToOneField(on_delete=django.db.models.deletion.CASCADE, primary_key=True, related_name='ranking_request', serialize=False, to='campaign.task'),
        ),
        migrations.AlterField(
            model_name='samplingstate',
            name='task',
            field=models.OneToOneField(on_delete=django.db.models.deletion.CASCADE, primary_key=True, related_name='sampling_state', serialize=False, to='campaign.task'),
        ),
        migrations.AlterField(
            model_name='skip',
            name='task',
            field=models.ForeignKey(db_constraint=False, db_index=False, on_delete=django.db.models.deletion.PROTECT, related_name='skips', to='campaign.task'),
        ),
        migrations.AlterField(
            model_name='trainingblock',
            name='task',
            field=models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='training_blocks', to='campaign.task'),
        ),
        migrations.AlterField(
            model_name='uncountedskip',
            name='task',
            field=models.ForeignKey(db_constraint=False, db_index=False, on_delete=django.db.models.deletion.CASCADE, related_name='+', to='campaign.task'),
        ),
        migrations.AlterField(
            model_name='unnumberedjudgment',
            name='task',
            field=models.ForeignKey(db_constraint=False, db_index=False, on_delete=django.db.models.deletion.CASCADE, related_name='+', to='campaign.task'),
        ),
        migrations.AlterField(
            model_name='workedquarterhour',
            name='task',
            field=models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='worked_quarter_hours', to='campaign.task'),
        ),
        migrations.SeparateDatabaseAndState(
            database_operations=[
                migrations.RunSQL(
                    sql='ALTER INDEX hit_number_unique_in_test_set RENAME TO hit_number_unique_in_task',
                    reverse_sql='ALTER INDEX hit_number_unique_in_task RENAME TO hit_number_unique_in_test_set',
                ),
                migrations.RunSQL(
                    sql='ALTER INDEX account_once_per_judge_and_test_set RENAME TO account_once_per_judge_and_task',
                    reverse_sql='ALTER INDEX account_once_per_judge_and_task RENAME TO account_once_per_judge_and_test_set',
                ),
                migrations.RunSQL(
                    sql='ALTER INDEX skip_of_a_test_set RENAME TO skip_of_a_task',
                    reverse_sql='ALTER INDEX skip_of_a_task RENAME TO skip_of_a_test_set',
                ),
                migrations.RunSQL(
                    sql='ALTER INDEX judge_tally_once_per_test_set_and_judge RENAME TO judge_tally_once_per_task_and_judge',
                    reverse_sql='ALTER INDEX judge_tally_once_per_task_and_judge RENAME TO judge_tally_once_per_test_set_and_judge',
                ),
                migrations.RunSQL(
                    sql='ALTER INDEX judgment_number_unique_in_test_set RENAME TO judgment_number_unique_in_task',
                    reverse_sql='ALTER INDEX judgment_number_unique_in_task RENAME TO judgment_number_unique_in_test_set',
                ),
                migrations.RunSQL(
                    sql='ALTER INDEX training_block_position_unique_in_test_set RENAME TO training_block_position_unique_in_task',
                    reverse_sql='ALTER INDEX training_block_position_unique_in_task RENAME TO training_block_position_unique_in_test_set',
                ),
                migrations.RunSQL(
                    sql='ALTER INDEX training_block_segment_unique_in_test_set RENAME TO training_block_segment_unique_in_task',
                    reverse_sql='ALTER INDEX training_block_segment_unique_in_task RENAME TO training_block_segment_unique_in_test_set',
                ),
            ],
            state_operations=[
                migrations.AddIndex(
                    model_name='hit',
                    index=models.Index(condition=models.Q(('completed_at__isnull', True), ('is_standby', False), ('purpose__in', ['first', 'redundancy', 'inter'])), fields=['task', 'number'], name='hit_pool'),
                ),
                migrations.AddIndex(
                    model_name='hit',
                    index=models.Index(condition=models.Q(('completed_at__isnull', True), ('holds_check', True), ('is_standby', False), ('purpose__in', ['first', 'redundancy', 'inter'])), fields=['task', 'number'], name='hit_pool_with_check'),
                ),
                migrations.AddIndex(
                    model_name='hit',
                    index=models.Index(condition=models.Q(('is_standby', True)), fields=['task', 'number'], name='hit_standby'),
                ),
                migrations.AddIndex(
                    model_name='hit',
                    index=models.Index(condition=models.Q(('completed_at__isnull', True), ('reserved_for__isnull', False)), fields=['reserved_for', 'task', 'number'], name='hit_reserved'),
                ),
                migrations.AddIndex(
                    model_name='hit',
                    index=models.Index(condition=models.Q(('purpose', 'training')), fields=['reserved_for', 'task', 'number'], name='hit_training'),
                ),
                migrations.AddIndex(
                    model_name='judgeaccount',
                    index=models.Index(condition=models.Q(('requested_at__isnull', False)), fields=['task', 'requested_at'], name='account_requested'),
                ),
                migrations.AddIndex(
                    model_name='judgment',
                    index=models.Index(condition=models.Q(('comment', ''), _negated=True), fields=['task', '-id'], name='judgment_with_comment'),
                ),
                migrations.AddIndex(
                    model_name='problemreport',
                    index=models.Index(fields=['task', '-id'], name='problem_report_latest'),
                ),
                migrations.AddIndex(
                    model_name='skip',
                    index=models.Index(fields=['task', '-id'], name='skip_of_a_task'),
                ),
                migrations.AddIndex(
                    model_name='skip',
                    index=models.Index(condition=models.Q(('comment', ''), _negated=True), fields=['task', '-id'], name='skip_with_comment'),
                ),
                migrations.AddIndex(
                    model_name='uncountedskip',
                    index=models.Index(fields=['task', 'skip'], name='skip_uncounted'),
                ),
                migrations.AddIndex(
                    model_name='unnumberedjudgment',
                    index=models.Index(fields=['task', 'judgment'], name='judgment_unnumbered'),
                ),
                migrations.AddConstraint(
                    model_name='hit',
                    constraint=models.UniqueConstraint(fields=('task', 'number'), name='hit_number_unique_in_task'),
                ),
                migrations.AddConstraint(
                    model_name='judgeaccount',
                    constraint=models.UniqueConstraint(fields=('judge', 'task'), name='account_once_per_judge_and_task'),
                ),
                migrations.AddConstraint(
                    model_name='judgedquarterhour',
                    constraint=models.UniqueConstraint(fields=('task', 'start'), name='judged_quarter_hour_once'),
                ),
                migrations.AddConstraint(
                    model_name='judgetally',
                    constraint=models.UniqueConstraint(fields=('task', 'judge'), name='judge_tally_once_per_task_and_judge'),
                ),
                migrations.AddConstraint(
                    model_name='judgmentnumber',
                    constraint=models.UniqueConstraint(fields=('task', 'number'), name='judgment_number_unique_in_task'),
                ),
                migrations.AddConstraint(
                    model_name='trainingblock',
                    constraint=models.UniqueConstraint(fields=('task', 'position'), name='training_block_position_unique_in_task'),
                ),
                migrations.AddConstraint(
                    model_name='trainingblock',
                    constraint=models.UniqueConstraint(fields=('task', 'segment'), name='training_block_segment_unique_in_task'),
                ),
                migrations.AddConstraint(
                    model_name='workedquarterhour',
                    constraint=models.UniqueConstraint(fields=('judge', 'task', 'start'), name='worked_quarter_hour_once'),
                ),
            ],
        ),
        migrations.RunSQL(
            sql='ALTER TABLE annotation_design RENAME CONSTRAINT design_of_one_test_set TO design_of_one_task',
            reverse_sql='ALTER TABLE annotation_design RENAME CONSTRAINT design_of_one_task TO design_of_one_test_set',
        ),
        migrations.RunSQL(
            sql='ALTER TABLE annotation_hit RENAME CONSTRAINT hit_design_of_its_test_set TO hit_design_of_its_task',
            reverse_sql='ALTER TABLE annotation_hit RENAME CONSTRAINT hit_design_of_its_task TO hit_design_of_its_test_set',
        ),
    ]
