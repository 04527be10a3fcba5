"""Which events are being handled, and which are done. A record past its time is absent; at its last millisecond it is not."""

LEASE_MS = 60_000
RETENTION_MS = 7 * 24 * 3600 * 1000


class EventRecords:
    def __init__(self):
        self.records = {}

    def find(self, key, now_ms):
        record = self.records.get(key)
        return record if record is not None and now_ms <= record["until_ms"] else None

    def claim(self, key, now_ms):
        """The claim, or why there is none."""
        record = self.find(key, now_ms)
        if record is not None:
            return "event_duplicate" if record["owner"] is None else "event_in_progress"
        claim = Claim(self, key)
        self.records[key] = {"owner": claim, "until_ms": now_ms + LEASE_MS}
        return claim


class Claim:
    def __init__(self, records, key):
        self.records = records
        self.key = key

    def commit(self, now_ms):
        record = self.records.find(self.key, now_ms)
        if record is not None and record["owner"] is None:
            return "already"
        if record is not None and record["owner"] is not self:
            return "lost"
        self.records.records[self.key] = {"owner": None, "until_ms": now_ms + RETENTION_MS}
        return "committed"

    def release(self, now_ms):
        record = self.records.find(self.key, now_ms)
        if record is None or record["owner"] is not self:
            return "nothing left"
        del self.records.records[self.key]
        return "released"
