from django.db import migrations, models
from django.db.models import F


def what_is_believed_has_asked(apps, schema_editor):
    """The link that is kept is that of the topic that is believed."""
    apps.get_model('campaign', 'Panel').objects.update(asking_topic_arn=F('topic_arn'))


class Migration(migrations.Migration):

    dependencies = [
        ('campaign', '0005_user_language'),
    ]

    operations = [
        migrations.AddField(
            model_name='panel',
            name='asking_topic_arn',
            field=models.CharField(blank=True, max_length=300, verbose_name='SNS topic that asks'),
        ),
        migrations.RunPython(what_is_believed_has_asked, migrations.RunPython.noop),
    ]
