"""A listener, and the checks in their order."""

import base64
import re

import media_type
import networks
import strict_json
from hmac_auth import HmacAuth
from jwt_auth import JwtAuth
from verdict import Refused

MAX_BODY_BYTES = 65536
TOLERANCE_SECONDS = 300
REQUIRED = ("content-type", "webhook-timestamp", "webhook-event-id")
TIMESTAMP = re.compile(r"0|[1-9][0-9]{0,11}")
HEX = "[0-9A-Fa-f]"
UUID_V4 = re.compile(f"{HEX}{{8}}-{HEX}{{4}}-4{HEX}{{3}}-[89ABab]{HEX}{{3}}-{HEX}{{12}}")


class NotConfigurable(Exception):
    pass


class Listener:
    def __init__(self, options, store):
        self.id = options["id"]
        self.store = store
        rules = options.get("allowedCidrs")
        self.networks = None if rules is None else [networks.network(rule) for rule in rules]
        if self.networks is not None and (self.networks == [] or None in self.networks):
            raise NotConfigurable()
        self.auth = HmacAuth(options["hmac"]) if "hmac" in options else JwtAuth(options["jwt"])
        if self.id == "" or not is_well_formed(self.id) or not self.auth.is_configurable():
            raise NotConfigurable()

    def verify(self, delivery, now_ms):
        now = now_ms // 1000
        headers = {name: single(value) for name, value in delivery["headers"].items()}
        body = base64.b64decode(delivery["body"], validate=True)
        if len(body) > MAX_BODY_BYTES:
            raise Refused("body_too_large")
        check_headers(delivery["method"], headers)
        check_json(body)
        check_timestamp(headers["webhook-timestamp"], now)
        if not UUID_V4.fullmatch(headers["webhook-event-id"]):
            raise Refused("event_id_not_uuid_v4")
        if self.networks is not None and not networks.allows(self.networks, delivery.get("sourceIp")):
            raise Refused("source_ip_not_allowed")
        proof = self.auth.check(headers, body, now)
        event_id = headers["webhook-event-id"].lower()
        claim = self.store.claim((self.id, event_id), now_ms)
        if isinstance(claim, str):
            raise Refused(claim)
        return event_id, proof, claim


def single(value):
    """A list is what came more than once; with one item it came once, with none it did not."""
    if isinstance(value, list) and len(value) < 2:
        return value[0] if value else None
    return value


def is_well_formed(text):
    return not any(0xD800 <= ord(character) <= 0xDFFF for character in text)


def check_headers(method, headers):
    if method != "POST":
        raise Refused("method_not_post")
    if any(headers.get(name) in (None, "") for name in REQUIRED):
        raise Refused("header_missing")
    if any(isinstance(headers.get(name), list) for name in (*REQUIRED, "content-encoding")):
        raise Refused("header_repeated")
    if not media_type.is_json(headers["content-type"]):
        raise Refused("content_type_not_json")
    if (headers.get("content-encoding") or "identity").lower() != "identity":
        raise Refused("content_encoding_not_identity")


def check_json(body):
    try:
        strict_json.parse_bytes(body)
    except strict_json.NotJson:
        raise Refused("body_not_json") from None


def check_timestamp(text, now):
    if not TIMESTAMP.fullmatch(text):
        raise Refused("timestamp_malformed")
    if abs(now - int(text)) > TOLERANCE_SECONDS:
        raise Refused("timestamp_out_of_range")
