"""Messages of the library in the words of the command line, and safe to print."""

import re

_CONTROL = re.compile(r"[\x00-\x09\x0b-\x1f\x7f-\x9f\u200e\u200f\u2028-\u202e\u2066-\u2069]")
_REWORDED = tuple(
    (re.compile(pattern), replacement)
    for pattern, replacement in (
        (r"labels=\[[^\]]*\]", "--labels low,medium,high"),
        (r"\b(missing|over|aggregate|undefined|method)=['\"]([^'\"]*)['\"]", r"--\1 \2"),
        (r"\b(values)=(?=[\[\d…-])", r"--\1 "),
        (r"^(labels|values) (?=declares|names|holds|has)", r"--\1 "),
        (r'or "worst" to', "or --missing worst to"),
        (r", or pass an ordered categorical", ""),
        (r'name its encoding, e\.g\. "', 'name its encoding, e.g. "--encoding '),
        (r"name (it|the prefix) with (gold|pred|run|prefix|topic)\b", r"name \1 with --\2"),
        (r"\bwith (pred|topic)=(?=[,.])", r"with --\1"),
        (r"\b(undefined)=(?=\d)", r"--\1 "),
        (r"name the prefix\.", "name the prefix with --prefix."),
        (r"leave `measures` out", "leave --measures out"),
        (r"use quantify for", "use `ordeval quantify` for"),
        (r"\bthat id names", "that --id names"),
        (r"\bdeclare labels\b", "declare --labels"),
        (r"made; use compare\(\.\.\.\) with two", "made; they need two"),
        (r"pass classical=True, with topics", "it needs topics: name them with --topic"),
    )
)


def as_options(message: str) -> str:
    """A message that speaks of parameters, such as missing="skip", speaking of options."""
    for pattern, replacement in _REWORDED:
        message = pattern.sub(replacement, message)
    return message


def harmless(text: str) -> str:
    """Text without terminal codes or marks that turn the direction of writing."""
    return _CONTROL.sub("\N{REPLACEMENT CHARACTER}", text)
