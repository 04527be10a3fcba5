"""Verifies deliveries by docs/schemes/schemes.json alone: what it says is enough, in any language.

Usage: from_schemes_json.py <schemes.json>, one delivery a line on standard input, the answer a line on standard output.
"""

import base64
import binascii
import hashlib
import hmac
import json
import re
import sys
from datetime import datetime, timezone
from urllib.parse import parse_qs

from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric import ec, ed25519, padding
from cryptography.hazmat.primitives.asymmetric.utils import encode_dss_signature
from cryptography.hazmat.primitives.hashes import SHA256, SHA384
from cryptography.hazmat.primitives.serialization import load_der_public_key

MOST_SIGNATURES = 10
LONGEST_URL = 8192


class Refused(Exception):
    pass


class Delivery:
    def __init__(self, line):
        given = line["delivery"]
        self.method = given["method"]
        self.headers = [(name.lower(), value) for name, value in given["headers"]]
        self.body = base64.b64decode(given["body"])
        self.requested = given["url"]
        self.query = "".join(self.requested.partition("?")[1:])
        self.public_url = line["options"].get("publicUrl", "")

    def lines(self, name):
        return [value for other, value in self.headers if other == name]

    def header(self, name):
        values = self.lines(name)
        if len(values) != 1:
            raise Refused(f"{name} is missing or repeated")
        return values[0]

    def member(self, pointer, default=...):
        try:
            value = json.loads(self.body)
            for step in pointer.split("/")[1:]:
                value = value[int(step) if isinstance(value, list) else step]
        except (ValueError, KeyError, IndexError, TypeError):
            if default is ...:
                raise Refused(f"no {pointer}") from None
            return default
        return value

    def parameter(self, name):
        if len(self.requested) > LONGEST_URL:
            raise Refused("the URL is too long")
        values = parse_qs(self.query.lstrip("?"), keep_blank_values=True).get(name, [])
        if len(values) != 1 or values[0] == "":
            raise Refused(f"{name} is missing or repeated")
        return values[0]

    def url(self):
        return self.public_url if "?" in self.public_url else self.public_url + self.query


def verify(row, line):
    delivery = Delivery(line)
    row = in_its_family(row, delivery)
    for name, value in row.get("fixedHeaders", {}).items():
        if delivery.header(name) != value:
            raise Refused(f"{name} is not {value}")
    items = signature_items(row, delivery)
    time = time_text(row, delivery, items)
    if row.get("timestamp", {}).get("item") == "":
        items = items[1:]
    signed = b"" if row["algorithm"] == "token" else signed_bytes(row, delivery, time)
    if not any(is_signed_by(row, key, items, signed) for key in keys_of(line["options"])):
        raise Refused("no signature matches")
    if "timestamp" in row:
        check_time(row["timestamp"], time, line["now"])


def in_its_family(row, delivery):
    """A delivery has the headers of the row, or all those in their place."""
    others = row.get("otherHeaders", {})
    has = [any("" not in (delivery.lines(name) or [""]) for name in names) for names in (others, others.values())]
    if all(has):
        raise Refused("headers of two families")
    return json.loads(json.dumps(row), object_hook=lambda at: renamed(at, others)) if has[1] else row


def renamed(at, others):
    for member in ("header", "headers"):
        if isinstance(at.get(member), str):
            at[member] = others.get(at[member], at[member])
        elif isinstance(at.get(member), list):
            at[member] = [others.get(name, name) for name in at[member]]
    return at


def signature_items(row, delivery):
    form = row["signature"]
    if "member" in form:
        return [text_of(delivery.member(form["member"]))]
    if "query" in form:
        return [delivery.parameter(form["query"])]
    separator = form.get("separator")
    items = []
    for name in form["headers"]:
        lines = delivery.lines(name)
        may_repeat = row["algorithm"] == "token" or " " in (separator or "")
        if len(lines) > 1 and (not may_repeat or len(set(lines)) < len(lines)):
            raise Refused(f"{name} is repeated")
        if lines:
            items += split(", ".join(lines), separator)
    if not items:
        raise Refused("no signature")
    return items


def split(text, separator):
    if separator is None:
        return [text]
    if separator == " ":
        return re.split(",? ", text)
    items = text.split(separator[0])
    return [item.strip() for item in items] if separator == ", " else items


def text_of(value):
    if isinstance(value, bool) or not isinstance(value, (str, int)):
        raise Refused("a signed member is no text")
    return str(value)


def time_text(row, delivery, items):
    form = row.get("timestamp")
    if form is None:
        return None
    if "header" in form:
        return delivery.header(form["header"])
    if form.get("item") == "":
        return items[0]
    if "item" in form:
        found = [item[len(form["item"]) :] for item in items if item.startswith(form["item"])]
        if len(found) != 1:
            raise Refused("no time, or two")
        return found[0]
    return delivery.member(form["member"], None)


def signed_bytes(row, delivery, time):
    """The template, with its names replaced. Headers have one byte for each character."""

    def value_of(name):
        if name == "body":
            return delivery.body
        if name == "timestamp":
            return str(time).encode("latin-1")
        if name == "id":
            return delivery.header(row["eventId"]["header"]).encode("latin-1")
        if name == "method":
            return delivery.method.encode()
        if name == "url":
            return delivery.url().encode()
        return text_of(delivery.member(name)).encode()

    try:
        parts = re.findall(r"\{([^{}]+)\}|([^{}]+)", row["signs"])
        return b"".join(value_of(name) if name else text.encode() for name, text in parts)
    except UnicodeEncodeError:
        raise Refused("a character that is no byte") from None


def keys_of(options):
    given = [options.get(name, []) for name in ("secrets", "publicKeys")]
    keys = [key for some in given for key in (some if isinstance(some, list) else [some])]
    return [key if isinstance(key, str) else key["secret"] for key in keys]


def is_signed_by(row, secret, items, signed):
    kind, prefix = row, row["signature"].get("prefix", "")
    second = row.get("publicKey")
    if second is not None and second["key"]["base64After"] in secret:
        kind, prefix = second, second["prefix"]
    most = row["signature"].get("maxSignatures", MOST_SIGNATURES)
    is_optional = row["signature"].get("prefixOptional", False)
    given = [item.removeprefix(prefix) for item in items if is_optional or item.startswith(prefix)][:most]
    if kind["algorithm"] == "token":
        return any(hmac.compare_digest(text.encode(), secret.encode()) for text in given)
    key, spelling = key_bytes(kind["key"], without_armour(secret)), row["signature"]["spelling"]
    if kind["algorithm"].startswith("hmac-"):
        right = spelled(hmac.digest(key, signed, kind["algorithm"][len("hmac-") :]), spelling)
        return any(hmac.compare_digest(text.encode(), right.encode()) for text in given)
    verify_by = public_key(kind["algorithm"], key, row["signature"].get("ecdsa"))
    return any(public_key_verifies(verify_by, text, spelling, signed) for text in given)


def key_bytes(form, secret):
    if form == "text":
        return secret.encode()
    if form == "hex":
        return bytes.fromhex(secret)
    if form == "base64":
        return base64.b64decode(secret)
    shown = re.sub("^v1a?,", "", secret)
    return base64.b64decode(shown.removeprefix(form["base64After"]))


def without_armour(secret):
    is_pem = secret.startswith("-----BEGIN PUBLIC KEY-----")
    return re.sub("-----(BEGIN|END) PUBLIC KEY-----|\\s", "", secret) if is_pem else secret


def spelled(digest, spelling):
    if spelling == "hex":
        return digest.hex()
    if spelling == "upper-case-hex":
        return digest.hex().upper()
    if spelling == "base64":
        return base64.b64encode(digest).decode()
    return base64.urlsafe_b64encode(digest).decode().rstrip("=")


def public_key(algorithm, key, form):
    """The function that verifies a signature of the signed bytes, or raises."""
    if algorithm == "ed25519":
        return ed25519.Ed25519PublicKey.from_public_bytes(key).verify
    loaded = load_der_public_key(key)
    used = SHA384() if algorithm.endswith("sha384") else SHA256()
    if algorithm.startswith("ecdsa"):
        size = (loaded.key_size + 7) // 8
        return lambda given, signed: loaded.verify(der(given, size) if form == "p1363" else given, signed, ec.ECDSA(used))
    pss = padding.PSS(padding.MGF1(used), used.digest_size)
    scheme = pss if algorithm.startswith("rsa-pss") else padding.PKCS1v15()
    return lambda given, signed: loaded.verify(given, signed, scheme, used)


def der(pair, size):
    if len(pair) != 2 * size:
        raise InvalidSignature
    return encode_dss_signature(int.from_bytes(pair[:size], "big"), int.from_bytes(pair[size:], "big"))


def public_key_verifies(verify_by, text, spelling, signed):
    try:
        signature = bytes.fromhex(text) if spelling.endswith("hex") else base64.b64decode(text, validate=True)
        if spelled(signature, spelling) != text:
            return False
        verify_by(signature, signed)
    except (InvalidSignature, ValueError, binascii.Error):
        return False
    return True


DIGITS = re.compile(r"(?:0|[1-9][0-9]{0,14})\Z", re.ASCII)
RFC3339 = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d{1,9})?(Z|[+-]\d\d:\d\d)\Z", re.ASCII)


def check_time(form, time, now):
    """An attempt must be recent. An event must not be old, and may lack its time."""
    is_attempt = form["of"] == "attempt"
    seconds = seconds_of(form, time)
    if seconds is None and is_attempt:
        raise Refused("malformed time")
    oldest = form.get("toleranceSeconds")
    if seconds is None or oldest is None:
        return
    newest = form.get("aheadSeconds", oldest) if is_attempt else float("inf")
    if now - seconds > oldest or seconds - now > newest:
        raise Refused("too old, or of the future")


def seconds_of(form, time):
    """None if it is not in the unit. A member is a number, unless the row says otherwise."""
    is_text = "member" not in form or form["unit"] in DATES or form.get("asText", False)
    if isinstance(time, bool) or not isinstance(time, str if is_text else (int, float)):
        return None
    if form["unit"] in DATES:
        return DATES[form["unit"]](time)
    if is_text and DIGITS.match(time) is None:
        return None
    return float(time) / (1000 if form["unit"] == "milliseconds" else 1)


def seconds_of_rfc3339(time):
    try:
        shortened = re.sub(r"(\.\d{6})\d+", r"\1", time.replace("Z", "+00:00"))
        return datetime.fromisoformat(shortened).timestamp() if RFC3339.match(time) else None
    except ValueError:
        return None


def seconds_of_utc(time):
    return seconds_of_rfc3339(time if re.search(r"T[0-9:.]+\Z", time) is None else f"{time}Z")


def seconds_of_http_date(time):
    try:
        date = datetime.strptime(time, HTTP_DATE).replace(tzinfo=timezone.utc)
    except ValueError:
        return None
    return date.timestamp() if date.strftime(HTTP_DATE) == time else None


HTTP_DATE = "%a, %d %b %Y %H:%M:%S GMT"
DATES = {"rfc3339": seconds_of_rfc3339, "utc": seconds_of_utc, "http-date": seconds_of_http_date}


def answer(rows, line):
    try:
        verify(rows[line["scheme"]], line)
    except Refused as refused:
        return {"verified": False, "why": str(refused)}
    return {"verified": True}


def main():
    with open(sys.argv[1], encoding="utf-8") as file:
        rows = {row["name"]: row for row in json.load(file)["schemes"] if not row["code"]}
    for line in sys.stdin:
        print(json.dumps(answer(rows, json.loads(line))))


main()
