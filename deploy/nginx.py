"""Print the configuration of nginx for a host, from `deploy/nginx.conf.template`.

    python -m deploy.nginx --server-name campaign.example.org \\
        --certificate /etc/ssl/campaign.pem --key /etc/ssl/campaign.key > /etc/nginx/conf.d/quintet.conf

This only needs Python. The nginx image fills in the same template itself (docker-compose.yml).
"""

import argparse
import re
import sys
from collections.abc import Sequence
from pathlib import Path

TEMPLATE = Path(__file__).with_name("nginx.conf.template")
_NAME = re.compile(r"\$\{([A-Z_]+)\}")
# Characters that would end or begin a directive.
_UNSAFE = re.compile(r"[\s;{}\"'$\\]")


def rendered(values: dict[str, str]) -> str:
    """Return the configuration with names filled in.

    Raises:
        ValueError: a name in the template has no value, or a value that nginx would not read as one word.
    """
    template = re.sub(r"^#.*\n", "", TEMPLATE.read_text(encoding="utf-8"), flags=re.MULTILINE)
    missing = set(_NAME.findall(template)) - set(values)
    if missing:
        raise ValueError(f"Say what these are: {', '.join(sorted(missing))}.")
    for name, value in values.items():
        if _UNSAFE.search(value):
            raise ValueError(f"{name} may hold no space, quote, brace, semicolon or $: {value}")
    if values["URL_PREFIX"] and not re.fullmatch(r"(/[\w.-]+)+", values["URL_PREFIX"]):
        raise ValueError("URL_PREFIX begins with a slash and ends without one: /quintet")
    return _NAME.sub(lambda found: values[found[1]], template)


def main(arguments: Sequence[str] | None = None) -> int:
    """Print the configuration; return the exit code."""
    parser = argparse.ArgumentParser(
        prog="python -m deploy.nginx", description=__doc__.split("\n")[0]
    )
    parser.add_argument("--server-name", required=True, help="host name, such as rank.example.org")
    parser.add_argument("--certificate", required=True, help="file with the certificate chain")
    parser.add_argument("--key", required=True, help="file with its private key")
    parser.add_argument("--prefix", default="", help="path of Quintet, such as /quintet")
    parser.add_argument("--upstream", default="127.0.0.1:8000", help="address of gunicorn")
    parser.add_argument("--http-port", default="80")
    parser.add_argument("--https-port", default="443")
    parser.add_argument("--log", default="/var/log/nginx/quintet.log")
    chosen = parser.parse_args(arguments)
    try:
        text = rendered(
            {
                "SERVER_NAME": chosen.server_name,
                "CERTIFICATE": chosen.certificate,
                "CERTIFICATE_KEY": chosen.key,
                "URL_PREFIX": chosen.prefix,
                "UPSTREAM": chosen.upstream,
                "HTTP_PORT": chosen.http_port,
                "HTTPS_PORT": chosen.https_port,
                "LOG": chosen.log,
            }
        )
    except ValueError as error:
        sys.stderr.write(f"{error}\n")
        return 2
    sys.stdout.write(text)
    return 0


if __name__ == "__main__":
    sys.exit(main())
