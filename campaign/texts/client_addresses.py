"""The network address of a client."""

import ipaddress
from typing import Final

UNKNOWN: Final = "unknown"
_IPV6_PREFIX: Final = 64  # usually one household or server


def client_address(forwarded_for: str, peer: str, *, proxies: int) -> str:
    """Return the address of a client; for IPv6, its network, since one client has many addresses.

    Each proxy appends the address of its client to `X-Forwarded-For`, so the last `proxies` entries come from our
    own proxies, and earlier ones may be forged. Without them, it is the address of the connection, `peer`.
    """
    hops = forwarded_for.split(",")
    if 0 < proxies <= len(hops):
        forwarded = hops[-proxies]
    else:
        forwarded = ""
    for candidate in (forwarded, peer):
        try:
            address = ipaddress.ip_address(_without_port(candidate.strip()))
        except ValueError:
            continue
        if address.version == 4:
            return str(address)
        if address.ipv4_mapped:
            return str(address.ipv4_mapped)
        return str(
            ipaddress.ip_network((address, _IPV6_PREFIX), strict=False).network_address,
        )
    return UNKNOWN


def _without_port(address: str) -> str:
    """Return an address without the port that some proxies append: 192.0.2.1:4711, [2001:db8::1]:4711."""
    if address.startswith("["):
        return address[1:].partition("]")[0]
    if address.count(":") == 1:
        return address.partition(":")[0]
    return address
