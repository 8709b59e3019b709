"""Pieces of pages that are written as HTML: grids of figures, lists of facts."""

import re
from collections.abc import Iterable, Sequence
from html import escape

from .formulas import block
from .worked import Grid, Step, shown


def grid(g: Grid) -> str:
    """Return a grid of figures as a table."""
    head = "".join(f'<th scope="col">{inline(name)}</th>' for name in g.columns)
    corner = escape(g.corner) or '<span class="md-visually-hidden">row</span>'
    rows = [_row(g, i, name, figures) for i, (name, figures) in enumerate(g.rows)]
    return (
        '<div class="scroll"><table class="figures">'
        f"<caption>{inline(g.caption)}</caption>"
        f'<thead><tr><th scope="col">{corner}</th>{head}</tr></thead>'
        f"<tbody>{''.join(rows)}</tbody></table></div>"
    )


def _row(g: Grid, i: int, name: str, figures: Sequence[object]) -> str:
    cells = [
        f'<td class="marked">{shown(x)}</td>' if (i, j) in g.marked else f"<td>{shown(x)}</td>"
        for j, x in enumerate(figures)
    ]
    return f'<tr><th scope="row">{inline(name)}</th>{"".join(cells)}</tr>'


def step(s: Step, *, last: bool) -> str:
    """Return a step of a worked example as a block in which Markdown is read."""
    grids = [grid(part) for part in s.parts if isinstance(part, Grid)]
    formulas = [block(part) for part in s.parts if isinstance(part, str)]
    tables = f'<div class="grids">{"".join(grids)}</div>' if grids else ""
    name = "step answer" if last else "step"
    body = "\n\n".join(filter(None, [_with_indices(s.text), tables, *formulas]))
    return f'<div class="{name}" markdown="block">\n\n{body}\n\n</div>'


def steps(all_steps: Sequence[Step]) -> str:
    """Return a worked example."""
    *first, final = all_steps
    blocks = [*(step(s, last=False) for s in first), step(final, last=True)]
    return '<div class="steps" markdown="block">\n\n' + "\n\n".join(blocks) + "\n\n</div>"


def facts(pairs: Iterable[tuple[str, Sequence[str]]]) -> str:
    """Return headings with their lines as a list of definitions."""
    rows = [
        f"<dt>{escape(heading)}</dt><dd>{'<br>'.join(map(inline, lines))}</dd>"
        for heading, lines in pairs
        if lines
    ]
    return f'<dl class="facts">{"".join(rows)}</dl>'


def _with_indices(text: str) -> str:
    """Return Markdown with indices such as r_i as HTML; code and formulas stay as they are."""
    parts = re.split(r"(`[^`]+`|\$[^$]+\$)", text)
    return "".join(part if part[:1] in {"`", "$"} else _indexed(part) for part in parts)


def inline(text: str) -> str:
    """Return a text as HTML: `code` in backticks, indices such as n_gp and powers such as d^γ."""
    parts = re.split(r"(`[^`]+`)", text)
    return "".join(
        f"<code>{escape(part[1:-1])}</code>" if part.startswith("`") else _indexed(escape(part))
        for part in parts
    )


_INDEX = re.compile(
    r"(?<![A-Za-z_])([A-Za-zΣακλτπσμρδθβγ]{1,2}[²']?)_(\{[^}]+\}|[A-Za-z0-9]{1,2}(?![A-Za-z]))"
)


_POWER = re.compile(r"\^(\{[^}]+\}|[γ\d])")


def _indexed(text: str) -> str:
    text = _INDEX.sub(lambda m: f"{_italic(m[1])}<sub>{m[2].strip('{}')}</sub>", text)
    return _POWER.sub(lambda m: f"<sup>{m[1].strip('{}')}</sup>", text)


def _italic(symbol: str) -> str:
    return symbol if symbol == "Σ" else f"<i>{symbol}</i>"
