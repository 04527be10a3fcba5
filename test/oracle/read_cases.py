"""Asks languages/python/hookgate.py. Usage: read_cases.py <schemes.json>; one request a line on standard input, its verdict a line out."""

import base64
import importlib.util
import json
import sys
from pathlib import Path

FILE = Path(__file__).parents[2] / "languages/python/hookgate.py"
spec = importlib.util.spec_from_file_location("hookgate", FILE)
hookgate = importlib.util.module_from_spec(spec)
sys.modules["hookgate"] = hookgate
spec.loader.exec_module(hookgate)

OPTIONS = {"secrets": "secrets", "publicKeys": "public_keys", "publicUrl": "public_url", "verifyToken": "verify_token", "topics": "topics"}


def texts_of(given):
    entries = given if isinstance(given, list) else [given]
    return [entry if isinstance(entry, str) else entry["secret"] for entry in entries]


def options_of(line):
    given = {OPTIONS[name]: value for name, value in line["options"].items() if name in OPTIONS}
    return {name: texts_of(value) if name in ("secrets", "public_keys") else value for name, value in given.items()}


def answer(rows, made, line):
    key = json.dumps([line["scheme"], line["options"]])
    try:
        if key not in made:
            made[key] = hookgate.Receiver(line["scheme"], rows=rows, **options_of(line))
        verdict = made[key].verify(
            method=line["method"], headers=line["headers"], body=base64.b64decode(line["body"]), url=line.get("url"), now=line["now"]
        )
    except hookgate.ConfigError as error:
        return {"unusable": str(error)}
    if isinstance(verdict, hookgate.Refusal):
        return {"reason": verdict.reason}
    if isinstance(verdict, hookgate.Handshake):
        return {"reply": {"status": verdict.status, "headers": dict(verdict.headers), "body": verdict.body}}
    keys = verdict.claim_keys
    return {"id": verdict.id, "type": verdict.type, "sentAt": verdict.sent_at, "keys": None if keys is None else list(keys)}


def main():
    rows, made = hookgate.load(sys.argv[1]), {}
    for line in sys.stdin:
        print(json.dumps(answer(rows, made, json.loads(line))))


main()
