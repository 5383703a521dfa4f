"""A voice that writes down what it is told to say: the server side of speech-dispatcher's protocol (SSIP).

What a screen reader says and what a judge comes to hear are two things: the next utterance may cut
off the last one. So the voice takes its time for each, and notes what was stopped before its end.
"""

from __future__ import annotations

import contextlib
import html
import re
import socketserver
import threading
import time
from collections import deque
from dataclasses import dataclass, field
from pathlib import Path

# What a client asks for before it speaks, and the least that contents it.
_ANSWERS = {
    "LIST OUTPUT_MODULES": ("250-paper", "250 OK"),
    "LIST": ("249-paper\ten\tnone", "249 OK"),
    "HISTORY": ("245-1", "245 OK"),
    "GET": ("251-0", "251 OK"),
    "QUIT": ("231 OK",),
}


@dataclass
class Utterance:
    text: str
    lang: str
    # "all", "part" or "none", once that is known.
    heard: str = ""
    done: threading.Event = field(default_factory=threading.Event)


class Voice:
    """Says one utterance after the other, each for as long as it takes, onto paper."""

    def __init__(self, *, pace: float) -> None:
        """`pace` in characters a second; espeak's usual one is about 15."""
        self.utterances: list[Utterance] = []
        self.last_change = time.monotonic()
        self._pace = pace
        self._waiting: deque[Utterance] = deque()
        self._changed = threading.Condition()
        self._stopped = False
        threading.Thread(target=self._talk, daemon=True).start()

    def say(self, text: str, lang: str) -> Utterance:
        said = Utterance(text, lang)
        with self._changed:
            self._stopped = False
            self.last_change = time.monotonic()
            self.utterances.append(said)
            self._waiting.append(said)
            self._changed.notify()
        return said

    def stop(self) -> None:
        """What is being said is cut off, and what waits is never begun."""
        with self._changed:
            self._stopped = True
            while self._waiting:
                self._end(self._waiting.popleft(), "none")
            self._changed.notify()

    def take(self) -> list[Utterance]:
        """What was said since this was asked last."""
        with self._changed:
            said, self.utterances = self.utterances, []
            return said

    def is_quiet(self, since: float, seconds: float) -> bool:
        """Whether all was said, and nothing more came for so long, counted from `since` at the earliest."""
        with self._changed:
            silent = all(each.heard for each in self.utterances)
            return silent and time.monotonic() - max(since, self.last_change) >= seconds

    def _talk(self) -> None:
        while True:
            with self._changed:
                self._changed.wait_for(lambda: bool(self._waiting))
                said = self._waiting.popleft()
                lasts = len(said.text) / self._pace
                ended = time.monotonic() + lasts
                # A stop is meant for whoever talks when it comes; what is said after it is not stopped.
                cut = False
                while not cut and (left := ended - time.monotonic()) > 0:
                    cut = self._changed.wait_for(lambda: self._stopped, timeout=left)
                self._end(said, "part" if cut else "all")

    def _end(self, said: Utterance, heard: str) -> None:
        said.heard = heard
        self.last_change = time.monotonic()
        said.done.set()


class _Client(socketserver.StreamRequestHandler):
    """One connection: commands are lines, what is to be said ends with a dot of its own line."""

    server: VoiceServer

    def setup(self) -> None:
        super().setup()
        self._lang = ""
        self._number = 0
        self._writing = threading.Lock()

    def handle(self) -> None:
        for line in self.rfile:
            command = line.decode().strip()
            self._answer(*self._obey(command))
            if command == "QUIT":
                return

    def _obey(self, command: str) -> tuple[str, ...]:
        verb, _, rest = command.partition(" ")
        if verb == "SPEAK":
            self._answer("230 OK RECEIVING DATA")
            return self._queued(_plain(self._data()))
        if verb in {"CHAR", "KEY"}:
            return self._queued(rest)
        if verb in {"STOP", "CANCEL"}:
            self.server.voice.stop()
        if command.startswith("SET self LANGUAGE "):
            self._lang = rest.split()[-1]
        return next(
            (each for key, each in _ANSWERS.items() if command.startswith(key)), ("200 OK",)
        )

    def _data(self) -> str:
        lines = []
        for line in self.rfile:
            words = line.decode().rstrip("\r\n")
            if words == ".":
                break
            lines.append(words.removeprefix(".") if words.startswith("..") else words)
        return "\n".join(lines)

    def _queued(self, text: str) -> tuple[str, ...]:
        self._number += 1
        said = self.server.voice.say(text, self._lang)
        threading.Thread(target=self._tell, args=(said, self._number), daemon=True).start()
        return f"225-{self._number}", "225 OK MESSAGE QUEUED"

    def _tell(self, said: Utterance, number: int) -> None:
        """Reading on and on goes from one utterance to the next when it hears of the end of the last."""
        self._answer(f"701-{number}", "701-1", "701 BEGIN")
        said.done.wait()
        code, word = (702, "END") if said.heard == "all" else (703, "CANCELED")
        with contextlib.suppress(OSError):  # gone in the middle of a sentence
            self._answer(f"{code}-{number}", f"{code}-1", f"{code} {word}")

    def _answer(self, *lines: str) -> None:
        with self._writing:
            self.wfile.write("".join(f"{line}\r\n" for line in lines).encode())


class VoiceServer(socketserver.ThreadingUnixStreamServer):
    """Listens where a screen reader looks for speech-dispatcher: `SPEECHD_ADDRESS=unix_socket:…`."""

    daemon_threads = True

    def __init__(self, path: Path, voice: Voice) -> None:
        self.voice = voice
        super().__init__(str(path), _Client)
        threading.Thread(target=self.serve_forever, daemon=True).start()


def _plain(ssml: str) -> str:
    """The words without the markup that Orca puts around them."""
    return re.sub(r"\s+", " ", html.unescape(re.sub(r"<[^>]+>", "", ssml))).strip()
