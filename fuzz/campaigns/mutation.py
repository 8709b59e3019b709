"""Small damage to texts and bytes, and texts that are known to cause trouble."""

import random

HOSTILE = (
    *(
        "",
        " ",
        "\t",
        "\n",
        "\r\n",
        "\\",
        '"',
        "'",
        "`",
        "a,b",
        "a;b",
        "a|b",
        "a&b",
        "100%",
        "#1",
        "$x$",
    ),
    *(
        "_^{}~",
        "\\end{tabular}",
        "\\input{x}",
        "<script>alert(1)</script>",
        "<b>",
        "&lt;",
        "-->",
        "]]>",
    ),
    *('" onload="x', "</td></tr>", "javascript:x", "{{ 7*7 }}", "{% x %}", "%s", "{0}", "{x!r}"),
    *(
        "'; DROP TABLE t; --",
        "SELECT 1",
        "*",
        "^a$",
        "a.b",
        "__ordeval",
        "gold",
        "pred",
        "0",
        "-1",
        "1.0",
    ),
    *(
        "NA",
        "nan",
        "None",
        "null",
        "true",
        "=1+1",
        "@SUM(1)",
        "+1",
        "-",
        "--help",
        "~/x",
        "../x",
        "/",
    ),
    *(
        "é",
        "e\u0301",
        "日本語",
        "🙂",
        "\u202eabc",
        "\u200b",
        "\ufeff",
        "\x00",
        "\x07",
        "\x1b[31m",
        "\x85",
    ),
    *(
        "\u2028",
        "\ud800",
        "ß",
        "ﬁ",
        "I",
        "ı",
        "x" * 300,
        "9" * 400,
        "1e999",
        "0x10",
        "１",
        "²",
        "−1",
    ),
)


def mutated(data: bytes, rng: random.Random) -> bytes:
    """Return bytes with one kind of damage."""
    at = rng.randrange(len(data) + 1)
    length = rng.choice((1, 1, 2, 8, 64))
    kind = rng.randrange(6)
    if kind == 0:  # other bytes
        return data[:at] + rng.randbytes(min(length, len(data) - at)) + data[at + length :]
    if kind == 1:  # some less
        return data[:at] + data[at + length :]
    if kind == 2:  # a part twice
        return data[: at + length] + data[at:]
    if kind == 3:  # cut
        return data[:at]
    if kind == 4:  # a bit
        return (
            data[:at]
            + bytes(b ^ (1 << rng.randrange(8)) for b in data[at : at + 1])
            + data[at + 1 :]
        )
    piece = rng.choice(HOSTILE).encode("utf-8", "surrogatepass")
    return data[:at] + piece + data[at:]


def mutated_text(text: str, rng: random.Random) -> str:
    """Return text with one kind of damage."""
    at, length = rng.randrange(len(text) + 1), rng.choice((1, 1, 2, 5))
    kind = rng.randrange(5)
    if kind == 0:
        return text[:at] + text[at + length :]
    if kind == 1:
        return text[: at + length] + text[at:]
    if kind == 2:
        return text[:at]
    if kind == 3:
        return text[:at] + rng.choice("()=,;.'\"[]{}<>!-+*/\\ \n\t0123456789eE_aπ\x00") + text[at:]
    return text[:at] + rng.choice(HOSTILE) + text[at:]
