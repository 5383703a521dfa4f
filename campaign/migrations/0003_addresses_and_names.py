import django.db.models.functions.text
from django.db import migrations, models

# Names that differ only in case stay; only the oldest of them keeps others from it.
DIFFERS_ONLY_IN_CASE = """
    UPDATE campaign_testset t SET differs_only_in_case = true
    WHERE EXISTS (
        SELECT FROM campaign_testset o
        WHERE o.campaign_id = t.campaign_id AND lower(o.name) = lower(t.name) AND o.id < t.id
    )
"""

# Judges who were invited by e-mail had their address only in the message. If several judges were invited at an
# address, it is that of the one whose message is in force, or else of the latest.
ADDRESSES_OF_JUDGES = """
    UPDATE campaign_judge j SET address = m.address
    FROM (
        SELECT DISTINCT ON (campaign_id, lower(address)) campaign_id, judge_id, address
        FROM (
            SELECT DISTINCT ON (i.judge_id) i.id, i.campaign_id, i.judge_id, i.address, i.withdrawn_at
            FROM campaign_mail i JOIN campaign_judge k ON k.id = i.judge_id
            WHERE i.kind = 'judge' AND i.address <> '' AND k.address = ''
                AND i.created_by_id IS DISTINCT FROM k.user_id
            ORDER BY i.judge_id, i.withdrawn_at IS NOT NULL, i.id DESC
        ) latest
        ORDER BY campaign_id, lower(address), withdrawn_at IS NOT NULL, id DESC
    ) m
    WHERE j.id = m.judge_id AND NOT EXISTS (
        SELECT FROM campaign_judge o
        WHERE o.campaign_id = m.campaign_id AND lower(o.address) = lower(m.address)
    )
"""


class Migration(migrations.Migration):

    dependencies = [
        ('campaign', '0002_campaigns'),
    ]

    operations = [
        migrations.AddField(
            model_name='testset',
            name='differs_only_in_case',
            field=models.BooleanField(db_default=False, default=False, editable=False),
        ),
        migrations.RunSQL(DIFFERS_ONLY_IN_CASE, migrations.RunSQL.noop),
        migrations.RunSQL(ADDRESSES_OF_JUDGES, migrations.RunSQL.noop),
        migrations.AddConstraint(
            model_name='testset',
            constraint=models.UniqueConstraint(models.F('campaign'), django.db.models.functions.text.Lower('name'), condition=models.Q(('differs_only_in_case', False)), name='test_set_name_unique_in_campaign_in_any_case'),
        ),
    ]
