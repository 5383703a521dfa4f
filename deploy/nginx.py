"""Print the configuration of nginx for a host, from `deploy/nginx.conf.template`.

    python -m deploy.nginx --server-name campaign.example.org \\
        --certificate /etc/ssl/campaign.pem --key /etc/ssl/campaign.key > /etc/nginx/conf.d/quintet.conf

This only needs Python. The nginx image fills in the same template itself (docker-compose.yml).
"""

import argparse
import ipaddress
import re
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

TEMPLATE = Path(__file__).with_name("nginx.conf.template")
LOCAL = "127.0.0.1:8000"
_NAME = re.compile(r"\$\{([A-Z_]+)\}")
# Characters that would end or begin a directive.
_UNSAFE = re.compile(r"[\s;{}\"'$\\]")


@dataclass(frozen=True)
class Options:
    """Hold the values that the configuration depends on.

    Attributes
    ----------
    http_port, https_port : str
        As in nginx's `listen`: a port, or address and port.
    upstreams : tuple[str, ...]
        Addresses of web servers.
    resolver : str
        DNS server that keeps looking up the names in `upstreams`; empty to look them up once, when nginx starts.
    answers_other_names : bool
        Whether Quintet's configuration closes connections for other host names, as the default server.
    """

    server_name: str
    certificate: str
    certificate_key: str
    url_prefix: str = ""
    upstreams: tuple[str, ...] = (LOCAL,)
    resolver: str = ""
    http_port: str = "80"
    https_port: str = "443"
    answers_other_names: bool = True
    log: str = "/var/log/nginx/quintet.log"


def rendered(options: Options) -> str:
    """Return the configuration.

    Raises
    ------
    ValueError
        A value that nginx would not read as one word, or that cannot work.
    """
    values = {
        "SERVER_NAME": options.server_name,
        "CERTIFICATE": options.certificate,
        "CERTIFICATE_KEY": options.certificate_key,
        "URL_PREFIX": options.url_prefix,
        "HTTP_PORT": options.http_port,
        "HTTPS_PORT": options.https_port,
        "PUBLIC_HTTPS_PORT": options.https_port.rpartition(":")[2],
        "DEFAULT_SERVER": "default_server" if options.answers_other_names else "",
        "LOG": options.log,
    }
    upstreams = {f"UPSTREAM {address}": address for address in options.upstreams}
    _check_words(values | upstreams | {"RESOLVER": options.resolver})
    if options.url_prefix and not re.fullmatch(r"(/[\w.-]+)+", options.url_prefix):
        raise ValueError(
            "URL_PREFIX begins with a slash and ends without one: /quintet",
        )
    if options.answers_other_names and _is_address(options.server_name):
        raise ValueError(
            f"SERVER_NAME is an IP address: {options.server_name}. Clients send no name with it, so nginx would refuse "
            "them. Use a host name, or --no-default-server.",
        )
    template = re.sub(
        r"^#.*\n",
        "",
        TEMPLATE.read_text(encoding="utf-8"),
        flags=re.MULTILINE,
    )
    servers = _NAME.sub(lambda match: values[match[1]], template)
    return f"{_upstream(options)}\n{servers.lstrip()}"


def _check_words(values: dict[str, str]) -> None:
    for name, value in values.items():
        if _UNSAFE.search(value):
            raise ValueError(
                f"{name} may hold no space, quote, brace, semicolon or $: {value}",
            )


def _is_address(name: str) -> bool:
    try:
        ipaddress.ip_address(name.strip("[]"))
    except ValueError:
        return False
    return True


def _upstream(options: Options) -> str:
    """Return the block of the web servers; nginx keeps connections to them open."""
    lookup: list[str] = []
    resolve = ""
    if options.resolver:
        lookup = ["    zone quintet 64k;", f"    resolver {options.resolver} valid=2s;"]
        resolve = " resolve"
    servers = [f"    server {address}{resolve};" for address in options.upstreams]
    return "\n".join(
        ["upstream quintet {", *lookup, *servers, "    keepalive 32;", "}", ""],
    )


def main(arguments: Sequence[str] | None = None) -> int:
    """Print the configuration; return the exit code."""
    parser = argparse.ArgumentParser(
        prog="python -m deploy.nginx",
        description=__doc__.split("\n")[0],
    )
    parser.add_argument(
        "--server-name",
        required=True,
        help="host name, such as rank.example.org",
    )
    parser.add_argument(
        "--certificate",
        required=True,
        help="file with the certificate chain",
    )
    parser.add_argument("--key", required=True, help="file with its private key")
    parser.add_argument(
        "--prefix",
        default="",
        help="path of Quintet, such as /quintet",
    )
    parser.add_argument(
        "--upstream",
        action="append",
        metavar="HOST:PORT",
        help=f"address of a web server; repeat it for several (default: {LOCAL})",
    )
    parser.add_argument(
        "--resolver",
        default="",
        metavar="ADDRESS",
        help="DNS server that keeps looking up the upstreams' names; needs nginx 1.27.3 or newer",
    )
    parser.add_argument("--http-port", default="80")
    parser.add_argument("--https-port", default="443")
    parser.add_argument(
        "--no-default-server",
        action="store_true",
        help="leave other host names to another default_server in your configuration of nginx",
    )
    parser.add_argument("--log", default="/var/log/nginx/quintet.log")
    chosen = parser.parse_args(arguments)
    options = Options(
        server_name=chosen.server_name,
        certificate=chosen.certificate,
        certificate_key=chosen.key,
        url_prefix=chosen.prefix,
        upstreams=tuple(chosen.upstream or [LOCAL]),
        resolver=chosen.resolver,
        http_port=chosen.http_port,
        https_port=chosen.https_port,
        answers_other_names=not chosen.no_default_server,
        log=chosen.log,
    )
    try:
        text = rendered(options)
    except ValueError as error:
        sys.stderr.write(f"{error}\n")
        return 2
    sys.stdout.write(text)
    return 0


if __name__ == "__main__":
    sys.exit(main())
