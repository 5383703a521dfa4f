from django.db import migrations, models


class Migration(migrations.Migration):
    """Delete the jobs that created drafts at Zenodo, some of which hold an encrypted token."""

    dependencies = [
        ('campaign', '0013_machine_judges'),
    ]

    operations = [
        migrations.RunSQL(
            # PostgreSQL alters no table with pending checks of foreign keys.
            "DELETE FROM campaign_job WHERE kind = 'zenodo_draft'; SET CONSTRAINTS ALL IMMEDIATE; SET CONSTRAINTS ALL DEFERRED",
            migrations.RunSQL.noop,
        ),
        migrations.RemoveConstraint(
            model_name='job',
            name='job_kind_is_known',
        ),
        migrations.AlterField(
            model_name='job',
            name='kind',
            field=models.CharField(choices=[('texts_check', 'Text check'), ('texts_import', 'Test set import'), ('rehearsal', 'Rehearsal'), ('rehearsal_end', 'Rehearsal cleanup'), ('analysis', 'Analysis'), ('slow_analysis', 'Analysis'), ('bundle', 'Bundle of a published result'), ('export', 'Export'), ('metrics', 'Metrics')], max_length=20),
        ),
        migrations.AddConstraint(
            model_name='job',
            constraint=models.CheckConstraint(condition=models.Q(('kind__in', ['texts_check', 'texts_import', 'rehearsal', 'rehearsal_end', 'analysis', 'slow_analysis', 'bundle', 'export', 'metrics'])), name='job_kind_is_known'),
        ),
    ]
