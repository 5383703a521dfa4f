"""Celery tasks: send alerts by mail."""

from celery import shared_task

from desk.services.alert_mails import alert_mails_send


# Messages in the queue and the schedule know it by this name.
@shared_task(name="ranking.tasks.send_alert_mails")
def send_alert_mails() -> None:
    """Send the daily mails about alerts that are due."""
    alert_mails_send()
