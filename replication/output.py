"""Studies as text, CSV files and plain pages."""

import csv
from collections import Counter
from collections.abc import Iterator, Sequence
from html import escape
from pathlib import Path
from textwrap import fill

from .drawings import draw
from .study import Comparison, Exhibit, Study, Value, Verdict

HEADINGS = ("row", "column", "ours", "printed", "difference", "verdict", "reason")
_AGREEING = (Verdict.SAME, Verdict.DERIVED, Verdict.WITHIN)
_WIDTH = 96
_SHORT = 30  # longer reasons become numbered notes below a table
_STYLE = """
body { font: 16px/1.5 system-ui, sans-serif; max-width: 60rem; margin: 2rem auto; padding: 0 1rem }
table { border-collapse: collapse; font-size: .85rem } img { max-width: 100% }
th, td { border-bottom: 1px solid #bbb; padding: .15rem .6rem; text-align: left }
td:nth-child(n + 3):nth-child(-n + 5) { text-align: right; font-variant-numeric: tabular-nums }
tr.fails { background: #fbdcd3; color: #000 }
"""


def cells(c: Comparison) -> tuple[str, ...]:
    """Return a comparison as text, under `HEADINGS`."""
    digits = c.decimals + 2
    statement = c.verdict is Verdict.SAME and isinstance(c.ours, str)  # these are not rounded
    verdict = "same" if statement else c.verdict.value
    ours, gap = _number(c.ours, digits), _number(c.difference, digits, "+")
    gap = gap.lstrip("+-") if gap and float(gap) == 0 else gap
    return c.row, c.column, ours, c.printed or "", gap, verdict, c.reason


def _number(value: Value | None, digits: int, sign: str = "") -> str:
    if isinstance(value, float):
        return f"{value:{sign}.{digits}f}"
    return "" if value is None else f"{value:{sign}}"


def tally_text(counts: Counter[Verdict]) -> str:
    """Return how many figures have each verdict, e.g. "78 same after rounding, 1 differs"."""
    return ", ".join(f"{counts[v]} {v.value}" for v in Verdict if counts[v])


def _notes(exhibit: Exhibit) -> list[str]:
    notes = {"Open": exhibit.left_open, "Chosen": exhibit.chosen, "Outcome": exhibit.outcome}
    return [f"{name}: {text}" for name, text in notes.items() if text]


def _figures(exhibit: Exhibit) -> str:
    number = len(exhibit.comparisons)
    return f"{number} figure{'s' * (number != 1)}: {tally_text(exhibit.tally)}."


def study_text(study: Study, *, brief: bool = False) -> str:
    """Return a study as text; `brief` leaves out figures that simply agree."""
    parts = [study.key, "=" * len(study.key), _wrapped(study.citation), "", _wrapped(study.summary)]
    for exhibit in study.exhibits:
        title = _wrapped(exhibit.title)
        parts += ["", "", title, "-" * max(map(len, title.splitlines()))]
        parts += map(_wrapped, _notes(exhibit))
        shown = [c for c in exhibit.comparisons if not (brief and c.verdict in _AGREEING)]
        parts += ["", *_table(list(map(cells, shown)))] if shown else []
        parts.append(_wrapped(_figures(exhibit)))
    return "\n".join(parts) + "\n"


def _table(rows: Sequence[Sequence[str]]) -> Iterator[str]:
    """Yield the lines of a table; long reasons become notes, each of them once."""
    notes = list(dict.fromkeys(row[-1] for row in rows if len(row[-1]) > _SHORT))
    marks = {note: f"[{i}]" for i, note in enumerate(notes, start=1)}
    lines = [HEADINGS, *((*row[:-1], marks.get(row[-1], row[-1])) for row in rows)]
    widths = [max(map(len, column)) for column in zip(*lines, strict=True)]
    for line in lines:
        padded = (
            text.rjust(width) if i in (2, 3, 4) else text.ljust(width)
            for i, (text, width) in enumerate(zip(line, widths, strict=True))
        )
        yield "  ".join(padded).rstrip()
    yield from (_wrapped(f"{mark} {note}") for note, mark in marks.items())


def _wrapped(text: str) -> str:
    return fill(text, _WIDTH, subsequent_indent="    ")


def verdict_line(studies: Sequence[Study]) -> str:
    """Return the last lines of the output: all verdicts counted, and what was not reproduced."""
    failing = [
        f"{study.key} {exhibit.key}: {c.row}, {c.column}"
        for study in studies
        for exhibit in study.exhibits
        for c in exhibit.comparisons
        if c.verdict.fails
    ]
    counts = tally_text(sum((study.tally for study in studies), Counter()))
    last = "Nothing differs beyond the misprints and the claims on record."
    last = f"Not reproduced: {'; '.join(failing)}." if failing else last
    return f"{_wrapped(f'{counts}.')}\n{_wrapped(last)}"


def write_pages(studies: Sequence[Study], folder: Path) -> list[Path]:
    """Write a page, pictures and a CSV file for every study; return the paths of the pages."""
    folder.mkdir(parents=True, exist_ok=True)
    pages = []
    for study in studies:
        for drawing in (d for exhibit in study.exhibits for d in exhibit.drawings):
            draw(drawing).savefig(folder / _picture(study, drawing.name), dpi=150)
        rows = [(e.key, *_record(c)) for e in study.exhibits for c in e.comparisons]
        with (folder / f"{study.key}.csv").open("w", encoding="utf-8", newline="") as file:
            csv.writer(file).writerows([("exhibit", *HEADINGS), *rows])
        pages.append(folder / f"{study.key}.html")
        pages[-1].write_text(page_html(study), encoding="utf-8")
    return pages


def _record(c: Comparison) -> tuple[object, ...]:
    """Return a comparison with full precision."""
    return c.row, c.column, c.ours, c.printed, c.difference, c.verdict.value, c.reason


def _picture(study: Study, name: str) -> str:
    return f"{study.key}-{name}.png"


def page_html(study: Study) -> str:
    """Return a study as a page; its pictures are files beside it."""
    sections = "\n".join(_section(study, exhibit) for exhibit in study.exhibits)
    return f"""<!DOCTYPE html>
<html lang="en"><head><meta charset="utf-8"><title>{study.key}</title><style>{_STYLE}</style></head>
<body><h1>{study.key}</h1>
<p>{escape(study.citation)}</p>
<p>{escape(study.summary)}</p>
<p><strong>{escape(tally_text(study.tally))}.</strong></p>
{sections}
</body></html>
"""


def _section(study: Study, exhibit: Exhibit) -> str:
    notes = "".join(f"<p>{escape(note)}</p>" for note in [*_notes(exhibit), _figures(exhibit)])
    pictures = "".join(
        f'<figure><img src="{_picture(study, d.name)}" alt="{escape(d.caption)}">'
        f"<figcaption>{escape(d.caption)}</figcaption></figure>"
        for d in exhibit.drawings
    )
    heads = "".join(f"<th>{name}</th>" for name in HEADINGS)
    rows = "\n".join(_row(c) for c in exhibit.comparisons)
    return (
        f'<h2 id="{exhibit.key}">{escape(exhibit.title)}</h2>{notes}{pictures}\n'
        f"<table><tr>{heads}</tr>\n{rows}\n</table>"
    )


def _row(c: Comparison) -> str:
    kind = ' class="fails"' if c.verdict.fails else ""
    return f"<tr{kind}>{''.join(f'<td>{escape(text)}</td>' for text in cells(c))}</tr>"
