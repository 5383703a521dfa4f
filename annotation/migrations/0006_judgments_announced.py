from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ('annotation', '0005_blocks_ahead'),
    ]

    operations = [
        migrations.AddField(
            model_name='judgmentsequence',
            name='announced_at',
            field=models.DateTimeField(blank=True, help_text='The worker was told of new judgments and has not begun to rank them.', null=True, verbose_name='announced'),
        ),
    ]
