import django.db.models.functions.text
import pgtrigger.compiler
import pgtrigger.migrations
from django.db import migrations, models

from campaign.database.renaming import constraint_renamed


class Migration(migrations.Migration):
    """Rename constraints and triggers."""

    dependencies = [
        ('campaign', '0015_erasure_of_persons'),
    ]

    operations = [
        migrations.SeparateDatabaseAndState(
            database_operations=[
                constraint_renamed(
                    'campaign_activityevent',
                    'activity_event_is_of_one_thing_or_several',
                    'activity_event_of_several_has_no_object',
                ),
                constraint_renamed(
                    'campaign_badreference',
                    'bad_reference_reviewed_exactly_if_not_pending',
                    'bad_reference_reviewed_iff_not_pending',
                ),
                constraint_renamed(
                    'campaign_badreference',
                    'bad_reference_withdrawn_exactly_if_rejected_after_approval',
                    'bad_reference_withdrawn_iff_rejected_after_approval',
                ),
                constraint_renamed(
                    'campaign_browservisit',
                    'browser_visit_opens_a_link_or_is_at_work',
                    'browser_visit_link_xor_at_work',
                ),
                constraint_renamed(
                    'campaign_browservisit',
                    'browser_visit_forgotten_is_an_opening',
                    'browser_visit_without_browser_opens_link',
                ),
                constraint_renamed(
                    'campaign_campaign',
                    'campaign_in_the_bin_came_from_a_state',
                    'campaign_state_before_bin_iff_in_bin',
                ),
                constraint_renamed(
                    'campaign_erasurerequest',
                    'erasure_request_has_a_reason_exactly_if_refused',
                    'erasure_request_reason_iff_refused',
                ),
                constraint_renamed(
                    'campaign_invitation',
                    'invitation_brings_in_no_more_than_its_cap',
                    'invitation_arrived_within_cap',
                ),
                constraint_renamed(
                    'campaign_invitation',
                    'invitation_accepted_is_no_judges',
                    'invitation_accepted_not_for_judges',
                ),
                constraint_renamed(
                    'campaign_invitation',
                    'invitation_for_anybody_is_to_judge_and_capped_or_to_results',
                    'invitation_link_is_capped_or_to_results',
                ),
                constraint_renamed(
                    'campaign_job',
                    'job_has_an_end_exactly_if_ended',
                    'job_ended_at_iff_ended',
                ),
                constraint_renamed(
                    'campaign_job',
                    'job_has_an_error_exactly_if_failed',
                    'job_error_iff_failed',
                ),
                constraint_renamed(
                    'campaign_judge',
                    'judge_is_a_person_exactly_if_a_user',
                    'judge_user_iff_person',
                ),
                constraint_renamed(
                    'campaign_judge',
                    'judge_has_an_id_exactly_if_of_a_service',
                    'judge_external_id_iff_panel',
                ),
                constraint_renamed(
                    'campaign_judgegroup',
                    'judge_group_asks_for_something',
                    'judge_group_blocks_positive',
                ),
                constraint_renamed(
                    'campaign_keptfile',
                    'kept_file_of_an_upload_or_media_or_hashed_of_a_task',
                    'kept_file_of_upload_media_or_task',
                ),
                constraint_renamed(
                    'campaign_mail',
                    'mail_has_a_time_exactly_if_sent',
                    'mail_sent_at_iff_sent',
                ),
                constraint_renamed(
                    'campaign_mail',
                    'mail_has_an_address_until_it_is_sent',
                    'mail_address_until_sent',
                ),
                constraint_renamed(
                    'campaign_mail',
                    'mail_has_what_its_kind_is_about',
                    'mail_subject_matches_kind',
                ),
                constraint_renamed(
                    'campaign_membership',
                    'membership_with_daily_alerts_may_act',
                    'membership_daily_alerts_need_changing_role',
                ),
                constraint_renamed(
                    'campaign_panel',
                    'panel_asks_for_something',
                    'panel_limits_positive',
                ),
                constraint_renamed(
                    'campaign_panel',
                    'panel_has_two_codes',
                    'panel_codes_filled_and_different',
                ),
                constraint_renamed(
                    'campaign_panel',
                    'panel_names_its_service_exactly_if_generic',
                    'panel_service_name_iff_generic',
                ),
                constraint_renamed(
                    'campaign_participation',
                    'participation_has_a_code_exactly_if_earned',
                    'participation_code_iff_earned',
                ),
                constraint_renamed(
                    'campaign_participation',
                    'participation_asks_for_something',
                    'participation_blocks_positive',
                ),
                constraint_renamed(
                    'campaign_task',
                    'task_ranking_is_not_apart',
                    'task_ranking_does_not_repeat_segments',
                ),
                constraint_renamed(
                    'campaign_testset',
                    'test_set_name_unique_in_campaign_in_any_case',
                    'test_set_name_unique_in_campaign_ignoring_case',
                    is_index=True,
                ),
                constraint_renamed(
                    'campaign_user',
                    'user_email_unique_whatever_its_case',
                    'user_email_unique_ignoring_case',
                    is_index=True,
                ),
                constraint_renamed(
                    'campaign_webhookendpoint',
                    'webhook_asks_for_known_events',
                    'webhook_events_are_known',
                ),
            ],
            state_operations=[
                migrations.RemoveConstraint(
                    model_name='activityevent',
                    name='activity_event_is_of_one_thing_or_several',
                ),
                migrations.RemoveConstraint(
                    model_name='badreference',
                    name='bad_reference_reviewed_exactly_if_not_pending',
                ),
                migrations.RemoveConstraint(
                    model_name='badreference',
                    name='bad_reference_withdrawn_exactly_if_rejected_after_approval',
                ),
                migrations.RemoveConstraint(
                    model_name='browservisit',
                    name='browser_visit_opens_a_link_or_is_at_work',
                ),
                migrations.RemoveConstraint(
                    model_name='browservisit',
                    name='browser_visit_forgotten_is_an_opening',
                ),
                migrations.RemoveConstraint(
                    model_name='campaign',
                    name='campaign_in_the_bin_came_from_a_state',
                ),
                migrations.RemoveConstraint(
                    model_name='erasurerequest',
                    name='erasure_request_has_a_reason_exactly_if_refused',
                ),
                migrations.RemoveConstraint(
                    model_name='invitation',
                    name='invitation_brings_in_no_more_than_its_cap',
                ),
                migrations.RemoveConstraint(
                    model_name='invitation',
                    name='invitation_accepted_is_no_judges',
                ),
                migrations.RemoveConstraint(
                    model_name='invitation',
                    name='invitation_for_anybody_is_to_judge_and_capped_or_to_results',
                ),
                migrations.RemoveConstraint(
                    model_name='job',
                    name='job_has_an_end_exactly_if_ended',
                ),
                migrations.RemoveConstraint(
                    model_name='job',
                    name='job_has_an_error_exactly_if_failed',
                ),
                migrations.RemoveConstraint(
                    model_name='judge',
                    name='judge_is_a_person_exactly_if_a_user',
                ),
                migrations.RemoveConstraint(
                    model_name='judge',
                    name='judge_has_an_id_exactly_if_of_a_service',
                ),
                migrations.RemoveConstraint(
                    model_name='judgegroup',
                    name='judge_group_asks_for_something',
                ),
                migrations.RemoveConstraint(
                    model_name='keptfile',
                    name='kept_file_of_an_upload_or_media_or_hashed_of_a_task',
                ),
                migrations.RemoveConstraint(
                    model_name='mail',
                    name='mail_has_a_time_exactly_if_sent',
                ),
                migrations.RemoveConstraint(
                    model_name='mail',
                    name='mail_has_an_address_until_it_is_sent',
                ),
                migrations.RemoveConstraint(
                    model_name='mail',
                    name='mail_has_what_its_kind_is_about',
                ),
                migrations.RemoveConstraint(
                    model_name='membership',
                    name='membership_with_daily_alerts_may_act',
                ),
                migrations.RemoveConstraint(
                    model_name='panel',
                    name='panel_asks_for_something',
                ),
                migrations.RemoveConstraint(
                    model_name='panel',
                    name='panel_has_two_codes',
                ),
                migrations.RemoveConstraint(
                    model_name='panel',
                    name='panel_names_its_service_exactly_if_generic',
                ),
                migrations.RemoveConstraint(
                    model_name='participation',
                    name='participation_has_a_code_exactly_if_earned',
                ),
                migrations.RemoveConstraint(
                    model_name='participation',
                    name='participation_asks_for_something',
                ),
                migrations.RemoveConstraint(
                    model_name='task',
                    name='task_ranking_is_not_apart',
                ),
                migrations.RemoveConstraint(
                    model_name='testset',
                    name='test_set_name_unique_in_campaign_in_any_case',
                ),
                migrations.RemoveConstraint(
                    model_name='user',
                    name='user_email_unique_whatever_its_case',
                ),
                migrations.RemoveConstraint(
                    model_name='webhookendpoint',
                    name='webhook_asks_for_known_events',
                ),
                migrations.AddConstraint(
                    model_name='activityevent',
                    constraint=models.CheckConstraint(condition=models.Q(('count', 1), models.Q(('count__gt', 1), ('object_id__isnull', True)), _connector='OR'), name='activity_event_of_several_has_no_object'),
                ),
                migrations.AddConstraint(
                    model_name='badreference',
                    constraint=models.CheckConstraint(condition=models.Q(models.Q(('reviewed_at__isnull', True), ('status', 'pending')), models.Q(('reviewed_at__isnull', False), ('status__in', ['approved', 'rejected'])), _connector='OR'), name='bad_reference_reviewed_iff_not_pending'),
                ),
                migrations.AddConstraint(
                    model_name='badreference',
                    constraint=models.CheckConstraint(condition=models.Q(models.Q(('approved_at__isnull', False), ('status', 'approved'), ('withdrawn_at__isnull', True)), models.Q(models.Q(('status', 'approved'), _negated=True), ('approved_at__isnull', True), ('withdrawn_at__isnull', True)), models.Q(('approved_at__isnull', False), ('status', 'rejected'), ('withdrawn_at__isnull', False)), _connector='OR'), name='bad_reference_withdrawn_iff_rejected_after_approval'),
                ),
                migrations.AddConstraint(
                    model_name='browservisit',
                    constraint=models.CheckConstraint(condition=models.Q(('at_work', False), ('invitation__isnull', True), _connector='OR'), name='browser_visit_link_xor_at_work'),
                ),
                migrations.AddConstraint(
                    model_name='browservisit',
                    constraint=models.CheckConstraint(condition=models.Q(('browser__isnull', False), models.Q(('at_work', False), ('device', '')), _connector='OR'), name='browser_visit_without_browser_opens_link'),
                ),
                migrations.AddConstraint(
                    model_name='campaign',
                    constraint=models.CheckConstraint(condition=models.Q(models.Q(('state', 'bin'), ('state_before_bin__isnull', False)), models.Q(models.Q(('state', 'bin'), _negated=True), ('state_before_bin__isnull', True)), _connector='OR'), name='campaign_state_before_bin_iff_in_bin'),
                ),
                migrations.AddConstraint(
                    model_name='erasurerequest',
                    constraint=models.CheckConstraint(condition=models.Q(models.Q(('reason', ''), ('refused_at__isnull', True)), models.Q(('refused_at__isnull', False), models.Q(('reason', ''), _negated=True)), _connector='OR'), name='erasure_request_reason_iff_refused'),
                ),
                migrations.AddConstraint(
                    model_name='invitation',
                    constraint=models.CheckConstraint(condition=models.Q(models.Q(('cap__gte', 1), ('cap__isnull', False), ('role', 'judge'), ('user__isnull', True)), models.Q(('arrived', 0), ('cap__isnull', True), ('role__in', ('results', 'anonymous')), ('user__isnull', True)), models.Q(models.Q(('role__in', ('results', 'anonymous')), _negated=True), ('arrived', 0), ('cap__isnull', True), ('user__isnull', False)), _connector='OR'), name='invitation_link_is_capped_or_to_results'),
                ),
                migrations.AddConstraint(
                    model_name='invitation',
                    constraint=models.CheckConstraint(condition=models.Q(('cap__isnull', True), ('arrived__lte', models.F('cap')), _connector='OR'), name='invitation_arrived_within_cap'),
                ),
                migrations.AddConstraint(
                    model_name='invitation',
                    constraint=models.CheckConstraint(condition=models.Q(('accepted_at__isnull', True), models.Q(('role', 'judge'), _negated=True), _connector='OR'), name='invitation_accepted_not_for_judges'),
                ),
                migrations.AddConstraint(
                    model_name='job',
                    constraint=models.CheckConstraint(condition=models.Q(models.Q(('finished_at__isnull', False), ('state__in', ('done', 'failed', 'cancelled'))), models.Q(models.Q(('state__in', ('done', 'failed', 'cancelled')), _negated=True), ('finished_at__isnull', True)), _connector='OR'), name='job_ended_at_iff_ended'),
                ),
                migrations.AddConstraint(
                    model_name='job',
                    constraint=models.CheckConstraint(condition=models.Q(('state', 'failed'), ('error', ''), _connector='XOR'), name='job_error_iff_failed'),
                ),
                migrations.AddConstraint(
                    model_name='judge',
                    constraint=models.CheckConstraint(condition=models.Q(models.Q(('origin', 'person'), ('user__isnull', False)), models.Q(('origin__in', ['simulated', 'imported']), ('user__isnull', True)), _connector='OR'), name='judge_user_iff_person'),
                ),
                migrations.AddConstraint(
                    model_name='judge',
                    constraint=models.CheckConstraint(condition=models.Q(models.Q(('external_id', ''), ('service', '')), models.Q(models.Q(('service', ''), _negated=True), models.Q(('external_id', ''), _negated=True)), _connector='OR'), name='judge_external_id_iff_panel'),
                ),
                migrations.AddConstraint(
                    model_name='judgegroup',
                    constraint=models.CheckConstraint(condition=models.Q(('blocks_asked__isnull', True), ('blocks_asked__gte', 1), _connector='OR'), name='judge_group_blocks_positive'),
                ),
                migrations.AddConstraint(
                    model_name='keptfile',
                    constraint=models.CheckConstraint(condition=models.Q(models.Q(('digest', ''), ('kind', ''), ('task__isnull', True), ('upload__isnull', False)), models.Q(('kind', 'media'), ('task__isnull', True), ('upload__isnull', True)), models.Q(('digest__regex', '^[0-9a-f]{64}$'), ('task__isnull', False), ('until__isnull', False), ('upload__isnull', True), ('watermark__isnull', False)), _connector='OR'), name='kept_file_of_upload_media_or_task'),
                ),
                migrations.AddConstraint(
                    model_name='mail',
                    constraint=models.CheckConstraint(condition=models.Q(models.Q(('sent_at__isnull', False), ('state', 'sent')), models.Q(models.Q(('state', 'sent'), _negated=True), ('sent_at__isnull', True)), _connector='OR'), name='mail_sent_at_iff_sent'),
                ),
                migrations.AddConstraint(
                    model_name='mail',
                    constraint=models.CheckConstraint(condition=models.Q(models.Q(('campaign__isnull', False), ('day__isnull', True), ('erasure__isnull', True), ('judge__isnull', False), ('kind__in', ['judge']), ('user__isnull', True)), models.Q(('campaign__isnull', False), ('day__isnull', True), ('erasure__isnull', True), ('judge__isnull', True), ('kind__in', ['member']), ('user__isnull', False)), models.Q(('campaign__isnull', True), ('day__isnull', True), ('erasure__isnull', True), ('judge__isnull', True), ('kind__in', ['password']), ('user__isnull', True)), models.Q(('campaign__isnull', True), ('day__isnull', True), ('erasure__isnull', True), ('judge__isnull', True), ('kind__in', ['address', 'old_address']), ('user__isnull', False)), models.Q(('campaign__isnull', True), ('day__isnull', False), ('erasure__isnull', True), ('judge__isnull', True), ('kind__in', ['alerts']), ('user__isnull', False)), models.Q(('campaign__isnull', False), ('day__isnull', True), ('erasure__isnull', False), ('judge__isnull', True), ('kind__in', ['recorded', 'refused', 'carried_out']), ('user__isnull', True)), models.Q(('campaign__isnull', False), ('day__isnull', True), ('erasure__isnull', False), ('judge__isnull', True), ('kind__in', ['asked']), ('user__isnull', False)), _connector='OR'), name='mail_subject_matches_kind'),
                ),
                migrations.AddConstraint(
                    model_name='mail',
                    constraint=models.CheckConstraint(condition=models.Q(models.Q(('address', ''), _negated=True), models.Q(('state__in', ['queued', 'sending']), _negated=True), _connector='OR'), name='mail_address_until_sent'),
                ),
                migrations.AddConstraint(
                    model_name='membership',
                    constraint=models.CheckConstraint(condition=models.Q(('daily_alerts', False), ('role__in', ('owner', 'organiser')), _connector='OR'), name='membership_daily_alerts_need_changing_role'),
                ),
                migrations.AddConstraint(
                    model_name='panel',
                    constraint=models.CheckConstraint(condition=models.Q(('blocks_asked__gte', 1), ('minutes_allowed__gte', 1), ('participations_per_member__gte', 1)), name='panel_limits_positive'),
                ),
                migrations.AddConstraint(
                    model_name='panel',
                    constraint=models.CheckConstraint(condition=models.Q(models.Q(('completion_code', ''), _negated=True), models.Q(('screened_out_code', ''), _negated=True), models.Q(('completion_code', models.F('screened_out_code')), _negated=True)), name='panel_codes_filled_and_different'),
                ),
                migrations.AddConstraint(
                    model_name='panel',
                    constraint=models.CheckConstraint(condition=models.Q(models.Q(('kind', 'prolific'), ('service', '')), models.Q(('kind', 'generic'), models.Q(('service', ''), _negated=True)), _connector='OR'), name='panel_service_name_iff_generic'),
                ),
                migrations.AddConstraint(
                    model_name='participation',
                    constraint=models.CheckConstraint(condition=models.Q(models.Q(models.Q(('state', 'started'), _negated=True), ('code', ''), _connector='OR'), models.Q(models.Q(('state__in', ['finished', 'screened_out']), _negated=True), models.Q(('code', ''), _negated=True), _connector='OR')), name='participation_code_iff_earned'),
                ),
                migrations.AddConstraint(
                    model_name='participation',
                    constraint=models.CheckConstraint(condition=models.Q(('blocks_asked__gte', 1)), name='participation_blocks_positive'),
                ),
                migrations.AddConstraint(
                    model_name='task',
                    constraint=models.CheckConstraint(condition=models.Q(('protocol', 'ranking'), ('segments_again', True), _negated=True), name='task_ranking_does_not_repeat_segments'),
                ),
                migrations.AddConstraint(
                    model_name='testset',
                    constraint=models.UniqueConstraint(models.F('campaign'), django.db.models.functions.text.Lower('name'), condition=models.Q(('differs_only_in_case', False)), name='test_set_name_unique_in_campaign_ignoring_case'),
                ),
                migrations.AddConstraint(
                    model_name='user',
                    constraint=models.UniqueConstraint(django.db.models.functions.text.Lower('email'), name='user_email_unique_ignoring_case'),
                ),
                migrations.AddConstraint(
                    model_name='webhookendpoint',
                    constraint=models.CheckConstraint(condition=models.Q(('events__contained_by', ['judgments.created', 'ranking.finished', 'campaign.closed']), models.Q(('events', []), _negated=True)), name='webhook_events_are_known'),
                ),
            ],
        ),
        pgtrigger.migrations.RemoveTrigger(
            model_name='acceptance',
            name='acceptance_within_a_campaign',
        ),
        pgtrigger.migrations.RemoveTrigger(
            model_name='activityevent',
            name='activity_event_kept_with_its_campaign',
        ),
        pgtrigger.migrations.RemoveTrigger(
            model_name='campaign',
            name='campaign_is_a_rehearsal_for_good',
        ),
        pgtrigger.migrations.RemoveTrigger(
            model_name='campaign',
            name='campaign_state_follows',
        ),
        pgtrigger.migrations.RemoveTrigger(
            model_name='conflictofinterest',
            name='conflict_within_a_campaign',
        ),
        pgtrigger.migrations.RemoveTrigger(
            model_name='groupmember',
            name='group_member_within_a_campaign',
        ),
        pgtrigger.migrations.RemoveTrigger(
            model_name='judge',
            name='judge_counts_on_the_link_they_joined_by',
        ),
        pgtrigger.migrations.RemoveTrigger(
            model_name='keptfile',
            name='kept_file_stays',
        ),
        pgtrigger.migrations.RemoveTrigger(
            model_name='machinejudge',
            name='machine_terms_stay',
        ),
        pgtrigger.migrations.RemoveTrigger(
            model_name='membership',
            name='membership_leaves_an_owner',
        ),
        pgtrigger.migrations.RemoveTrigger(
            model_name='output',
            name='output_of_an_approved_bad_reference_stays',
        ),
        pgtrigger.migrations.AddTrigger(
            model_name='acceptance',
            trigger=pgtrigger.compiler.Trigger(name='acceptance_within_a_campaign', sql=pgtrigger.compiler.UpsertTriggerSql(func="IF NOT EXISTS (\n    SELECT FROM campaign_judge j\n    JOIN campaign_instructions i ON i.campaign_id = j.campaign_id\n    WHERE j.id = NEW.judge_id AND i.id = NEW.instructions_id\n) THEN\n    RAISE EXCEPTION 'judge % and instructions % belong to different campaigns',\n        NEW.judge_id, NEW.instructions_id\n        USING ERRCODE = 'check_violation',\n              CONSTRAINT = 'acceptance_within_a_campaign';\nEND IF;\nRETURN NEW;\n", hash='01a32fbc30910b88635db605beb26bffa7349684', operation='INSERT', pgid='pgtrigger_acceptance_within_a_campaign_aa25f', table='campaign_acceptance', when='BEFORE')),
        ),
        pgtrigger.migrations.AddTrigger(
            model_name='activityevent',
            trigger=pgtrigger.compiler.Trigger(name='activity_event_kept_with_its_campaign', sql=pgtrigger.compiler.UpsertTriggerSql(func="IF EXISTS (SELECT FROM campaign_campaign WHERE id = OLD.campaign_id) THEN RAISE EXCEPTION 'Cannot delete from %: the log is kept as long as its campaign', TG_TABLE_NAME; END IF; RETURN OLD;", hash='362edc4fe6aa4ba77ae68de200e24275ef1d573d', operation='DELETE', pgid='pgtrigger_activity_event_kept_with_its_campaign_6a1f3', table='campaign_activityevent', when='BEFORE')),
        ),
        pgtrigger.migrations.AddTrigger(
            model_name='campaign',
            trigger=pgtrigger.compiler.Trigger(name='campaign_rehearsal_immutable', sql=pgtrigger.compiler.UpsertTriggerSql(condition='WHEN (OLD."rehearsal_of_id" IS DISTINCT FROM (NEW."rehearsal_of_id"))', func='RAISE EXCEPTION \'pgtrigger: Cannot update of "rehearsal_of_id" rows from % table\', TG_TABLE_NAME;', hash='4946b10a044c2e6632e0d79f3d697a0d5f0857ac', operation='UPDATE OF "rehearsal_of_id"', pgid='pgtrigger_campaign_rehearsal_immutable_d6f20', table='campaign_campaign', when='BEFORE')),
        ),
        pgtrigger.migrations.AddTrigger(
            model_name='campaign',
            trigger=pgtrigger.compiler.Trigger(name='campaign_state_follows', sql=pgtrigger.compiler.UpsertTriggerSql(condition='WHEN (OLD.state IS DISTINCT FROM NEW.state)', func="IF NOT (OLD.state, NEW.state) IN (('archived', 'bin'), ('archived', 'closed'), ('closed', 'archived'), ('closed', 'bin'), ('closed', 'open'), ('draft', 'bin'), ('draft', 'open'), ('open', 'bin'), ('open', 'closed'), ('open', 'paused'), ('paused', 'bin'), ('paused', 'closed'), ('paused', 'open'))\n    AND NOT (OLD.state = 'bin' AND NEW.state = OLD.state_before_bin)\nTHEN\n    RAISE EXCEPTION 'a campaign cannot change from % to %', OLD.state, NEW.state\n        USING ERRCODE = 'integrity_constraint_violation', CONSTRAINT = 'campaign_state_follows';\nEND IF;\nNEW.state_since = statement_timestamp();\nNEW.state_before_bin = CASE WHEN NEW.state = 'bin' THEN OLD.state END;\nRETURN NEW;\n", hash='15213e02f7d775f1833251c4ada41cba49903f24', operation='UPDATE OF "state"', pgid='pgtrigger_campaign_state_follows_db7ec', table='campaign_campaign', when='BEFORE')),
        ),
        pgtrigger.migrations.AddTrigger(
            model_name='conflictofinterest',
            trigger=pgtrigger.compiler.Trigger(name='conflict_within_a_campaign', sql=pgtrigger.compiler.UpsertTriggerSql(func="IF NOT EXISTS (\n    SELECT FROM campaign_judge j\n    JOIN campaign_testset t ON t.campaign_id = j.campaign_id\n    JOIN campaign_system s ON s.test_set_id = t.id\n    WHERE j.id = NEW.judge_id AND s.id = NEW.system_id\n) THEN\n    RAISE EXCEPTION 'judge % and system % belong to different campaigns',\n        NEW.judge_id, NEW.system_id\n        USING ERRCODE = 'check_violation',\n              CONSTRAINT = 'conflict_within_a_campaign';\nEND IF;\nRETURN NEW;\n", hash='64697eb9f7ec6d08aacfa3c93e6489b712220fa2', operation='INSERT OR UPDATE', pgid='pgtrigger_conflict_within_a_campaign_e719d', table='campaign_conflictofinterest', when='BEFORE')),
        ),
        pgtrigger.migrations.AddTrigger(
            model_name='groupmember',
            trigger=pgtrigger.compiler.Trigger(name='group_member_within_a_campaign', sql=pgtrigger.compiler.UpsertTriggerSql(func="IF NOT EXISTS (\n    SELECT FROM campaign_judge j\n    JOIN campaign_judgegroup g ON g.campaign_id = j.campaign_id\n    WHERE j.id = NEW.judge_id AND g.id = NEW.group_id AND g.removed_at IS NULL\n) THEN\n    RAISE EXCEPTION 'judge % and group % belong to different campaigns, or the group was deleted',\n        NEW.judge_id, NEW.group_id\n        USING ERRCODE = 'check_violation',\n              CONSTRAINT = 'group_member_within_a_campaign';\nEND IF;\nRETURN NEW;\n", hash='724d1536112efe8908694feff580b7b4583f6e74', operation='INSERT OR UPDATE', pgid='pgtrigger_group_member_within_a_campaign_eeaeb', table='campaign_groupmember', when='BEFORE')),
        ),
        pgtrigger.migrations.AddTrigger(
            model_name='judge',
            trigger=pgtrigger.compiler.Trigger(name='judge_counted_on_invitation', sql=pgtrigger.compiler.UpsertTriggerSql(condition='WHEN (NEW."joined_by_id" IS NOT NULL)', func="UPDATE campaign_invitation i SET arrived = arrived + 1\nWHERE i.id = NEW.joined_by_id AND i.user_id IS NULL AND i.campaign_id = NEW.campaign_id;\nIF NOT FOUND THEN\n    RAISE EXCEPTION 'invitation % cannot be used to create judge %', NEW.joined_by_id, NEW.id\n        USING ERRCODE = 'check_violation',\n              CONSTRAINT = 'judge_invitation_of_its_campaign';\nEND IF;\nRETURN NEW;\n", hash='7ce83613b4b409be3dc800cca64b641a03a4452d', operation='INSERT', pgid='pgtrigger_judge_counted_on_invitation_14932', table='campaign_judge', when='AFTER')),
        ),
        pgtrigger.migrations.AddTrigger(
            model_name='keptfile',
            trigger=pgtrigger.compiler.Trigger(name='kept_file_immutable', sql=pgtrigger.compiler.UpsertTriggerSql(func='RAISE EXCEPTION \'pgtrigger: Cannot update of "upload_id", "task_id", "name", "size", "digest", "kind", "file_format", "after", "until", "watermark", "stored_as" rows from % table\', TG_TABLE_NAME;', hash='83c577e7738737969f103b8c59e28b7de2e0662e', operation='UPDATE OF "upload_id", "task_id", "name", "size", "digest", "kind", "file_format", "after", "until", "watermark", "stored_as"', pgid='pgtrigger_kept_file_immutable_4260a', table='campaign_keptfile', when='BEFORE')),
        ),
        pgtrigger.migrations.AddTrigger(
            model_name='machinejudge',
            trigger=pgtrigger.compiler.Trigger(name='machine_terms_immutable', sql=pgtrigger.compiler.UpsertTriggerSql(condition='WHEN (OLD."asked_twice" IS DISTINCT FROM (NEW."asked_twice") OR OLD."campaign_id" IS DISTINCT FROM (NEW."campaign_id") OR OLD."name" IS DISTINCT FROM (NEW."name") OR OLD."prompt" IS DISTINCT FROM (NEW."prompt") OR OLD."settings" IS DISTINCT FROM (NEW."settings") OR OLD."version" IS DISTINCT FROM (NEW."version"))', func="RAISE EXCEPTION 'pgtrigger: Cannot update rows from % table', TG_TABLE_NAME;", hash='1d245d0a009350d741a69dfb31d1d99c61001c1a', operation='UPDATE', pgid='pgtrigger_machine_terms_immutable_27af6', table='campaign_machinejudge', when='BEFORE')),
        ),
        pgtrigger.migrations.AddTrigger(
            model_name='membership',
            trigger=pgtrigger.compiler.Trigger(name='membership_leaves_an_owner', sql=pgtrigger.compiler.UpsertTriggerSql(constraint='CONSTRAINT', declare='DECLARE changed_campaign BIGINT;', func="-- Only removing an owner is checked.\nIF OLD.role <> 'owner' AND coalesce(NEW.campaign_id, OLD.campaign_id) = OLD.campaign_id THEN\n    RETURN NULL;\nEND IF;\nFOREACH changed_campaign IN ARRAY ARRAY[OLD.campaign_id, NEW.campaign_id] LOOP\n    -- If two owners leave at once, the second transaction waits here until the first has committed.\n    PERFORM FROM campaign_campaign c WHERE c.id = changed_campaign FOR NO KEY UPDATE;\n    IF EXISTS (SELECT FROM campaign_membership m WHERE m.campaign_id = changed_campaign)\n        AND NOT EXISTS (\n            SELECT FROM campaign_membership m WHERE m.campaign_id = changed_campaign AND m.role = 'owner'\n        )\n    THEN\n        RAISE EXCEPTION 'campaign % has members but no owner', changed_campaign\n            USING ERRCODE = 'check_violation',\n                  CONSTRAINT = 'membership_leaves_an_owner';\n    END IF;\nEND LOOP;\nRETURN NULL;\n", hash='7890b1bbea8d531bd8dcabd3fd7121d65104c249', operation='INSERT OR UPDATE OF "campaign_id", "role" OR DELETE', pgid='pgtrigger_membership_leaves_an_owner_6d520', table='campaign_membership', timing='DEFERRABLE INITIALLY DEFERRED', when='AFTER')),
        ),
        pgtrigger.migrations.AddTrigger(
            model_name='output',
            trigger=pgtrigger.compiler.Trigger(name='output_of_approved_bad_reference_immutable', sql=pgtrigger.compiler.UpsertTriggerSql(condition='WHEN (OLD.text IS DISTINCT FROM NEW.text)', func="IF EXISTS (\n    SELECT FROM campaign_badreference b\n    WHERE b.output_id = NEW.id AND b.approved_at IS NOT NULL\n) THEN\n    RAISE EXCEPTION 'output % of an approved damaged reference cannot change: judges may have seen it', NEW.id\n        USING ERRCODE = 'check_violation',\n              CONSTRAINT = 'output_of_approved_bad_reference_immutable';\nEND IF;\nRETURN NEW;\n", hash='649a6f13d9fe1505d6d24f4fbf21f1e8930353c6', operation='UPDATE', pgid='pgtrigger_output_of_approved_bad_reference_immutable_c98b7', table='campaign_output', when='BEFORE')),
        ),
    ]
