from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ('campaign', '0007_links_to_results'),
    ]

    operations = [
        migrations.AddField(
            model_name='campaign',
            name='questions',
            field=models.JSONField(blank=True, db_default=[], default=list, help_text='Questions asked of judges before the first or after the last sentence, with their texts by language.', verbose_name='Questions to judges'),
        ),
        migrations.AddField(
            model_name='judge',
            name='answers',
            field=models.JSONField(blank=True, db_default={}, default=dict, editable=False, verbose_name='Answers to questions'),
        ),
    ]
