"""Whether a signature is right. OpenSSL does the arithmetic, by way of cryptography."""

import functools

from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric import ec, ed25519, padding, rsa, utils
from cryptography.hazmat.primitives.hashes import SHA256

import base64url
from jwks import number


def verifies(key, algorithm, signature, signed):
    try:
        VERIFIERS[algorithm](key, signature, signed)
    except (InvalidSignature, ValueError):
        return False
    return True


@functools.lru_cache(maxsize=1000)
def rsa_key(modulus, exponent):
    return rsa.RSAPublicNumbers(exponent, modulus).public_key()


@functools.lru_cache(maxsize=1000)
def ec_key(x, y):
    return ec.EllipticCurvePublicNumbers(x, y, ec.SECP256R1()).public_key()


def verify_rs256(jwk, signature, signed):
    key = rsa_key(number(jwk, "n"), number(jwk, "e"))
    if len(signature) != (key.key_size + 7) // 8:
        raise InvalidSignature()
    key.verify(signature, signed, padding.PKCS1v15(), SHA256())


def verify_es256(jwk, signature, signed):
    if len(signature) != 64:
        raise InvalidSignature()
    r, s = int.from_bytes(signature[:32], "big"), int.from_bytes(signature[32:], "big")
    key = ec_key(number(jwk, "x"), number(jwk, "y"))
    key.verify(utils.encode_dss_signature(r, s), signed, ec.ECDSA(SHA256()))


def verify_eddsa(jwk, signature, signed):
    key = ed25519.Ed25519PublicKey.from_public_bytes(base64url.decode(jwk["x"]))
    key.verify(signature, signed)


VERIFIERS = {"RS256": verify_rs256, "ES256": verify_es256, "EdDSA": verify_eddsa}
