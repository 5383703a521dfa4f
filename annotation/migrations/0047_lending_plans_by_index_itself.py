import pgtrigger.migrations
from django.db import migrations


class Migration(migrations.Migration):
    """What sets the planner is the first statement of a loan, as it is of a submission."""

    dependencies = [("annotation", "0046_answers_looked_up_by_protocol")]

    operations = [
        pgtrigger.migrations.RemoveTrigger(
            model_name="assignment", name="assignment_is_checked_by_index"
        ),
    ]
