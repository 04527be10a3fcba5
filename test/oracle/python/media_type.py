"""Content-Type: application/json, in UTF-8 if it says so."""

import re

TOKEN = r"[!#$%&'*+.^_`|~0-9A-Za-z-]+"
# Wider than RFC 9110's, which leaves out what no HTTP parser lets through.
QUOTED = r'"(?:[^"\\]|\\.)*"'
PARAMETER = re.compile(rf"[ \t]*;[ \t]*(?:({TOKEN})=({TOKEN}|{QUOTED}))?")
TYPE = re.compile(r"[ \t]*application/json", re.IGNORECASE | re.ASCII)


def is_json(value):
    found = TYPE.match(value)
    if found is None:
        return False
    place = found.end()
    while (parameter := PARAMETER.match(value, place)) is not None:
        name, setting = parameter.groups()
        if name is not None and name.lower() == "charset" and unquoted(setting).lower() not in ("utf-8", "utf8"):
            return False
        place = parameter.end()
    return value[place:].strip(" \t") == ""


def unquoted(setting):
    return re.sub(r"\\(.)", r"\1", setting[1:-1]) if setting.startswith('"') else setting
