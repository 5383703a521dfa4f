from django.db import migrations, models


class Migration(migrations.Migration):
    """A stopping rule uses anytime ranges unless told otherwise; no table changes."""

    dependencies = [
        ('ranking', '0002_remove_shard_jobs'),
    ]

    operations = [
        migrations.AlterField(
            model_name='stoppingrule',
            name='tests',
            field=models.CharField(choices=[('holm', 'pairwise tests with Holm correction'), ('anytime', 'anytime ranges')], default='anytime', max_length=8, verbose_name='Pairs told apart by'),
        ),
    ]
