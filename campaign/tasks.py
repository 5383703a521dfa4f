"""Background tasks of the campaign app: they only call services."""

from celery import shared_task

from campaign.accounts.clients import sign_in_counts_forget
from campaign.accounts.sessions import SessionStore
from campaign.services.browser_visits import browser_visits_purge
from campaign.services.campaigns import bin_empty, campaigns_close_due
from campaign.services.exported_files import exported_files_purge
from campaign.services.idempotent_answers import idempotent_answers_forget
from campaign.services.jobs import jobs_run_waiting
from campaign.services.mails import mails_forget, mails_send_due
from campaign.services.uploads import uploads_purge
from campaign.services.webhooks.outbox import webhooks_forget


@shared_task(name="campaign.tasks.forget_sessions")
def forget_sessions() -> None:
    """Delete expired sessions, counts of attempts to sign in that are over, old messages that are no invitations, and those of webhooks."""
    SessionStore.clear_expired()
    sign_in_counts_forget()
    mails_forget()
    webhooks_forget()


@shared_task(name="campaign.tasks.send_mails")
def send_mails() -> None:
    """Send the messages in the outbox that are due, first attempts and retries."""
    mails_send_due()


@shared_task(name="campaign.tasks.run_jobs")
def run_jobs() -> None:
    """Run waiting jobs, and those left by a lost worker."""
    jobs_run_waiting()


@shared_task(name="campaign.tasks.purge_uploads")
def purge_uploads() -> None:
    """Delete abandoned uploads."""
    uploads_purge()


@shared_task(name="campaign.tasks.purge_exported_files")
def purge_exported_files() -> None:
    """Delete the exported files that have expired."""
    exported_files_purge()


@shared_task
def purge_browser_visits() -> None:
    """Purge old browser visits."""
    browser_visits_purge()


@shared_task(name="campaign.tasks.close_campaigns")
def close_campaigns() -> None:
    """Close the campaigns whose day has come."""
    campaigns_close_due()


@shared_task(name="campaign.tasks.empty_bin")
def empty_bin() -> None:
    """Delete for good the campaigns that have been in the bin long enough."""
    bin_empty()


@shared_task(name="campaign.tasks.forget_idempotent_answers")
def forget_idempotent_answers() -> None:
    """Delete the answers to repeatable requests that are given no longer."""
    idempotent_answers_forget()
