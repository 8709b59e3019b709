"""Formulas in LaTeX as MathML, which browsers show without any script."""

import re
from functools import cache
from html import escape
from typing import Any
from xml.etree.ElementTree import Element

from latex2mathml.converter import convert
from markdown import Markdown
from markdown.extensions import Extension
from markdown.inlinepatterns import InlineProcessor

# A backslash that is left over is a command that the converter does not know.
_UNKNOWN = re.compile(r"<m[a-z]+[^>]*>[^<]*\\[^<]*</m[a-z]+>")
_NAMES = re.compile(r"\\mathrm\{([^}]*)\}")
_BIG = {r"\Big\{": r"\left\{", r"\Big\}": r"\right\}", r"\Big(": r"\left(", r"\Big)": r"\right)"}
_INLINE = r"\$`([^`]+)`\$"


@cache
def mathml(latex: str, display: str = "inline") -> str:
    """Return a formula as a math element; a command that is not known is an error."""
    found: str = convert(_prepared(latex), display=display)
    if _UNKNOWN.search(found):
        raise ValueError(f"not known in LaTeX: {latex}")
    found = found.replace("mtext>", "mi>")  # names are operands, with space around signs
    return found.replace("<math ", f'<math alttext="{escape(latex)}" ', 1)


def _prepared(latex: str) -> str:
    """Return LaTeX that the converter reads: names are texts, and large brackets fit."""
    for big, fitting in _BIG.items():
        latex = latex.replace(big, fitting)
    return _NAMES.sub(r"\\text{\1}", latex)


def block(latex: str, kind: str = "") -> str:
    """Return a formula on a line of its own."""
    name = f"formula {kind}".strip()
    return f'<div class="{name}">{mathml(latex, "block")}</div>'


def fence(source: str, language: str, *_: Any, **__: Any) -> str:
    """Return a fenced block ``math`` of Markdown as a formula."""
    return block(source.strip())


class _Inline(InlineProcessor):  # type: ignore[misc]  # without types
    """A formula within a line, written as on GitHub: $`x`$."""

    def handleMatch(self, m: re.Match[str], data: str) -> tuple[Element | str, int, int]:
        """Return the formula and its place."""
        assert self.md is not None
        if m[1] != m[1].strip():  # as between two formulas with the signs the other way round
            raise ValueError(f"not a formula: {m[0]}")
        return self.md.htmlStash.store(mathml(m[1])), m.start(0), m.end(0)


class Formulas(Extension):  # type: ignore[misc]  # without types
    """An extension of Markdown for formulas within lines."""

    def extendMarkdown(self, md: Markdown) -> None:
        """Add the pattern, before that of code."""
        md.inlinePatterns.register(_Inline(_INLINE, md), "formulas", 195)
