"""Print nginx's configuration of a router before several cells, from the map of cells (`cells/cell_map.py`).

    python -m deploy.cells /etc/quintet/cells.map --listen 127.0.0.1:8100 > /etc/nginx/conf.d/quintet-cells.conf

Behind the configuration of `deploy.nginx`, whose `--upstream` is this one's `--listen`. Needs nothing but Python.
"""

import argparse
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path

from cells.cell_map import CellMap, CellMapError
from config.cells import session_cookie_name

# Words that mean something else at the beginning of a line of `map`.
_WORDS_OF_MAP = frozenset({"default", "hostnames", "include", "volatile"})
# A campaign is named by the path, by the judging page's header, or by where signing in leads.
_SLUG = r"""map $uri $quintet_slug_of_path {
    ~^/(?:campaigns|judge|api/v1/campaigns)/(?<quintet_slug>[-\w]+)/ $quintet_slug;
    ~^/api/v1/judging/ $http_quintet_campaign;
    default "";
}
map $arg_next $quintet_slug_of_next {
    ~*^(?:/|%2F)(?:campaigns|judge)(?:/|%2F)(?<quintet_next>[-\w]+)(?:/|%2F) $quintet_next;
    default "";
}
map $uri $quintet_slug_asked {
    /sign-in/ $quintet_slug_of_next;
    default $quintet_slug_of_path;
}
map $uri $quintet_task {
    ~^/api/v1/(?:tasks|test-sets)/(?<quintet_id>\d+)/ $quintet_id;
    default "";
}"""

_SERVER = """map $quintet_by_slug$quintet_by_task $quintet_cell {{
    "" $quintet_by_cookie;
    default $quintet_by_slug$quintet_by_task;
}}
server {{
    listen {listen};
    access_log off;
    client_max_body_size 3m;
    client_body_buffer_size 128k;
    proxy_http_version 1.1;
    proxy_buffers 16 32k;
    proxy_buffer_size 16k;
    proxy_busy_buffers_size 64k;
    proxy_connect_timeout 5s;
    proxy_read_timeout 120s;
    proxy_set_header Connection "";
    proxy_set_header Host $http_host;

    # Secrets and files name no campaign: cells are asked in turn until one knows them. One that does not has
    # changed nothing.
    location ~ ^/(i|panel|static)/ {{
        proxy_next_upstream http_404 non_idempotent;
        proxy_pass http://quintet_cells;
    }}

    # Files in one request, as in nginx.conf.template.
    location ~ ^/(campaigns/[^/]+/(uploads/[^/]+|tasks/[0-9]+/(systems/add|answers))|api/v1/tasks/[0-9]+/(systems|answers))/$ {{
        client_max_body_size 21m;
        proxy_next_upstream off;
        proxy_pass http://$quintet_cell;
    }}

    location / {{
        proxy_next_upstream off;
        proxy_pass http://$quintet_cell;
    }}
}}
"""


def configuration(cells: CellMap, listen: str) -> str:
    """Return the configuration of a router that listens at an address."""
    return "\n".join([*_upstreams(cells), _SLUG, *_maps(cells), _SERVER.format(listen=listen)])


def _upstreams(cells: CellMap) -> Iterator[str]:
    for cell, address in cells.addresses.items():
        yield f"upstream {_name(cell)} {{ server {address} max_fails=0; keepalive 32; }}"
    servers = " ".join(f"server {address} max_fails=0;" for address in cells.addresses.values())
    yield f"upstream quintet_cells {{ {servers} keepalive 32; }}"


def _maps(cells: CellMap) -> Iterator[str]:
    # Elsewhere: where somebody is signed in, so that "all campaigns" shows them theirs.
    cookies = [
        f'"~(?:^|; ){session_cookie_name(cell)}=" {_name(cell)};' for cell in cells.addresses
    ]
    yield _map("$http_cookie", "$quintet_by_cookie", cookies, _name(cells.first))
    named = [f"{_literal(slug)} {_name(cell)};" for slug, cell in sorted(cells.campaigns.items())]
    yield _map("$quintet_slug_asked", "$quintet_by_slug", ['"" "";', *named], _name(cells.first))
    moved = [f"{row} {_name(cell)};" for row, cell in sorted(cells.tasks.items())]
    # Ids have twelve figures after the number of the cell that gave them; in quotes, for the braces.
    given = [
        f'"~^{cell}[0-9]{{12}}$" {_name(cell)};' if cell else f'"~^[0-9]{{1,12}}$" {_name(0)};'
        for cell in cells.addresses
    ]
    yield _map("$quintet_task", "$quintet_by_task", [*moved, *given], '""')


def _map(of: str, to: str, lines: Sequence[str], default: str) -> str:
    inner = "".join(f"    {line}\n" for line in [*lines, f"default {default};"])
    return f"map {of} {to} {{\n{inner}}}"


def _literal(slug: str) -> str:
    """Return a short name as nginx takes it for itself where it is a word of `map`."""
    return rf"\{slug}" if slug in _WORDS_OF_MAP else slug


def _name(cell: int) -> str:
    return f"quintet_cell_{cell}"


def main(arguments: Sequence[str] | None = None) -> int:
    """Print the configuration; return how the program is to exit."""
    parser = argparse.ArgumentParser(
        prog="python -m deploy.cells", description=(__doc__ or "").split("\n")[0]
    )
    parser.add_argument("map", type=Path, help="the map of cells")
    parser.add_argument("--listen", default="127.0.0.1:8100", help="where this router listens")
    chosen = parser.parse_args(arguments)
    try:
        text = configuration(CellMap.read(chosen.map), chosen.listen)
    except CellMapError as error:
        sys.stderr.write(f"{error}\n")
        return 2
    sys.stdout.write(text)
    return 0


if __name__ == "__main__":
    sys.exit(main())
