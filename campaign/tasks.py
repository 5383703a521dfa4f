"""Background work of the campaign app: an interface to services, nothing else."""

from celery import shared_task

from campaign.accounts.sessions import SessionStore
from campaign.services import mails_send_due, sightings_forget


@shared_task(name="campaign.tasks.forget_sessions")
def forget_sessions() -> None:
    """Delete the sessions that have run out."""
    SessionStore.clear_expired()


@shared_task(name="campaign.tasks.send_mails")
def send_mails() -> None:
    """Send the invitations that wait, and those whose time to be tried again has come."""
    mails_send_due()


@shared_task
def forget_sightings() -> None:
    """Forget the browsers that were seen long ago."""
    sightings_forget()
