"""Background tasks of the campaign app: they only call services."""

from celery import shared_task

from campaign.accounts.sessions import SessionStore
from campaign.accounts.sign_in_counts import sign_in_counts_forget
from campaign.services import browser_visits_purge, mails_send_due, panel_arrivals_purge


@shared_task(name="campaign.tasks.forget_sessions")
def forget_sessions() -> None:
    """Delete expired sessions, and counts of attempts to sign in that are over."""
    SessionStore.clear_expired()
    sign_in_counts_forget()


@shared_task(name="campaign.tasks.send_mails")
def send_mails() -> None:
    """Send the invitations in the outbox that are due, first attempts and retries."""
    mails_send_due()


@shared_task
def purge_browser_visits() -> None:
    """Purge old browser visits, and the hashed addresses that panels' participants came from."""
    browser_visits_purge()
    panel_arrivals_purge()
