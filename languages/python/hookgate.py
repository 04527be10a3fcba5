"""Verifies webhooks of the senders that schemes.json describes as data. It remembers nothing: see README.md.

Python 3.9 or later. `cryptography` is needed only for senders that sign with a private key.

    stripe = Receiver("stripe", secrets=os.environ["STRIPE_WEBHOOK_SECRET"])
    verdict = stripe.verify(method=request.method, headers=request.headers.items(), body=request.get_data())

The rules are those of schemes.schema.json, `$defs/order` and the entries behind it.
"""

from __future__ import annotations

import base64
import hashlib
import hmac
import json
import math
import re
import sys
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timezone
from email.utils import format_datetime, parsedate_to_datetime
from functools import cached_property, partial
from pathlib import Path
from typing import Any, NoReturn, Union
from urllib.parse import unquote, unquote_to_bytes

FORMAT_VERSION = 1
Row = Mapping[str, Any]
Headers = Iterable[tuple[Union[str, bytes], Union[str, bytes]]]
Secrets = Union[str, Sequence[str]]


@dataclass(frozen=True)
class Event:
    """The delivery is genuine. Whether it is new is yours to find out: claim its keys."""

    id: str
    """The sender's ID, or else the first key. Not signed for every sender: `claim_keys` are what to compare."""
    type: str
    """In the sender's words. Empty if it has none."""
    payload: Any
    sent_at: float
    """In seconds since 1970. When it arrived, if the sender says no time."""
    claim_keys: tuple[str, ...] | None
    """If you know any of them, it is a duplicate. Empty if genuine deliveries repeat. None if the claim needs code."""
    retention_seconds: int
    """How long to remember the keys, at least."""


@dataclass(frozen=True)
class Refusal:
    """Answer with a 4xx. `detail` is for your logs, not for the sender."""

    reason: str
    detail: str


@dataclass(frozen=True)
class Handshake:
    """No event: send this reply."""

    status: int
    headers: Mapping[str, str] = field(default_factory=dict)
    body: str = ""


class ConfigError(ValueError):
    """A secret, an option or a row that cannot be used. Raised before any delivery."""


def _usable(holds: object, problem: str) -> None:
    if not holds:
        raise ConfigError(problem)


class _Refused(Exception):
    def __init__(self, reason: str, detail: str):
        super().__init__(detail)
        self.refusal = Refusal(reason, detail)


def _refuse(reason: str, detail: str) -> NoReturn:
    raise _Refused(reason, detail)


def _require(holds: object, reason: str, detail: str) -> None:
    if not holds:
        _refuse(reason, detail)


# ---- rows: what each may say. Anything else refuses the row, because it may change what is signed.

_DESCRIBES = (
    "name sender otherNames code about secretName secretPrefix covers notCovered unsignedWhen retries documentation"
).split()
_HMACS = ("hmac-sha256", "hmac-sha1", "hmac-sha384", "hmac-sha512")
_CURVES = {"ecdsa-p256-sha256": ("secp256r1", 32, "SHA256"), "ecdsa-p384-sha384": ("secp384r1", 48, "SHA384")}
_FILLED = re.compile(r"(?:[^{}]|\{(?:text|hmac)\})*")

# The paths of all values, and for each what it may be: types, values and regular expressions.
_PLACES = "timestamp eventId eventType claimedId[]".split()
_SOURCES = [f"handshake/answers[]/{each}" for each in ("when[]", "verifyToken", "text")]
_TEXTS = """key/base64After publicKey/key/base64After publicKey/prefix signature/headers[] signature/member
    signature/query signature/prefix otherHeaders/* fixedHeaders/* topics[] content[]/types[] content[]/field jsonField
    handshake/refuses handshake/code handshake/answers[]/body handshake/answers[]/matches
    handshake/answers[]/mayNotBegin handshake/answers[]/when[]/is[]""".split()
_NUMBERS = """signature/maxSignatures retentionSeconds maxBodyBytes maxFields handshake/answers[]/longest
    handshake/answers[]/reply/status""".split()
_FLAGS = """signature/prefixOptional timestamp/asText timestamp/eachAttempt bodiesRepeat
    handshake/answers[]/when[]/absent""".split()
_KNOWN: dict[str, tuple[Any, ...]] = {
    **dict.fromkeys(_TEXTS, (str,)),
    **dict.fromkeys((f"{place}/{each}" for place in _PLACES for each in ("header", "item", "member")), (str,)),
    **dict.fromkeys((f"{source}/{each}" for source in _SOURCES for each in ("query", "header", "member")), (str,)),
    **dict.fromkeys(_NUMBERS, (int,)),
    **dict.fromkeys(_FLAGS, (True,)),
    "algorithm": (*_HMACS, *_CURVES, "rsa-v1_5-sha256", "ed25519", "token"),
    "key": ("text", "hex", "base64"),
    "publicKey/algorithm": ("ed25519",),
    "signature/separator": (" ", ",", ", ", ";"),
    "signature/writtenSeparator": (",",),
    "signature/spelling": ("hex", "upper-case-hex", "base64", "base64url"),
    "signature/ecdsa": ("p1363",),
    "signs": (re.compile(r"(?:[^{}]|\{(?:body|timestamp|id|method|url|/[^{}]*)\})*"),),
    "timestamp/unit": ("seconds", "milliseconds", "rfc3339", "utc", "http-date"),
    "timestamp/of": ("attempt", "event"),
    "timestamp/toleranceSeconds": (int, float),
    "timestamp/aheadSeconds": (int, float),
    "claimedId": ("code",),
    "dedupe": ("id", "signed-bytes", "signed-bytes-per-topic", "signed-bytes-and-id", "off"),
    "methods[]": ("POST",),
    "content[]/reads": (
        *("json", "json-as-text", "json-object", "json-or-lines", "json-in-form", "json-form-or-text"),
        *("form", "xml", "any", "empty-or-any"),
    ),
    "handshake/signed": (bool,),
    "handshake/answers[]/method": ("GET", "HEAD", "POST"),
    "handshake/answers[]/when[]/is": (str, int, bool),
    "handshake/answers[]/reply/headers/*": (_FILLED,),
    "handshake/answers[]/reply/body": ("{text}",),
    "handshake/answers[]/reply/json/*": (_FILLED, int),
    "handshake/answers[]/reply/hmac": ("hex", "base64"),
}


def _unknown(value: Any, path: str = "") -> Iterator[str]:
    """The paths of what this reader does not know. A `*` stands for any name."""
    if isinstance(value, dict) and value:
        for name, each in value.items():
            yield from _unknown(each, f"{path}/{re.sub('[/[]', '~', name)}".lstrip("/"))
    elif isinstance(value, list) and (value or f"{path}[]" in _KNOWN):
        for each in value:
            yield from _unknown(each, f"{path}[]")
    elif not any(_is(value, known) for known in _KNOWN.get(path) or _KNOWN.get(re.sub("[^/[]+$", "*", path), ())):
        yield path


def _is(value: Any, known: Any) -> bool:
    if isinstance(known, re.Pattern):
        return isinstance(value, str) and known.fullmatch(value) is not None
    return type(value) is known or (type(value) is type(known) and value == known)


def load(path: str | Path | None = None) -> dict[str, Row]:
    """The rows by name, from a schemes.json: by default, the one beside this file."""
    file = json.loads(Path(path or Path(__file__).with_name("schemes.json")).read_text("utf-8"))
    version = file.get("formatVersion")
    _usable(version == FORMAT_VERSION, f"the file has formatVersion {version}, and this reader knows {FORMAT_VERSION}")
    return {row["name"]: row for row in file["schemes"]}


# ---- texts, bytes and JSON

_MISSING: Any = object()
_SAFE = 2**53 - 1
# What ECMAScript trims.
_BLANKS = "\t\n\v\f\r \u00a0\u1680\u2028\u2029\u202f\u205f\u3000\ufeff" + "".join(map(chr, range(0x2000, 0x200B)))


def _units(text: str) -> int:
    """The length in UTF-16, by which all limits of texts are counted."""
    return len(text.encode("utf-16-le", "surrogatepass")) // 2


def _utf8(data: bytes) -> str | None:
    try:
        return data.decode("utf-8")  # keeps a byte order mark, which no JSON begins with
    except UnicodeDecodeError:
        return None


def _no_constant(name: str) -> NoReturn:
    raise ValueError(f"{name} is not JSON")


def _json(text: str | None) -> Any:
    """Strict JSON: the last of repeated members counts. `_MISSING` for anything else, and for too many levels."""
    try:  # Python is slow, or refuses, to convert more digits. Such an integer is too large for everything anyway.
        return json.loads(text or "", parse_int=lambda digits: int(digits[:4000]), parse_constant=_no_constant)
    except (ValueError, RecursionError):
        return _MISSING


def _strict(text: str | None) -> Any:
    payload = _json(text)
    return payload if payload is not _MISSING else _refuse("body_not_json", "the body, or its field, is not JSON")


def _member(value: Any, pointer: str) -> Any:
    """RFC 6901. `_MISSING` if any step is."""
    for step in pointer.split("/")[1:]:
        name = step.replace("~1", "/").replace("~0", "~")
        if isinstance(value, list) and re.fullmatch("0|[1-9][0-9]*", name):
            value = value[int(name)] if int(name) < len(value) else _MISSING
        else:
            value = value.get(name, _MISSING) if isinstance(value, dict) else _MISSING
    return value


def _text(value: Any, largest: float = _SAFE) -> str:
    """A text, or an integer in decimals. Empty for all else."""
    if isinstance(value, float) and value.is_integer() and abs(value) <= _SAFE:
        value = int(value)
    is_integer = isinstance(value, int) and not isinstance(value, bool) and abs(value) <= largest
    return value if isinstance(value, str) else str(value) if is_integer else ""


_SPELLINGS: dict[str, tuple[Callable[[bytes], str], Callable[[str], bytes]]] = {
    "hex": (bytes.hex, bytes.fromhex),
    "upper-case-hex": (lambda data: data.hex().upper(), bytes.fromhex),
    "base64": (lambda data: base64.b64encode(data).decode(), base64.b64decode),
    "base64url": (
        lambda data: base64.urlsafe_b64encode(data).decode().rstrip("="),
        lambda text: base64.urlsafe_b64decode(f"{text}=="),
    ),
}


def _encoded(data: bytes, spelling: str) -> str:
    return _SPELLINGS[spelling][0](data)


def _decoded(text: str, spelling: str) -> bytes | None:
    """None unless it is the canonical text of some bytes: Python also takes others."""
    try:
        data = _SPELLINGS[spelling][1](text)
    except ValueError:
        return None
    return data if _encoded(data, spelling) == text else None


def _fields(form: bytes) -> list[tuple[str, str | None]] | None:
    """A form's names and values, None for one that is not UTF-8. None for a malformed form, or over 1,000 fields."""
    fields: list[tuple[str, str | None]] = []
    for pair in re.finditer(rb"[^&]+", form):
        name, _, value = pair[0].replace(b"+", b" ").partition(b"=")
        decoded = _utf8(unquote_to_bytes(name))
        if decoded is None or len(fields) == 1000 or re.search(rb"%(?![0-9A-Fa-f]{2})", pair[0]):
            return None
        fields.append((decoded, _utf8(unquote_to_bytes(value))))
    return fields


def _form(form: bytes) -> dict[str, Any] | None:
    """Its values by name, in a list if there are several. None if anything is malformed."""
    fields = _fields(form)
    if fields is None or any(value is None for _, value in fields):
        return None
    values: dict[str, list[str | None]] = {}
    for name, value in fields:
        values.setdefault(name, []).append(value)
    return {name: each if len(each) > 1 else each[0] for name, each in values.items()}


# ---- times

_COUNTS = {"seconds": (12, 1), "milliseconds": (15, 1000)}
_RFC3339 = re.compile(r"(\d{4})-(\d\d)-(\d\d)T(\d\d):(\d\d):(\d\d)(\.\d{1,9})?(?:Z|([+-])(\d\d):(\d\d))", re.ASCII)
_LAST_SECOND = 8_640_000_000_000


def _seconds(unit: str, text: str) -> float | None:
    """Since 1970. None if it is malformed."""
    try:
        if unit in _COUNTS:
            digits, per = _COUNTS[unit]
            return int(text) / per if re.fullmatch("0|[1-9][0-9]*", text) and len(text) <= digits else None
        if len(text) > 40:
            return None
        if unit == "http-date":
            date = parsedate_to_datetime(text)  # takes other forms too
            return date.timestamp() if format_datetime(date, usegmt=True) == text else None
        return _rfc3339(f"{text}Z" if unit == "utc" and re.search(r"T[0-9:.]+\Z", text) else text)
    except (TypeError, ValueError):
        return None


def _rfc3339(text: str) -> float | None:
    found = _RFC3339.fullmatch(text)
    if found is None or int(found[9] or 0) > 23 or int(found[10] or 0) > 59:
        return None
    year, month, day, hour, minute, second = (int(found[at]) for at in range(1, 7))
    # Python lacks the year 0. The calendar is the same every 400 years, which are 146,097 days.
    date = datetime(year or 400, month, day, hour, minute, second, tzinfo=timezone.utc).timestamp()
    offset = int(f"{found[8] or ''}1") * (int(found[9] or 0) * 60 + int(found[10] or 0)) * 60
    return date - (0 if year else 146_097 * 86_400) + float(f"0{found[7] or ''}") - offset


# ---- keys

# Everybody knows what an unset variable makes.
_OF_NOTHING = re.compile(
    r"""(?:^(?:Bearer|Basic)?|(?:^|[\s\ufeff:&"'_=])(?:undefined|null|None)|\[object \w+\])["'\s\ufeff]*\Z"""
)
_PEM = r"-----(?:BEGIN|END) PUBLIC KEY-----|[\r\n]|\\[rn]"


def _same(given: str, wanted: bytes) -> bool:
    """Compared in a time that says nothing of `wanted`, not even its length."""
    hashes = (hashlib.sha256(each).digest() for each in (given.encode("utf-8", "surrogatepass"), wanted))
    return hmac.compare_digest(*hashes)


def _key_bytes(form: Any, secret: str) -> bytes:
    if form == "text":
        return secret.encode()
    if isinstance(form, dict):
        secret = re.sub(r"^(\W*)v1a?,(?=wh(?:sec|pk)_)", r"\1", secret).removeprefix(form["base64After"])
    key = _decoded(secret.lower(), "hex") if form == "hex" else _decoded(secret, "base64")
    if key is None or (isinstance(form, dict) and not 24 <= len(key) <= 75):
        raise ConfigError("a secret or key is not in the form in which the sender shows it")
    return key


def _public_key(algorithm: str, key: bytes, ecdsa: str | None) -> Callable[[bytes, bytes], object]:
    """Raises if the first is no signature of the second. Refuses keys for which anyone can forge signatures."""
    from cryptography.hazmat.primitives import hashes, serialization
    from cryptography.hazmat.primitives.asymmetric import ec, ed25519, padding, rsa
    from cryptography.hazmat.primitives.asymmetric.utils import encode_dss_signature

    if algorithm == "ed25519":
        y, prime = int.from_bytes(key, "little") % 2**255, 2**255 - 19
        square = y * y
        if y >= prime or y * (square - 1) * ((121665 * square - 243332) * square + 121666) % prime == 0:
            raise ConfigError("the public key is not safe: anyone can forge signatures")
        return ed25519.Ed25519PublicKey.from_public_bytes(key).verify
    public = serialization.load_der_public_key(key)
    if algorithm not in _CURVES:
        if not isinstance(public, rsa.RSAPublicKey) or not 2048 <= public.key_size <= 8192:
            raise ConfigError("the public key is not one of RSA with 2048 to 8192 bits")
        exponent = public.public_numbers().e
        if not 3 <= exponent < 2**32 or exponent % 2 == 0:
            raise ConfigError("the public key is not safe: its exponent")
        verify_rsa = public.verify
        return lambda given, signed: verify_rsa(given, signed, padding.PKCS1v15(), hashes.SHA256())
    curve, size, sha = _CURVES[algorithm]
    if not isinstance(public, ec.EllipticCurvePublicKey) or public.curve.name != curve:
        raise ConfigError(f"the public key is not one of {curve}")
    verify_point = public.verify

    def verify_ecdsa(given: bytes, signed: bytes) -> None:
        halves = (int.from_bytes(half, "big") for half in (given[:size], given[size:]))
        if ecdsa and len(given) != 2 * size:
            raise ValueError("the signature does not have two numbers of the curve")
        verify_point(encode_dss_signature(*halves) if ecdsa else given, signed, ec.ECDSA(getattr(hashes, sha)()))

    return verify_ecdsa


@dataclass(frozen=True)
class _Key:
    secret: str
    prefix: str
    """Of the signatures that are by it."""
    matcher: Callable[[bytes], Callable[[str], bool]]
    """For some signed bytes, whether a text is a signature of them."""


def _key(row: Row, secret: str, is_public: bool) -> _Key:
    form, second = row["signature"], row.get("publicKey")
    kind: Row = second if second and (is_public or second["key"]["base64After"] in secret) else row
    prefix = (form if kind is row else kind).get("prefix", "")
    algorithm, spelling = kind["algorithm"], form.get("spelling", "hex")
    is_secret = algorithm == "token" or algorithm in _HMACS
    # Or everybody who knows the key could sign.
    _usable(not (is_public and is_secret), "this sender has no public key: pass secrets")
    key = _key_bytes(kind["key"], secret if is_secret else re.sub(_PEM, "", secret))

    def by_secret(signed: bytes) -> Callable[[str], bool]:
        mac = key if algorithm == "token" else _encoded(hmac.digest(key, signed, algorithm[5:]), spelling).encode()
        return lambda text: _same(text, mac)

    if is_secret:
        return _Key(secret, prefix, by_secret)
    from cryptography.exceptions import InvalidSignature

    try:
        check = _public_key(algorithm, key, form.get("ecdsa"))
    except (ValueError, TypeError) as error:
        raise error if isinstance(error, ConfigError) else ConfigError("the public key cannot be read") from None

    def matches(text: str, signed: bytes) -> bool:
        given = _decoded(text, spelling) if len(text) <= 2048 else None
        try:
            return given is not None and check(given, signed) is None
        except (InvalidSignature, ValueError):
            return False

    return _Key(secret, prefix, lambda signed: lambda text: matches(text, signed))


# ---- claim keys

_UUID = re.compile("[0-9a-f]{8}-[0-9a-f]{4}-[48][0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}")


def _key_of_bytes(data: bytes) -> str:
    """The UUIDv8 of the data's SHA-256."""
    digits = hashlib.sha256(data).hexdigest()
    variant = "89ab"[int(digits[16], 16) % 4]
    return f"{digits[:8]}-{digits[8:12]}-8{digits[13:16]}-{variant}{digits[17:20]}-{digits[20:32]}"


def _key_of_id(text: str) -> str:
    lower = text.lower() if len(text) == 36 else ""
    return lower if _UUID.fullmatch(lower) else _key_of_bytes(text.encode("utf-8", "surrogatepass"))


# ---- the receiver

_TOKEN = r"[\w!#$%&'*+.^`|~-]+"
_CHARSET = r"""charset=(?:utf-?8|"\\?u\\?t\\?f(?:\\?-)?\\?8")"""
_PARAMETER = rf"""(?!charset=){_TOKEN}=(?:{_TOKEN}|"(?:[^"\\]|\\[^\n\r\u2028\u2029])*")"""
_TYPE = re.compile(rf"[ \t]*({_TOKEN}/{_TOKEN})[ \t]*(?:;[ \t]*(?:(?:{_CHARSET}|{_PARAMETER})[ \t]*)?)*", re.I | re.A)


class Receiver:
    """Verifies one sender's deliveries to one endpoint. Make it once: your mistakes raise `ConfigError` here."""

    def __init__(
        self,
        scheme: str,
        *,
        secrets: Secrets = (),
        public_keys: Secrets = (),
        public_url: str = "",
        verify_token: str | None = None,
        topics: Sequence[str] = (),
        rows: Mapping[str, Row] | None = None,
    ):
        row = (load() if rows is None else rows).get(scheme, {})
        _usable(row, f"schemes.json has no row {scheme}")
        source = row.get("about", {}).get("source")
        _usable(row["code"] is False, f"{scheme} is verified by code, which this reader lacks: see {source}")
        for path in _unknown({name: value for name, value in row.items() if name not in _DESCRIBES}):
            raise ConfigError(f"the row {scheme} has /{path}, which this reader does not know")
        is_url = re.fullmatch("https?://[!-~]+", public_url)
        _usable(is_url or "{url}" not in row.get("signs", ""), "public_url must be the full URL that the sender calls")
        private, public = ([some] if isinstance(some, str) else list(some) for some in (secrets, public_keys))
        are_texts = all(isinstance(key, str) and key.strip() for key in private + public)
        _usable(private + public and are_texts, f"pass the {row['secretName']}: a secret is missing or blank")
        has_halves = scheme == "surveymonkey"  # its secret is two, joined by &
        parts = [part for key in private + public for part in (key.split("&") if has_halves else [key])]
        is_unset = any(map(_OF_NOTHING.search, parts))
        _usable(not is_unset, f"pass the {row['secretName']}: it was made of a variable that is not set")
        has_token = verify_token is None or (isinstance(verify_token, str) and not _OF_NOTHING.search(verify_token))
        _usable(has_token, "verify_token was made of a variable that is not set")
        self._row, self._public_url, self._verify_token, self._topics = row, public_url, verify_token, frozenset(topics)
        self._keys = [_key(row, key, False) for key in private] + [_key(row, key, True) for key in public]

    def verify(
        self, *, method: str, headers: Headers, body: bytes, url: str | None = None, now: float | None = None
    ) -> Event | Refusal | Handshake:
        """Judges a request. `body` is its exact bytes, `url` its path and query as they came. No delivery raises."""
        lines: dict[str, list[str]] = {}
        for pair in headers:
            name, value = (text if isinstance(text, str) else text.decode("latin-1") for text in pair)
            lines.setdefault(name.lower(), []).append(value)
        seconds = int(time.time() if now is None else now)
        try:
            return _Verification(self, self._row, method, body, url, seconds, lines).verdict()
        except _Refused as refused:
            return refused.refusal


@dataclass
class _Verification:
    """A request, and what its checks leave for later ones."""

    receiver: Receiver
    row: Row
    method: str
    body: bytes
    url: str | None
    now: int
    headers: Mapping[str, list[str]]
    names: Mapping[str, str] = field(default_factory=dict)
    """Those of the headers of the row, in the family of this request."""
    time_text: str = ""
    id_text: str = ""
    signed: bytes = b""
    payload: Any = None

    def verdict(self) -> Event | Handshake:
        """All checks, in the order of `$defs/order`."""
        others: Mapping[str, str] = self.row.get("otherHeaders", {})
        has_first, has_second = (any(map(self.lines, names)) for names in (others, others.values()))
        self.names = others if has_second and not has_first else {}
        _require(len(self.body) <= self.row["maxBodyBytes"], "body_too_large", "the body is too large")
        handshake = self.row.get("handshake", {"signed": False})
        reply = None if handshake["signed"] else self.reply(self.receiver._keys[0].secret)
        if reply is not None:
            return reply
        kind = self.read_headers()
        _require(not (has_first and has_second), "signature_mismatch", "headers of two families")
        secret = self.authenticate()
        self.payload = self.parse(kind)
        reply = self.reply(secret) if handshake["signed"] else None
        is_refused = isinstance(self.payload, dict) and list(self.payload) == [handshake.get("refuses")]
        _require(not is_refused, "body_malformed", f"the body is a {handshake.get('refuses')}, which is no event")
        return reply or self.event()

    # ---- headers

    def lines(self, name: str | None) -> list[str]:
        """An empty header counts as absent."""
        found = self.headers.get(self.names.get(name, name), []) if name else []
        return [] if found == [""] else found

    def header(self, name: str | None) -> str:
        """Empty if it is absent or repeated."""
        found = self.lines(name)
        return found[0] if len(found) == 1 else ""

    def read_headers(self) -> Row:
        """How the body is read. Leaves the texts of the time and the ID, if headers have them."""
        _require(self.method in self.row["methods"], "method_not_post", "the method is not one of the sender's")
        time_name, id_name = (self.row.get(place, {}).get("header") for place in ("timestamp", "eventId"))
        for name in (time_name, id_name if "{id}" in self.row.get("signs", "") else None):
            _require(name is None or self.lines(name), "header_missing", f"no {name}")
        type_name = None if self.row["content"][0]["types"] == ["*"] else "content-type"
        for name in (time_name, id_name, type_name, "content-encoding"):
            _require(len(self.lines(name)) <= 1, "header_repeated", f"more than one {name}")
        kind = self.content(self.header(type_name))
        if kind is None:
            _refuse("content_type_not_accepted", "the content type is not one of the sender's, in UTF-8")
        is_plain = self.header("content-encoding").lower() in ("", "identity")
        _require(is_plain, "content_encoding_not_identity", "the body is compressed")
        self.time_text, self.id_text = self.header(time_name), self.header(id_name)
        return kind

    def content(self, content_type: str) -> Row | None:
        kinds: list[Row] = self.row["content"]
        found = _TYPE.fullmatch(content_type) if len(content_type) <= 256 else None
        media = found[1].lower() if found else "malformed"
        is_json = re.fullmatch(r"application/(?:.*\+)?json", media)
        fit = [kind for kind in kinds if {"*", media} & {*kind["types"]} or (is_json and kind["reads"] == "json")]
        return next(iter(fit if content_type else kinds), None)

    # ---- signatures

    def authenticate(self) -> str:
        """The secret that signed it. Leaves the signed bytes, and the time if an item has it."""
        items, form, place = self.signatures(), self.row["signature"], self.row.get("timestamp", {}).get("item")
        for name, value in self.row.get("fixedHeaders", {}).items():
            _require(self.header(name) == value, "signature_mismatch", f"{name} is not {value}")
        if place == "":
            self.time_text, *items = items
        elif place is not None:
            times = [item for item in items if item.startswith(place)]
            _require(len(times) == 1, "signature_mismatch", f"the signature header must have {place} exactly once")
            self.time_text = times[0][len(place) :]
        self.signed = self.signed_bytes()
        found = []
        for key in self.receiver._keys:  # all of them, so that the time does not say which one matched
            given = [item for item in items if item.startswith(key.prefix) or "prefixOptional" in form]
            matches = key.matcher(self.signed)
            if any([matches(item.removeprefix(key.prefix)) for item in given[: form.get("maxSignatures", 10)]]):
                found.append(key.secret)
        return found[0] if found else _refuse("signature_mismatch", "the signature does not match your secret")

    def signatures(self) -> list[str]:
        """The items of the headers, or the one in the query or a member."""
        form, is_short = self.row["signature"], len(self.url or "") <= 8192
        if "query" in form:
            items = self.query(form["query"])
            is_one = is_short and len(items) <= 1
            _require(is_one, "signature_mismatch", "the URL is too long, or repeats the signature")
        elif "member" in form:
            found = _member(self.glance, form["member"])
            items = [found] if isinstance(found, str) else []
            _require(_units("".join(items)) <= 4096, "signature_mismatch", "the signature is too long")
        else:
            items = [item for name in form["headers"] for item in self.items(name, form.get("separator", ""))]
            _require(len(items) <= max(64, len(form["headers"])), "signature_mismatch", "over 64 items")
            return items or _refuse("auth_missing", f"no {form['headers'][0]}")
        return items if any(items) else _refuse("auth_missing", "no signature in the body or the query")

    def items(self, name: str, separator: str) -> list[str]:
        lines = self.lines(name)
        may_repeat = self.row["algorithm"] == "token" or (" " in separator and len(set(lines)) == len(lines))
        _require(len(lines) <= 1 or may_repeat, "signature_mismatch", f"more than one {name}")
        text = ", ".join(lines)
        _require(_units(text) <= 4096, "signature_mismatch", f"{name} is over 4096 characters")
        if separator == "" or text == "":
            return [text] if text else []
        parts = re.split(",? ", text) if separator == " " else text.split(separator[0])
        return [part.strip(_BLANKS) for part in parts] if separator == ", " else parts

    def signed_bytes(self) -> bytes:
        """The template with its values. One character is one byte."""
        values = {"timestamp": self.time_text, "method": self.method, "id": self.id_text or None}
        signed = b""
        for name, text in re.findall(r"\{([^{}]+)\}|([^{}]+)", self.row.get("signs", "{body}")):
            if name == "body":
                signed += self.body
            elif name.startswith("/"):
                signed += self.signed_member(name)
            else:
                value = text or (self.signed_url() if name == "url" else values[name])
                if value is None or re.search("[^ -\xff]" if name == "id" else "[^\0-\xff]", value):
                    _refuse("signature_mismatch", f"no {name}, or one with a character that is no byte")
                signed += value.encode("latin-1")
        return signed

    def signed_member(self, pointer: str) -> bytes:
        value = _member(self.glance, pointer)
        text = _text(value)
        is_text = (text or value == "") and _units(text) <= 4096 and not re.search("[\ud800-\udfff]", text)
        _require(is_text, "signature_mismatch", f"{pointer} is neither a text nor an integer")
        return text.encode()

    @cached_property
    def glance(self) -> Any:
        """The body before its sender is known: at most 384 KB, 64 levels and `maxFields` members and elements."""
        if len(self.body) > 393_216:
            return _MISSING
        depth = fields = 0
        for found in re.finditer(rb'"(?:[^"\\\n]|\\.)*"?|[\[{\]},]', self.body, re.S):
            depth += {b"[": 1, b"{": 1, b"]": -1, b"}": -1}.get(found[0], 0)
            fields += found[0] in (b"[", b"{", b",")
            if depth > 64 or fields > self.row.get("maxFields", 1000):
                return _MISSING
        return _json(_utf8(self.body))

    # ---- the URL

    def query(self, name: str) -> list[str]:
        """Its values. `+` is a blank, and what is no UTF-8 becomes U+FFFD."""
        text = (self.url or "").partition("?")[2].replace("+", " ")
        pairs = (pair.partition("=") for pair in text.split("&") if pair)
        return [unquote(value) for key, _, value in pairs if unquote(key) == name]

    def signed_url(self) -> str | None:
        """`public_url`, with the query of the request if it has none itself."""
        public_url = self.receiver._public_url
        if self.url is None:
            return public_url
        address, fragment, _ = public_url.partition("#")
        base, path = address.partition("?")[0], self.url.partition("?")[0]
        query, requested = address[len(base) :], self.url[len(path) :]
        is_url = len(self.url) <= 8192 and "#" not in self.url and re.fullmatch("[!-~]*", requested)
        if not is_url or ("%3f" in path.lower() and "%3f" not in base.lower()):
            return None
        if query or not requested:
            return public_url if requested == query else None
        return base + requested if self.is_divided() and not fragment else None

    def is_divided(self) -> bool:
        """Whether the signed bytes show where an added query ends: by a character of no URL, or by a JSON body."""
        before, after = self.row["signs"].split("{url}", 1)
        fixed = r"(?:[^{}]|\{(?:method|timestamp)\})*"
        starts, ends = re.fullmatch(fixed, before), re.match(r"\Z|[^!-~]|#", after)
        may_start = starts or re.fullmatch(rf"{fixed}\{{body\}}{fixed}", before)
        may_end = ends or re.fullmatch(rf"[^{{}}]*\{{body\}}{fixed}", after)
        is_json = all(kind["reads"] == "json" for kind in self.row["content"])
        is_json = is_json and self.body[:1024].lstrip(b" \t\n\r")[:1] in (b"{", b"[")
        return "{url}" not in after and bool(may_start and may_end) and (bool(starts and ends) or is_json)

    # ---- the body

    def parse(self, kind: Row) -> Any:
        reads, text = kind["reads"], _utf8(self.body)
        payload = _MISSING
        if reads == "form":
            payload = self.form(text)
        elif reads == "xml":
            payload = text if text and text.lstrip(_BLANKS).startswith("<") else _MISSING
        elif reads == "json-in-form":
            fields = _fields(self.body) or []
            payload = _strict(fields[0][1]) if [name for name, _ in fields] == [kind["field"]] else _MISSING
        elif reads == "json-form-or-text" and text and "=" in text and not re.search(r'^[\[{"<]|[^!-~]', text):
            form = _form(self.body)
            payload = text if form is None else form
        elif reads in ("any", "empty-or-any", "json-form-or-text"):
            payload = _json(text)
            if payload is _MISSING:
                payload = None if text == "" and reads == "empty-or-any" else text
        elif reads == "json-or-lines":
            payload = _json(text)
            if payload is _MISSING:
                lines = [_json(line) for line in (text or "").split("\n") if line.strip(_BLANKS)]
                payload = lines if lines and _MISSING not in lines else _MISSING
        else:
            payload = _strict(text)
            payload = payload if reads != "json-object" or isinstance(payload, dict) else _MISSING
        return payload if payload is not _MISSING else _refuse("body_malformed", f"the body is not {reads}")

    def form(self, text: str | None) -> Any:
        """If the row has other content, no form begins like JSON: the content type is not signed."""
        is_form_only = all(kind["reads"] == "form" for kind in self.row["content"])
        form, name = _form(self.body), self.row.get("jsonField")
        if form is None or text is None or (not is_form_only and re.match(r'[\[{"]', text.lstrip(_BLANKS + "+"))):
            return _MISSING
        if name not in form:
            return form
        is_only = len(form) == 1 and isinstance(form[name], str)
        return {name: _strict(form[name])} if is_only else _MISSING

    # ---- the event

    def event(self) -> Event:
        row, sent_at, event_id = self.row, self.sent_at(), self.event_id()
        keys = self.claim_keys(event_id)
        claims_nothing = row["dedupe"] == "off" or (event_id == "" and row["dedupe"] == "id" and "bodiesRepeat" in row)
        return Event(
            id=event_id or (keys[0] if keys else ""),
            type=self.event_type(),
            payload=self.payload,
            sent_at=sent_at,
            claim_keys=None if row.get("claimedId") == "code" else () if claims_nothing else tuple(keys),
            retention_seconds=row["retentionSeconds"],
        )

    def sent_at(self) -> float:
        form = self.row.get("timestamp")
        if form is None:
            return self.now
        unit, is_attempt = form["unit"], form["of"] == "attempt"
        value: Any = _member(self.payload, form["member"]) if "member" in form else self.time_text
        if "member" in form and unit in _COUNTS and "asText" not in form:
            is_number = isinstance(value, (int, float)) and not isinstance(value, bool)
            sent = float(value) / _COUNTS[unit][1] if is_number and 0 <= value <= sys.float_info.max else None
        else:
            sent = _seconds(unit, _text(value) if "asText" in form or isinstance(value, str) else "")
        if sent is not None:
            oldest = form.get("toleranceSeconds", math.inf)
            newest = min(form.get("aheadSeconds", oldest), oldest) if is_attempt else math.inf
            is_near = self.now - sent <= oldest and sent - self.now <= newest
            _require(is_near, "timestamp_out_of_range", f"the time is {self.now - sent} s old")
            if sent <= _LAST_SECOND:
                return sent
        _require(not is_attempt, "timestamp_malformed", f"the time is not in {unit}, or no date is that late")
        return self.now

    def event_id(self) -> str:
        place = self.row.get("eventId", {})
        found = _text(_member(self.payload, place["member"]), math.inf) if "member" in place else self.id_text
        divider = re.search(r"\{id\}([^{}]+)", self.row.get("signs", ""))
        is_id = _units(found) <= 256 and not (divider and divider[1] in found)
        _require(is_id, "event_id_malformed", "the ID is over 256 characters, or has what ends it in the signed bytes")
        return found

    def event_type(self) -> str:
        place = self.row.get("eventType", {})
        found = _text(_member(self.payload, place["member"])) if "member" in place else self.header(place.get("header"))
        return found if _units(found) <= 256 else ""

    def claim_keys(self, event_id: str) -> list[str]:
        """First of the signed bytes, then of the ID. A known topic joins both."""
        dedupe, topics = self.row["dedupe"], self.row.get("topics", ())
        kind = self.event_type() if topics and dedupe != "signed-bytes" else ""
        topic = f"{kind}\n" if kind and kind in self.receiver._topics.union(topics) else ""
        claimed = self.claimed_id() or event_id
        has_bytes = event_id == "" or dedupe.startswith("signed-bytes")
        of_bytes = [_key_of_bytes(topic.encode("latin-1") + self.signed)] if has_bytes else []
        return of_bytes + ([_key_of_id(topic + claimed)] if claimed and dedupe.endswith("id") else [])

    def claimed_id(self) -> str:
        """The texts of the places, joined by line feeds. Empty if the last one is."""
        places, texts = self.row.get("claimedId", "code"), []
        for place in places if places != "code" else ():
            of_header = ",".join(self.lines(place.get("header")))
            texts.append(_text(_member(self.payload, place["member"])) if "member" in place else of_header)
        return "\n".join(texts) if texts and texts[-1] else ""

    # ---- handshakes

    def reply(self, secret: str) -> Handshake | None:
        """That of the first answer that fits. None if the request is no handshake, or one that needs code."""
        answers = self.row.get("handshake", {}).get("answers", ())
        replies = (self.reply_of(answer, secret) for answer in answers)
        return next((reply for reply in replies if reply), None)

    def reply_of(self, answer: Row, secret: str) -> Handshake | None:
        is_method = self.method == answer.get("method", self.method)
        is_body = "body" not in answer or re.fullmatch(answer["body"], self.body.decode("latin-1"))
        if not is_method or not is_body or not all(map(self.holds, answer.get("when", ()))):
            return None
        token = self.receiver._verify_token
        if "verifyToken" in answer:
            given = self.value_at(answer["verifyToken"])
            if token is None or not isinstance(given, str) or not _same(given, token.encode()):
                return Handshake(403)
        text = self.value_at(answer["text"]) if "text" in answer else ""
        if not isinstance(text, str) or ("longest" in answer and not 0 < _units(text) <= answer["longest"]):
            return None
        begins = "mayNotBegin" in answer and text.startswith(answer["mayNotBegin"])
        is_right = re.fullmatch(answer.get("matches", "(?s:.*)"), text) and not begins
        return _written(answer["reply"], text, secret) if is_right else Handshake(400)

    def value_at(self, place: Row) -> Any:
        if "member" in place:
            return _member(self.payload, place["member"])
        values = self.query(place["query"]) if "query" in place else self.lines(place["header"])
        return values[0] if len(values) == 1 and len(self.url or "") <= 8192 else _MISSING

    def holds(self, condition: Row) -> bool:
        value, wanted = self.value_at(condition), condition.get("is", _MISSING)  # `_MISSING`: it is to be absent
        return isinstance(value, bool) == isinstance(wanted, bool) and bool(value == wanted)


def _written(reply: Row, text: str, secret: str) -> Handshake:
    mac = hmac.digest(secret.encode(), text.encode("utf-8", "replace"), "sha256")
    shown = {"{text}": text, "{hmac}": _encoded(mac, reply.get("hmac", "hex"))}

    def filled(values: Row) -> dict[str, Any]:
        fill = partial(re.sub, r"\{(?:text|hmac)\}", lambda found: shown[found[0]])
        return {name: fill(value) if isinstance(value, str) else value for name, value in values.items()}

    headers, body = filled(reply.get("headers", {})), ""
    if "json" in reply:
        headers, body = {"content-type": "application/json", **headers}, json.dumps(filled(reply["json"]))
    elif "body" in reply:
        kind = {"content-type": "text/plain; charset=utf-8", "x-content-type-options": "nosniff"}
        headers, body = {**kind, **headers}, text
    return Handshake(reply["status"], headers, body)
