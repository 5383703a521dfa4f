"""A tiny OpenID provider that answers over HTTP in a thread of the test: discovery, tokens with PKCE, and who it is."""

import base64
import hashlib
import json
import threading
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import parse_qs, urlencode, urlsplit

import jwt

CLIENT_ID, CLIENT_SECRET = "quintet", "a secret between two servers"


@dataclass
class Provider:
    """What it says of who signs in; `userinfo` and `broken` may be changed between requests."""

    userinfo: dict[str, Any] = field(default_factory=dict)
    broken: str = ""
    codes: dict[str, str] = field(default_factory=dict)

    def start(self) -> None:
        provider = self

        class Handler(BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                provider.answer(self, urlsplit(self.path).path, b"")

            def do_POST(self) -> None:
                body = self.rfile.read(int(self.headers["Content-Length"]))
                provider.answer(self, urlsplit(self.path).path, body)

            def log_message(self, *_words: object) -> None:
                """Write nothing."""

        self.server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.thread = threading.Thread(
            target=self.server.serve_forever,
            kwargs={"poll_interval": 0.01},
        )
        self.thread.start()

    def stop(self) -> None:
        self.server.shutdown()
        self.thread.join()
        self.server.server_close()

    @property
    def issuer(self) -> str:
        return f"http://127.0.0.1:{self.server.server_port}"

    def approve(self, address: str) -> str:
        """Be the page on which somebody signs in there; return the query with which they are sent back."""
        asked = {
            name: value[0] for name, value in parse_qs(urlsplit(address).query).items()
        }
        assert asked["client_id"] == CLIENT_ID
        assert asked["response_type"] == "code"
        assert {"openid", "email"} <= set(asked["scope"].split())
        assert asked["code_challenge_method"] == "S256"
        code = f"code-{len(self.codes)}"
        self.codes[code] = asked["code_challenge"]
        return urlencode({"code": code, "state": asked["state"]})

    def answer(self, handler: BaseHTTPRequestHandler, path: str, body: bytes) -> None:
        status, said = self._said(handler, path, body)
        if path.startswith(self.broken or "nothing"):
            status, said = 200, {"nonsense": True}
        content = json.dumps(said).encode()
        handler.send_response(status)
        handler.send_header("Content-Type", "application/json")
        handler.send_header("Content-Length", str(len(content)))
        handler.end_headers()
        handler.wfile.write(content)

    def _said(
        self,
        handler: BaseHTTPRequestHandler,
        path: str,
        body: bytes,
    ) -> tuple[int, dict[str, Any]]:
        if path == "/.well-known/openid-configuration":
            return 200, {
                "issuer": self.issuer,
                "authorization_endpoint": f"{self.issuer}/authorize",
                "token_endpoint": f"{self.issuer}/token",
                "userinfo_endpoint": f"{self.issuer}/userinfo",
                "jwks_uri": f"{self.issuer}/keys",
                "token_endpoint_auth_methods_supported": ["client_secret_post"],
            }
        if path == "/token":
            return self._token(body)
        if path == "/userinfo":
            known = handler.headers["Authorization"] == "Bearer access"
            return (200, self.userinfo) if known else (401, {})
        return 404, {}

    def _token(self, body: bytes) -> tuple[int, dict[str, Any]]:
        given = {name: value[0] for name, value in parse_qs(body.decode()).items()}
        digest = hashlib.sha256(given.get("code_verifier", "").encode()).digest()
        challenge = base64.urlsafe_b64encode(digest).rstrip(b"=").decode()
        right = (
            given["client_id"] == CLIENT_ID
            and given["client_secret"] == CLIENT_SECRET
            and self.codes.pop(given["code"], None) == challenge
        )
        if not right:
            return 400, {"error": "invalid_grant"}
        claims = {"iss": self.issuer, "aud": CLIENT_ID, "iat": 1, "exp": 4_000_000_000}
        signed = jwt.encode({**claims, **self.userinfo}, "k" * 32, algorithm="HS256")
        return 200, {
            "access_token": "access",
            "token_type": "Bearer",
            "id_token": signed,
        }
