from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ('annotation', '0008_planner_settings_kept'),
    ]

    operations = [
        migrations.RemoveIndex(
            model_name='judgeaccount',
            name='account_wanting',
        ),
        migrations.RenameField(
            model_name='judgeaccount',
            old_name='wanted_at',
            new_name='requested_at',
        ),
        migrations.RenameField(
            model_name='judgeaccount',
            old_name='nothing_at',
            new_name='none_left_at',
        ),
        migrations.AlterField(
            model_name='judgeaccount',
            name='requested_at',
            field=models.DateTimeField(blank=True, help_text='No HIT was available, and the planner has not checked since.', null=True, verbose_name='requested work'),
        ),
        migrations.AlterField(
            model_name='judgeaccount',
            name='none_left_at',
            field=models.DateTimeField(blank=True, help_text='When the planner last found no HIT to plan for this judge.', null=True, verbose_name='no work left'),
        ),
        migrations.AddIndex(
            model_name='judgeaccount',
            index=models.Index(condition=models.Q(('requested_at__isnull', False)), fields=['test_set', 'requested_at'], name='account_requested'),
        ),
        migrations.RenameField(
            model_name='judgmentsequence',
            old_name='announced_at',
            new_name='ranking_requested_at',
        ),
        migrations.AlterField(
            model_name='judgmentsequence',
            name='ranking_requested_at',
            field=models.DateTimeField(blank=True, help_text='When a ranking of new judgments was requested; empty once it has begun.', null=True, verbose_name='ranking requested'),
        ),
    ]
