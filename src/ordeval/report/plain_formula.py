"""Formulas as plain text, for terminals: the LaTeX that cards use, in Unicode."""

import re

_SIGNS = {
    "sum": "Σ", "prod": "Π", "int": "∫", "in": "∈", "le": "≤", "ge": "≥", "ne": "≠",
    "beta": "β", "gamma": "γ", "delta": "δ", "theta": "θ", "sigma": "σ", "pi": "π", "mu": "μ",
    "rho": "ρ", "quad": "with ", ",": " ", "!": "", "|": "‖", "{": " [", "}": "]",
}  # fmt: skip
_SIZES = re.compile(r"\\(left|right|Big)")
_PART = re.compile(r"\\(?P<command>[A-Za-z]+|.)|(?P<place>[_^])|(?P<other>.)", re.DOTALL)
_RAISED = str.maketrans("0123456789+", "⁰¹²³⁴⁵⁶⁷⁸⁹⁺")
_LOWERED = str.maketrans("0123456789", "₀₁₂₃₄₅₆₇₈₉")
_LIMITS = re.compile(r"(Σ_\([^()]*)\)\^\(([^()]*\))")
_NUMBERED = re.compile(r"(?<!\w)([^\W\d_]′?)_(\d+)(?!\w)")
_BRACKETS = re.compile(r"\([^()]*\)|\[[^][]*\]|\|[^|]*\|")


def plain_formula(latex: str) -> str:
    r"""Return a formula as one line of text.

    >>> plain_formula(r"1 - \frac{\sum_{g,p} w_{gp}\,n_{gp}}{N}")
    '1 − (Σ_(g,p) w_gp n_gp)/N'
    """
    text = _converted(_SIZES.sub("", latex).replace("'", "′").replace("-", "−"))
    return " ".join(_LIMITS.sub(r"\1…\2", text).split())


def plain_indices(text: str) -> str:
    """Return prose with the indices and powers that formulas have as plain text.

    >>> plain_indices("(Σ_{g,p} d_gp^γ)^{1/γ}, from v_1 to v_{k+1}, as macro_f1")
    '(Σ_(g,p) d_gp^γ)^(1/γ), from v₁ to v_(k+1), as macro_f1'
    """
    text = re.sub(r"([_^])\{([^{}]*)\}", lambda m: _placed(m[1], m[2]), text.replace("'_", "′_"))
    return _NUMBERED.sub(lambda m: m[1] + _placed("_", m[2]), text)


def _converted(latex: str) -> str:
    found, rest = "", latex
    while part := _PART.match(rest):
        rest, command = rest[part.end() :], part["command"]
        if command == "frac":
            above, rest = _argument(rest)
            below, rest = _argument(rest)
            found += _ratio(above, below, found, rest)
        elif command == "sqrt":
            inner, rest = _argument(rest)
            found += f"√{inner if inner.isalnum() else f'({inner})'}"
        elif command == "mathrm":
            inner, rest = _argument(rest)
            found += inner
        elif part["place"]:
            inner, rest = _argument(rest)
            found += _placed(part["place"], inner)
        else:
            found += _SIGNS.get(command, command) if command else part["other"]
    return found


def _argument(latex: str) -> tuple[str, str]:
    """Return the first group or sign as text, and the LaTeX after it."""
    if not latex.startswith("{"):
        first = _PART.match(latex)
        end = first.end() if first else 0
        return _converted(latex[:end]), latex[end:]
    depth = 0
    for end, sign in enumerate(latex):
        depth += (sign == "{") - (sign == "}") if latex[end - 1] != "\\" else 0
        if depth == 0:
            break
    return _converted(latex[1:end]), latex[end + 1 :]


def _placed(place: str, inner: str) -> str:
    """Return an index or a power: small digits, a bare word, or anything in parentheses."""
    digits = inner.translate(_LOWERED if place == "_" else _RAISED)
    if digits != inner and len(inner.strip("0123456789+")) == 0:
        return digits
    return f"{place}{inner}" if inner.isalnum() else f"{place}({inner})"


def _ratio(above: str, below: str, before: str, after: str) -> str:
    """Return a fraction in one line; parentheses where the neighbours would be read into it."""
    top, bottom = (_BRACKETS.sub("()", _BRACKETS.sub("()", side)) for side in (above, below))
    above = f"({above})" if re.search("[+−ΣΠ]", top) else above
    below = f"({below})" if re.search(r"[+−ΣΠ/ ]|[^\W_]\(\)", bottom) else below
    follows = re.match(r"\s*[^\s)\]|,+−/\\}]|\s*\\(?![,}])", after)
    within = follows or re.search(r"log\S*\s*$", before)
    return f"({above}/{below}) " if within else f"{above}/{below}"
