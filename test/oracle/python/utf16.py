"""How long a text is for JavaScript, whose limits on characters count UTF-16 units."""


def utf16_length(text):
    return len(text.encode("utf-16-le", "surrogatepass")) // 2
