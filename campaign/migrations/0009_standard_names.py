import django.db.models.deletion
import django.db.models.functions.text
import pgtrigger.compiler
import pgtrigger.migrations
from django.db import migrations, models


def unsure_to_unconfirmed(apps, schema_editor):
    mails = apps.get_model("campaign", "InvitationMail")
    mails.objects.filter(state="unsure").update(state="unconfirmed")


def unconfirmed_to_unsure(apps, schema_editor):
    mails = apps.get_model("campaign", "InvitationMail")
    mails.objects.filter(state="unconfirmed").update(state="unsure")


class Migration(migrations.Migration):
    dependencies = [("campaign", "0008_requested_topic_arn")]

    operations = [
        pgtrigger.migrations.RemoveTrigger(
            model_name="arrival", name="arrival_counts_on_its_invitation"
        ),
        migrations.RemoveConstraint("arrival", "arrival_once_per_invitation_and_browser"),
        migrations.RemoveConstraint("sighting", "sighting_opens_a_link_or_is_at_work"),
        migrations.RemoveConstraint("sighting", "sighting_forgotten_is_an_opening"),
        migrations.RemoveConstraint("mail", "mail_state_is_known"),
        migrations.RemoveConstraint("mail", "mail_has_a_time_exactly_if_sent"),
        migrations.RemoveConstraint("mail", "mail_one_in_force_per_campaign_and_address"),
        migrations.RenameModel("Arrival", "LinkRedemption"),
        migrations.RenameModel("Sighting", "BrowserVisit"),
        migrations.RenameModel("Mail", "InvitationMail"),
        migrations.RenameField("linkredemption", "arrived_at", "redeemed_at"),
        migrations.RenameIndex(
            "browservisit", "browser_visit_by_judge_time", old_name="sighting_by_judge_and_time"
        ),
        migrations.RenameIndex(
            "browservisit", "browser_visit_to_forget", old_name="sighting_with_browser_by_time"
        ),
        migrations.RenameIndex(
            "invitationmail", "invitation_mail_to_be_sent", old_name="mail_to_be_sent"
        ),
        migrations.AlterModelOptions(
            name='browservisit',
            options={'verbose_name': 'browser visit', 'verbose_name_plural': 'browser visits'},
        ),
        migrations.AlterModelOptions(
            name='linkredemption',
            options={'verbose_name': 'link redemption', 'verbose_name_plural': 'link redemptions'},
        ),
        migrations.AlterField(
            model_name='browservisit',
            name='invitation',
            field=models.ForeignKey(blank=True, help_text='The link that was opened; empty while at work.', null=True, on_delete=django.db.models.deletion.SET_NULL, related_name='browser_visits', to='campaign.invitation'),
        ),
        migrations.AlterField(
            model_name='browservisit',
            name='judge',
            field=models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='browser_visits', to='campaign.judge'),
        ),
        migrations.AlterField(
            model_name='invitation',
            name='arrived',
            field=models.PositiveIntegerField(default=0, help_text='Counted by the database with each new judge.', verbose_name='arrived'),
        ),
        migrations.AlterField(
            model_name='invitationmail',
            name='state',
            field=models.CharField(choices=[('queued', 'waiting to be sent'), ('sending', 'being sent'), ('sent', 'sent'), ('failed', 'not sent'), ('unconfirmed', 'perhaps sent')], default='queued', max_length=11, verbose_name='state'),
        ),
        migrations.AlterField(
            model_name='linkredemption',
            name='invitation',
            field=models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='redemptions', to='campaign.invitation'),
        ),
        migrations.AlterField(
            model_name='linkredemption',
            name='judge',
            field=models.OneToOneField(on_delete=django.db.models.deletion.CASCADE, related_name='link_redemption', to='campaign.judge'),
        ),
        migrations.AlterField(
            model_name='linkredemption',
            name='redeemed_at',
            field=models.DateTimeField(auto_now_add=True, verbose_name='redeemed'),
        ),
        pgtrigger.migrations.AddTrigger(
            model_name='linkredemption',
            trigger=pgtrigger.compiler.Trigger(name='link_redemption_counts_on_its_invitation', sql=pgtrigger.compiler.UpsertTriggerSql(func="\n                    UPDATE campaign_invitation i SET arrived = arrived + 1\n                    FROM campaign_judge j\n                    WHERE i.id = NEW.invitation_id AND i.user_id IS NULL\n                      AND j.id = NEW.judge_id AND j.campaign_id = i.campaign_id;\n                    IF NOT FOUND THEN\n                        RAISE EXCEPTION 'invitation % brings nobody in as judge %',\n                            NEW.invitation_id, NEW.judge_id\n                            USING ERRCODE = 'check_violation',\n                                  CONSTRAINT = 'link_redemption_by_a_link_of_the_campaign';\n                    END IF;\n                    RETURN NEW;\n                ", hash='7d3c9db61f64c525b0700aed8f2ca882c3a7151b', operation='INSERT', pgid='pgtrigger_link_redemption_counts_on_its_invitation_95843', table='campaign_linkredemption', when='AFTER')),
        ),
        migrations.RunPython(unsure_to_unconfirmed, unconfirmed_to_unsure),
        migrations.AddConstraint(
            model_name='browservisit',
            constraint=models.CheckConstraint(condition=models.Q(('at_work', False), ('invitation__isnull', True), _connector='OR'), name='browser_visit_opens_a_link_or_is_at_work'),
        ),
        migrations.AddConstraint(
            model_name='browservisit',
            constraint=models.CheckConstraint(condition=models.Q(('browser__isnull', False), models.Q(('at_work', False), ('device', '')), _connector='OR'), name='browser_visit_forgotten_is_an_opening'),
        ),
        migrations.AddConstraint(
            model_name='invitationmail',
            constraint=models.CheckConstraint(condition=models.Q(('state__in', ['queued', 'sending', 'sent', 'failed', 'unconfirmed'])), name='invitation_mail_state_is_known'),
        ),
        migrations.AddConstraint(
            model_name='invitationmail',
            constraint=models.CheckConstraint(condition=models.Q(models.Q(('sent_at__isnull', False), ('state', 'sent')), models.Q(models.Q(('state', 'sent'), _negated=True), ('sent_at__isnull', True)), _connector='OR'), name='invitation_mail_has_a_time_exactly_if_sent'),
        ),
        migrations.AddConstraint(
            model_name='invitationmail',
            constraint=models.UniqueConstraint(models.F('campaign'), django.db.models.functions.text.Lower('address'), condition=models.Q(('withdrawn_at__isnull', True)), name='invitation_mail_one_in_force_per_campaign_and_address'),
        ),
        migrations.AddConstraint(
            model_name='linkredemption',
            constraint=models.UniqueConstraint(fields=('invitation', 'browser'), name='link_redemption_once_per_invitation_and_browser'),
        ),
    ]
