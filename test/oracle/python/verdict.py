"""Every reason, and its status."""

STATUSES = {
    "body_too_large": 400,
    "method_not_post": 400,
    "header_missing": 400,
    "header_repeated": 400,
    "content_type_not_json": 400,
    "content_encoding_not_identity": 400,
    "body_not_json": 400,
    "timestamp_malformed": 400,
    "timestamp_out_of_range": 400,
    "event_id_not_uuid_v4": 400,
    "source_ip_not_allowed": 403,
    "auth_missing": 401,
    "signature_mismatch": 401,
    "token_invalid": 401,
    "token_expired": 401,
    "event_duplicate": 409,
    "event_in_progress": 503,
}


class Refused(Exception):
    def __init__(self, reason):
        super().__init__(reason)
        self.reason = reason
        self.status = STATUSES[reason]
