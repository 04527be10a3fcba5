"""Reads a batch as JSON lines from stdin, and answers each line with one.

Written from the specification and the documents alone, not from hookgate's source: where the two
differ, one of them is wrong. The lines are described in ../lines.ts.
"""

import json
import sys

from listener import Listener, NotConfigurable
from event_records import EventRecords
from verdict import Refused


class Batch:
    def __init__(self):
        self.stores = {}
        self.listener = None
        self.claims = []

    def answer(self, line):
        if "listener" in line:
            return self.configure(line["listener"])
        if self.listener is None:
            return "no listener"
        return self.deliver(line) if "deliver" in line else self.settle(line)

    def configure(self, options):
        self.listener, self.claims = None, []
        store = self.stores.setdefault(options["store"], EventRecords())
        try:
            self.listener = Listener(options, store)
        except NotConfigurable:
            return "refused"
        return "configured"

    def deliver(self, line):
        self.claims.append(None)
        try:
            event_id, proof, claim = self.listener.verify(line["deliver"], line["nowMs"])
        except Refused as refusal:
            return f"{refusal.status} {refusal.reason}"
        self.claims[-1] = claim
        return f"accepted {event_id} {proof}"

    def settle(self, line):
        claim = self.claims[line["settle"]]
        if claim is None:
            return "nothing to settle"
        self.claims[line["settle"]] = None
        verb = claim.commit if line["verb"] == "commit" else claim.release
        return verb(line["nowMs"])


def main():
    batch = Batch()
    for line in sys.stdin.buffer:
        print(json.dumps(batch.answer(json.loads(line))))


main()
