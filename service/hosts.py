"""Foreign hosts: public addresses, and the addresses of a name."""

import asyncio
import ipaddress
import socket
from concurrent.futures import ThreadPoolExecutor

_GLOBAL_UNICAST = ipaddress.ip_network("2000::/3")
"""Public addresses; ``::/96``, ``64:ff9b::/96``, ``64:ff9b:1::/48``, ``fec0::/10`` and ``5f00::/16`` are outside."""
_SPECIAL = [
    ipaddress.ip_network(network)
    for network in (
        "192.0.0.0/24",  # IETF protocol assignments; Python knows parts of them
        "192.88.99.0/24",  # relays of 6to4
        "2001::/23",  # IETF protocol assignments, including Teredo, which embeds an IPv4 address
        "2001:db8::/32",
        "2002::/16",  # 6to4, which embeds an IPv4 address
        "3fff::/20",
    )
]


def literal_address(host: str) -> ipaddress.IPv4Address | ipaddress.IPv6Address | None:
    """Return the address that a host is, in any spelling that a resolver reads; None for a name.

    Examples
    --------
    >>> literal_address("0x7f.1")
    IPv4Address('127.0.0.1')
    """
    bare = host.strip("[]").partition("%")[0].rstrip(".")
    try:
        return ipaddress.ip_address(bare)
    except ValueError:
        pass
    if not bare.isascii() or not bare.isprintable() or " " in bare:
        return None
    try:
        return ipaddress.IPv4Address(socket.inet_aton(bare))  # decimal, octal, hexadecimal, fewer than four parts
    except OSError:
        return None


def is_public(host: str) -> bool:
    """Return whether a host is an address of the public internet; False for names.

    Addresses that are translated or tunnelled to IPv4 are not public: their targets depend on the network.
    """
    address = literal_address(host)
    if isinstance(address, ipaddress.IPv6Address):
        if address.ipv4_mapped is None and address not in _GLOBAL_UNICAST:
            return False
        address = address.ipv4_mapped or address  # the system sends mapped ones by IPv4
    if address is None or not address.is_global or address.is_multicast:
        return False
    return not any(address.version == network.version and address in network for network in _SPECIAL)


async def addresses_of(host: str, port: int, threads: ThreadPoolExecutor) -> list[str]:
    """Return the addresses of a host, in separate threads: a name server that does not answer blocks nothing else.

    Raises
    ------
    OSError, UnicodeError
        If it has none.
    """
    found = await asyncio.get_running_loop().run_in_executor(
        threads, lambda: socket.getaddrinfo(host, port, proto=socket.IPPROTO_TCP)
    )
    return [str(address[4][0]) for address in found]
