"""JSON as RFC 8259 has it.

json.loads takes NaN and Infinity, gives up on deep nesting and on integers of 4300 digits, and says
nothing of repeated members.
"""

import re


class NotJson(Exception):
    pass


class Members(dict):
    """An object, and whether it writes a member twice."""

    repeated = False


SPACE = re.compile(r"[ \t\n\r]*")
NUMBER = re.compile(r"-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?")
PLAIN = r'[^"\\\x00-\x1f]*'
STRING = re.compile(rf'"({PLAIN}(?:\\(?:["\\/bfnrt]|u[0-9a-fA-F]{{4}}){PLAIN})*)"')
ESCAPE = re.compile(r"\\(?:u([0-9a-fA-F]{4})|(.))")
SHORT_ESCAPES = {"b": "\b", "f": "\f", "n": "\n", "r": "\r", "t": "\t"}
WORDS = {"true": True, "false": False, "null": None}
CLOSING = {"{": "}", "[": "]"}


def parse_bytes(content):
    """Bytes in UTF-8 without a byte order mark."""
    try:
        return parse(content.decode("utf-8"))
    except UnicodeDecodeError:
        raise NotJson() from None


def parse(text):
    open_containers, names, place = [], [], 0
    while True:
        place = skip_space(text, place)
        opening = text[place : place + 1]
        if opening in CLOSING:
            value = Members() if opening == "{" else []
            place = skip_space(text, place + 1)
            if text[place : place + 1] != CLOSING[opening]:
                open_containers.append(value)
                place = begin_item(value, names, text, place)
                continue
            place += 1
        else:
            value, place = scalar(text, place)
        value, place = close(value, open_containers, names, text, place)
        if not open_containers:
            break
    if skip_space(text, place) != len(text):
        raise NotJson()
    return value


def close(value, open_containers, names, text, place):
    """Puts a value where it belongs, and with it every container that ends there."""
    while open_containers:
        container = open_containers[-1]
        add(container, names, value)
        place = skip_space(text, place)
        mark = text[place : place + 1]
        if mark == ",":
            return None, begin_item(container, names, text, skip_space(text, place + 1))
        if mark != ("}" if isinstance(container, Members) else "]"):
            raise NotJson()
        value, place = open_containers.pop(), place + 1
    return value, place


def begin_item(container, names, text, place):
    if not isinstance(container, Members):
        return place
    name, place = string(text, place)
    place = skip_space(text, place)
    if text[place : place + 1] != ":":
        raise NotJson()
    names.append(name)
    return place + 1


def add(container, names, value):
    if isinstance(container, Members):
        name = names.pop()
        container.repeated |= name in container
        container[name] = value
    else:
        container.append(value)


def skip_space(text, place):
    return SPACE.match(text, place).end()


def scalar(text, place):
    if text[place : place + 1] == '"':
        return string(text, place)
    for word, value in WORDS.items():
        if text.startswith(word, place):
            return value, place + len(word)
    number = NUMBER.match(text, place)
    if number is None:
        raise NotJson()
    return float(number.group()), number.end()


def string(text, place):
    found = STRING.match(text, place)
    if found is None:
        raise NotJson()
    return join_surrogates(ESCAPE.sub(unescape, found.group(1))), found.end()


def unescape(escape):
    code, letter = escape.groups()
    return chr(int(code, 16)) if code else SHORT_ESCAPES.get(letter, letter)


def join_surrogates(text):
    """Two escapes that are one character; a surrogate alone stays what it is."""
    return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "surrogatepass")
