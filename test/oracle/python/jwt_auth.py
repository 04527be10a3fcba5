"""Authorization: Bearer <JWT>."""

import base64url
import jwks
import signatures
import strict_json
from claims import check_claims
from utf16 import utf16_length
from verdict import Refused

ALGORITHMS = ("RS256", "ES256", "EdDSA")
MAX_TOKEN_CHARACTERS = 8192
MAX_KEY_ID_CHARACTERS = 256


class JwtAuth:
    def __init__(self, options):
        self.subject = options["subject"]
        self.audience = options["audience"]
        self.keys = options["jwks"]["keys"]

    def is_configurable(self):
        return True

    def check(self, headers, body, now):
        token = bearer_token(headers.get("authorization"))
        header_text, payload_text, signature_text = token.split(".")
        header = json_object(header_text)
        check_header(header)
        event_id = headers["webhook-event-id"].lower()
        check_claims(json_object(payload_text), self.subject, self.audience, event_id, body, now)
        algorithm, key_id = header["alg"], header["kid"]
        fitting = jwks.fitting(self.keys, key_id, algorithm)
        if len(fitting) != 1:
            raise Refused("token_invalid")
        signed = f"{header_text}.{payload_text}".encode("ascii")
        if not signatures.verifies(fitting[0], algorithm, base64url.decode(signature_text), signed):
            raise Refused("token_invalid")
        return key_id


def bearer_token(authorization):
    if authorization in (None, ""):
        raise Refused("auth_missing")
    if isinstance(authorization, list):
        raise Refused("token_invalid")
    scheme, _, token = authorization.partition(" ")
    segments = token.split(".")
    if (
        not scheme.isascii()
        or scheme.lower() != "bearer"
        or len(token) > MAX_TOKEN_CHARACTERS
        or len(segments) != 3
        or not all(base64url.decode(segment) for segment in segments)
    ):
        raise Refused("token_invalid")
    return token


def json_object(segment):
    try:
        content = strict_json.parse_bytes(base64url.decode(segment))
    except strict_json.NotJson:
        raise Refused("token_invalid") from None
    if not isinstance(content, strict_json.Members) or content.repeated:
        raise Refused("token_invalid")
    return content


def check_header(header):
    key_id = header.get("kid")
    if (
        header.get("alg") not in ALGORITHMS
        or "crit" in header
        or "b64" in header
        or not isinstance(key_id, str)
        or not 1 <= utf16_length(key_id) <= MAX_KEY_ID_CHARACTERS
    ):
        raise Refused("token_invalid")
