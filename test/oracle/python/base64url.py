"""base64url without padding, in its one canonical spelling. b64decode skips what it does not know."""

import base64
import re

ALPHABET = re.compile(r"[A-Za-z0-9_-]*")


def encode(content):
    return base64.urlsafe_b64encode(content).rstrip(b"=").decode("ascii")


def decode(text):
    """None where the text is not what `encode` would write."""
    if not isinstance(text, str) or not ALPHABET.fullmatch(text) or len(text) % 4 == 1:
        return None
    content = base64.urlsafe_b64decode(text + "=" * (-len(text) % 4))
    return content if encode(content) == text else None
