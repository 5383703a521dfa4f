
import django.contrib.postgres.fields
import django.db.models.deletion
from django.conf import settings
from django.db import migrations, models


class Migration(migrations.Migration):
    """Record labels and reworded help texts; no table changes."""

    dependencies = [
        ('campaign', '0008_questions_to_judges'),
    ]

    operations = [
        migrations.AlterField(
            model_name='activityevent',
            name='operation',
            field=models.CharField(choices=[('created', 'Created'), ('changed', 'Changed'), ('deleted', 'Deleted')], max_length=7),
        ),
        migrations.AlterField(
            model_name='apitoken',
            name='user',
            field=models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='api_tokens', to=settings.AUTH_USER_MODEL, verbose_name='User'),
        ),
        migrations.AlterField(
            model_name='campaign',
            name='closes_at',
            field=models.DateTimeField(blank=True, help_text='Shown to judges, who receive no more work after that. Leave empty to close it manually.', null=True, verbose_name='Closes'),
        ),
        migrations.AlterField(
            model_name='conflictofinterest',
            name='judge',
            field=models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.CASCADE, related_name='conflicts', to='campaign.judge', verbose_name='Judge'),
        ),
        migrations.AlterField(
            model_name='conflictofinterest',
            name='system',
            field=models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='conflicts', to='campaign.system', verbose_name='System'),
        ),
        migrations.AlterField(
            model_name='erasurerequest',
            name='judge',
            field=models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.PROTECT, related_name='erasure_requests', to='campaign.judge', verbose_name='Judge'),
        ),
        migrations.AlterField(
            model_name='groupmember',
            name='group',
            field=models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='members', to='campaign.judgegroup', verbose_name='Judge group'),
        ),
        migrations.AlterField(
            model_name='groupmember',
            name='judge',
            field=models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.CASCADE, related_name='group_members', to='campaign.judge', verbose_name='Judge'),
        ),
        migrations.AlterField(
            model_name='invitation',
            name='user',
            field=models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.CASCADE, related_name='invitations', to=settings.AUTH_USER_MODEL, verbose_name='User'),
        ),
        migrations.AlterField(
            model_name='judge',
            name='languages',
            field=django.contrib.postgres.fields.ArrayField(base_field=models.CharField(max_length=35), blank=True, default=list, help_text='Languages the judge reads. Leave empty for all languages of the campaign.', size=None, verbose_name='Languages'),
        ),
        migrations.AlterField(
            model_name='membership',
            name='user',
            field=models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.CASCADE, related_name='memberships', to=settings.AUTH_USER_MODEL, verbose_name='User'),
        ),
        migrations.AlterField(
            model_name='panel',
            name='languages',
            field=django.contrib.postgres.fields.ArrayField(base_field=models.CharField(max_length=35), blank=True, default=list, help_text='Languages the participants read. Leave empty for all languages of the campaign.', size=None, verbose_name='Languages'),
        ),
    ]
