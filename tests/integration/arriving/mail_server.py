"""A mail server that says what a test wants it to, over a real socket."""

import socketserver
import threading
from types import TracebackType
from typing import Self


class MailServer:
    """Keeps the messages it took; answers with `replies` by the command's first word.

    None as a reply hangs up instead.
    """

    def __init__(self, **replies: bytes | None) -> None:
        self.messages: list[str] = []
        self.recipients: list[str] = []
        self.greetings: list[str] = []
        server = self

        class Talk(socketserver.StreamRequestHandler):
            def handle(self) -> None:
                self.wfile.write(b"220 here\r\n")
                while line := self.rfile.readline():
                    word = line.split()[0].decode().upper()
                    if not self.answer(word, line):
                        return

            def answer(self, word: str, line: bytes) -> bool:
                reply = replies.get(
                    word,
                    b"354 go on" if word == "DATA" else b"250 fine",
                )
                kept = {"EHLO": server.greetings, "RCPT": server.recipients}
                if word in kept:
                    kept[word].append(line.decode().strip())
                if word == "DATA" and reply == b"354 go on":
                    self.wfile.write(b"354 go on\r\n")
                    server.messages.append(self.message())
                    reply = replies.get("TAKEN", b"250 taken")
                if reply is None:
                    return False
                self.wfile.write(reply + b"\r\n")
                return word != "QUIT"

            def message(self) -> str:
                lines = []
                while (line := self.rfile.readline()) not in {b".\r\n", b""}:
                    lines.append(line)
                return b"".join(lines).decode()

        self._server = socketserver.ThreadingTCPServer(("127.0.0.1", 0), Talk)
        self._server.daemon_threads = True
        self.port: int = self._server.server_address[1]

    def __enter__(self) -> Self:
        threading.Thread(
            target=self._server.serve_forever,
            kwargs={"poll_interval": 0.01},
            daemon=True,
        ).start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._server.shutdown()
        self._server.server_close()
