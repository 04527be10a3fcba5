"""The claims of a token."""

import hashlib
import math

import base64url
from verdict import Refused

MAX_EXPIRY_SECONDS = 600


def check_claims(claims, subject, audience, event_id, body, now):
    require(claims.get("sub") == subject)
    require(claims.get("aud") in (audience, [audience]))
    jti = claims.get("jti")
    require(isinstance(jti, str) and jti.isascii() and jti.lower() == event_id)
    require(claims.get("htm") == "POST")
    require(claims.get("htb_s256") == base64url.encode(hashlib.sha256(body).digest()))
    expiry = claims.get("exp")
    require(is_finite_number(expiry))
    require(expiry <= now + MAX_EXPIRY_SECONDS)
    require("nbf" not in claims or (is_finite_number(claims["nbf"]) and claims["nbf"] <= now))
    require("iat" not in claims or is_finite_number(claims["iat"]))
    # Last: a token is only called expired where nothing else is wrong with it.
    if expiry <= now:
        raise Refused("token_expired")


def require(is_right):
    if not is_right:
        raise Refused("token_invalid")


def is_finite_number(value):
    return isinstance(value, float) and math.isfinite(value)
