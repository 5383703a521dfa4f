"""Exceptions from the content security policy for the pages for MTurk."""

from collections.abc import Iterable
from typing import Final

from campaign.panels.entry import FRAME_HOSTS, SUBMIT_HOSTS


def _by_https(hosts: Iterable[str]) -> str:
    return " ".join(f"https://{host}" for host in hosts)


#: The page's form with the code goes to MTurk.
SENT_TO_MTURK: Final = {"form-action": f"'self' {_by_https(SUBMIT_HOSTS)}"}
#: MTurk shows the page in a frame, and the form in it is sent there.
IN_FRAME_OF_MTURK: Final = {**SENT_TO_MTURK, "frame-ancestors": _by_https(FRAME_HOSTS)}
