
import django.contrib.postgres.fields
import django.db.models.deletion
from django.db import migrations, models


class Migration(migrations.Migration):
    """Record labels and reworded help texts; no table changes."""

    dependencies = [
        ('annotation', '0002_withdrawn_blocks'),
        ('campaign', '0009_labels_and_help'),
    ]

    operations = [
        migrations.AlterField(
            model_name='design',
            name='judge_group',
            field=models.ForeignKey(blank=True, db_index=False, help_text='Only judges in this group get HITs of the test set. Leave empty for all judges.', null=True, on_delete=django.db.models.deletion.PROTECT, related_name='designs', to='campaign.judgegroup', verbose_name='Judge group'),
        ),
        migrations.AlterField(
            model_name='design',
            name='normalisation',
            field=models.CharField(choices=[('exact', 'exact'), ('nfc_whitespace', 'after normalising Unicode (NFC) and white space'), ('eye', 'visually identical')], default='exact', max_length=14, verbose_name='Identical outputs'),
        ),
        migrations.AlterField(
            model_name='design',
            name='systems',
            field=django.contrib.postgres.fields.ArrayField(base_field=models.CharField(max_length=200), blank=True, default=list, help_text='Leave empty for all systems. Include a reference that is drawn like a system.', size=None, verbose_name='Systems'),
        ),
        migrations.AlterField(
            model_name='qualityaction',
            name='judge',
            field=models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='quality_actions', to='campaign.judge', verbose_name='Judge'),
        ),
        migrations.AlterField(
            model_name='qualityaction',
            name='rule',
            field=models.ForeignKey(blank=True, db_index=False, null=True, on_delete=django.db.models.deletion.PROTECT, related_name='actions', to='annotation.qualityrule', verbose_name='Quality rule'),
        ),
        migrations.AlterField(
            model_name='qualityrule',
            name='task',
            field=models.ForeignKey(blank=True, db_index=False, help_text='Empty for all test sets of the campaign.', null=True, on_delete=django.db.models.deletion.CASCADE, related_name='quality_rules', to='campaign.task', verbose_name='Task'),
        ),
        migrations.AlterField(
            model_name='trainingblock',
            name='segment',
            field=models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='+', to='campaign.segment', verbose_name='Segment'),
        ),
        migrations.AlterField(
            model_name='trainingcandidate',
            name='output',
            field=models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='+', to='campaign.output', verbose_name='Output'),
        ),
    ]
