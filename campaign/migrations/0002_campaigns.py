import campaign.database.create_models
import campaign.database.seeds
import campaign.models.panel
import django.contrib.postgres.fields
import django.core.serializers.json
import django.db.models.deletion
import django.db.models.functions.datetime
import django.db.models.functions.text
import pgtrigger.compiler
import uuid
from django.conf import settings
from django.db import migrations, models

# The events of a campaign go with it, past the triggers that forbid to delete them and the rights of whoever deletes it.
_REFERENCE = """
    ALTER TABLE campaign_activityevent ADD CONSTRAINT activity_event_of_a_campaign
    FOREIGN KEY (campaign_id) REFERENCES campaign_campaign (id) ON DELETE CASCADE DEFERRABLE INITIALLY DEFERRED
"""

# Called by the triggers of `campaign.database.recording`. Who acts is in `quintet.actor`, where the application
# told it (`campaign.database.acting`); SQL by hand is the role's that is connected. Of hidden values the event has
# whether there is one.
_RECORD = """
    CREATE FUNCTION activity_record(
        kind text, done text, campaign bigint, test_set bigint, object bigint, called text,
        before jsonb, after jsonb, hidden_before jsonb, hidden_after jsonb, count integer
    ) RETURNS void AS $$
        DECLARE
            actor jsonb := nullif(current_setting('quintet.actor', true), '')::jsonb;
            changes jsonb;
        BEGIN
            SELECT jsonb_object_agg(name, change) INTO changes FROM (
                SELECT name, jsonb_build_array(before -> name, after -> name) AS change
                FROM jsonb_object_keys(coalesce(after, before)) name
                WHERE coalesce(before -> name, 'null') <> coalesce(after -> name, 'null')
                UNION ALL
                SELECT name, jsonb_build_array(
                    coalesce(hidden_before ->> name, '') <> '', coalesce(hidden_after ->> name, '') <> ''
                )
                FROM jsonb_object_keys(coalesce(hidden_after, hidden_before)) name
                WHERE coalesce(hidden_before ->> name, '') <> coalesce(hidden_after ->> name, '')
            ) each;
            -- No campaign: it is being deleted, and its log with it.
            IF campaign IS NULL OR changes IS NULL AND done = 'UPDATE' THEN
                RETURN;
            END IF;
            INSERT INTO campaign_activityevent (
                campaign_id, test_set_id, operation, kind, object_id, object_name, count, changes,
                origin, user_id, through, operator
            ) VALUES (
                campaign, test_set,
                CASE done WHEN 'INSERT' THEN 'created' WHEN 'UPDATE' THEN 'changed' ELSE 'deleted' END,
                kind, object, coalesce(called, ''), count, coalesce(changes, '{}'),
                coalesce(actor ->> 'origin', 'database'), (actor ->> 'user')::bigint,
                coalesce(actor ->> 'through', ''),
                coalesce(actor ->> 'operator', CASE WHEN actor IS NULL THEN session_user::text ELSE '' END)
            );
        END;
    $$ LANGUAGE plpgsql
"""


class Migration(migrations.Migration):

    # After those of the libraries: each operation on what refers to users builds all models that do anew.
    dependencies = [
        ('account', '0009_emailaddress_unique_primary_email'),
        ('campaign', '0001_initial'),
        ('mfa', '0003_authenticator_type_uniq'),
        ('socialaccount', '0006_alter_socialaccount_extra_data'),
    ]

    operations = [
        migrations.RunSQL(_RECORD),
        campaign.database.create_models.CreateModels(
            models=[
                migrations.CreateModel(
                    name='Campaign',
                    fields=[
                        ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                        ('slug', models.SlugField(max_length=60, unique=True, verbose_name='short name')),
                        ('name', models.CharField(max_length=200, verbose_name='name')),
                        ('allow_partial_ranking', models.BooleanField(default=False, help_text='A judge may leave some outputs of a block without a rank.', verbose_name='allow partial ranking')),
                        ('blocks_per_judge', models.PositiveIntegerField(blank=True, help_text="What a judge's progress is measured against; after that they are done.", null=True, verbose_name='blocks asked of a judge')),
                        ('lease_minutes', models.PositiveIntegerField(default=60, help_text='How long a HIT is lent to a judge before it may be lent to another.', verbose_name='lease in minutes')),
                        ('show_source', models.BooleanField(default=True, help_text='Off: judges compare outputs with the reference alone.', verbose_name='show the source')),
                        ('show_reference', models.BooleanField(default=True, help_text='Off: judges compare outputs with the source alone.', verbose_name='show the reference')),
                        ('tour', models.BooleanField(default=True, help_text='Judges try the page on practice sentences before they begin.', verbose_name='tour for new judges')),
                        ('created_at', models.DateTimeField(db_default=django.db.models.functions.datetime.Now(), editable=False, verbose_name='created')),
                        ('pay', models.CharField(blank=True, db_default='', default='', help_text='What judges get for their work, in your words; shown before they begin.', max_length=200, verbose_name='pay')),
                        ('duration', models.CharField(blank=True, db_default='', default='', help_text='How long the work takes, in your words; shown before they begin.', max_length=200, verbose_name='duration')),
                        ('contact', models.CharField(blank=True, db_default='', default='', help_text='Whom judges may ask: a name, an address.', max_length=200, verbose_name='contact')),
                        ('closes_at', models.DateTimeField(blank=True, help_text='From then on judges get nothing more; they see it. Empty: when you close it.', null=True, verbose_name='closes')),
                        ('state', models.CharField(choices=[('draft', 'draft'), ('open', 'open'), ('paused', 'paused'), ('closed', 'closed'), ('archived', 'archived'), ('bin', 'in the bin')], db_default='open', default='open', max_length=8, verbose_name='state')),
                        ('state_before_bin', models.CharField(blank=True, editable=False, max_length=8, null=True, verbose_name='state before the bin')),
                        ('state_since', models.DateTimeField(db_default=django.db.models.functions.datetime.Now(), editable=False, verbose_name='in this state since')),
                        ('rehearsal_of', models.OneToOneField(blank=True, editable=False, help_text='The campaign that this one rehearses, with simulated judges.', null=True, on_delete=django.db.models.deletion.PROTECT, related_name='rehearsal', to='campaign.campaign')),
                    ],
                    options={
                        'verbose_name': 'campaign',
                        'verbose_name_plural': 'campaigns',
                        'constraints': [models.CheckConstraint(condition=models.Q(('lease_minutes__gte', 1)), name='campaign_lease_is_positive'), models.CheckConstraint(condition=models.Q(('blocks_per_judge__gte', 1)), name='campaign_blocks_per_judge_positive'), models.CheckConstraint(condition=models.Q(('show_source', True), ('show_reference', True), _connector='OR'), name='campaign_shows_source_or_reference'), models.CheckConstraint(condition=models.Q(('state__in', ['draft', 'open', 'paused', 'closed', 'archived', 'bin'])), name='campaign_state_is_known'), models.CheckConstraint(condition=models.Q(models.Q(('state', 'bin'), ('state_before_bin__isnull', False)), models.Q(models.Q(('state', 'bin'), _negated=True), ('state_before_bin__isnull', True)), _connector='OR'), name='campaign_in_the_bin_came_from_a_state')],
                        'indexes': [models.Index(condition=models.Q(('closes_at__isnull', False)), fields=['closes_at'], name='campaign_to_close')],
                        'triggers': [pgtrigger.compiler.Trigger(name='campaign_is_a_rehearsal_for_good', sql=pgtrigger.compiler.UpsertTriggerSql(condition='WHEN (OLD."rehearsal_of_id" IS DISTINCT FROM (NEW."rehearsal_of_id"))', func='RAISE EXCEPTION \'pgtrigger: Cannot update of "rehearsal_of_id" rows from % table\', TG_TABLE_NAME;', hash='5da8b7fef944977868243791a050825f98ffbe2e', operation='UPDATE OF "rehearsal_of_id"', pgid='pgtrigger_campaign_is_a_rehearsal_for_good_f931d', table='campaign_campaign', when='BEFORE')), pgtrigger.compiler.Trigger(name='campaign_state_follows', sql=pgtrigger.compiler.UpsertTriggerSql(condition='WHEN (OLD.state IS DISTINCT FROM NEW.state)', func="IF NOT (OLD.state, NEW.state) IN (('archived', 'bin'), ('archived', 'closed'), ('closed', 'archived'), ('closed', 'bin'), ('closed', 'open'), ('draft', 'bin'), ('draft', 'open'), ('open', 'bin'), ('open', 'closed'), ('open', 'paused'), ('paused', 'bin'), ('paused', 'closed'), ('paused', 'open'))\n    AND NOT (OLD.state = 'bin' AND NEW.state = OLD.state_before_bin)\nTHEN\n    RAISE EXCEPTION 'a campaign does not go from % to %', OLD.state, NEW.state\n        USING ERRCODE = 'integrity_constraint_violation', CONSTRAINT = 'campaign_state_follows';\nEND IF;\nNEW.state_since = statement_timestamp();\nNEW.state_before_bin = CASE WHEN NEW.state = 'bin' THEN OLD.state END;\nRETURN NEW;\n", hash='5f213af849a7e42859227a9b42f10818ecec7b1c', operation='UPDATE OF "state"', pgid='pgtrigger_campaign_state_follows_db7ec', table='campaign_campaign', when='BEFORE')), pgtrigger.compiler.Trigger(name='campaign_recorded', sql=pgtrigger.compiler.UpsertTriggerSql(declare='DECLARE written RECORD; done TEXT := TG_OP; before JSONB; after JSONB; hidden_before JSONB; hidden_after JSONB;', func="IF TG_OP = 'DELETE' THEN written := OLD; ELSE written := NEW; after := jsonb_build_object('slug', NEW.slug, 'name', NEW.name, 'allow_partial_ranking', NEW.allow_partial_ranking, 'blocks_per_judge', NEW.blocks_per_judge, 'lease_minutes', NEW.lease_minutes, 'show_source', NEW.show_source, 'show_reference', NEW.show_reference, 'tour', NEW.tour, 'pay', NEW.pay, 'duration', NEW.duration, 'contact', NEW.contact, 'state', NEW.state, 'closes_at', NEW.closes_at); hidden_after := jsonb_build_object(); END IF;\nIF TG_OP <> 'INSERT' THEN before := jsonb_build_object('slug', OLD.slug, 'name', OLD.name, 'allow_partial_ranking', OLD.allow_partial_ranking, 'blocks_per_judge', OLD.blocks_per_judge, 'lease_minutes', OLD.lease_minutes, 'show_source', OLD.show_source, 'show_reference', OLD.show_reference, 'tour', OLD.tour, 'pay', OLD.pay, 'duration', OLD.duration, 'contact', OLD.contact, 'state', OLD.state, 'closes_at', OLD.closes_at); hidden_before := jsonb_build_object(); END IF;\nPERFORM activity_record(\n    'campaign.campaign', done, written.id, NULL, written.id, written.name,\n    before, after, hidden_before, hidden_after, 1\n);\nRETURN NULL;\n", hash='ab326a6109b3c62c219d612b31657954a24ca201', operation='INSERT OR UPDATE OF "slug", "name", "allow_partial_ranking", "blocks_per_judge", "lease_minutes", "show_source", "show_reference", "tour", "pay", "duration", "contact", "state", "closes_at"', pgid='pgtrigger_campaign_recorded_cec3b', table='campaign_campaign', when='AFTER'))],
                    },
                ),
                migrations.CreateModel(
                    name='SignInCount',
                    fields=[
                        ('cache_key', models.CharField(max_length=255, primary_key=True, serialize=False)),
                        ('value', models.TextField()),
                        ('expires', models.DateTimeField(db_index=True)),
                    ],
                ),
                migrations.CreateModel(
                    name='AccountMail',
                    fields=[
                        ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                        ('address', models.EmailField(max_length=254, verbose_name='e-mail address')),
                        ('language', models.CharField(max_length=35, verbose_name='language')),
                        ('base_url', models.CharField(max_length=200, verbose_name='where this Quintet is reached')),
                        ('state', models.CharField(choices=[('queued', 'waiting to be sent'), ('sending', 'being sent'), ('sent', 'sent'), ('failed', 'not sent'), ('unconfirmed', 'perhaps sent')], default='queued', max_length=11, verbose_name='state')),
                        ('attempts', models.PositiveIntegerField(default=0, verbose_name='attempts')),
                        ('next_attempt_at', models.DateTimeField(db_default=django.db.models.functions.datetime.Now(), verbose_name='next attempt')),
                        ('claimed_at', models.DateTimeField(blank=True, null=True, verbose_name='latest attempt')),
                        ('sent_at', models.DateTimeField(blank=True, null=True, verbose_name='sent')),
                        ('error', models.CharField(blank=True, max_length=300, verbose_name='what went wrong')),
                        ('created_at', models.DateTimeField(db_default=django.db.models.functions.datetime.Now(), editable=False, verbose_name='created')),
                        ('kind', models.CharField(choices=[('password', 'to choose a new password'), ('address', 'to confirm a new e-mail address')], max_length=8, verbose_name='kind')),
                        ('user', models.ForeignKey(blank=True, help_text='Who asked for another address; nobody who forgot a password.', null=True, on_delete=django.db.models.deletion.CASCADE, related_name='account_mails', to=settings.AUTH_USER_MODEL)),
                    ],
                    options={
                        'verbose_name': 'e-mail about an account',
                        'verbose_name_plural': 'e-mails about accounts',
                        'indexes': [models.Index(condition=models.Q(('state__in', ['queued', 'sending'])), fields=['next_attempt_at'], name='account_mail_to_be_sent')],
                        'constraints': [models.CheckConstraint(condition=models.Q(('state__in', ['queued', 'sending', 'sent', 'failed', 'unconfirmed'])), name='account_mail_state_is_known'), models.CheckConstraint(condition=models.Q(('kind__in', ['password', 'address'])), name='account_mail_kind_is_known'), models.CheckConstraint(condition=models.Q(models.Q(('sent_at__isnull', False), ('state', 'sent')), models.Q(models.Q(('state', 'sent'), _negated=True), ('sent_at__isnull', True)), _connector='OR'), name='account_mail_has_a_time_exactly_if_sent'), models.CheckConstraint(condition=models.Q(models.Q(('kind', 'address'), ('user__isnull', False)), models.Q(models.Q(('kind', 'address'), _negated=True), ('user__isnull', True)), _connector='OR'), name='account_mail_has_a_user_exactly_if_for_an_address')],
                    },
                ),
                migrations.CreateModel(
                    name='AlertMail',
                    fields=[
                        ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                        ('address', models.EmailField(max_length=254, verbose_name='e-mail address')),
                        ('language', models.CharField(max_length=35, verbose_name='language')),
                        ('base_url', models.CharField(max_length=200, verbose_name='where this Quintet is reached')),
                        ('state', models.CharField(choices=[('queued', 'waiting to be sent'), ('sending', 'being sent'), ('sent', 'sent'), ('failed', 'not sent'), ('unconfirmed', 'perhaps sent')], default='queued', max_length=11, verbose_name='state')),
                        ('attempts', models.PositiveIntegerField(default=0, verbose_name='attempts')),
                        ('next_attempt_at', models.DateTimeField(db_default=django.db.models.functions.datetime.Now(), verbose_name='next attempt')),
                        ('claimed_at', models.DateTimeField(blank=True, null=True, verbose_name='latest attempt')),
                        ('sent_at', models.DateTimeField(blank=True, null=True, verbose_name='sent')),
                        ('error', models.CharField(blank=True, max_length=300, verbose_name='what went wrong')),
                        ('created_at', models.DateTimeField(db_default=django.db.models.functions.datetime.Now(), editable=False, verbose_name='created')),
                        ('day', models.DateField(help_text='In the time zone of the server.', verbose_name='day')),
                        ('user', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='alert_mails', to=settings.AUTH_USER_MODEL)),
                    ],
                    options={
                        'verbose_name': 'daily mail of alerts',
                        'verbose_name_plural': 'daily mails of alerts',
                        'constraints': [models.CheckConstraint(condition=models.Q(('state__in', ['queued', 'sending', 'sent', 'failed', 'unconfirmed'])), name='alert_mail_state_is_known'), models.CheckConstraint(condition=models.Q(models.Q(('sent_at__isnull', False), ('state', 'sent')), models.Q(models.Q(('state', 'sent'), _negated=True), ('sent_at__isnull', True)), _connector='OR'), name='alert_mail_has_a_time_exactly_if_sent'), models.UniqueConstraint(fields=('user', 'day'), name='alert_mail_once_per_user_and_day')],
                    },
                ),
                migrations.CreateModel(
                    name='IdempotentAnswer',
                    fields=[
                        ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                        ('key', models.CharField(max_length=255)),
                        ('request_digest', models.CharField(max_length=64, verbose_name='hash of the request')),
                        ('status', models.PositiveSmallIntegerField()),
                        ('body', models.BinaryField(verbose_name='the answer, encrypted')),
                        ('created_at', models.DateTimeField(db_default=django.db.models.functions.datetime.Now(), verbose_name='created')),
                        ('user', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.CASCADE, related_name='idempotent_answers', to=settings.AUTH_USER_MODEL)),
                    ],
                    options={
                        'verbose_name': 'answer to a repeatable request',
                        'verbose_name_plural': 'answers to repeatable requests',
                        'indexes': [models.Index(fields=['created_at'], name='idempotent_answers_to_forget')],
                        'constraints': [models.UniqueConstraint(fields=('user', 'key'), name='idempotent_answer_once_a_key')],
                    },
                ),
                migrations.CreateModel(
                    name='Session',
                    fields=[
                        ('session_key', models.CharField(max_length=40, primary_key=True, serialize=False, verbose_name='session key')),
                        ('session_data', models.TextField(verbose_name='session data')),
                        ('expire_date', models.DateTimeField(db_index=True, verbose_name='expire date')),
                        ('user', models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.CASCADE, related_name='sessions', to=settings.AUTH_USER_MODEL)),
                    ],
                    options={
                        'verbose_name': 'session',
                        'verbose_name_plural': 'sessions',
                        'abstract': False,
                    },
                ),
                migrations.CreateModel(
                    name='ApiToken',
                    fields=[
                        ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                        ('name', models.CharField(blank=True, default='', max_length=100, verbose_name='name')),
                        ('scope', models.CharField(choices=[('read', 'read only'), ('write', 'read and write')], default='write', max_length=5, verbose_name='scope')),
                        ('digest', models.CharField(max_length=128, unique=True, verbose_name='hash')),
                        ('token_key', models.CharField(max_length=25, verbose_name='first characters')),
                        ('created_at', models.DateTimeField(db_default=django.db.models.functions.datetime.Now(), editable=False, verbose_name='made')),
                        ('expiry', models.DateTimeField(verbose_name='expires')),
                        ('last_used_at', models.DateTimeField(blank=True, help_text='To the hour.', null=True, verbose_name='last used')),
                        ('campaign', models.ForeignKey(blank=True, help_text='Empty: all campaigns of the user.', null=True, on_delete=django.db.models.deletion.CASCADE, related_name='api_tokens', to='campaign.campaign')),
                        ('user', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='api_tokens', to=settings.AUTH_USER_MODEL)),
                    ],
                    options={
                        'verbose_name': 'API token',
                        'verbose_name_plural': 'API tokens',
                        'constraints': [models.CheckConstraint(condition=models.Q(('scope__in', ['read', 'write'])), name='api_token_scope_is_known')],
                        'triggers': [pgtrigger.compiler.Trigger(name='api_token_recorded_new', sql=pgtrigger.compiler.UpsertTriggerSql(func="PERFORM activity_record(\n    'campaign.apitoken', TG_OP, each.campaign, each.test_set, CASE WHEN count(*) = 1 THEN min(each.key) END,\n    CASE WHEN count(*) = 1 THEN min(each.called) ELSE '' END,\n    each.before, each.after, '{}', '{}', count(*)::integer\n)\nFROM (\n    SELECT m.campaign_id AS campaign, NULL::bigint AS test_set, row_new.name AS called, row_new.id AS key, NULL::jsonb AS before, jsonb_build_object('name', row_new.name, 'user_id', row_new.user_id, 'scope', row_new.scope, 'expiry', row_new.expiry) AS after FROM rows_new row_new  JOIN campaign_membership m ON m.user_id = row_new.user_id AND (row_new.campaign_id IS NULL OR row_new.campaign_id = m.campaign_id)\n) each\nGROUP BY each.campaign, each.test_set, each.before, each.after;\nRETURN NULL;\n", hash='de0d007760f64422d7687dbe560ff1ce2c144dba', level='STATEMENT', operation='INSERT', pgid='pgtrigger_api_token_recorded_new_d9f8b', referencing='REFERENCING NEW TABLE AS rows_new ', table='campaign_apitoken', when='AFTER')), pgtrigger.compiler.Trigger(name='api_token_recorded_gone', sql=pgtrigger.compiler.UpsertTriggerSql(func="PERFORM activity_record(\n    'campaign.apitoken', TG_OP, each.campaign, each.test_set, CASE WHEN count(*) = 1 THEN min(each.key) END,\n    CASE WHEN count(*) = 1 THEN min(each.called) ELSE '' END,\n    each.before, each.after, '{}', '{}', count(*)::integer\n)\nFROM (\n    SELECT m.campaign_id AS campaign, NULL::bigint AS test_set, row_new.name AS called, row_new.id AS key, jsonb_build_object('name', row_new.name, 'user_id', row_new.user_id, 'scope', row_new.scope, 'expiry', row_new.expiry) AS before, NULL::jsonb AS after FROM rows_old row_new JOIN campaign_membership m ON m.user_id = row_new.user_id AND (row_new.campaign_id IS NULL OR row_new.campaign_id = m.campaign_id)\n) each\nGROUP BY each.campaign, each.test_set, each.before, each.after;\nRETURN NULL;\n", hash='769153f77ae62da9c133d491a779fb9d3640dff7', level='STATEMENT', operation='DELETE', pgid='pgtrigger_api_token_recorded_gone_54b99', referencing='REFERENCING OLD TABLE AS rows_old ', table='campaign_apitoken', when='AFTER'))],
                    },
                ),
                migrations.CreateModel(
                    name='CampaignStateChange',
                    fields=[
                        ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                        ('before', models.CharField(choices=[('draft', 'draft'), ('open', 'open'), ('paused', 'paused'), ('closed', 'closed'), ('archived', 'archived'), ('bin', 'in the bin')], max_length=8, verbose_name='before')),
                        ('after', models.CharField(choices=[('draft', 'draft'), ('open', 'open'), ('paused', 'paused'), ('closed', 'closed'), ('archived', 'archived'), ('bin', 'in the bin')], max_length=8, verbose_name='after')),
                        ('changed_at', models.DateTimeField(db_default=django.db.models.functions.datetime.Now(), editable=False, verbose_name='changed')),
                        ('campaign', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='state_changes', to='campaign.campaign')),
                        ('changed_by', models.ForeignKey(blank=True, help_text='Empty: a command, or the day on which it was to close.', null=True, on_delete=django.db.models.deletion.PROTECT, related_name='+', to=settings.AUTH_USER_MODEL)),
                    ],
                    options={
                        'verbose_name': "change of a campaign's state",
                        'verbose_name_plural': "changes of campaigns' states",
                        'constraints': [models.CheckConstraint(condition=models.Q(('before__in', ['draft', 'open', 'paused', 'closed', 'archived', 'bin'])), name='state_change_before_is_known'), models.CheckConstraint(condition=models.Q(('after__in', ['draft', 'open', 'paused', 'closed', 'archived', 'bin'])), name='state_change_after_is_known')],
                    },
                ),
                migrations.CreateModel(
                    name='Instructions',
                    fields=[
                        ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                        ('version', models.PositiveIntegerField(help_text='From 1.', verbose_name='version')),
                        ('language', models.CharField(max_length=35, verbose_name='language')),
                        ('text', models.TextField(help_text='Markdown.', verbose_name='text')),
                        ('demands_acceptance', models.BooleanField(help_text='Judges go on only once they accepted this version or a later one.', verbose_name='demands acceptance')),
                        ('created_at', models.DateTimeField(db_default=django.db.models.functions.datetime.Now(), editable=False, verbose_name='created')),
                        ('campaign', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='instructions', to='campaign.campaign')),
                        ('created_by', models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.PROTECT, related_name='+', to=settings.AUTH_USER_MODEL)),
                    ],
                    options={
                        'verbose_name': 'instructions',
                        'verbose_name_plural': 'instructions',
                        'constraints': [models.UniqueConstraint(fields=('campaign', 'version'), name='instructions_version_unique_in_campaign'), models.CheckConstraint(condition=models.Q(('version__gt', 1), models.Q(('demands_acceptance', True), ('version', 1)), _connector='OR'), name='instructions_first_version_demands_acceptance'), models.CheckConstraint(condition=models.Q(('text', ''), _negated=True), name='instructions_not_empty')],
                        'triggers': [pgtrigger.compiler.Trigger(name='instructions_recorded', sql=pgtrigger.compiler.UpsertTriggerSql(declare='DECLARE written RECORD; done TEXT := TG_OP; before JSONB; after JSONB; hidden_before JSONB; hidden_after JSONB;', func="IF TG_OP = 'DELETE' THEN written := OLD; ELSE written := NEW; after := jsonb_build_object('version', NEW.version, 'language', NEW.language, 'demands_acceptance', NEW.demands_acceptance); hidden_after := jsonb_build_object(); END IF;\nIF TG_OP <> 'INSERT' THEN before := jsonb_build_object('version', OLD.version, 'language', OLD.language, 'demands_acceptance', OLD.demands_acceptance); hidden_before := jsonb_build_object(); END IF;\nPERFORM activity_record(\n    'campaign.instructions', done, written.campaign_id, NULL, written.id, written.version::text,\n    before, after, hidden_before, hidden_after, 1\n);\nRETURN NULL;\n", hash='46c2be1fb16aa82134db2d697f52ce2713bc550a', operation='INSERT OR UPDATE OF "version", "language", "demands_acceptance" OR DELETE', pgid='pgtrigger_instructions_recorded_71735', table='campaign_instructions', when='AFTER'))],
                    },
                ),
                migrations.CreateModel(
                    name='Invitation',
                    fields=[
                        ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                        ('role', models.CharField(choices=[('owner', 'owner'), ('organiser', 'organiser'), ('analyst', 'analyst'), ('judge', 'judge')], max_length=9, verbose_name='role')),
                        ('token_hash', models.BinaryField(max_length=32, unique=True, verbose_name='hash of the token')),
                        ('cap', models.PositiveIntegerField(blank=True, help_text='How many judges a link for anybody brings in.', null=True, verbose_name='cap')),
                        ('arrived', models.PositiveIntegerField(default=0, help_text='Counted by the database with each new judge.', verbose_name='arrived')),
                        ('languages', django.contrib.postgres.fields.ArrayField(base_field=models.CharField(max_length=35), blank=True, default=list, help_text='What new judges read, or may choose from; empty means all of the campaign.', size=None, verbose_name='languages')),
                        ('asks_languages', models.BooleanField(default=False, help_text='New judges say which they read.', verbose_name='ask for languages')),
                        ('note', models.CharField(blank=True, max_length=200, verbose_name='note')),
                        ('created_at', models.DateTimeField(db_default=django.db.models.functions.datetime.Now(), editable=False, verbose_name='created')),
                        ('expires_at', models.DateTimeField(verbose_name='expires')),
                        ('revoked_at', models.DateTimeField(blank=True, null=True, verbose_name='revoked')),
                        ('campaign', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='invitations', to='campaign.campaign')),
                        ('created_by', models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.SET_NULL, related_name='+', to=settings.AUTH_USER_MODEL)),
                        ('user', models.ForeignKey(blank=True, help_text='Empty: for anybody, up to the cap.', null=True, on_delete=django.db.models.deletion.CASCADE, related_name='invitations', to=settings.AUTH_USER_MODEL)),
                        ('accepted_at', models.DateTimeField(blank=True, help_text='When its user became a member by it; it opens nothing any more.', null=True, verbose_name='accepted')),
                    ],
                    options={
                        'verbose_name': 'invitation',
                        'verbose_name_plural': 'invitations',
                        'constraints': [models.CheckConstraint(condition=models.Q(('role__in', ['owner', 'organiser', 'analyst', 'judge'])), name='invitation_role_is_known'), models.CheckConstraint(condition=models.Q(models.Q(('cap__gte', 1), ('cap__isnull', False), ('role', 'judge'), ('user__isnull', True)), models.Q(('arrived', 0), ('cap__isnull', True), ('user__isnull', False)), _connector='OR'), name='invitation_for_anybody_is_for_judges_and_capped'), models.CheckConstraint(condition=models.Q(('cap__isnull', True), ('arrived__lte', models.F('cap')), _connector='OR'), name='invitation_brings_in_no_more_than_its_cap'), models.CheckConstraint(condition=models.Q(('accepted_at__isnull', True), models.Q(('role', 'judge'), _negated=True), _connector='OR'), name='invitation_accepted_is_no_judges')],
                        'triggers': [pgtrigger.compiler.Trigger(name='invitation_recorded', sql=pgtrigger.compiler.UpsertTriggerSql(declare='DECLARE written RECORD; done TEXT := TG_OP; before JSONB; after JSONB; hidden_before JSONB; hidden_after JSONB;', func="IF TG_OP = 'DELETE' THEN written := OLD; ELSE written := NEW; after := jsonb_build_object('user_id', NEW.user_id, 'role', NEW.role, 'cap', NEW.cap, 'languages', NEW.languages, 'asks_languages', NEW.asks_languages, 'note', NEW.note, 'expires_at', NEW.expires_at, 'revoked_at', NEW.revoked_at, 'accepted_at', NEW.accepted_at); hidden_after := jsonb_build_object(); END IF;\nIF TG_OP <> 'INSERT' THEN before := jsonb_build_object('user_id', OLD.user_id, 'role', OLD.role, 'cap', OLD.cap, 'languages', OLD.languages, 'asks_languages', OLD.asks_languages, 'note', OLD.note, 'expires_at', OLD.expires_at, 'revoked_at', OLD.revoked_at, 'accepted_at', OLD.accepted_at); hidden_before := jsonb_build_object(); END IF;\nPERFORM activity_record(\n    'campaign.invitation', done, written.campaign_id, NULL, written.id, '',\n    before, after, hidden_before, hidden_after, 1\n);\nRETURN NULL;\n", hash='2da4db855d3ecbf04aca188e4e9459450d827916', operation='INSERT OR UPDATE OF "user_id", "role", "cap", "languages", "asks_languages", "note", "expires_at", "revoked_at", "accepted_at" OR DELETE', pgid='pgtrigger_invitation_recorded_472d6', table='campaign_invitation', when='AFTER'))],
                    },
                ),
                migrations.CreateModel(
                    name='Job',
                    fields=[
                        ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                        ('kind', models.CharField(choices=[('texts_check', 'Check of uploaded texts'), ('texts_import', 'Import of a test set'), ('rehearsal', 'Rehearsal'), ('rehearsal_end', 'End of the rehearsal'), ('analysis', 'Analysis'), ('bundle', 'Bundle of a published result'), ('zenodo_draft', 'Draft at Zenodo'), ('export', 'Export')], max_length=20, verbose_name='kind')),
                        ('name', models.CharField(help_text='What it is done to.', max_length=200, verbose_name='name')),
                        ('parameters', models.JSONField(default=dict, encoder=django.core.serializers.json.DjangoJSONEncoder, verbose_name='parameters')),
                        ('state', models.CharField(choices=[('queued', 'waiting'), ('running', 'running'), ('done', 'done'), ('failed', 'failed'), ('cancelled', 'cancelled')], default='queued', max_length=9, verbose_name='state')),
                        ('done', models.PositiveBigIntegerField(default=0, verbose_name='done')),
                        ('total', models.PositiveBigIntegerField(default=0, help_text='0: not known.', verbose_name='of')),
                        ('log', django.contrib.postgres.fields.ArrayField(base_field=models.TextField(), blank=True, default=list, size=None, verbose_name='log')),
                        ('error', models.TextField(blank=True, default='', verbose_name='why it failed')),
                        ('result', models.JSONField(default=dict, encoder=django.core.serializers.json.DjangoJSONEncoder, verbose_name='result')),
                        ('language', models.CharField(default='en', max_length=35, verbose_name='language of its words')),
                        ('attempts', models.PositiveIntegerField(default=0, verbose_name='attempts')),
                        ('created_at', models.DateTimeField(db_default=django.db.models.functions.datetime.Now(), editable=False, verbose_name='created')),
                        ('started_at', models.DateTimeField(blank=True, null=True, verbose_name='started')),
                        ('finished_at', models.DateTimeField(blank=True, null=True, verbose_name='finished')),
                        ('cancel_asked_at', models.DateTimeField(blank=True, null=True, verbose_name='asked to stop')),
                        ('asked_by', models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.SET_NULL, related_name='+', to=settings.AUTH_USER_MODEL)),
                        ('campaign', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='jobs', to='campaign.campaign')),
                    ],
                    options={
                        'verbose_name': 'job',
                        'verbose_name_plural': 'jobs',
                        'indexes': [models.Index(condition=models.Q(('state__in', ['queued', 'running'])), fields=['id'], name='job_to_be_done'), models.Index(condition=models.Q(('state', 'failed')), fields=['finished_at'], name='job_failed')],
                        'constraints': [models.CheckConstraint(condition=models.Q(('kind__in', ['texts_check', 'texts_import', 'rehearsal', 'rehearsal_end', 'analysis', 'bundle', 'zenodo_draft', 'export'])), name='job_kind_is_known'), models.CheckConstraint(condition=models.Q(('state__in', ['queued', 'running', 'done', 'failed', 'cancelled'])), name='job_state_is_known'), models.CheckConstraint(condition=models.Q(models.Q(('finished_at__isnull', False), ('state__in', ('done', 'failed', 'cancelled'))), models.Q(models.Q(('state__in', ('done', 'failed', 'cancelled')), _negated=True), ('finished_at__isnull', True)), _connector='OR'), name='job_has_an_end_exactly_if_ended'), models.CheckConstraint(condition=models.Q(('state', 'failed'), ('error', ''), _connector='XOR'), name='job_has_an_error_exactly_if_failed')],
                    },
                ),
                migrations.CreateModel(
                    name='JudgeGroup',
                    fields=[
                        ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                        ('name', models.CharField(max_length=60, verbose_name='name')),
                        ('blocks_asked', models.PositiveIntegerField(blank=True, help_text='In all; empty means what the campaign asks of a judge.', null=True, verbose_name='blocks asked of each judge')),
                        ('created_at', models.DateTimeField(db_default=django.db.models.functions.datetime.Now(), editable=False, verbose_name='created')),
                        ('removed_at', models.DateTimeField(blank=True, editable=False, null=True, verbose_name='deleted')),
                        ('campaign', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='judge_groups', to='campaign.campaign')),
                    ],
                    options={
                        'verbose_name': 'group of judges',
                        'verbose_name_plural': 'groups of judges',
                        'constraints': [models.UniqueConstraint(models.F('campaign'), django.db.models.functions.text.Lower('name'), condition=models.Q(('removed_at__isnull', True)), name='judge_group_name_unique_in_campaign'), models.CheckConstraint(condition=models.Q(('name', ''), _negated=True), name='judge_group_name_not_empty'), models.CheckConstraint(condition=models.Q(('blocks_asked__isnull', True), ('blocks_asked__gte', 1), _connector='OR'), name='judge_group_asks_for_something')],
                        'triggers': [pgtrigger.compiler.Trigger(name='judge_group_recorded', sql=pgtrigger.compiler.UpsertTriggerSql(declare='DECLARE written RECORD; done TEXT := TG_OP; before JSONB; after JSONB; hidden_before JSONB; hidden_after JSONB;', func="IF TG_OP = 'DELETE' THEN written := OLD; ELSE written := NEW; after := jsonb_build_object('name', NEW.name, 'blocks_asked', NEW.blocks_asked, 'removed_at', NEW.removed_at); hidden_after := jsonb_build_object(); END IF;\nIF TG_OP <> 'INSERT' THEN before := jsonb_build_object('name', OLD.name, 'blocks_asked', OLD.blocks_asked, 'removed_at', OLD.removed_at); hidden_before := jsonb_build_object(); END IF;\nPERFORM activity_record(\n    'campaign.judgegroup', done, written.campaign_id, NULL, written.id, written.name,\n    before, after, hidden_before, hidden_after, 1\n);\nRETURN NULL;\n", hash='d3d2c35f1d65df902df34755701355672c198f44', operation='INSERT OR UPDATE OF "name", "blocks_asked", "removed_at" OR DELETE', pgid='pgtrigger_judge_group_recorded_a6ef0', table='campaign_judgegroup', when='AFTER'))],
                    },
                ),
                migrations.CreateModel(
                    name='Membership',
                    fields=[
                        ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                        ('role', models.CharField(choices=[('owner', 'owner'), ('organiser', 'organiser'), ('analyst', 'analyst')], max_length=10, verbose_name='role')),
                        ('campaign', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='memberships', to='campaign.campaign')),
                        ('user', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='memberships', to=settings.AUTH_USER_MODEL)),
                        ('daily_alerts', models.BooleanField(db_default=False, default=False, help_text='Asked for by the member, who must be an organiser.', verbose_name='daily mail of alerts')),
                    ],
                    options={
                        'verbose_name': 'membership',
                        'verbose_name_plural': 'memberships',
                        'constraints': [models.UniqueConstraint(fields=('user', 'campaign'), name='membership_once_per_user_and_campaign'), models.CheckConstraint(condition=models.Q(('role__in', ['owner', 'organiser', 'analyst'])), name='membership_role_is_known'), models.CheckConstraint(condition=models.Q(('daily_alerts', False), ('role__in', ('owner', 'organiser')), _connector='OR'), name='membership_with_daily_alerts_may_act')],
                        'triggers': [pgtrigger.compiler.Trigger(name='membership_recorded', sql=pgtrigger.compiler.UpsertTriggerSql(declare='DECLARE written RECORD; done TEXT := TG_OP; before JSONB; after JSONB; hidden_before JSONB; hidden_after JSONB;', func="IF TG_OP = 'DELETE' THEN written := OLD; ELSE written := NEW; after := jsonb_build_object('user_id', NEW.user_id, 'role', NEW.role, 'daily_alerts', NEW.daily_alerts); hidden_after := jsonb_build_object(); END IF;\nIF TG_OP <> 'INSERT' THEN before := jsonb_build_object('user_id', OLD.user_id, 'role', OLD.role, 'daily_alerts', OLD.daily_alerts); hidden_before := jsonb_build_object(); END IF;\nPERFORM activity_record(\n    'campaign.membership', done, written.campaign_id, NULL, written.id, '',\n    before, after, hidden_before, hidden_after, 1\n);\nRETURN NULL;\n", hash='73b751b108872950e32562452d19990f7f0cf14e', operation='INSERT OR UPDATE OF "user_id", "role", "daily_alerts" OR DELETE', pgid='pgtrigger_membership_recorded_8251f', table='campaign_membership', when='AFTER')), pgtrigger.compiler.Trigger(name='membership_leaves_an_owner', sql=pgtrigger.compiler.UpsertTriggerSql(constraint='CONSTRAINT', declare='DECLARE touched BIGINT;', func="-- Campaigns from before there were owners may have none: nothing but an owner's going is refused there.\nIF OLD.role <> 'owner' AND coalesce(NEW.campaign_id, OLD.campaign_id) = OLD.campaign_id THEN\n    RETURN NULL;\nEND IF;\nFOREACH touched IN ARRAY ARRAY[OLD.campaign_id, NEW.campaign_id] LOOP\n    -- Of two owners who go at once, the second waits here and then sees that the first is gone.\n    PERFORM FROM campaign_campaign c WHERE c.id = touched FOR NO KEY UPDATE;\n    IF EXISTS (SELECT FROM campaign_membership m WHERE m.campaign_id = touched)\n        AND NOT EXISTS (\n            SELECT FROM campaign_membership m WHERE m.campaign_id = touched AND m.role = 'owner'\n        )\n    THEN\n        RAISE EXCEPTION 'campaign % has members and no owner', touched\n            USING ERRCODE = 'check_violation',\n                  CONSTRAINT = 'membership_leaves_an_owner';\n    END IF;\nEND LOOP;\nRETURN NULL;\n", hash='c0caafb8d709f595ded4872a22fb41c52b7cf3c1', operation='INSERT OR UPDATE OF "campaign_id", "role" OR DELETE', pgid='pgtrigger_membership_leaves_an_owner_6d520', table='campaign_membership', timing='DEFERRABLE INITIALLY DEFERRED', when='AFTER'))],
                    },
                ),
                migrations.CreateModel(
                    name='Panel',
                    fields=[
                        ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                        ('kind', models.CharField(choices=[('prolific', 'Prolific'), ('generic', 'Other service')], max_length=8, verbose_name='service')),
                        ('service', models.CharField(blank=True, help_text='As participants know it. Leave empty for Prolific.', max_length=60, verbose_name='name of the service')),
                        ('id_parameter', models.CharField(default='participant', help_text='The service adds it to the address: ?participant=ID. Not for Prolific.', max_length=60, verbose_name='parameter with the participant’s id')),
                        ('name', models.CharField(help_text='For organisers only.', max_length=100, verbose_name='name')),
                        ('key', models.CharField(default=campaign.models.panel.panel_key, max_length=32, unique=True, verbose_name='key')),
                        ('events_key', models.CharField(default=campaign.models.panel.panel_key, max_length=32, unique=True, verbose_name='key of events')),
                        ('blocks_asked', models.PositiveIntegerField(help_text='Of each participation; best a multiple of the sentences of a HIT.', verbose_name='sentences asked for')),
                        ('participations_per_member', models.PositiveSmallIntegerField(default=1, help_text='How often one person may take part, each time with new sentences.', verbose_name='participations of one person')),
                        ('minutes_allowed', models.PositiveIntegerField(help_text='As set at the service; after that, a participant’s sentences go to others.', verbose_name='minutes allowed')),
                        ('languages', django.contrib.postgres.fields.ArrayField(base_field=models.CharField(max_length=35), blank=True, default=list, help_text='Languages the participants read; empty means all of the campaign.', size=None, verbose_name='languages')),
                        ('screen_out_after_training', models.BooleanField(default=True, verbose_name='screen out who fails the training')),
                        ('completion_code', models.CharField(blank=True, max_length=60, verbose_name='completion code')),
                        ('screened_out_code', models.CharField(blank=True, max_length=60, verbose_name='code for the screened out')),
                        ('completion_address', models.CharField(blank=True, help_text='Where participants return to; {id} and {code} are filled in. If empty, they are shown their code. Not for Prolific.', max_length=2000, verbose_name='address after completion')),
                        ('screened_out_address', models.CharField(blank=True, help_text='Where screened-out participants return to. Not for Prolific.', max_length=2000, verbose_name='address for screened-out participants')),
                        ('webhook_secret', models.CharField(blank=True, help_text='If empty, nothing sent in Prolific’s name is accepted.', max_length=200, verbose_name='secret of the webhook')),
                        ('created_at', models.DateTimeField(db_default=django.db.models.functions.datetime.Now(), editable=False, verbose_name='created')),
                        ('closed_at', models.DateTimeField(blank=True, null=True, verbose_name='closed')),
                        ('campaign', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='panels', to='campaign.campaign')),
                        ('created_by', models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.PROTECT, related_name='+', to=settings.AUTH_USER_MODEL)),
                    ],
                    options={
                        'verbose_name': 'panel',
                        'verbose_name_plural': 'panels',
                        'constraints': [models.UniqueConstraint(fields=('campaign', 'name'), name='panel_name_unique_in_campaign'), models.CheckConstraint(condition=models.Q(('kind__in', ['prolific', 'generic'])), name='panel_kind_is_known'), models.CheckConstraint(condition=models.Q(('blocks_asked__gte', 1), ('minutes_allowed__gte', 1), ('participations_per_member__gte', 1)), name='panel_asks_for_something'), models.CheckConstraint(condition=models.Q(models.Q(('completion_code', ''), _negated=True), models.Q(('screened_out_code', ''), _negated=True), models.Q(('completion_code', models.F('screened_out_code')), _negated=True)), name='panel_has_two_codes'), models.CheckConstraint(condition=models.Q(models.Q(('kind', 'prolific'), ('service', '')), models.Q(('kind', 'generic'), models.Q(('service', ''), _negated=True)), _connector='OR'), name='panel_names_its_service_exactly_if_generic'), models.CheckConstraint(condition=models.Q(models.Q(('completion_address', ''), ('completion_address__startswith', 'https://'), _connector='OR'), models.Q(('screened_out_address', ''), ('screened_out_address__startswith', 'https://'), _connector='OR')), name='panel_addresses_are_https')],
                        'triggers': [pgtrigger.compiler.Trigger(name='panel_recorded', sql=pgtrigger.compiler.UpsertTriggerSql(declare='DECLARE written RECORD; done TEXT := TG_OP; before JSONB; after JSONB; hidden_before JSONB; hidden_after JSONB;', func="IF TG_OP = 'DELETE' THEN written := OLD; ELSE written := NEW; after := jsonb_build_object('kind', NEW.kind, 'service', NEW.service, 'id_parameter', NEW.id_parameter, 'name', NEW.name, 'blocks_asked', NEW.blocks_asked, 'participations_per_member', NEW.participations_per_member, 'minutes_allowed', NEW.minutes_allowed, 'languages', NEW.languages, 'screen_out_after_training', NEW.screen_out_after_training, 'closed_at', NEW.closed_at); hidden_after := jsonb_build_object('completion_code', NEW.completion_code, 'screened_out_code', NEW.screened_out_code, 'completion_address', NEW.completion_address, 'screened_out_address', NEW.screened_out_address, 'webhook_secret', NEW.webhook_secret); END IF;\nIF TG_OP <> 'INSERT' THEN before := jsonb_build_object('kind', OLD.kind, 'service', OLD.service, 'id_parameter', OLD.id_parameter, 'name', OLD.name, 'blocks_asked', OLD.blocks_asked, 'participations_per_member', OLD.participations_per_member, 'minutes_allowed', OLD.minutes_allowed, 'languages', OLD.languages, 'screen_out_after_training', OLD.screen_out_after_training, 'closed_at', OLD.closed_at); hidden_before := jsonb_build_object('completion_code', OLD.completion_code, 'screened_out_code', OLD.screened_out_code, 'completion_address', OLD.completion_address, 'screened_out_address', OLD.screened_out_address, 'webhook_secret', OLD.webhook_secret); END IF;\nPERFORM activity_record(\n    'campaign.panel', done, written.campaign_id, NULL, written.id, written.name,\n    before, after, hidden_before, hidden_after, 1\n);\nRETURN NULL;\n", hash='1ee742af51e03c25b2e83acab1f17862bc7e854b', operation='INSERT OR UPDATE OF "kind", "service", "id_parameter", "name", "blocks_asked", "participations_per_member", "minutes_allowed", "languages", "screen_out_after_training", "closed_at", "completion_code", "screened_out_code", "completion_address", "screened_out_address", "webhook_secret" OR DELETE', pgid='pgtrigger_panel_recorded_72841', table='campaign_panel', when='AFTER'))],
                    },
                ),
                migrations.CreateModel(
                    name='Rehearsal',
                    fields=[
                        ('campaign', models.OneToOneField(on_delete=django.db.models.deletion.CASCADE, primary_key=True, related_name='rehearsed', serialize=False, to='campaign.campaign')),
                        ('bots', models.PositiveSmallIntegerField(verbose_name='simulated judges')),
                        ('skill', models.FloatField(help_text='How often a simulated judge prefers the better one of two outputs.', verbose_name='skill')),
                        ('share', models.FloatField(verbose_name='share of the work')),
                        ('seed', models.BigIntegerField(verbose_name='seed')),
                        ('begun_at', models.DateTimeField(db_default=django.db.models.functions.datetime.Now(), editable=False, verbose_name='begun')),
                        ('begun_by', models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.SET_NULL, related_name='+', to=settings.AUTH_USER_MODEL)),
                    ],
                    options={
                        'verbose_name': 'rehearsal',
                        'verbose_name_plural': 'rehearsals',
                        'constraints': [models.CheckConstraint(condition=models.Q(('bots__gte', 1), ('bots__lte', 200)), name='rehearsal_has_some_bots'), models.CheckConstraint(condition=models.Q(('skill__gte', 0.5), ('skill__lte', 1)), name='rehearsal_skill_is_a_share'), models.CheckConstraint(condition=models.Q(('share__gt', 0), ('share__lte', 1)), name='rehearsal_share_is_a_share')],
                        'triggers': [pgtrigger.compiler.Trigger(name='rehearsal_recorded', sql=pgtrigger.compiler.UpsertTriggerSql(declare='DECLARE written RECORD; done TEXT := TG_OP; before JSONB; after JSONB; hidden_before JSONB; hidden_after JSONB;', func="IF TG_OP = 'DELETE' THEN written := OLD; ELSE written := NEW; after := jsonb_build_object('bots', NEW.bots, 'skill', NEW.skill, 'share', NEW.share); hidden_after := jsonb_build_object(); END IF;\nIF TG_OP <> 'INSERT' THEN before := jsonb_build_object('bots', OLD.bots, 'skill', OLD.skill, 'share', OLD.share); hidden_before := jsonb_build_object(); END IF;\nPERFORM activity_record(\n    'campaign.rehearsal', done, written.campaign_id, NULL, written.campaign_id, '',\n    before, after, hidden_before, hidden_after, 1\n);\nRETURN NULL;\n", hash='ee2ba37008fe288887fca4d6d03dbb1acf80983f', operation='INSERT OR UPDATE OF "bots", "skill", "share" OR DELETE', pgid='pgtrigger_rehearsal_recorded_31c07', table='campaign_rehearsal', when='AFTER'))],
                    },
                ),
                migrations.CreateModel(
                    name='TestSet',
                    fields=[
                        ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                        ('name', models.CharField(max_length=200, verbose_name='name')),
                        ('source_language', models.CharField(max_length=35, verbose_name='source language')),
                        ('target_language', models.CharField(max_length=35, verbose_name='target language')),
                        ('expertise', django.contrib.postgres.fields.ArrayField(base_field=models.CharField(max_length=60), blank=True, default=list, help_text='Only judges with all of these are asked.', size=None, verbose_name='expertise asked for')),
                        ('created_at', models.DateTimeField(db_default=django.db.models.functions.datetime.Now(), editable=False, verbose_name='created')),
                        ('campaign', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='test_sets', to='campaign.campaign')),
                    ],
                    options={
                        'verbose_name': 'test set',
                        'verbose_name_plural': 'test sets',
                        'constraints': [models.UniqueConstraint(fields=('campaign', 'name'), name='test_set_name_unique_in_campaign'), models.CheckConstraint(condition=models.Q(('name', ''), _negated=True), name='test_set_name_not_empty'), models.CheckConstraint(condition=models.Q(('source_language', models.F('target_language')), _negated=True), name='test_set_source_differs_from_target')],
                        'triggers': [pgtrigger.compiler.Trigger(name='test_set_recorded', sql=pgtrigger.compiler.UpsertTriggerSql(declare='DECLARE written RECORD; done TEXT := TG_OP; before JSONB; after JSONB; hidden_before JSONB; hidden_after JSONB;', func="IF TG_OP = 'DELETE' THEN written := OLD; ELSE written := NEW; after := jsonb_build_object('name', NEW.name, 'source_language', NEW.source_language, 'target_language', NEW.target_language, 'expertise', NEW.expertise); hidden_after := jsonb_build_object(); END IF;\nIF TG_OP <> 'INSERT' THEN before := jsonb_build_object('name', OLD.name, 'source_language', OLD.source_language, 'target_language', OLD.target_language, 'expertise', OLD.expertise); hidden_before := jsonb_build_object(); END IF;\nPERFORM activity_record(\n    'campaign.testset', done, written.campaign_id, written.id, written.id, written.name,\n    before, after, hidden_before, hidden_after, 1\n);\nRETURN NULL;\n", hash='57f8d00241888680d8f57614b509a452b99a8994', operation='INSERT OR UPDATE OF "name", "source_language", "target_language", "expertise" OR DELETE', pgid='pgtrigger_test_set_recorded_8145f', table='campaign_testset', when='AFTER'))],
                    },
                ),
                migrations.CreateModel(
                    name='WebhookEndpoint',
                    fields=[
                        ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                        ('url', models.CharField(max_length=1000, verbose_name='address')),
                        ('description', models.CharField(blank=True, default='', max_length=200, verbose_name='description')),
                        ('events', django.contrib.postgres.fields.ArrayField(base_field=models.CharField(max_length=30), size=None, verbose_name='events')),
                        ('secret', models.CharField(max_length=100, verbose_name='secret')),
                        ('old_secret', models.CharField(blank=True, default='', max_length=100, verbose_name='secret before')),
                        ('old_secret_until', models.DateTimeField(blank=True, null=True, verbose_name='the secret before signs until')),
                        ('paused_at', models.DateTimeField(blank=True, null=True, verbose_name='paused')),
                        ('failing_since', models.DateTimeField(blank=True, null=True, verbose_name='failing since')),
                        ('disabled_at', models.DateTimeField(blank=True, help_text='After it had failed for days.', null=True, verbose_name='switched off')),
                        ('created_at', models.DateTimeField(db_default=django.db.models.functions.datetime.Now(), editable=False, verbose_name='created')),
                        ('campaign', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='webhook_endpoints', to='campaign.campaign')),
                        ('created_by', models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.SET_NULL, related_name='+', to=settings.AUTH_USER_MODEL)),
                    ],
                    options={
                        'verbose_name': 'webhook',
                        'verbose_name_plural': 'webhooks',
                        'ordering': ['id'],
                        'constraints': [models.CheckConstraint(condition=models.Q(('events__contained_by', ['judgments.created', 'ranking.finished', 'campaign.closed']), models.Q(('events', []), _negated=True)), name='webhook_asks_for_known_events'), models.CheckConstraint(condition=models.Q(('secret__startswith', 'whsec_')), name='webhook_secret_is_one'), models.CheckConstraint(condition=models.Q(models.Q(('old_secret', ''), ('old_secret_until', None)), models.Q(models.Q(('old_secret', ''), _negated=True), ('old_secret_until__isnull', False)), _connector='OR'), name='webhook_old_secret_has_an_end')],
                        'triggers': [pgtrigger.compiler.Trigger(name='webhook_recorded', sql=pgtrigger.compiler.UpsertTriggerSql(declare='DECLARE written RECORD; done TEXT := TG_OP; before JSONB; after JSONB; hidden_before JSONB; hidden_after JSONB;', func="IF TG_OP = 'DELETE' THEN written := OLD; ELSE written := NEW; after := jsonb_build_object('description', NEW.description, 'events', NEW.events, 'paused_at', NEW.paused_at, 'disabled_at', NEW.disabled_at); hidden_after := jsonb_build_object('url', NEW.url, 'secret', NEW.secret); END IF;\nIF TG_OP <> 'INSERT' THEN before := jsonb_build_object('description', OLD.description, 'events', OLD.events, 'paused_at', OLD.paused_at, 'disabled_at', OLD.disabled_at); hidden_before := jsonb_build_object('url', OLD.url, 'secret', OLD.secret); END IF;\nPERFORM activity_record(\n    'campaign.webhookendpoint', done, written.campaign_id, NULL, written.id, written.description,\n    before, after, hidden_before, hidden_after, 1\n);\nRETURN NULL;\n", hash='3a2fdbeb1625214503f73d899bf0c5375ccb543d', operation='INSERT OR UPDATE OF "description", "events", "paused_at", "disabled_at", "url", "secret" OR DELETE', pgid='pgtrigger_webhook_recorded_a001d', table='campaign_webhookendpoint', when='AFTER'))],
                    },
                ),
                migrations.CreateModel(
                    name='PanelArrival',
                    fields=[
                        ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                        ('address', models.BinaryField(max_length=32, verbose_name='hash of the address')),
                        ('arrived_at', models.DateTimeField(db_default=django.db.models.functions.datetime.Now(), verbose_name='arrived')),
                        ('panel', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.CASCADE, related_name='arrivals', to='campaign.panel')),
                    ],
                    options={
                        'verbose_name': 'arrival at a panel',
                        'verbose_name_plural': 'arrivals at panels',
                        'indexes': [models.Index(fields=['panel', 'address', 'arrived_at'], name='panel_arrivals_of_an_address'), models.Index(fields=['arrived_at'], name='panel_arrivals_to_purge')],
                    },
                ),
                migrations.CreateModel(
                    name='ActivityEvent',
                    fields=[
                        ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                        ('happened_at', models.DateTimeField(db_default=django.db.models.functions.datetime.Now(), editable=False, verbose_name='time')),
                        ('operation', models.CharField(choices=[('created', 'made'), ('changed', 'changed'), ('deleted', 'deleted')], max_length=7, verbose_name='change')),
                        ('kind', models.CharField(help_text='The model, as app and name: campaign.judge.', max_length=60, verbose_name='kind')),
                        ('object_id', models.BigIntegerField(help_text='Empty where the event is of several things.', null=True, verbose_name='id')),
                        ('object_name', models.TextField(blank=True, verbose_name='name')),
                        ('count', models.PositiveIntegerField(db_default=1, help_text='How many were changed in the same way at once.', verbose_name='things')),
                        ('changes', models.JSONField(help_text='Of each field, the value before and the value after.', verbose_name='changes')),
                        ('origin', models.CharField(choices=[('page', 'page'), ('api', 'API'), ('command', 'command'), ('task', 'worker'), ('database', 'database')], max_length=8, verbose_name='by')),
                        ('through', models.CharField(blank=True, help_text='Empty for pages and the API.', max_length=100, verbose_name='command or task')),
                        ('operator', models.CharField(blank=True, help_text='Of the operating system for commands, of the database for SQL by hand.', max_length=100, verbose_name='account')),
                        ('campaign', models.ForeignKey(db_constraint=False, db_index=False, on_delete=django.db.models.deletion.DO_NOTHING, related_name='activity', to='campaign.campaign')),
                        ('test_set', models.ForeignKey(db_constraint=False, db_index=False, null=True, on_delete=django.db.models.deletion.DO_NOTHING, related_name='+', to='campaign.testset', verbose_name='test set')),
                        ('user', models.ForeignKey(db_constraint=False, db_index=False, null=True, on_delete=django.db.models.deletion.DO_NOTHING, related_name='+', to=settings.AUTH_USER_MODEL, verbose_name='user')),
                    ],
                    options={
                        'verbose_name': 'activity',
                        'verbose_name_plural': 'activity',
                        'indexes': [models.Index(fields=['campaign', '-id'], name='activity_event_of_campaign'), models.Index(fields=['campaign', 'user', '-id'], name='activity_event_of_user')],
                        'constraints': [models.CheckConstraint(condition=models.Q(('operation__in', ['created', 'changed', 'deleted'])), name='activity_event_operation_is_known'), models.CheckConstraint(condition=models.Q(('origin__in', ['page', 'api', 'command', 'task', 'database'])), name='activity_event_origin_is_known'), models.CheckConstraint(condition=models.Q(('count', 1), models.Q(('count__gt', 1), ('object_id__isnull', True)), _connector='OR'), name='activity_event_is_of_one_thing_or_several')],
                        'triggers': [pgtrigger.compiler.Trigger(name='activity_event_never_changes', sql=pgtrigger.compiler.UpsertTriggerSql(func="RAISE EXCEPTION 'pgtrigger: Cannot update rows from % table', TG_TABLE_NAME;", hash='4f2fbb581b5f93cbbc6550f8579e44ecc14dd90c', operation='UPDATE', pgid='pgtrigger_activity_event_never_changes_47da6', table='campaign_activityevent', when='BEFORE')), pgtrigger.compiler.Trigger(name='activity_event_kept_with_its_campaign', sql=pgtrigger.compiler.UpsertTriggerSql(func="IF EXISTS (SELECT FROM campaign_campaign WHERE id = OLD.campaign_id) THEN RAISE EXCEPTION 'Cannot delete from %: the log is kept with its campaign', TG_TABLE_NAME; END IF; RETURN OLD;", hash='de06448bda52e24c16224e67bd6e791c4f50211f', operation='DELETE', pgid='pgtrigger_activity_event_kept_with_its_campaign_6a1f3', table='campaign_activityevent', when='BEFORE'))],
                    },
                ),
                migrations.CreateModel(
                    name='Document',
                    fields=[
                        ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                        ('name', models.CharField(max_length=300, verbose_name='name')),
                        ('position', models.PositiveIntegerField(help_text='From 1.', verbose_name='position')),
                        ('test_set', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='documents', to='campaign.testset')),
                    ],
                    options={
                        'verbose_name': 'document',
                        'verbose_name_plural': 'documents',
                        'ordering': ['position'],
                        'constraints': [models.UniqueConstraint(fields=('test_set', 'name'), name='document_name_unique_in_test_set'), models.UniqueConstraint(fields=('test_set', 'position'), name='document_position_unique_in_test_set')],
                    },
                ),
                migrations.CreateModel(
                    name='System',
                    fields=[
                        ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                        ('name', models.CharField(max_length=200, verbose_name='name')),
                        ('kind', models.CharField(choices=[('system', 'system'), ('reference', 'reference'), ('bad_reference', 'damaged reference')], default='system', max_length=13, verbose_name='kind')),
                        ('test_set', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='systems', to='campaign.testset')),
                        ('approach', models.CharField(blank=True, db_default='', max_length=200, verbose_name='approach')),
                        ('condition', models.CharField(blank=True, db_default='', max_length=200, verbose_name='condition')),
                        ('constrained', models.BooleanField(blank=True, help_text='Whether it was made only of the data that the task allows; empty: not said.', null=True, verbose_name='constrained')),
                        ('contact', models.CharField(blank=True, db_default='', help_text='For organisers only.', max_length=300, verbose_name='contact')),
                        ('team', models.CharField(blank=True, db_default='', max_length=200, verbose_name='team')),
                        ('withdrawn_at', models.DateTimeField(blank=True, editable=False, help_text='No new HIT shows it from then on; what was judged of it counts.', null=True, verbose_name='withdrawn')),
                    ],
                    options={
                        'verbose_name': 'system',
                        'verbose_name_plural': 'systems',
                        'constraints': [models.UniqueConstraint(fields=('test_set', 'name'), name='system_name_unique_in_test_set'), models.CheckConstraint(condition=models.Q(models.Q(('name', ''), _negated=True), models.Q(('name__contains', ','), _negated=True)), name='system_name_without_comma'), models.CheckConstraint(condition=models.Q(('kind__in', ['system', 'reference', 'bad_reference'])), name='system_kind_is_known'), models.CheckConstraint(condition=models.Q(('withdrawn_at__isnull', True), models.Q(('kind', 'bad_reference'), _negated=True), _connector='OR'), name='system_of_damaged_references_not_withdrawn')],
                        'triggers': [pgtrigger.compiler.Trigger(name='system_recorded', sql=pgtrigger.compiler.UpsertTriggerSql(declare='DECLARE written RECORD; done TEXT := TG_OP; before JSONB; after JSONB; hidden_before JSONB; hidden_after JSONB;', func="IF TG_OP = 'DELETE' THEN written := OLD; ELSE written := NEW; after := jsonb_build_object('name', NEW.name, 'kind', NEW.kind, 'constrained', NEW.constrained, 'approach', NEW.approach, 'condition', NEW.condition, 'team', NEW.team, 'withdrawn_at', NEW.withdrawn_at); hidden_after := jsonb_build_object('contact', NEW.contact); END IF;\nIF TG_OP <> 'INSERT' THEN before := jsonb_build_object('name', OLD.name, 'kind', OLD.kind, 'constrained', OLD.constrained, 'approach', OLD.approach, 'condition', OLD.condition, 'team', OLD.team, 'withdrawn_at', OLD.withdrawn_at); hidden_before := jsonb_build_object('contact', OLD.contact); END IF;\nPERFORM activity_record(\n    'campaign.system', done, (SELECT campaign_id FROM campaign_testset WHERE id = written.test_set_id), written.test_set_id, written.id, written.name,\n    before, after, hidden_before, hidden_after, 1\n);\nRETURN NULL;\n", hash='d72c89fe709ee2bf6748459fb7d8eb201ef6d9aa', operation='INSERT OR UPDATE OF "name", "kind", "constrained", "approach", "condition", "team", "withdrawn_at", "contact" OR DELETE', pgid='pgtrigger_system_recorded_035e7', table='campaign_system', when='AFTER'))],
                    },
                ),
                migrations.CreateModel(
                    name='Task',
                    fields=[
                        ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                        ('protocol', models.CharField(choices=[('ranking', 'five-way ranking'), ('rating', 'adequacy and fluency'), ('two_outputs', 'two outputs'), ('top', 'top or not'), ('spans', 'error spans and scores'), ('sorting', 'sorting'), ('editing', 'blind editing'), ('quiz', 'quiz')], max_length=20, verbose_name='protocol')),
                        ('blocks_wanted', models.PositiveIntegerField(blank=True, help_text='What progress is measured against; no more are planned than that.', null=True, verbose_name='blocks wanted')),
                        ('blocks_per_segment', models.PositiveIntegerField(blank=True, help_text='No segment is planned into more blocks than that; empty means no limit.', null=True, verbose_name='blocks of a segment')),
                        ('created_at', models.DateTimeField(db_default=django.db.models.functions.datetime.Now(), editable=False, verbose_name='created')),
                        ('closed_at', models.DateTimeField(blank=True, help_text='Judges are lent nothing more of it; what they hold they may finish.', null=True, verbose_name='closed')),
                        ('test_set', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.CASCADE, related_name='tasks', to='campaign.testset')),
                        ('rules', models.JSONField(blank=True, default=dict, help_text='What its protocol leaves to choose; they stay as they are once a HIT is lent.', verbose_name='rules')),
                        ('segments_again', models.BooleanField(db_default=False, default=False, help_text='Judges meet a segment once in this task, whatever other tasks of the test set showed them, and the other way round. It stays as it is once a HIT is lent.', verbose_name='segments of other tasks again')),
                    ],
                    options={
                        'verbose_name': 'task',
                        'verbose_name_plural': 'tasks',
                        'constraints': [models.UniqueConstraint(fields=('test_set', 'protocol'), name='task_protocol_once_in_a_test_set'), models.CheckConstraint(condition=models.Q(('protocol__in', ['ranking', 'rating', 'two_outputs', 'top', 'spans', 'sorting', 'editing', 'quiz'])), name='task_protocol_is_known'), models.CheckConstraint(condition=models.Q(('protocol', 'ranking'), ('segments_again', True), _negated=True), name='task_ranking_is_not_apart'), models.CheckConstraint(condition=models.Q(('blocks_per_segment__gte', 1)), name='task_blocks_per_segment_positive')],
                        'triggers': [pgtrigger.compiler.Trigger(name='task_recorded', sql=pgtrigger.compiler.UpsertTriggerSql(declare='DECLARE written RECORD; done TEXT := TG_OP; before JSONB; after JSONB; hidden_before JSONB; hidden_after JSONB;', func="IF TG_OP = 'DELETE' THEN written := OLD; ELSE written := NEW; after := jsonb_build_object('protocol', NEW.protocol, 'rules', NEW.rules, 'segments_again', NEW.segments_again, 'blocks_wanted', NEW.blocks_wanted, 'blocks_per_segment', NEW.blocks_per_segment, 'closed_at', NEW.closed_at); hidden_after := jsonb_build_object(); END IF;\nIF TG_OP <> 'INSERT' THEN before := jsonb_build_object('protocol', OLD.protocol, 'rules', OLD.rules, 'segments_again', OLD.segments_again, 'blocks_wanted', OLD.blocks_wanted, 'blocks_per_segment', OLD.blocks_per_segment, 'closed_at', OLD.closed_at); hidden_before := jsonb_build_object(); END IF;\nPERFORM activity_record(\n    'campaign.task', done, (SELECT campaign_id FROM campaign_testset WHERE id = written.test_set_id), written.test_set_id, written.id, '',\n    before, after, hidden_before, hidden_after, 1\n);\nRETURN NULL;\n", hash='7f1c595d9a57b4d629504e65845125cf7c7b0845', operation='INSERT OR UPDATE OF "protocol", "rules", "segments_again", "blocks_wanted", "blocks_per_segment", "closed_at" OR DELETE', pgid='pgtrigger_task_recorded_a514d', table='campaign_task', when='AFTER'))],
                    },
                ),
                migrations.CreateModel(
                    name='Upload',
                    fields=[
                        ('id', models.UUIDField(default=uuid.uuid4, editable=False, primary_key=True, serialize=False)),
                        ('name', models.CharField(blank=True, default='', max_length=200, verbose_name='name of the test set')),
                        ('source_language', models.CharField(blank=True, default='', max_length=35, verbose_name='source language')),
                        ('target_language', models.CharField(blank=True, default='', max_length=35, verbose_name='target language')),
                        ('by_paragraph', models.BooleanField(default=False, verbose_name='a segment for each paragraph')),
                        ('reference_use', models.CharField(choices=[('control', 'A hidden control where judges do not see it; where they see it, it is not ranked.'), ('ranked', 'Ranked as one of the outputs, even where judges see it.'), ('left_out', 'Not ranked.')], default='control', max_length=10, verbose_name='reference')),
                        ('blocks_wanted', models.PositiveIntegerField(blank=True, null=True, verbose_name='blocks wanted')),
                        ('roles', models.JSONField(blank=True, default=dict, help_text="Those that an organiser chose, by the files' names.", verbose_name='roles of files')),
                        ('report', models.JSONField(blank=True, help_text='What the last check or the import of the files found.', null=True, verbose_name='report')),
                        ('created_at', models.DateTimeField(db_default=django.db.models.functions.datetime.Now(), editable=False, verbose_name='created')),
                        ('changed_at', models.DateTimeField(db_default=django.db.models.functions.datetime.Now(), editable=False, verbose_name='last changed')),
                        ('campaign', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='uploads', to='campaign.campaign')),
                        ('created_by', models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.SET_NULL, related_name='+', to=settings.AUTH_USER_MODEL)),
                        ('test_set', models.OneToOneField(blank=True, null=True, on_delete=django.db.models.deletion.SET_NULL, related_name='upload', to='campaign.testset')),
                        ('common_documents', models.BooleanField(default=False, verbose_name='only documents that all systems cover')),
                    ],
                    options={
                        'verbose_name': 'upload',
                        'verbose_name_plural': 'uploads',
                        'constraints': [models.CheckConstraint(condition=models.Q(('reference_use__in', ['control', 'ranked', 'left_out'])), name='upload_reference_use_is_known')],
                    },
                ),
                migrations.CreateModel(
                    name='WebhookDelivery',
                    fields=[
                        ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                        ('message_id', models.UUIDField(default=uuid.uuid4, editable=False, verbose_name='id of the message')),
                        ('event', models.CharField(max_length=30, verbose_name='event')),
                        ('body', models.TextField(verbose_name='message')),
                        ('state', models.CharField(choices=[('waiting', 'waiting'), ('delivered', 'delivered'), ('failed', 'failed')], default='waiting', max_length=9, verbose_name='state')),
                        ('attempts', models.PositiveSmallIntegerField(default=0, verbose_name='attempts')),
                        ('next_attempt_at', models.DateTimeField(blank=True, db_default=django.db.models.functions.datetime.Now(), null=True, verbose_name='next attempt')),
                        ('answer_code', models.PositiveSmallIntegerField(blank=True, null=True, verbose_name='answer')),
                        ('error', models.CharField(blank=True, default='', max_length=300, verbose_name='error')),
                        ('created_at', models.DateTimeField(db_default=django.db.models.functions.datetime.Now(), editable=False, verbose_name='created')),
                        ('attempted_at', models.DateTimeField(blank=True, null=True, verbose_name='last attempt')),
                        ('endpoint', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='deliveries', to='campaign.webhookendpoint')),
                    ],
                    options={
                        'verbose_name': 'delivery of a webhook',
                        'verbose_name_plural': 'deliveries of webhooks',
                        'ordering': ['-id'],
                        'indexes': [models.Index(models.F('next_attempt_at'), condition=models.Q(('state', 'waiting')), name='webhook_delivery_due'), models.Index(models.F('attempted_at'), condition=models.Q(('state', 'failed')), name='webhook_delivery_failed')],
                        'constraints': [models.CheckConstraint(condition=models.Q(('state__in', ['waiting', 'delivered', 'failed'])), name='webhook_delivery_state_is_known'), models.UniqueConstraint(fields=('endpoint', 'message_id'), name='webhook_message_once_per_endpoint'), models.CheckConstraint(condition=models.Q(models.Q(('next_attempt_at__isnull', False), ('state', 'waiting')), models.Q(models.Q(('state', 'waiting'), _negated=True), ('next_attempt_at', None)), _connector='OR'), name='webhook_delivery_has_a_next_attempt_while_waiting')],
                    },
                ),
                migrations.CreateModel(
                    name='Segment',
                    fields=[
                        ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                        ('number', models.PositiveIntegerField(help_text='From 1 through the test set; srcIndex in the files of WMT.', verbose_name='number')),
                        ('position', models.PositiveIntegerField(help_text='From 1 through the document.', verbose_name='position')),
                        ('source_text', models.TextField(null=True, verbose_name='source text')),
                        ('document', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='segments', to='campaign.document')),
                        ('test_set', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='segments', to='campaign.testset')),
                    ],
                    options={
                        'verbose_name': 'segment',
                        'verbose_name_plural': 'segments',
                        'ordering': ['number'],
                        'constraints': [models.UniqueConstraint(fields=('test_set', 'number'), name='segment_number_unique_in_test_set'), models.UniqueConstraint(fields=('document', 'position'), name='segment_position_unique_in_document'), models.CheckConstraint(condition=models.Q(('source_text', ''), _negated=True), name='segment_source_text_not_empty'), models.CheckConstraint(condition=models.Q(('number__gte', 1), ('position__gte', 1)), name='segment_number_and_position_from_1')],
                    },
                ),
                migrations.CreateModel(
                    name='ExportedFile',
                    fields=[
                        ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                        ('kind', models.CharField(max_length=20, verbose_name='kind')),
                        ('file_format', models.CharField(max_length=20, verbose_name='format')),
                        ('name', models.CharField(max_length=300, verbose_name='name of the file')),
                        ('after', models.PositiveBigIntegerField(default=0, verbose_name='after')),
                        ('until', models.PositiveBigIntegerField(verbose_name='until')),
                        ('watermark', models.PositiveBigIntegerField(verbose_name='watermark')),
                        ('names_people', models.BooleanField(default=False, help_text='Only those who may change the campaign get it.', verbose_name='names judges')),
                        ('size', models.PositiveBigIntegerField(verbose_name='bytes')),
                        ('digest', models.CharField(max_length=64, verbose_name='SHA-256')),
                        ('stored_as', models.CharField(blank=True, default='', max_length=300, verbose_name='name in the storage')),
                        ('made_at', models.DateTimeField(db_default=django.db.models.functions.datetime.Now(), editable=False, verbose_name='made')),
                        ('expires_at', models.DateTimeField(verbose_name='expires')),
                        ('made_by', models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.SET_NULL, related_name='+', to=settings.AUTH_USER_MODEL)),
                        ('task', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='exported_files', to='campaign.task')),
                    ],
                    options={
                        'verbose_name': 'exported file',
                        'verbose_name_plural': 'exported files',
                        'constraints': [models.CheckConstraint(condition=models.Q(('digest__regex', '^[0-9a-f]{64}$')), name='exported_file_digest_is_a_sha_256')],
                    },
                ),
                migrations.CreateModel(
                    name='Judge',
                    fields=[
                        ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                        ('pseudonym', models.CharField(max_length=100, verbose_name='pseudonym')),
                        ('origin', models.CharField(choices=[('person', 'person'), ('simulated', 'simulated'), ('imported', 'imported')], default='person', max_length=9, verbose_name='origin')),
                        ('languages', django.contrib.postgres.fields.ArrayField(base_field=models.CharField(max_length=35), blank=True, default=list, help_text='Languages the judge reads; empty means all of the campaign.', size=None, verbose_name='languages')),
                        ('expertise', django.contrib.postgres.fields.ArrayField(base_field=models.CharField(max_length=60), blank=True, default=list, help_text='Fields the judge knows; test sets may ask for some.', size=None, verbose_name='expertise')),
                        ('blocks_asked', models.PositiveIntegerField(blank=True, help_text='In all; empty means what the campaign asks of a judge.', null=True, verbose_name='blocks asked of this judge')),
                        ('note', models.CharField(blank=True, help_text='For organisers only; for a simulated judge its stated skill.', max_length=300, verbose_name='note')),
                        ('tour', models.CharField(blank=True, choices=[('done', 'done'), ('skipped', 'skipped')], db_default='', default='', help_text='How the judge left the tour of the page; empty before that.', max_length=7, verbose_name='tour')),
                        ('tour_left_at', models.DateTimeField(blank=True, null=True, verbose_name='left the tour')),
                        ('created_at', models.DateTimeField(db_default=django.db.models.functions.datetime.Now(), editable=False, verbose_name='created')),
                        ('campaign', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='judges', to='campaign.campaign')),
                        ('user', models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.PROTECT, related_name='judges', to=settings.AUTH_USER_MODEL)),
                        ('chosen_task', models.ForeignKey(blank=True, help_text='What the judge chose to work on; empty, or not theirs to judge: any.', null=True, on_delete=django.db.models.deletion.SET_NULL, related_name='+', to='campaign.task')),
                        ('withdrawn_at', models.DateTimeField(blank=True, help_text='When they were withdrawn, and their links with them; empty: they may judge.', null=True, verbose_name='withdrawn')),
                        ('declined_at', models.DateTimeField(blank=True, help_text='When they declined to take part; empty: they did not, or take part again.', null=True, verbose_name='declined')),
                        ('address', models.EmailField(blank=True, db_default='', default='', help_text='As the organisers gave it; only they see it.', max_length=254, verbose_name='e-mail address')),
                    ],
                    options={
                        'verbose_name': 'judge',
                        'verbose_name_plural': 'judges',
                        'constraints': [models.UniqueConstraint(fields=('campaign', 'pseudonym'), name='judge_pseudonym_unique_in_campaign'), models.UniqueConstraint(fields=('user', 'campaign'), name='judge_once_per_user_and_campaign'), models.UniqueConstraint(models.F('campaign'), django.db.models.functions.text.Lower('address'), condition=models.Q(('address', ''), _negated=True), name='judge_address_unique_in_campaign'), models.CheckConstraint(condition=models.Q(models.Q(('origin', 'person'), ('user__isnull', False)), models.Q(('origin__in', ['simulated', 'imported']), ('user__isnull', True)), _connector='OR'), name='judge_is_a_person_exactly_if_a_user'), models.CheckConstraint(condition=models.Q(('pseudonym', ''), _negated=True), name='judge_pseudonym_not_empty'), models.CheckConstraint(condition=models.Q(models.Q(('tour', ''), ('tour_left_at__isnull', True)), models.Q(('tour__in', ['done', 'skipped']), ('tour_left_at__isnull', False)), _connector='OR'), name='judge_left_the_tour_at_a_time')],
                        'triggers': [pgtrigger.compiler.Trigger(name='judge_recorded', sql=pgtrigger.compiler.UpsertTriggerSql(declare='DECLARE written RECORD; done TEXT := TG_OP; before JSONB; after JSONB; hidden_before JSONB; hidden_after JSONB;', func="IF TG_OP = 'DELETE' THEN written := OLD; ELSE written := NEW; after := jsonb_build_object('pseudonym', NEW.pseudonym, 'origin', NEW.origin, 'languages', NEW.languages, 'expertise', NEW.expertise, 'blocks_asked', NEW.blocks_asked, 'note', NEW.note, 'withdrawn_at', NEW.withdrawn_at, 'declined_at', NEW.declined_at); hidden_after := jsonb_build_object('address', NEW.address); END IF;\nIF TG_OP <> 'INSERT' THEN before := jsonb_build_object('pseudonym', OLD.pseudonym, 'origin', OLD.origin, 'languages', OLD.languages, 'expertise', OLD.expertise, 'blocks_asked', OLD.blocks_asked, 'note', OLD.note, 'withdrawn_at', OLD.withdrawn_at, 'declined_at', OLD.declined_at); hidden_before := jsonb_build_object('address', OLD.address); END IF;\nPERFORM activity_record(\n    'campaign.judge', done, written.campaign_id, NULL, written.id, written.pseudonym,\n    before, after, hidden_before, hidden_after, 1\n);\nRETURN NULL;\n", hash='40fd846001b2589a198310e9427aa8232efa000f', operation='INSERT OR UPDATE OF "pseudonym", "origin", "languages", "expertise", "blocks_asked", "note", "withdrawn_at", "declined_at", "address" OR DELETE', pgid='pgtrigger_judge_recorded_faab4', table='campaign_judge', when='AFTER'))],
                    },
                ),
                migrations.CreateModel(
                    name='WebhookMark',
                    fields=[
                        ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                        ('number', models.PositiveBigIntegerField(verbose_name='number of the last judgment')),
                        ('endpoint', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='marks', to='campaign.webhookendpoint')),
                        ('task', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='+', to='campaign.task')),
                    ],
                    options={
                        'verbose_name': 'mark of a webhook',
                        'verbose_name_plural': 'marks of webhooks',
                        'constraints': [models.UniqueConstraint(fields=('endpoint', 'task'), name='webhook_mark_once_per_endpoint_and_task')],
                    },
                ),
                migrations.CreateModel(
                    name='UploadedFile',
                    fields=[
                        ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                        ('name', models.CharField(max_length=500, verbose_name='name')),
                        ('size', models.PositiveBigIntegerField(verbose_name='bytes')),
                        ('upload', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='files', to='campaign.upload')),
                    ],
                    options={
                        'verbose_name': 'uploaded file',
                        'verbose_name_plural': 'uploaded files',
                        'ordering': ['name'],
                        'constraints': [models.UniqueConstraint(fields=('upload', 'name'), name='uploaded_file_name_once'), models.CheckConstraint(condition=models.Q(('name', ''), _negated=True), name='uploaded_file_has_a_name')],
                    },
                ),
                migrations.CreateModel(
                    name='Output',
                    fields=[
                        ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                        ('text', models.TextField(null=True, verbose_name='text')),
                        ('segment', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='outputs', to='campaign.segment')),
                        ('system', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='outputs', to='campaign.system')),
                    ],
                    options={
                        'verbose_name': 'output',
                        'verbose_name_plural': 'outputs',
                        'constraints': [models.UniqueConstraint(fields=('segment', 'system'), name='output_once_per_segment_and_system'), models.CheckConstraint(condition=models.Q(('text', ''), _negated=True), name='output_text_not_empty')],
                        'triggers': [pgtrigger.compiler.Trigger(name='output_of_an_approved_bad_reference_stays', sql=pgtrigger.compiler.UpsertTriggerSql(condition='WHEN (OLD.text IS DISTINCT FROM NEW.text)', func="IF EXISTS (\n    SELECT FROM campaign_badreference b\n    WHERE b.output_id = NEW.id AND b.approved_at IS NOT NULL\n) THEN\n    RAISE EXCEPTION 'output % may have been shown to judges', NEW.id\n        USING ERRCODE = 'check_violation',\n              CONSTRAINT = 'output_of_an_approved_bad_reference_stays';\nEND IF;\nRETURN NEW;\n", hash='dc1f56f1b8092aeefe211891d2aa5d5c3006e36b', operation='UPDATE', pgid='pgtrigger_output_of_an_approved_bad_reference_stays_112dc', table='campaign_output', when='BEFORE'))],
                    },
                ),
                migrations.CreateModel(
                    name='Reference',
                    fields=[
                        ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                        ('number', models.PositiveSmallIntegerField(help_text='From 1.', verbose_name='number')),
                        ('text', models.TextField(verbose_name='text')),
                        ('segment', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='references', to='campaign.segment')),
                    ],
                    options={
                        'verbose_name': 'reference',
                        'verbose_name_plural': 'references',
                        'ordering': ['number'],
                        'constraints': [models.UniqueConstraint(fields=('segment', 'number'), name='reference_number_unique_in_segment'), models.CheckConstraint(condition=models.Q(('text', ''), _negated=True), name='reference_text_not_empty')],
                    },
                ),
                migrations.CreateModel(
                    name='ExportedPart',
                    fields=[
                        ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                        ('offset', models.PositiveBigIntegerField(verbose_name='offset in bytes')),
                        ('content', models.BinaryField(verbose_name='content')),
                        ('file', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='parts', to='campaign.exportedfile')),
                    ],
                    options={
                        'verbose_name': 'part of an exported file',
                        'verbose_name_plural': 'parts of exported files',
                        'ordering': ['offset'],
                        'constraints': [models.UniqueConstraint(fields=('file', 'offset'), name='exported_part_offset_once')],
                    },
                ),
                migrations.CreateModel(
                    name='Acceptance',
                    fields=[
                        ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                        ('accepted_at', models.DateTimeField(db_default=django.db.models.functions.datetime.Now(), editable=False, verbose_name='accepted')),
                        ('instructions', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='acceptances', to='campaign.instructions')),
                        ('judge', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='acceptances', to='campaign.judge')),
                    ],
                    options={
                        'verbose_name': 'acceptance',
                        'verbose_name_plural': 'acceptances',
                        'constraints': [models.UniqueConstraint(fields=('judge', 'instructions'), name='acceptance_once_per_judge_and_version')],
                        'triggers': [pgtrigger.compiler.Trigger(name='acceptance_within_a_campaign', sql=pgtrigger.compiler.UpsertTriggerSql(func="IF NOT EXISTS (\n    SELECT FROM campaign_judge j\n    JOIN campaign_instructions i ON i.campaign_id = j.campaign_id\n    WHERE j.id = NEW.judge_id AND i.id = NEW.instructions_id\n) THEN\n    RAISE EXCEPTION 'judge % and instructions % are of two campaigns',\n        NEW.judge_id, NEW.instructions_id\n        USING ERRCODE = 'check_violation',\n              CONSTRAINT = 'acceptance_within_a_campaign';\nEND IF;\nRETURN NEW;\n", hash='8b95a8ec40674b6628bb826463f2de3ed1ed9a0d', operation='INSERT', pgid='pgtrigger_acceptance_within_a_campaign_aa25f', table='campaign_acceptance', when='BEFORE'))],
                    },
                ),
                migrations.CreateModel(
                    name='BrowserVisit',
                    fields=[
                        ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                        ('at_work', models.BooleanField(verbose_name='at work')),
                        ('browser', models.BinaryField(help_text='A keyed hash of the id in its cookie; empty once it is forgotten.', max_length=32, null=True, verbose_name='browser')),
                        ('device', models.CharField(blank=True, max_length=40, verbose_name='device')),
                        ('seen_at', models.DateTimeField(db_default=django.db.models.functions.datetime.Now(), verbose_name='seen')),
                        ('invitation', models.ForeignKey(blank=True, help_text='The link that was opened; empty while at work.', null=True, on_delete=django.db.models.deletion.SET_NULL, related_name='browser_visits', to='campaign.invitation')),
                        ('judge', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='browser_visits', to='campaign.judge')),
                    ],
                    options={
                        'verbose_name': 'browser visit',
                        'verbose_name_plural': 'browser visits',
                        'indexes': [models.Index(fields=['judge', 'seen_at'], name='browser_visit_by_judge_time'), models.Index(condition=models.Q(('browser__isnull', False)), fields=['seen_at'], name='browser_visit_to_forget')],
                        'constraints': [models.CheckConstraint(condition=models.Q(('at_work', False), ('invitation__isnull', True), _connector='OR'), name='browser_visit_opens_a_link_or_is_at_work'), models.CheckConstraint(condition=models.Q(('browser__isnull', False), models.Q(('at_work', False), ('device', '')), _connector='OR'), name='browser_visit_forgotten_is_an_opening')],
                    },
                ),
                migrations.CreateModel(
                    name='ConflictOfInterest',
                    fields=[
                        ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                        ('note', models.CharField(blank=True, max_length=300, verbose_name='note')),
                        ('created_at', models.DateTimeField(db_default=django.db.models.functions.datetime.Now(), editable=False, verbose_name='created')),
                        ('judge', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='conflicts', to='campaign.judge')),
                        ('system', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='conflicts', to='campaign.system')),
                    ],
                    options={
                        'verbose_name': 'conflict of interest',
                        'verbose_name_plural': 'conflicts of interest',
                        'constraints': [models.UniqueConstraint(fields=('judge', 'system'), name='conflict_once_per_judge_and_system')],
                        'triggers': [pgtrigger.compiler.Trigger(name='conflict_recorded', sql=pgtrigger.compiler.UpsertTriggerSql(declare='DECLARE written RECORD; done TEXT := TG_OP; before JSONB; after JSONB; hidden_before JSONB; hidden_after JSONB;', func="IF TG_OP = 'DELETE' THEN written := OLD; ELSE written := NEW; after := jsonb_build_object('judge_id', NEW.judge_id, 'system_id', NEW.system_id, 'note', NEW.note); hidden_after := jsonb_build_object(); END IF;\nIF TG_OP <> 'INSERT' THEN before := jsonb_build_object('judge_id', OLD.judge_id, 'system_id', OLD.system_id, 'note', OLD.note); hidden_before := jsonb_build_object(); END IF;\nPERFORM activity_record(\n    'campaign.conflictofinterest', done, (SELECT campaign_id FROM campaign_judge WHERE id = written.judge_id), NULL, written.id, '',\n    before, after, hidden_before, hidden_after, 1\n);\nRETURN NULL;\n", hash='7e1fb833182f9fbeea3309735f7df6c5d5ed508d', operation='INSERT OR UPDATE OF "judge_id", "system_id", "note" OR DELETE', pgid='pgtrigger_conflict_recorded_7dbc9', table='campaign_conflictofinterest', when='AFTER')), pgtrigger.compiler.Trigger(name='conflict_within_a_campaign', sql=pgtrigger.compiler.UpsertTriggerSql(func="IF NOT EXISTS (\n    SELECT FROM campaign_judge j\n    JOIN campaign_testset t ON t.campaign_id = j.campaign_id\n    JOIN campaign_system s ON s.test_set_id = t.id\n    WHERE j.id = NEW.judge_id AND s.id = NEW.system_id\n) THEN\n    RAISE EXCEPTION 'judge % and system % are of two campaigns',\n        NEW.judge_id, NEW.system_id\n        USING ERRCODE = 'check_violation',\n              CONSTRAINT = 'conflict_within_a_campaign';\nEND IF;\nRETURN NEW;\n", hash='032c716dc55f1625c7eb8f30a040bfb7a99ce03c', operation='INSERT OR UPDATE', pgid='pgtrigger_conflict_within_a_campaign_e719d', table='campaign_conflictofinterest', when='BEFORE'))],
                    },
                ),
                migrations.CreateModel(
                    name='ErasureRequest',
                    fields=[
                        ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                        ('asked_at', models.DateTimeField(db_default=django.db.models.functions.datetime.Now(), editable=False, verbose_name='asked')),
                        ('due_at', models.DateTimeField(help_text='Carried out by itself from then on, unless it was answered.', verbose_name='due')),
                        ('withdrawn_at', models.DateTimeField(blank=True, null=True, verbose_name='withdrawn')),
                        ('refused_at', models.DateTimeField(blank=True, null=True, verbose_name='refused')),
                        ('reason', models.TextField(blank=True, help_text='Of a refusal; the judge reads it.', verbose_name='reason')),
                        ('carried_out_at', models.DateTimeField(blank=True, null=True, verbose_name='carried out')),
                        ('removed', models.JSONField(blank=True, default=dict, help_text='How many rows of what.', verbose_name='removed')),
                        ('answered_by', models.ForeignKey(blank=True, help_text='Empty: its time had passed, or a command.', null=True, on_delete=django.db.models.deletion.SET_NULL, related_name='+', to=settings.AUTH_USER_MODEL)),
                        ('asked_by', models.ForeignKey(blank=True, help_text="The member who asked in the judge's place; empty: the judge, or a command.", null=True, on_delete=django.db.models.deletion.SET_NULL, related_name='+', to=settings.AUTH_USER_MODEL)),
                        ('judge', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='erasure_requests', to='campaign.judge')),
                    ],
                    options={
                        'verbose_name': 'request for erasure',
                        'verbose_name_plural': 'requests for erasure',
                        'indexes': [models.Index(condition=models.Q(('carried_out_at__isnull', True), ('refused_at__isnull', True), ('withdrawn_at__isnull', True)), fields=['due_at'], name='erasure_request_open')],
                        'constraints': [models.UniqueConstraint(condition=models.Q(('carried_out_at__isnull', True), ('refused_at__isnull', True), ('withdrawn_at__isnull', True)), fields=('judge',), name='erasure_request_one_open_per_judge'), models.CheckConstraint(condition=models.Q(models.Q(('refused_at__isnull', True), ('withdrawn_at__isnull', True)), models.Q(('carried_out_at__isnull', True), ('withdrawn_at__isnull', True)), models.Q(('carried_out_at__isnull', True), ('refused_at__isnull', True)), _connector='OR'), name='erasure_request_ends_once'), models.CheckConstraint(condition=models.Q(models.Q(('reason', ''), ('refused_at__isnull', True)), models.Q(('refused_at__isnull', False), models.Q(('reason', ''), _negated=True)), _connector='OR'), name='erasure_request_has_a_reason_exactly_if_refused')],
                        'triggers': [pgtrigger.compiler.Trigger(name='erasure_request_recorded', sql=pgtrigger.compiler.UpsertTriggerSql(declare='DECLARE written RECORD; done TEXT := TG_OP; before JSONB; after JSONB; hidden_before JSONB; hidden_after JSONB;', func="IF TG_OP = 'DELETE' THEN written := OLD; ELSE written := NEW; after := jsonb_build_object('judge_id', NEW.judge_id, 'withdrawn_at', NEW.withdrawn_at, 'refused_at', NEW.refused_at, 'reason', NEW.reason, 'carried_out_at', NEW.carried_out_at); hidden_after := jsonb_build_object(); END IF;\nIF TG_OP <> 'INSERT' THEN before := jsonb_build_object('judge_id', OLD.judge_id, 'withdrawn_at', OLD.withdrawn_at, 'refused_at', OLD.refused_at, 'reason', OLD.reason, 'carried_out_at', OLD.carried_out_at); hidden_before := jsonb_build_object(); END IF;\nPERFORM activity_record(\n    'campaign.erasurerequest', done, (SELECT campaign_id FROM campaign_judge WHERE id = written.judge_id), NULL, written.id, (SELECT pseudonym FROM campaign_judge WHERE id = written.judge_id),\n    before, after, hidden_before, hidden_after, 1\n);\nRETURN NULL;\n", hash='0635ec02ab739bd8a6f2243ff8b8cca86ae04be5', operation='INSERT OR UPDATE OF "judge_id", "withdrawn_at", "refused_at", "reason", "carried_out_at" OR DELETE', pgid='pgtrigger_erasure_request_recorded_eb9cc', table='campaign_erasurerequest', when='AFTER'))],
                    },
                ),
                migrations.CreateModel(
                    name='GroupMember',
                    fields=[
                        ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                        ('judge', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='group_members', to='campaign.judge')),
                        ('group', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='members', to='campaign.judgegroup')),
                    ],
                    options={
                        'verbose_name': 'judge in a group',
                        'verbose_name_plural': 'judges in groups',
                        'constraints': [models.UniqueConstraint(fields=('judge', 'group'), name='group_member_once_per_judge_and_group')],
                        'triggers': [pgtrigger.compiler.Trigger(name='group_member_recorded', sql=pgtrigger.compiler.UpsertTriggerSql(declare='DECLARE written RECORD; done TEXT := TG_OP; before JSONB; after JSONB; hidden_before JSONB; hidden_after JSONB;', func="IF TG_OP = 'DELETE' THEN written := OLD; ELSE written := NEW; after := jsonb_build_object('group_id', NEW.group_id, 'judge_id', NEW.judge_id); hidden_after := jsonb_build_object(); END IF;\nIF TG_OP <> 'INSERT' THEN before := jsonb_build_object('group_id', OLD.group_id, 'judge_id', OLD.judge_id); hidden_before := jsonb_build_object(); END IF;\nPERFORM activity_record(\n    'campaign.groupmember', done, (SELECT campaign_id FROM campaign_judge WHERE id = written.judge_id), NULL, written.id, '',\n    before, after, hidden_before, hidden_after, 1\n);\nRETURN NULL;\n", hash='5cea0e3a0d60c9e1f9a886808b274d55aa3cbc3e', operation='INSERT OR UPDATE OF "group_id", "judge_id" OR DELETE', pgid='pgtrigger_group_member_recorded_5ff2b', table='campaign_groupmember', when='AFTER')), pgtrigger.compiler.Trigger(name='group_member_within_a_campaign', sql=pgtrigger.compiler.UpsertTriggerSql(func="IF NOT EXISTS (\n    SELECT FROM campaign_judge j\n    JOIN campaign_judgegroup g ON g.campaign_id = j.campaign_id\n    WHERE j.id = NEW.judge_id AND g.id = NEW.group_id AND g.removed_at IS NULL\n) THEN\n    RAISE EXCEPTION 'judge % and group % are of two campaigns, or the group was deleted',\n        NEW.judge_id, NEW.group_id\n        USING ERRCODE = 'check_violation',\n              CONSTRAINT = 'group_member_within_a_campaign';\nEND IF;\nRETURN NEW;\n", hash='1f85647f2dab7adad81f317853d5ecc0b3a346cb', operation='INSERT OR UPDATE', pgid='pgtrigger_group_member_within_a_campaign_eeaeb', table='campaign_groupmember', when='BEFORE'))],
                    },
                ),
                migrations.CreateModel(
                    name='InvitationMail',
                    fields=[
                        ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                        ('address', models.EmailField(max_length=254, verbose_name='e-mail address')),
                        ('language', models.CharField(max_length=35, verbose_name='language')),
                        ('note', models.TextField(blank=True, max_length=1000, verbose_name="the organiser's words")),
                        ('base_url', models.CharField(max_length=200, verbose_name='where this Quintet is reached')),
                        ('state', models.CharField(choices=[('queued', 'waiting to be sent'), ('sending', 'being sent'), ('sent', 'sent'), ('failed', 'not sent'), ('unconfirmed', 'perhaps sent')], default='queued', max_length=11, verbose_name='state')),
                        ('attempts', models.PositiveIntegerField(default=0, verbose_name='attempts')),
                        ('next_attempt_at', models.DateTimeField(db_default=django.db.models.functions.datetime.Now(), verbose_name='next attempt')),
                        ('claimed_at', models.DateTimeField(blank=True, null=True, verbose_name='latest attempt')),
                        ('sent_at', models.DateTimeField(blank=True, null=True, verbose_name='sent')),
                        ('error', models.CharField(blank=True, max_length=300, verbose_name='what went wrong')),
                        ('created_at', models.DateTimeField(db_default=django.db.models.functions.datetime.Now(), editable=False, verbose_name='created')),
                        ('withdrawn_at', models.DateTimeField(blank=True, help_text='Or replaced by another.', null=True, verbose_name='withdrawn')),
                        ('campaign', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='mails', to='campaign.campaign')),
                        ('created_by', models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.SET_NULL, related_name='+', to=settings.AUTH_USER_MODEL)),
                        ('invitation', models.OneToOneField(blank=True, help_text="A judge's: the link of the latest attempt.", null=True, on_delete=django.db.models.deletion.SET_NULL, related_name='mail', to='campaign.invitation')),
                        ('judge', models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.CASCADE, related_name='mails', to='campaign.judge')),
                        ('user', models.ForeignKey(blank=True, help_text='Who is to become a member; empty for judges. The role is that of the link.', null=True, on_delete=django.db.models.deletion.CASCADE, related_name='member_mails', to=settings.AUTH_USER_MODEL)),
                    ],
                    options={
                        'verbose_name': 'e-mail',
                        'verbose_name_plural': 'e-mails',
                        'indexes': [models.Index(condition=models.Q(('state__in', ['queued', 'sending'])), fields=['next_attempt_at'], name='invitation_mail_to_be_sent'), models.Index(condition=models.Q(('state__in', ['failed', 'unconfirmed'])), fields=['claimed_at'], name='invitation_mail_given_up')],
                        'constraints': [models.CheckConstraint(condition=models.Q(('state__in', ['queued', 'sending', 'sent', 'failed', 'unconfirmed'])), name='invitation_mail_state_is_known'), models.CheckConstraint(condition=models.Q(models.Q(('sent_at__isnull', False), ('state', 'sent')), models.Q(models.Q(('state', 'sent'), _negated=True), ('sent_at__isnull', True)), _connector='OR'), name='invitation_mail_has_a_time_exactly_if_sent'), models.CheckConstraint(condition=models.Q(models.Q(('judge__isnull', False), ('user__isnull', True)), models.Q(('judge__isnull', True), ('user__isnull', False)), _connector='OR'), name='invitation_mail_is_to_a_judge_or_a_member'), models.UniqueConstraint(models.F('campaign'), django.db.models.functions.text.Lower('address'), condition=models.Q(('judge__isnull', False), ('withdrawn_at__isnull', True)), name='invitation_mail_one_in_force_per_campaign_and_address'), models.UniqueConstraint(condition=models.Q(('withdrawn_at__isnull', True)), fields=('campaign', 'user'), name='invitation_mail_one_in_force_per_campaign_and_user')],
                    },
                ),
                migrations.CreateModel(
                    name='LinkRedemption',
                    fields=[
                        ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                        ('browser', models.BinaryField(help_text='A keyed hash of the id in its cookie.', max_length=32, verbose_name='browser')),
                        ('redeemed_at', models.DateTimeField(db_default=django.db.models.functions.datetime.Now(), editable=False, verbose_name='redeemed')),
                        ('invitation', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='redemptions', to='campaign.invitation')),
                        ('judge', models.OneToOneField(on_delete=django.db.models.deletion.CASCADE, related_name='link_redemption', to='campaign.judge')),
                    ],
                    options={
                        'verbose_name': 'link redemption',
                        'verbose_name_plural': 'link redemptions',
                        'constraints': [models.UniqueConstraint(fields=('invitation', 'browser'), name='link_redemption_once_per_invitation_and_browser')],
                        'triggers': [pgtrigger.compiler.Trigger(name='link_redemption_counts_on_its_invitation', sql=pgtrigger.compiler.UpsertTriggerSql(func="UPDATE campaign_invitation i SET arrived = arrived + 1\nFROM campaign_judge j\nWHERE i.id = NEW.invitation_id AND i.user_id IS NULL\n  AND j.id = NEW.judge_id AND j.campaign_id = i.campaign_id;\nIF NOT FOUND THEN\n    RAISE EXCEPTION 'invitation % brings nobody in as judge %',\n        NEW.invitation_id, NEW.judge_id\n        USING ERRCODE = 'check_violation',\n              CONSTRAINT = 'link_redemption_by_a_link_of_the_campaign';\nEND IF;\nRETURN NEW;\n", hash='862b09c11afbfedbe0296e35af264bc693535cf8', operation='INSERT', pgid='pgtrigger_link_redemption_counts_on_its_invitation_95843', table='campaign_linkredemption', when='AFTER'))],
                    },
                ),
                migrations.CreateModel(
                    name='PanelMember',
                    fields=[
                        ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                        ('service', models.CharField(max_length=60, verbose_name='service')),
                        ('external_id', models.CharField(max_length=100, verbose_name='id at the service')),
                        ('created_at', models.DateTimeField(db_default=django.db.models.functions.datetime.Now(), editable=False, verbose_name='created')),
                        ('campaign', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='panel_members', to='campaign.campaign')),
                        ('judge', models.OneToOneField(on_delete=django.db.models.deletion.CASCADE, related_name='panel_member', to='campaign.judge')),
                    ],
                    options={
                        'verbose_name': 'member of a panel',
                        'verbose_name_plural': 'members of panels',
                        'constraints': [models.UniqueConstraint(fields=('campaign', 'service', 'external_id'), name='panel_member_is_one_judge_in_a_campaign'), models.CheckConstraint(condition=models.Q(('external_id', ''), _negated=True), name='panel_member_external_id_not_empty')],
                    },
                ),
                migrations.CreateModel(
                    name='UploadedPart',
                    fields=[
                        ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                        ('offset', models.PositiveBigIntegerField(verbose_name='offset in bytes')),
                        ('length', models.PositiveIntegerField(verbose_name='bytes')),
                        ('content', models.BinaryField(verbose_name='content')),
                        ('file', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='parts', to='campaign.uploadedfile')),
                    ],
                    options={
                        'verbose_name': 'part of a file',
                        'verbose_name_plural': 'parts of files',
                        'ordering': ['offset'],
                        'constraints': [models.UniqueConstraint(fields=('file', 'offset'), name='uploaded_part_offset_once'), models.CheckConstraint(condition=models.Q(('length__gte', 1)), name='uploaded_part_is_not_empty')],
                    },
                ),
                migrations.CreateModel(
                    name='BadReference',
                    fields=[
                        ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                        ('damage', models.CharField(choices=[('replaced', 'words of another sentence'), ('dropped', 'words left out'), ('reordered', 'words in another order'), ('swapped', 'another sentence'), ('numbers', 'other numbers'), ('repeated', 'said again and again')], max_length=9, verbose_name='damage')),
                        ('detail', models.TextField(blank=True, verbose_name='what was damaged')),
                        ('seed', campaign.database.seeds.SeedField(verbose_name='seed')),
                        ('attempt', models.PositiveIntegerField(default=1, help_text="Which draw of this segment's damage; from 1.", verbose_name='attempt')),
                        ('status', models.CharField(choices=[('pending', 'to be reviewed'), ('approved', 'approved'), ('rejected', 'rejected')], default='pending', max_length=8, verbose_name='status')),
                        ('reviewed_at', models.DateTimeField(blank=True, null=True, verbose_name='reviewed')),
                        ('approved_at', models.DateTimeField(blank=True, null=True, verbose_name='approved')),
                        ('withdrawn_at', models.DateTimeField(blank=True, null=True, verbose_name='withdrawn')),
                        ('reviewed_by', models.ForeignKey(blank=True, help_text='Empty where it was approved from the command line.', null=True, on_delete=django.db.models.deletion.PROTECT, related_name='+', to=settings.AUTH_USER_MODEL)),
                        ('output', models.OneToOneField(on_delete=django.db.models.deletion.CASCADE, related_name='bad_reference', to='campaign.output')),
                    ],
                    options={
                        'verbose_name': 'damaged reference',
                        'verbose_name_plural': 'damaged references',
                        'indexes': [models.Index(condition=models.Q(('status', 'pending')), fields=['id'], name='bad_reference_pending')],
                        'constraints': [models.CheckConstraint(condition=models.Q(('damage__in', ['replaced', 'dropped', 'reordered', 'swapped', 'numbers', 'repeated'])), name='bad_reference_damage_is_known'), models.CheckConstraint(condition=models.Q(models.Q(('reviewed_at__isnull', True), ('status', 'pending')), models.Q(('reviewed_at__isnull', False), ('status__in', ['approved', 'rejected'])), _connector='OR'), name='bad_reference_reviewed_exactly_if_not_pending'), models.CheckConstraint(condition=models.Q(models.Q(('approved_at__isnull', False), ('status', 'approved'), ('withdrawn_at__isnull', True)), models.Q(models.Q(('status', 'approved'), _negated=True), ('approved_at__isnull', True), ('withdrawn_at__isnull', True)), models.Q(('approved_at__isnull', False), ('status', 'rejected'), ('withdrawn_at__isnull', False)), _connector='OR'), name='bad_reference_withdrawn_exactly_if_rejected_after_approval')],
                        'triggers': [pgtrigger.compiler.Trigger(name='bad_reference_recorded_new', sql=pgtrigger.compiler.UpsertTriggerSql(func="PERFORM activity_record(\n    'campaign.badreference', TG_OP, each.campaign, each.test_set, CASE WHEN count(*) = 1 THEN min(each.key) END,\n    CASE WHEN count(*) = 1 THEN min(each.called) ELSE '' END,\n    each.before, each.after, '{}', '{}', count(*)::integer\n)\nFROM (\n    SELECT t.campaign_id AS campaign, t.id AS test_set, g.number::text AS called, row_new.id AS key, NULL::jsonb AS before, jsonb_build_object('status', row_new.status, 'attempt', row_new.attempt) AS after FROM rows_new row_new  JOIN campaign_output o ON o.id = row_new.output_id JOIN campaign_segment g ON g.id = o.segment_id JOIN campaign_testset t ON t.id = g.test_set_id\n) each\nGROUP BY each.campaign, each.test_set, each.before, each.after;\nRETURN NULL;\n", hash='1ad597b36d5fb94e3ff888c370539ea0830194ac', level='STATEMENT', operation='INSERT', pgid='pgtrigger_bad_reference_recorded_new_93049', referencing='REFERENCING NEW TABLE AS rows_new ', table='campaign_badreference', when='AFTER')), pgtrigger.compiler.Trigger(name='bad_reference_recorded_changed', sql=pgtrigger.compiler.UpsertTriggerSql(func="PERFORM activity_record(\n    'campaign.badreference', TG_OP, each.campaign, each.test_set, CASE WHEN count(*) = 1 THEN min(each.key) END,\n    CASE WHEN count(*) = 1 THEN min(each.called) ELSE '' END,\n    each.before, each.after, '{}', '{}', count(*)::integer\n)\nFROM (\n    SELECT t.campaign_id AS campaign, t.id AS test_set, g.number::text AS called, row_new.id AS key, jsonb_build_object('status', row_old.status, 'attempt', row_old.attempt) AS before, jsonb_build_object('status', row_new.status, 'attempt', row_new.attempt) AS after FROM rows_new row_new JOIN rows_old row_old USING (id) JOIN campaign_output o ON o.id = row_new.output_id JOIN campaign_segment g ON g.id = o.segment_id JOIN campaign_testset t ON t.id = g.test_set_id\n) each\nGROUP BY each.campaign, each.test_set, each.before, each.after;\nRETURN NULL;\n", hash='c2ce78134db7c0a0275fe0396e4c1e3d2531e8fe', level='STATEMENT', operation='UPDATE', pgid='pgtrigger_bad_reference_recorded_changed_71cd5', referencing='REFERENCING OLD TABLE AS rows_old  NEW TABLE AS rows_new ', table='campaign_badreference', when='AFTER'))],
                    },
                ),
                migrations.CreateModel(
                    name='ErasureMail',
                    fields=[
                        ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                        ('language', models.CharField(max_length=35, verbose_name='language')),
                        ('base_url', models.CharField(max_length=200, verbose_name='where this Quintet is reached')),
                        ('state', models.CharField(choices=[('queued', 'waiting to be sent'), ('sending', 'being sent'), ('sent', 'sent'), ('failed', 'not sent'), ('unconfirmed', 'perhaps sent')], default='queued', max_length=11, verbose_name='state')),
                        ('attempts', models.PositiveIntegerField(default=0, verbose_name='attempts')),
                        ('next_attempt_at', models.DateTimeField(db_default=django.db.models.functions.datetime.Now(), verbose_name='next attempt')),
                        ('claimed_at', models.DateTimeField(blank=True, null=True, verbose_name='latest attempt')),
                        ('sent_at', models.DateTimeField(blank=True, null=True, verbose_name='sent')),
                        ('error', models.CharField(blank=True, max_length=300, verbose_name='what went wrong')),
                        ('created_at', models.DateTimeField(db_default=django.db.models.functions.datetime.Now(), editable=False, verbose_name='created')),
                        ('kind', models.CharField(choices=[('recorded', 'to the judge: recorded'), ('refused', 'to the judge: refused'), ('carried_out', 'to the judge: carried out'), ('asked', 'to an organiser: somebody asked')], max_length=11, verbose_name='kind')),
                        ('address', models.EmailField(blank=True, max_length=254, verbose_name='e-mail address')),
                        ('campaign', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='+', to='campaign.campaign')),
                        ('request', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='mails', to='campaign.erasurerequest')),
                        ('user', models.ForeignKey(blank=True, help_text='The organiser who is told; empty: it is to the judge.', null=True, on_delete=django.db.models.deletion.CASCADE, related_name='+', to=settings.AUTH_USER_MODEL)),
                    ],
                    options={
                        'verbose_name': 'e-mail about an erasure',
                        'verbose_name_plural': 'e-mails about erasures',
                        'indexes': [models.Index(condition=models.Q(('state__in', ['queued', 'sending'])), fields=['next_attempt_at'], name='erasure_mail_to_be_sent')],
                        'constraints': [models.CheckConstraint(condition=models.Q(('state__in', ['queued', 'sending', 'sent', 'failed', 'unconfirmed'])), name='erasure_mail_state_is_known'), models.CheckConstraint(condition=models.Q(('kind__in', ['recorded', 'refused', 'carried_out', 'asked'])), name='erasure_mail_kind_is_known'), models.CheckConstraint(condition=models.Q(models.Q(('sent_at__isnull', False), ('state', 'sent')), models.Q(models.Q(('state', 'sent'), _negated=True), ('sent_at__isnull', True)), _connector='OR'), name='erasure_mail_has_a_time_exactly_if_sent'), models.CheckConstraint(condition=models.Q(models.Q(('kind', 'asked'), ('user__isnull', False)), models.Q(models.Q(('kind', 'asked'), _negated=True), ('user__isnull', True)), _connector='OR'), name='erasure_mail_has_a_user_exactly_if_to_an_organiser'), models.CheckConstraint(condition=models.Q(models.Q(('address', ''), _negated=True), models.Q(('state__in', ['queued', 'sending']), _negated=True), _connector='OR'), name='erasure_mail_has_an_address_until_it_is_sent'), models.UniqueConstraint(fields=('request', 'kind', 'user'), name='erasure_mail_once_per_request_kind_and_user', nulls_distinct=False)],
                    },
                ),
                migrations.CreateModel(
                    name='Participation',
                    fields=[
                        ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                        ('session_id', models.CharField(max_length=100, verbose_name='submission')),
                        ('study_id', models.CharField(blank=True, max_length=100, verbose_name='study at the service')),
                        ('blocks_asked', models.PositiveIntegerField(verbose_name='sentences asked for')),
                        ('blocks_before', models.PositiveIntegerField(verbose_name='sentences done before')),
                        ('blocks_done', models.PositiveIntegerField(blank=True, help_text='When it ended.', null=True, verbose_name='sentences done')),
                        ('state', models.CharField(choices=[('started', 'at work'), ('finished', 'finished'), ('screened_out', 'screened out'), ('returned', 'returned'), ('timed_out', 'timed out')], default='started', max_length=12, verbose_name='state')),
                        ('code', models.CharField(blank=True, max_length=60, verbose_name='code that was given')),
                        ('code_given_at', models.DateTimeField(blank=True, null=True, verbose_name='code given')),
                        ('service_status', models.CharField(blank=True, max_length=40, verbose_name='as the service says')),
                        ('service_status_at', models.DateTimeField(blank=True, null=True, verbose_name='when it said so')),
                        ('started_at', models.DateTimeField(db_default=django.db.models.functions.datetime.Now(), verbose_name='started')),
                        ('due_at', models.DateTimeField(db_default=django.db.models.functions.datetime.Now(), verbose_name='due')),
                        ('ended_at', models.DateTimeField(blank=True, null=True, verbose_name='ended')),
                        ('member', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='participations', to='campaign.panelmember')),
                        ('panel', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='participations', to='campaign.panel')),
                    ],
                    options={
                        'verbose_name': 'participation',
                        'verbose_name_plural': 'participations',
                        'indexes': [models.Index(condition=models.Q(('state', 'started')), fields=['due_at'], name='participation_under_way')],
                        'constraints': [models.UniqueConstraint(fields=('panel', 'session_id'), name='participation_once_per_session'), models.UniqueConstraint(condition=models.Q(('state', 'started')), fields=('member',), name='participation_one_at_a_time'), models.CheckConstraint(condition=models.Q(('state__in', ['started', 'finished', 'screened_out', 'returned', 'timed_out'])), name='participation_state_is_known'), models.CheckConstraint(condition=models.Q(models.Q(('blocks_done__isnull', True), ('ended_at__isnull', True), ('state', 'started')), models.Q(models.Q(('state', 'started'), _negated=True), ('blocks_done__isnull', False), ('ended_at__isnull', False)), _connector='OR'), name='participation_ended_unless_started'), models.CheckConstraint(condition=models.Q(models.Q(('code', ''), ('code_given_at__isnull', True)), models.Q(models.Q(('code', ''), _negated=True), ('code_given_at__isnull', False)), _connector='OR'), name='participation_code_has_a_time'), models.CheckConstraint(condition=models.Q(models.Q(models.Q(('state', 'started'), _negated=True), ('code', ''), _connector='OR'), models.Q(models.Q(('state__in', ['finished', 'screened_out']), _negated=True), models.Q(('code', ''), _negated=True), _connector='OR')), name='participation_has_a_code_exactly_if_earned'), models.CheckConstraint(condition=models.Q(('blocks_asked__gte', 1)), name='participation_asks_for_something'), models.CheckConstraint(condition=models.Q(('session_id', ''), _negated=True), name='participation_session_id_not_empty')],
                    },
                ),
            ],
        ),
        migrations.RunSQL(_REFERENCE),
    ]
