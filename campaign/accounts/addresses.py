"""Which address a request comes from, behind as many proxies as the settings say."""

import ipaddress

from django.conf import settings
from django.http import HttpRequest

_IPV6_PREFIX = 64  # what one household or one server has to itself
UNKNOWN = "unknown"


def client_address(request: HttpRequest) -> str:
    """Return the client's address; of IPv6 the network, of which one client has all addresses.

    Each proxy appends the address it was asked from to `X-Forwarded-For`, so the last `PROXIES` entries are by
    our own proxies and whatever stands before them may be forged.
    """
    hops = request.headers.get("X-Forwarded-For", "").split(",")
    proxies: int = settings.PROXIES
    told = hops[-proxies] if 0 < proxies <= len(hops) else ""
    for candidate in (told, request.META.get("REMOTE_ADDR", "")):
        try:
            address = ipaddress.ip_address(candidate.strip())
        except ValueError:
            continue
        if address.version == 6:
            return str(ipaddress.ip_network((address, _IPV6_PREFIX), strict=False).network_address)
        return str(address)
    return UNKNOWN
