"""Sends tasks as fast as the broker takes them, until it is killed: `python -m tests.faults.messages`."""

import os
import threading
import time
from contextlib import suppress

THREADS = 4
# Tasks that find nothing to do.
TASKS = ("campaign.tasks.send_mails", "ranking.tasks.rank_what_is_due")


def main() -> None:
    """Send from several threads."""
    os.environ["DJANGO_SETTINGS_MODULE"] = "config.settings"
    import django

    django.setup()
    from kombu.exceptions import OperationalError

    from config.celery import app

    def send() -> None:
        while True:
            for task in TASKS:
                with suppress(OperationalError):
                    app.send_task(task)
                time.sleep(0.02)

    for _thread in range(THREADS):
        threading.Thread(target=send).start()


if __name__ == "__main__":
    main()
