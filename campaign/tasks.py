"""Background tasks of the campaign app: they only call services."""

from celery import shared_task

from campaign.accounts.clients import sign_in_counts_forget
from campaign.accounts.sessions import SessionStore
from campaign.services.api_tokens import idempotent_answers_forget
from campaign.services.browser_visits import browser_visits_purge
from campaign.services.campaigns import bin_empty, campaigns_close_due
from campaign.services.exported_files import exported_files_purge
from campaign.services.jobs import jobs_run_waiting
from campaign.services.mails import mails_forget, mails_send_due
from campaign.services.media import media_clean_stored
from campaign.services.uploads import uploads_purge
from campaign.services.webhooks import webhooks_forget


@shared_task(name="campaign.tasks.clean_up")
def clean_up() -> None:
    """Delete what has expired: sessions, counts of sign-ins, messages, answers, uploads, exported files and visits."""
    SessionStore.clear_expired()
    sign_in_counts_forget()
    mails_forget()
    webhooks_forget()
    idempotent_answers_forget()
    uploads_purge()
    exported_files_purge()
    browser_visits_purge()


@shared_task(name="campaign.tasks.send_mails")
def send_mails() -> None:
    """Send the messages in the outbox that are due, first attempts and retries."""
    mails_send_due()


@shared_task(name="campaign.tasks.run_jobs")
def run_jobs() -> None:
    """Run waiting jobs, and those left by a lost worker."""
    jobs_run_waiting()


@shared_task(name="campaign.tasks.close_campaigns")
def close_campaigns() -> None:
    """Close the campaigns whose closing time has passed."""
    campaigns_close_due()


@shared_task(name="campaign.tasks.clean_media")
def clean_media() -> None:
    """Remove from stored pictures and recordings what an earlier version left in them."""
    media_clean_stored()


@shared_task(name="campaign.tasks.empty_bin")
def empty_bin() -> None:
    """Permanently delete the campaigns that have been in the bin long enough."""
    bin_empty()
