"""Source addresses and the networks they may come from."""

import ipaddress
import re

V4 = re.compile(r"(?:0|[1-9][0-9]{0,2})(?:\.(?:0|[1-9][0-9]{0,2})){3}")
V6 = re.compile(r"[0-9A-Fa-f:.]+")
PREFIX = re.compile(r"0|[1-9][0-9]{0,2}")


def address(text):
    """IPv4-mapped addresses are IPv4. None for everything lenient, zones included."""
    if not isinstance(text, str) or not (V4 if ":" not in text else V6).fullmatch(text):
        return None
    try:
        found = ipaddress.ip_address(text)
    except ValueError:
        return None
    return getattr(found, "ipv4_mapped", None) or found


def network(rule):
    """None for a rule that must not be configured: lenient, with host bits, or for everyone."""
    text, _, prefix = rule.partition("/")
    base = address(text)
    if base is None or not PREFIX.fullmatch(prefix):
        return None
    bits = int(prefix)
    if base.version == 4 and ":" in text:
        bits -= 96
    try:
        return ipaddress.ip_network((base, bits)) if bits > 0 else None
    except ValueError:
        return None


def allows(networks, source):
    found = address(source)
    return found is not None and any(found in network for network in networks)
