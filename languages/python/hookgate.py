"""Verifies webhooks of the senders that schemes.json describes as data. It remembers nothing: see README.md.

Python 3.9 or later. `cryptography` is needed only for senders that sign with a private key.

    stripe = Receiver("stripe", secrets=os.environ["STRIPE_WEBHOOK_SECRET"])
    verdict = stripe.verify(method=request.method, headers=request.headers.items(), body=request.get_data())
"""

import base64
import hashlib
import hmac
import json
import math
import re
import time
from dataclasses import dataclass
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any, Callable, Dict, Iterable, List, Mapping, NoReturn, Optional, Sequence, Tuple, Union
from urllib.parse import unquote, unquote_to_bytes

FORMAT_VERSION = 1
Row = Mapping[str, Any]
Headers = Iterable[Tuple[Union[str, bytes], Union[str, bytes]]]
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
    claim_keys: Optional[Tuple[str, ...]]
    """If you know any of them, the event is a duplicate. Empty if genuine deliveries repeat. None if the row's claim needs code."""
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
    headers: Mapping[str, str]
    body: str


class ConfigError(ValueError):
    """A secret, an option or a row that cannot be used. Raised before any delivery."""


class _Refused(Exception):
    def __init__(self, reason: str, detail: str):
        super().__init__(detail)
        self.refusal = Refusal(reason, detail)


def _refuse(reason: str, detail: str) -> NoReturn:
    raise _Refused(reason, detail)


# ---- the registry: what a row may say. Anything else refuses the row, because it may change what is signed.

_DESCRIBES = {"name", "sender", "otherNames", "code", "about", "secretName", "secretPrefix", "covers", "notCovered"}
_DESCRIBES |= {"unsignedWhen", "retries", "documentation"}
_ANY = "*"  # any member
_FILLED = re.compile(r"(?:[^{}]|\{(?:text|hmac)\})*")
_PLACES = {"header": str, "item": str, "member": str}
_HMACS = tuple(f"hmac-{name}" for name in ("sha256", "sha1", "sha384", "sha512"))
_CURVES = {"ecdsa-p256-sha256": ("secp256r1", 32), "ecdsa-p384-sha384": ("secp384r1", 48)}
_RSA = ("rsa-v1_5-sha256",)
_ALGORITHMS = (*_HMACS, *_CURVES, *_RSA, "ed25519", "token")
_SPELLINGS = ("hex", "upper-case-hex", "base64", "base64url")
_READS = ("json", "json-as-text", "form", "json-object", "json-or-lines", "json-in-form", "xml", "any", "empty-or-any", "json-form-or-text")
_UNITS = ("seconds", "milliseconds", "rfc3339", "utc", "http-date")
_DEDUPES = ("id", "signed-bytes", "signed-bytes-per-topic", "signed-bytes-and-id", "off")

Known = Union[type, "re.Pattern[str]", Tuple[Any, ...], List[Any], Dict[str, Any], None]
_KEY: Known = ("text", "hex", "base64", {"base64After": str})
_SOURCE: Dict[str, Any] = {"query": str, "header": str, "member": str}
_ANSWER: Dict[str, Any] = {
    "method": ("GET", "HEAD", "POST"),
    "when": [{**_SOURCE, "is": (str, int, bool, [str]), "absent": (True,)}],
    "body": str,
    "verifyToken": _SOURCE,
    "text": _SOURCE,
    "longest": int,
    "matches": str,
    "mayNotBegin": str,
    "reply": {"status": int, "headers": {_ANY: _FILLED}, "body": ("{text}",), "json": {_ANY: (_FILLED, int)}, "hmac": _SPELLINGS},
}
_ROW: Dict[str, Any] = {
    **dict.fromkeys(_DESCRIBES),
    "algorithm": _ALGORITHMS,
    "key": _KEY,
    "publicKey": {"algorithm": ("ed25519",), "key": _KEY, "prefix": str},
    "signature": {
        **{"headers": [str], "member": str, "query": str, "separator": (" ", ",", ", ", ";"), "writtenSeparator": (",",)},
        **{"prefix": str, "prefixOptional": (True,), "spelling": _SPELLINGS, "ecdsa": ("p1363",), "maxSignatures": int},
    },
    "signs": re.compile(r"(?:[^{}]|\{(?:body|timestamp|id|method|url|/[^{}]*)\})*"),
    "otherHeaders": {_ANY: str},
    "fixedHeaders": {_ANY: str},
    "timestamp": {
        **_PLACES,
        **{"unit": _UNITS, "of": ("attempt", "event"), "asText": (True,), "eachAttempt": (True,)},
        **{"toleranceSeconds": (int, float), "aheadSeconds": (int, float)},
    },
    "eventId": _PLACES,
    "eventType": _PLACES,
    "claimedId": ("code", [_PLACES]),
    "bodiesRepeat": (True,),
    "topics": [str],
    "dedupe": _DEDUPES,
    "retentionSeconds": int,
    "methods": [("POST",)],
    "content": [{"types": [str], "reads": _READS, "field": str}],
    "jsonField": str,
    "maxBodyBytes": int,
    "maxFields": int,
    "handshake": {"signed": bool, "answers": [_ANSWER], "refuses": str, "code": str},
}


def _unknown(value: Any, known: Known, path: str) -> Optional[str]:
    """The first member or value that this reader does not know."""
    if known is None:
        return None
    if isinstance(known, type):
        return None if type(value) is known else path
    if isinstance(known, re.Pattern):
        return None if isinstance(value, str) and known.fullmatch(value) else path
    if isinstance(known, tuple):
        fits = (
            value == each and type(value) is type(each) if not isinstance(each, (type, re.Pattern, list, dict)) else _unknown(value, each, "?") is None
            for each in known
        )
        return None if any(fits) else path
    if isinstance(known, list):
        found = (_unknown(each, known[0], f"{path}/{at}") for at, each in enumerate(value)) if isinstance(value, list) else iter([path])
        return next((each for each in found if each), None)
    if not isinstance(value, dict):
        return path
    known = {**dict.fromkeys(value, known[_ANY]), **known} if _ANY in known else known
    members = ((f"{path}/{name}" if name not in known else _unknown(each, known[name], f"{path}/{name}")) for name, each in value.items())
    return next((each for each in members if each), None)


def load(path: Union[str, Path, None] = None) -> Dict[str, Row]:
    """The rows by name, from a schemes.json: by default, the one beside this file."""
    file = json.loads(Path(path or Path(__file__).with_name("schemes.json")).read_text("utf-8"))
    if file.get("formatVersion") != FORMAT_VERSION:
        raise ConfigError(f"the file has formatVersion {file.get('formatVersion')}, and this reader knows {FORMAT_VERSION}")
    return {row["name"]: row for row in file["schemes"]}


# ---- texts, bytes and JSON

# What ECMAScript trims: as a class of characters, and each of them.
_BLANK = "\t\n\v\f\r \u00a0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000\ufeff"
_BLANKS = _BLANK.replace("\u2000-\u200a", "".join(map(chr, range(0x2000, 0x200B))))
_SAFE = 2**53 - 1
_LARGEST = 1.7976931348623157e308


def _units(text: str) -> int:
    """The length in UTF-16, by which all limits of texts are counted."""
    return len(text) + sum(character > "\uffff" for character in text)


def _utf8(data: bytes) -> Optional[str]:
    try:
        return data.decode("utf-8")  # keeps a byte order mark, which no JSON begins with
    except UnicodeDecodeError:
        return None


def _integer(digits: str) -> int:
    """Python limits how many digits it converts. A longer integer only has to stay too large for everything."""
    return int(digits) if len(digits) < 4000 else int(digits[:2].rstrip("0123456789") + "1" + "0" * 3990)


def _no_constant(name: str) -> NoReturn:
    raise ValueError(f"{name} is not JSON")


_MISSING: Any = object()


def _json(text: Optional[str]) -> Any:
    """Strict JSON: the last of repeated members counts. `_MISSING` for anything else, and for more levels than Python can read."""
    try:
        return _MISSING if text is None else json.loads(text, parse_int=_integer, parse_constant=_no_constant)
    except (ValueError, RecursionError):
        return _MISSING


def _member(value: Any, pointer: str) -> Any:
    """RFC 6901. `_MISSING` if any step is."""
    for step in pointer.split("/")[1:]:
        name = step.replace("~1", "/").replace("~0", "~")
        if isinstance(value, list) and re.fullmatch("0|[1-9][0-9]*", name):
            value = value[int(name)] if int(name) < len(value) else _MISSING
        else:
            value = value.get(name, _MISSING) if isinstance(value, dict) else _MISSING
    return value


def _is_number(value: Any) -> bool:
    return isinstance(value, (int, float)) and not isinstance(value, bool)


def _text(value: Any, longest: float = math.inf) -> str:
    """A text, or an integer in decimals, of at most 2^53 - 1 unless its digits are kept. Empty for all else."""
    if isinstance(value, str):
        return value
    if isinstance(value, float) and value.is_integer() and abs(value) <= _SAFE:
        value = int(value)
    return str(value) if isinstance(value, int) and not isinstance(value, bool) and abs(value) <= longest else ""


def _decoded(text: str, spelling: str) -> Optional[bytes]:
    """Only the canonical text of some bytes: hex in one case, base64 with its padding and without stray bits."""
    try:
        if spelling.endswith("hex"):
            data = bytes.fromhex(text)
        else:
            standard = text.replace("-", "+").replace("_", "/") if spelling == "base64url" else text
            data = base64.b64decode(standard + "=" * (-len(standard) % 4 if spelling == "base64url" else 0), validate=True)
    except ValueError:
        return None
    return data if _encoded(data, spelling) == text else None


def _encoded(data: bytes, spelling: str) -> str:
    if spelling.endswith("hex"):
        return data.hex() if spelling == "hex" else data.hex().upper()
    return base64.b64encode(data).decode() if spelling == "base64" else base64.urlsafe_b64encode(data).decode().rstrip("=")


def _fields(form: Union[bytes, str]) -> Optional[List[Tuple[str, bytes]]]:
    """A form's fields. None if its percent-encoding, or a name's UTF-8, is malformed, or for over 1,000."""
    raw = form.encode("utf-8", "surrogatepass") if isinstance(form, str) else form
    fields: List[Tuple[str, bytes]] = []
    for found in re.finditer(rb"[^&]+", raw):
        pair = found[0]
        if len(fields) == 1000 or re.search(rb"%(?![0-9A-Fa-f]{2})", pair):
            return None
        name, value = (unquote_to_bytes(part.replace(b"+", b" ")) for part in (*pair.split(b"=", 1), b"")[:2])
        decoded = _utf8(name)
        if decoded is None:
            return None
        fields.append((decoded, value))
    return fields


def _form(form: bytes) -> Optional[Dict[str, Any]]:
    grouped: Dict[str, Any] = {}
    fields = _fields(form)
    for name, value in fields or ():
        text = _utf8(value)
        if text is None:
            return None
        before = grouped.get(name)
        if isinstance(before, list):
            before.append(text)
        else:
            grouped[name] = text if before is None else [before, text]
    return None if fields is None else grouped


# ---- times

_RFC3339 = re.compile(r"([0-9]{4})-(\d\d)-(\d\d)T(\d\d):(\d\d):(\d\d)(\.\d{1,9})?(?:Z|([+-])(\d\d):(\d\d))", re.ASCII)
_DAYS = "Mon Tue Wed Thu Fri Sat Sun".split()
_MONTHS = "Jan Feb Mar Apr May Jun Jul Aug Sep Oct Nov Dec".split()
_LAST_SECOND = 8_640_000_000_000


def _seconds(unit: str, value: str) -> Optional[float]:
    """None if it is malformed."""
    if unit in ("seconds", "milliseconds"):
        most, per = (11, 1) if unit == "seconds" else (14, 1000)
        return int(value) / per if re.fullmatch(f"0|[1-9][0-9]{{0,{most}}}", value) else None
    if len(value) > 40:
        return None
    if unit == "http-date":
        found = re.fullmatch(r"(\w{3}), (\d\d) (\w{3}) (\d{4}) (\d\d):(\d\d):(\d\d) GMT", value, re.ASCII)
        if found is None or found[3] not in _MONTHS:
            return None
        date = _date(int(found[4]), _MONTHS.index(found[3]) + 1, *map(int, (found[2], found[5], found[6], found[7])))
        return None if date is None or _DAYS[date[1]] != found[1] else date[0]
    found = _RFC3339.fullmatch(f"{value}Z" if unit == "utc" and re.search(r"T[0-9:.]+\Z", value) else value)
    date = found and _date(*(int(found[at]) for at in range(1, 7)))
    if not found or date is None or int(found[9] or 0) > 23 or int(found[10] or 0) > 59:
        return None
    offset = (int(found[9] or 0) * 60 + int(found[10] or 0)) * 60
    return date[0] + float(f"0{found[7] or ''}") - (-offset if found[8] == "-" else offset)


def _date(year: int, month: int, day: int, hour: int, minute: int, second: int) -> Optional[Tuple[float, int]]:
    """In seconds since 1970, and the weekday. The year 0, which Python lacks, has the days of 2000."""
    try:
        date = datetime(year or 2000, month, day, hour, minute, second)
    except ValueError:
        return None
    shift = 0 if year else 730_485  # days from 0000-01-01 to 2000-01-01
    return (date - datetime(1970, 1, 1)).total_seconds() - shift * 86_400, (date - timedelta(days=shift % 7)).weekday()


# ---- keys

def _key_of(form: Any, algorithm: str, secret: str) -> bytes:
    if algorithm not in _HMACS and algorithm != "token":
        secret = re.sub(r"-----(?:BEGIN|END) PUBLIC KEY-----|[\r\n]|\\[rn]", "", secret)
    if form == "text":
        return secret.encode()
    shown = re.sub(r"^(\W*)v1a?,(?=wh(?:sec|pk)_)", r"\1", secret).removeprefix(form["base64After"]) if isinstance(form, dict) else secret
    key = _decoded(shown.lower() if form == "hex" else shown, "hex" if form == "hex" else "base64")
    if key is None or (isinstance(form, dict) and not 24 <= len(key) <= 75):
        raise ConfigError("a secret or key is not in the form in which the sender shows it")
    return key


def _public_key(algorithm: str, key: bytes, ecdsa: Optional[str]) -> Callable[[bytes, bytes], bool]:
    """Whether a signature is one of some bytes. Refuses keys for which anyone can forge signatures."""
    from cryptography.exceptions import InvalidSignature
    from cryptography.hazmat.primitives import hashes, serialization
    from cryptography.hazmat.primitives.asymmetric import ec, ed25519, padding, rsa
    from cryptography.hazmat.primitives.asymmetric.utils import encode_dss_signature

    try:
        if algorithm == "ed25519":
            y, prime = int.from_bytes(key, "little") % 2**255, 2**255 - 19
            square = y * y
            if y >= prime or y * (square - 1) * ((121665 * square - 243332) * square + 121666) % prime == 0:
                raise ConfigError("the public key is not safe: anyone can forge signatures")
            check: Callable[[bytes, bytes], None] = ed25519.Ed25519PublicKey.from_public_bytes(key).verify
        elif algorithm in _RSA:
            public = serialization.load_der_public_key(key)
            if not isinstance(public, rsa.RSAPublicKey) or not 2048 <= public.key_size <= 8192:
                raise ConfigError("the public key is not one of RSA with 2048 to 8192 bits")
            exponent = public.public_numbers().e
            if not 3 <= exponent < 2**32 or exponent % 2 == 0:
                raise ConfigError("the public key is not safe: its exponent")

            def check(given: bytes, signed: bytes) -> None:
                public.verify(given, signed, padding.PKCS1v15(), hashes.SHA256())
        else:
            loaded = serialization.load_der_public_key(key)
            curve, size = _CURVES[algorithm]
            if not isinstance(loaded, ec.EllipticCurvePublicKey) or loaded.curve.name != curve:
                raise ConfigError(f"the public key is not one of {curve}")
            point, used = loaded, ec.ECDSA(hashes.SHA384() if size == 48 else hashes.SHA256())

            def check(given: bytes, signed: bytes) -> None:
                if ecdsa and len(given) != 2 * size:
                    raise InvalidSignature
                numbers = (int.from_bytes(half, "big") for half in (given[:size], given[size:]))
                point.verify(encode_dss_signature(*numbers) if ecdsa else given, signed, used)
    except (ValueError, TypeError) as error:
        raise error if isinstance(error, ConfigError) else ConfigError("the public key cannot be read") from None

    def verifies(given: bytes, signed: bytes) -> bool:
        try:
            check(given, signed)
        except (InvalidSignature, ValueError):
            return False
        return True

    return verifies


# ---- deliveries

class _Delivery:
    def __init__(self, method: str, headers: Headers, body: bytes, url: Optional[str], now: int):
        self.method, self.body, self.url, self.now = method, body, url, now
        self._lines: Dict[str, List[str]] = {}
        for name, value in headers:
            pair = [text if isinstance(text, str) else text.decode("latin-1") for text in (name, value)]
            self._lines.setdefault(pair[0].lower(), []).append(pair[1])

    def lines(self, name: str) -> List[str]:
        """An empty header counts as absent."""
        found = self._lines.get(name, [])
        return [] if found == [""] else found

    def header(self, name: str) -> Optional[str]:
        """None if it is absent or repeated."""
        found = self.lines(name)
        return found[0] if len(found) == 1 else None

    def query(self, name: str) -> List[str]:
        """Its values. `+` is a blank, and what is no UTF-8 becomes U+FFFD."""
        text = (self.url or "").partition("?")[2]
        pairs = [(*pair.replace("+", " ").split("=", 1), "")[:2] for pair in text.split("&") if pair]
        return [unquote(value) for key, value in pairs if unquote(key) == name]


_TYPE = re.compile(
    r"""[ \t]*([\w!#$%&'*+.^`|~-]+/[\w!#$%&'*+.^`|~-]+)[ \t]*(?:;[ \t]*(?:(?:charset=(?:utf-?8|"\\?u\\?t\\?f(?:\\?-)?\\?8")"""
    r"""|(?!charset=)[\w!#$%&'*+.^`|~-]+=(?:[\w!#$%&'*+.^`|~-]+|"(?:[^"\\]|\\[^\n\r\u2028\u2029])*"))[ \t]*)?)*""",
    re.IGNORECASE | re.ASCII,
)
_UUID = re.compile("[0-9a-f]{8}-[0-9a-f]{4}-[48][0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}")


def _uuid_of(data: bytes) -> str:
    """The UUIDv8 of the data's SHA-256."""
    digits = hashlib.sha256(data).hexdigest()
    variant = "89ab"[int(digits[16], 16) % 4]
    return f"{digits[:8]}-{digits[8:12]}-8{digits[13:16]}-{variant}{digits[17:20]}-{digits[20:32]}"


def _key_of_id(text: str) -> str:
    lower = text.lower() if len(text) == 36 else ""
    return lower if _UUID.fullmatch(lower) else _uuid_of(text.encode("utf-8", "surrogatepass"))


class Receiver:
    """Verifies one sender's deliveries to one endpoint. Make it once: mistakes in what you pass are raised here, as `ConfigError`."""

    def __init__(
        self,
        scheme: str,
        *,
        secrets: Secrets = (),
        public_keys: Secrets = (),
        public_url: str = "",
        verify_token: Optional[str] = None,
        topics: Sequence[str] = (),
        rows: Optional[Mapping[str, Row]] = None,
    ):
        row = (load() if rows is None else rows).get(scheme)
        if row is None:
            raise ConfigError(f"schemes.json has no row {scheme}")
        if row["code"] is not False:
            raise ConfigError(f"{scheme} is verified by code, which this reader does not have: see {row.get('about', {}).get('source')}")
        unknown = _unknown(row, _ROW, "")
        if unknown is not None:
            raise ConfigError(f"the row {scheme} has {unknown}, which this reader does not know")
        if "{url}" in row.get("signs", "") and not re.fullmatch("https?://[!-~]+", public_url):
            raise ConfigError("public_url must be the full URL that the sender calls")
        kinds = ((secrets, False), (public_keys, True))
        given = [(key, is_public) for some, is_public in kinds for key in ([some] if isinstance(some, str) else some)]
        if not given or not all(isinstance(key, str) and key.strip() for key, _ in given):
            raise ConfigError(f"pass the {row['secretName']}: a secret is missing or blank")
        if any(part.strip() in ("", "None", "null", "undefined") for key, is_public in given if not is_public for part in key.split("&")):
            raise ConfigError(f"pass the {row['secretName']}: it was made of a variable that is not set")
        self._public_url, self._verify_token, self._topics = public_url, verify_token, frozenset(topics)
        self._keys = [(secret, *self._matcher(row, secret, is_public)) for secret, is_public in given]
        others = row.get("otherHeaders", {})
        self._families = [list(others), list(others.values())]
        self._rows = [row, self._renamed(row, others)]

    @staticmethod
    def _renamed(row: Row, names: Mapping[str, str]) -> Row:
        places = ("timestamp", "eventId", "eventType")
        moved = {each: {**row[each], "header": names.get(row[each]["header"], row[each]["header"])} for each in places if "header" in row.get(each, {})}
        headers = [names.get(name, name) for name in row["signature"]["headers"]]
        return {**row, **moved, "signature": {**row["signature"], "headers": headers}}

    @staticmethod
    def _matcher(row: Row, secret: str, is_public: bool) -> Tuple[str, Callable[[str, bytes], bool]]:
        """The prefix of a key's signatures, and whether a text is a signature of some bytes by it."""
        second = row.get("publicKey")
        kind = second if second and (is_public or second["key"]["base64After"] in secret) else row
        if is_public and kind["algorithm"] in (*_HMACS, "token"):  # or everybody who knows the key could sign
            raise ConfigError("this sender has no public key: pass secrets")
        prefix = (second if kind is second else row["signature"]).get("prefix", "")
        algorithm, spelling = kind["algorithm"], row["signature"].get("spelling", "hex")
        key = _key_of(kind["key"], algorithm, secret)
        if algorithm == "token":
            digest = hashlib.sha256(key).digest()
            return prefix, lambda text, _: hmac.compare_digest(hashlib.sha256(text.encode("utf-8", "surrogatepass")).digest(), digest)
        if algorithm in _HMACS:
            return prefix, lambda text, signed: hmac.compare_digest(
                text.encode("utf-8", "surrogatepass"), _encoded(hmac.digest(key, signed, algorithm[5:]), spelling).encode()
            )
        verifies = _public_key(algorithm, key, row["signature"].get("ecdsa"))

        def matches(text: str, signed: bytes) -> bool:
            given = _decoded(text, spelling) if len(text) <= 2048 else None
            return given is not None and verifies(given, signed)

        return prefix, matches

    def verify(
        self, *, method: str, headers: Headers, body: bytes, url: Optional[str] = None, now: Optional[float] = None
    ) -> Union[Event, Refusal, Handshake]:
        """Judges one request. `body` is its exact bytes, `url` its path and query as they came. Never raises for a sender's mistake."""
        delivery = _Delivery(method, headers, body, url, int(time.time() if now is None else now))
        has = [any(delivery.lines(name) for name in names) for names in self._families]
        try:
            return self._verdict(delivery, self._rows[has[1] and not has[0]], all(has))
        except _Refused as refused:
            return refused.refusal

    def _verdict(self, delivery: _Delivery, row: Row, is_mixed: bool) -> Union[Event, Handshake]:
        if len(delivery.body) > row["maxBodyBytes"]:
            _refuse("body_too_large", "the body is too large")
        handshake = row.get("handshake", {"signed": False})
        reply = None if handshake["signed"] else self._answer(handshake, delivery, None, self._keys[0][0])
        if reply is not None:
            return reply
        values, kind = self._read_headers(delivery, row)
        if is_mixed:
            _refuse("signature_mismatch", "headers of two families")
        signed, secret = self._authenticate(delivery, row, values)
        payload = self._parse(delivery, row, kind)
        reply = self._answer(handshake, delivery, payload, secret) if handshake["signed"] else None
        if "refuses" in handshake and isinstance(payload, dict) and list(payload) == [handshake["refuses"]]:
            _refuse("body_malformed", f"the body is a {handshake['refuses']}, which is no event")
        return reply or self._event(delivery, row, values, signed, payload)

    def _read_headers(self, delivery: _Delivery, row: Row) -> Tuple[Dict[str, str], Row]:
        """The texts of the time and the ID, if headers have them, and how the body is read."""
        if delivery.method not in row["methods"]:
            _refuse("method_not_post", "the method is not one of the sender's")
        time_name, id_name = (row.get(place, {}).get("header") for place in ("timestamp", "eventId"))
        required = [time_name, id_name if "{id}" in row.get("signs", "") else None]
        type_name = None if row["content"][0]["types"] == ["*"] else "content-type"
        names = [name for name in (time_name, id_name, type_name, "content-encoding") if name]
        for name in filter(None, required):
            if not delivery.lines(name):
                _refuse("header_missing", f"no {name}")
        for name in names:
            if len(delivery.lines(name)) > 1:
                _refuse("header_repeated", f"more than one {name}")
        given = (delivery.header(type_name) or "") if type_name else ""
        found = _TYPE.fullmatch(given) if len(given) <= 256 else None
        media = found[1].lower() if found else "malformed"
        kinds = row["content"][:1] if given == "" else [kind for kind in row["content"] if self._fits(kind, media)]
        if not kinds:
            _refuse("content_type_not_accepted", "the content type is not one of the sender's, in UTF-8")
        encoding = delivery.header("content-encoding")
        if encoding is not None and encoding.lower() != "identity":
            _refuse("content_encoding_not_identity", "the body is compressed")
        return {name: delivery.header(header) or "" for name, header in (("timestamp", time_name), ("id", id_name)) if header}, kinds[0]

    @staticmethod
    def _fits(kind: Row, media: str) -> bool:
        return (kind["reads"] == "json" and bool(re.fullmatch(r"application/(?:.*\+)?json", media))) or media in kind["types"] or "*" in kind["types"]

    def _authenticate(self, delivery: _Delivery, row: Row, values: Dict[str, str]) -> Tuple[bytes, str]:
        """The signed bytes, and the secret that signed them. Sets the time, if an item has it."""
        items = self._items(delivery, row)
        for name, value in row.get("fixedHeaders", {}).items():
            if delivery.header(name) != value:
                _refuse("signature_mismatch", f"{name} is not {value}")
        place = row.get("timestamp", {}).get("item")
        if place == "":
            values["timestamp"], items = items[0], items[1:]
        elif place is not None:
            times = [item[len(place) :] for item in items if item.startswith(place)]
            if len(times) != 1:
                _refuse("signature_mismatch", f"the signature header must have {place} exactly once")
            values["timestamp"] = times[0]
        signed = self._signed(delivery, row, values)
        most, is_optional = row["signature"].get("maxSignatures", 10), row["signature"].get("prefixOptional", False)
        found = None
        for secret, prefix, matches in self._keys:  # all of them, so that the time does not say which one matched
            given = [item.removeprefix(prefix) for item in items if is_optional or item.startswith(prefix)][:most]
            if any([matches(text, signed) for text in given]) and found is None:
                found = secret
        if found is None:
            _refuse("signature_mismatch", "the signature matches none of the keys")
        return signed, found

    def _items(self, delivery: _Delivery, row: Row) -> List[str]:
        form = row["signature"]
        if "member" in form:
            text = _member(self._glance(delivery, row), form["member"])
            if not isinstance(text, str) or text == "":
                _refuse("auth_missing", f"no {form['member']}")
            return [text] if _units(text) <= 4096 else _refuse("signature_mismatch", "the signature is too long")
        if "query" in form:
            values = delivery.query(form["query"])
            if len(delivery.url or "") > 8192 or len(values) > 1:
                _refuse("signature_mismatch", "the URL is too long, or repeats the signature")
            return values if values and values[0] else _refuse("auth_missing", f"no {form['query']} in the query")
        separator = form.get("separator")
        items: List[str] = []
        for name in form["headers"]:
            lines = delivery.lines(name)
            is_list = row["algorithm"] == "token" or (" " in (separator or "") and len(set(lines)) == len(lines))
            if len(lines) > 1 and not is_list:
                _refuse("signature_mismatch", f"more than one {name}")
            text = ", ".join(lines)
            if _units(text) > 4096:
                _refuse("signature_mismatch", f"{name} is over 4096 characters")
            if lines and text:
                parts = [text] if separator is None else re.split(",? ", text) if separator == " " else text.split(separator[0])
                items += [part.strip(_BLANKS) for part in parts] if separator == ", " else parts
        if not items:
            _refuse("auth_missing", f"no {form['headers'][0]}")
        return items if len(items) <= max(64, len(form["headers"])) else _refuse("signature_mismatch", "over 64 items")

    def _signed(self, delivery: _Delivery, row: Row, values: Mapping[str, str]) -> bytes:
        """The template with its values. One character is one byte."""
        signed = b""
        for name, text in re.findall(r"\{([^{}]+)\}|([^{}]+)", row.get("signs", "{body}")):
            if name == "body":
                signed += delivery.body
            elif name.startswith("/"):
                signed += self._signed_member(delivery, row, name)
            else:
                known = {"": text, "timestamp": values.get("timestamp", ""), "id": values.get("id"), "method": delivery.method}
                value = self._url(delivery, row) if name == "url" else known.get(name)
                if value is None or re.search("[^\x00-\xff]", value) or (name == "id" and re.search("[^ -\xff]", value)):
                    _refuse("signature_mismatch", f"no {name}, or one with a character that is no byte")
                signed += value.encode("latin-1")
        return signed

    def _signed_member(self, delivery: _Delivery, row: Row, pointer: str) -> bytes:
        value = _member(self._glance(delivery, row), pointer)
        text = _text(value, _SAFE)
        if (text == "" and value != "") or _units(text) > 4096 or re.search("[\ud800-\udfff]", text):
            _refuse("signature_mismatch", f"{pointer} is neither a text nor an integer")
        return text.encode()

    @staticmethod
    def _glance(delivery: _Delivery, row: Row) -> Any:
        """The body before its sender is known: at most 384 KB, 64 levels and `maxFields` members and elements."""
        if len(delivery.body) > 393_216:
            return _MISSING
        depth = fields = 0
        for found in re.finditer(rb'"(?:[^"\\\n]|\\.)*"?|[\[{\]},]', delivery.body, re.S):
            mark = found[0]
            depth += {b"[": 1, b"{": 1, b"]": -1, b"}": -1}.get(mark, 0)
            fields += mark in (b"[", b"{", b",")
            if depth > 64 or fields > row.get("maxFields", 1000):
                return _MISSING
        return _json(_utf8(delivery.body))

    def _url(self, delivery: _Delivery, row: Row) -> Optional[str]:
        """`public_url`, with the query of the request if it has none itself."""
        base, query, fragment = re.fullmatch(r"([^?#]*)(\?[^#]*)?(#.*)?", self._public_url, re.S).groups("")  # type: ignore[union-attr]
        if delivery.url is None:
            return self._public_url
        found = re.fullmatch(r'([^?#]*)(\?[!"$-~]*)?', delivery.url, re.S) if len(delivery.url) <= 8192 else None
        if found is None or ("%3f" in found[1].lower() and "%3f" not in base.lower()):
            return None
        requested = found[2] or ""
        if query or not requested:
            return self._public_url if requested == query else None
        if fragment or not self._is_divided(row, delivery.body):
            return None
        return base + requested

    @staticmethod
    def _is_divided(row: Row, body: bytes) -> bool:
        """Whether the signed bytes show where an added query ends: by a character that is in no URL, or by a body of JSON."""
        before, after = row["signs"].split("{url}", 1)
        fixed = r"(?:[^{}]|\{(?:method|timestamp)\})*"
        starts, ends = re.fullmatch(fixed, before), re.match(r"\Z|[^!-~]|#", after)
        may_start = starts or re.fullmatch(rf"{fixed}\{{body\}}{fixed}", before)
        may_end = ends or re.fullmatch(rf"[^{{}}]*\{{body\}}{fixed}", after)
        if "{url}" in after or not may_start or not may_end:
            return False
        is_json = all(kind["reads"] == "json" for kind in row["content"]) and body[:1024].lstrip(b" \t\n\r")[:1] in (b"{", b"[")
        return bool(starts and ends) or is_json

    def _parse(self, delivery: _Delivery, row: Row, kind: Row) -> Any:
        reads, text = kind["reads"], _utf8(delivery.body)
        if reads == "form":
            payload = self._parse_form(delivery.body, text, row)
        elif reads == "xml":
            payload = text if text is not None and re.match(f"[{_BLANK}]*<", text) else _MISSING
        elif reads == "json-in-form":
            fields = _fields(delivery.body) or []
            is_only = [name for name, _ in fields] == [kind["field"]]
            payload = _json(_utf8(fields[0][1])) if is_only else _MISSING
            if is_only and payload is _MISSING:
                _refuse("body_not_json", "the form's field is not JSON")
        else:
            payload = self._parse_json(delivery.body, text, reads)
        return payload if payload is not _MISSING else _refuse("body_malformed", f"the body is not {reads}")

    @staticmethod
    def _parse_json(body: bytes, text: Optional[str], reads: str) -> Any:
        payload = _json(text)
        if reads == "json-form-or-text" and "=" in (text or "") and not re.search(r'^[\[{"<]|[^!-~]', text or ""):
            form = _form(body)
            return text if form is None else form
        if reads in ("any", "empty-or-any", "json-form-or-text") and payload is _MISSING:
            return None if text == "" and reads == "empty-or-any" else text
        if reads == "json-or-lines" and payload is _MISSING:
            lines = [_json(line) for line in (text or "").split("\n") if line.strip(_BLANKS)]
            return _MISSING if lines == [] or _MISSING in lines else lines
        if payload is _MISSING:
            _refuse("body_not_json", "the body is not JSON in UTF-8")
        return _MISSING if reads == "json-object" and not isinstance(payload, dict) else payload

    @staticmethod
    def _parse_form(body: bytes, text: Optional[str], row: Row) -> Any:
        is_form_only = all(kind["reads"] == "form" for kind in row["content"])
        if text is None or (not is_form_only and re.match(f'[{_BLANK}+]*[\\[{{"]', text)):
            return _MISSING
        form, name = _form(body), row.get("jsonField")
        if form is None or name is None or name not in form:
            return _MISSING if form is None else form
        if len(form) > 1 or not isinstance(form[name], str):
            return _MISSING
        value = _json(form[name])
        return {name: value} if value is not _MISSING else _refuse("body_not_json", f"the form's {name} is not JSON")

    def _event(self, delivery: _Delivery, row: Row, values: Mapping[str, str], signed: bytes, payload: Any) -> Event:
        sent_at = self._sent_at(delivery, row, values.get("timestamp", ""), payload)
        place = row.get("eventId")
        event_id = values.get("id", "") if place and "header" in place else _text(_member(payload, place["member"])) if place else ""
        divider = re.search(r"\{id\}([^{}]+)", row.get("signs", ""))
        if _units(event_id) > 256 or (divider and divider[1] in event_id):
            _refuse("event_id_malformed", "the ID is over 256 characters, or has what ends it in the signed bytes")
        keys = self._claim_keys(delivery, row, event_id, signed, payload)
        needs_code = row.get("claimedId") == "code"
        is_unclaimed = row["dedupe"] == "off" or (event_id == "" and row["dedupe"] == "id" and row.get("bodiesRepeat", False))
        return Event(
            id=event_id or (keys[0] if keys else ""),
            type=self._type(delivery, row, payload),
            payload=payload,
            sent_at=sent_at,
            claim_keys=None if needs_code else () if is_unclaimed else tuple(keys),
            retention_seconds=row["retentionSeconds"],
        )

    @staticmethod
    def _type(delivery: _Delivery, row: Row, payload: Any) -> str:
        place = row.get("eventType", {})
        if "member" in place:
            found = _text(_member(payload, place["member"]), _SAFE)
        else:
            found = delivery.header(place["header"]) or "" if "header" in place else ""
        return found if _units(found) <= 256 else ""

    def _claim_keys(self, delivery: _Delivery, row: Row, event_id: str, signed: bytes, payload: Any) -> List[str]:
        """First of the signed bytes, then of the ID. A known topic joins both."""
        known = self._topics.union(row.get("topics", ())) if row.get("topics") and row["dedupe"] != "signed-bytes" else ()
        kind = self._type(delivery, row, payload) if known else ""
        topic = f"{kind}\n" if kind and kind in known else ""
        claimed = self._claimed_id(delivery, row.get("claimedId"), payload) or event_id
        keys = []
        if event_id == "" or row["dedupe"].startswith("signed-bytes"):
            keys.append(_uuid_of(topic.encode("latin-1") + signed))
        if claimed and row["dedupe"].endswith("id"):
            keys.append(_key_of_id(topic + claimed))
        return keys

    @staticmethod
    def _claimed_id(delivery: _Delivery, places: Any, payload: Any) -> str:
        """The texts of the places, joined by line feeds, if the last one is there."""
        if not isinstance(places, list):
            return ""
        texts = [
            ",".join(delivery.lines(place["header"])) if "header" in place else _text(_member(payload, place["member"]), _SAFE)
            for place in places
        ]
        return "\n".join(texts) if texts[-1] else ""

    @staticmethod
    def _sent_at(delivery: _Delivery, row: Row, text: str, payload: Any) -> float:
        form, now = row.get("timestamp"), delivery.now
        if form is None:
            return now
        unit, is_attempt = form["unit"], form["of"] == "attempt"
        value: Any = _member(payload, form["member"]) if "member" in form else text
        if "member" not in form or form.get("asText"):
            sent = _seconds(unit, value if "member" not in form else _text(value, _SAFE))
        elif unit in ("seconds", "milliseconds"):
            is_count = _is_number(value) and 0 <= value <= _LARGEST
            sent = float(value) / (1 if unit == "seconds" else 1000) if is_count else None
        else:
            sent = _seconds(unit, value) if isinstance(value, str) else None
        if sent is None:
            return _refuse("timestamp_malformed", f"the time is not in {unit}") if is_attempt else now
        oldest = form.get("toleranceSeconds", math.inf)
        newest = min(form.get("aheadSeconds", oldest), oldest) if is_attempt else math.inf
        if now - sent > oldest or sent - now > newest:
            _refuse("timestamp_out_of_range", f"the time is {now - sent} s old")
        if sent > _LAST_SECOND:
            return _refuse("timestamp_malformed", "no date is that late") if is_attempt else now
        return sent

    # ---- handshakes

    def _answer(self, handshake: Row, delivery: _Delivery, payload: Any, secret: str) -> Optional[Handshake]:
        """The reply of the first answer that fits. None if the request is no handshake, or one that needs code."""
        replies = (self._reply(answer, delivery, payload, secret) for answer in handshake.get("answers", ()))
        return next((reply for reply in replies if reply is not None), None)

    def _reply(self, answer: Row, delivery: _Delivery, payload: Any, secret: str) -> Optional[Handshake]:
        def value_at(place: Row) -> Any:
            if "member" in place:
                return _member(payload, place["member"])
            values = delivery.query(place["query"]) if "query" in place else delivery.lines(place["header"])
            return values[0] if len(values) == 1 and len(delivery.url or "") <= 8192 else _MISSING

        if delivery.method != answer.get("method", delivery.method) or not all(self._holds(each, value_at(each)) for each in answer.get("when", ())):
            return None
        if "body" in answer and not re.fullmatch(answer["body"], delivery.body.decode("latin-1")):
            return None
        if "verifyToken" in answer:
            given, token = value_at(answer["verifyToken"]), self._verify_token
            if token is None or not isinstance(given, str) or not hmac.compare_digest(given.encode("utf-8", "surrogatepass"), token.encode()):
                return Handshake(403, {}, "")
        text = value_at(answer["text"]) if "text" in answer else ""
        if not isinstance(text, str) or _units(text) > answer.get("longest", math.inf) or ("longest" in answer and text == ""):
            return None
        if not re.fullmatch(answer.get("matches", "(?s:.*)"), text) or ("mayNotBegin" in answer and text.startswith(answer["mayNotBegin"])):
            return Handshake(400, {}, "")
        return self._written(answer["reply"], text, secret)

    @staticmethod
    def _holds(condition: Row, value: Any) -> bool:
        if condition.get("absent"):
            return value is _MISSING
        wanted = condition["is"]
        return value is not _MISSING and isinstance(value, bool) == isinstance(wanted, bool) and value == wanted

    @staticmethod
    def _written(reply: Row, text: str, secret: str) -> Handshake:
        mac = _encoded(hmac.digest(secret.encode(), text.encode("utf-8", "replace"), "sha256"), reply["hmac"]) if "hmac" in reply else ""

        def filled(value: Any) -> Any:
            return value.replace("{hmac}", mac).replace("{text}", text) if isinstance(value, str) and mac + text else value

        headers = {name: filled(value) for name, value in reply.get("headers", {}).items()}
        if "json" in reply:
            body = json.dumps({name: filled(value) for name, value in reply["json"].items()})
            return Handshake(reply["status"], {"content-type": "application/json", **headers}, body)
        if "body" not in reply:
            return Handshake(reply["status"], headers, "")
        kind = {"content-type": "text/plain; charset=utf-8", "x-content-type-options": "nosniff"}
        return Handshake(reply["status"], {**kind, **headers}, text)
