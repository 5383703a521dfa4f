from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ('campaign', '0007_topics_ask_and_browsers_are_forgotten'),
    ]

    operations = [
        migrations.RenameField(
            model_name='panel',
            old_name='asking_topic_arn',
            new_name='requested_topic_arn',
        ),
        migrations.AlterField(
            model_name='panel',
            name='requested_topic_arn',
            field=models.CharField(blank=True, max_length=300, verbose_name='requested SNS topic'),
        ),
    ]
