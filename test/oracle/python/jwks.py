"""Which keys of a JWKS may verify a token. One that may not be used counts as absent."""

import base64url

KINDS = {
    "RS256": {"kty": "RSA"},
    "ES256": {"kty": "EC", "crv": "P-256"},
    "EdDSA": {"kty": "OKP", "crv": "Ed25519"},
}
SECRET_MEMBERS = ("d", "p", "q", "dp", "dq", "qi", "oth", "k")
MIN_RSA_BITS = 2048
ED25519_PRIME = 2**255 - 19
# Of a point of order 8; the other points of small order have y = 0, 1 or -1.
ED25519_ORDER_8_Y = int.from_bytes(
    bytes.fromhex("26e8958fc2b227b045c3f489f2ef98f0d5dfac05d3c63339b13802886d53fc05"), "little"
)
SMALL_ORDER_Y = {0, 1, -1 % ED25519_PRIME, ED25519_ORDER_8_Y, -ED25519_ORDER_8_Y % ED25519_PRIME}


def fitting(keys, key_id, algorithm):
    return [key for key in keys if key.get("kid") == key_id and fits(key, algorithm) and is_safe(key)]


def fits(key, algorithm):
    names = (algorithm, "Ed25519") if algorithm == "EdDSA" else (algorithm,)
    operations = key.get("key_ops", ["verify"])
    return (
        all(key.get(name) == value for name, value in KINDS[algorithm].items())
        and key.get("alg", algorithm) in names
        and key.get("use", "sig") == "sig"
        and isinstance(operations, list)
        and operations.count("verify") == 1
        and not any(operations.count(operation) > 1 for operation in operations)
    )


def is_safe(key):
    if any(name in key for name in SECRET_MEMBERS):
        return False
    if key["kty"] == "RSA":
        modulus, exponent = number(key, "n"), number(key, "e")
        return modulus.bit_length() >= MIN_RSA_BITS and exponent >= 3 and exponent % 2 == 1
    if key["kty"] == "EC":
        return has_32_bytes(key, "x") and has_32_bytes(key, "y")
    return has_32_bytes(key, "x") and ed25519_y(key) not in SMALL_ORDER_Y


def number(key, name):
    """0 where the member is not base64url."""
    return int.from_bytes(base64url.decode(key.get(name)) or b"", "big")


def has_32_bytes(key, name):
    return len(base64url.decode(key.get(name)) or b"") == 32


def ed25519_y(key):
    """Without the sign of x."""
    return (int.from_bytes(base64url.decode(key["x"]), "little") & (2**255 - 1)) % ED25519_PRIME
