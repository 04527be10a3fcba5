"""Webhook-Signature."""

import hashlib
import hmac

import base64url
from utf16 import utf16_length
from verdict import Refused

MIN_SECRET_CHARACTERS = 16


class HmacAuth:
    def __init__(self, secrets):
        self.secrets = secrets

    def is_configurable(self):
        return all(is_usable(entry["secret"]) for entry in self.secrets)

    def check(self, headers, body, _now):
        signature = headers.get("webhook-signature")
        if signature in (None, ""):
            raise Refused("auth_missing")
        digest = base64url.decode(signature)
        if digest is None or len(digest) != 32:
            raise Refused("signature_mismatch")
        prefix = f"{headers['webhook-timestamp']}.{headers['webhook-event-id']}."
        for entry in self.secrets:
            key = entry["secret"].encode("utf-8")
            if hmac.compare_digest(hmac.digest(key, prefix.encode("ascii") + body, hashlib.sha256), digest):
                return entry["id"]
        raise Refused("signature_mismatch")


def is_usable(secret):
    try:
        secret.encode("utf-8")
    except UnicodeEncodeError:
        return False
    return utf16_length(secret) >= MIN_SECRET_CHARACTERS and secret.strip() != ""
