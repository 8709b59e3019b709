"""A page per measure, made from its record: the card of the command line, and what it lacks."""

import re
from collections.abc import Iterator
from html import escape
from itertools import groupby
from pathlib import Path

from ordeval import Measure, measure
from ordeval import measures as all_measures
from ordeval.measures.raters import NEEDS_ALL
from ordeval.measures.registry import records as registered
from ordeval.measures.spec import usual_variants
from ordeval.meta import axioms_of
from ordeval.report.layout import command_lines
from ordeval.report.measure_view import axiom_marks, card, symbols_of

from . import worked_examples  # noqa: F401
from .citations import bibtex, cited
from .coverage import coverage_grid
from .formulas import block
from .markup import facts, grid, inline, steps
from .worked import (
    LABELS,
    Grid,
    Ratings,
    Shares,
    Table,
    cells,
    example_of,
    score_of,
    shown,
    steps_of,
)

_WIDTH = 80  # columns of code
_FACTS = ("Range", "Scale", "Parameters", "Aliases", "Properties", "Undefined", "Source")
_TASKS = {
    "classification": "of labels",
    "probabilities": "of probabilities",
    "quantification": "of distributions",
    "raters": "of several raters",
    "ratings": "of ratings themselves",
}
_WITHOUT_TABLES = ("probabilities", "ratings")  # of gold and predicted classes
_HOW_SIMULATED = {
    "classification": "Simulated coverage of the default interval; parentheses mark what results "
    "call doubtful. [Coverage over items](../coverage.md) has more populations and the method.",
    "probabilities": "[Probabilities](../probabilities.md) says how intervals are made and how "
    "well some of them cover.",
    "quantification": "Simulated coverage of the default interval, which is over topics. "
    "[Coverage](../coverage.md#quantification-60-topics) has the method.",
    "ratings": "[Few gold labels and a judge](../judge-labels.md) has the coverage with a judge.",
    "raters": "Simulated coverage of the default interval, which is over items. [Coverage of "
    "agreement](../rater-coverage.md) has the method, and intervals over clusters and raters.",
}
_NOT_SIMULATED = (
    "The coverage of its intervals was not simulated, because it is computed one table at a time. "
    "[Coverage over items](../coverage.md) has the other measures."
)


def records() -> dict[str, list[Measure]]:
    """Return the usual variants of every measure, by its id."""
    listed = all_measures(None)
    return {m.id: usual_variants(m.record) for m in listed}


def card_page(variants: list[Measure], root: Path) -> str:
    """Return the page of a measure with its usual variants."""
    m = measure(variants[0].id)  # with the default parameters, which the first variant may not have
    record = m.record
    symbol = re.sub(r"_(\w+)", r"<sub>\1</sub>", escape(record.card.symbol or ""))
    tags = [m.id, *record.aliases]  # a search for a name finds its card first
    return "\n\n".join(
        [
            f"---\ntitle: {record.card.title}\nsearch:\n  boost: 3\ntags: {tags}\n---",
            f"# {escape(record.card.title, quote=False)}{f' ({symbol})' * bool(symbol)}",
            f"`{m.id}` · {m.better} is better · {record.family}",
            record.card.description,
            "## When to use it",
            f'<p><span class="yes">Use</span> {_linked(record.card.use)}</p>',
            f'<p><span class="no">Avoid</span> {_linked(record.card.avoid)}</p>',
            *_usage(m),
            "## Formula",
            *_formulas(variants),
            "where\n\n" + "\n".join(f"- {_defined(line)}" for line in symbols_of(*variants)),
            "## Facts",
            facts((h, _for_readers(lines)) for h, lines in card(m) if h in _FACTS),
            *_examples(variants),
            *_axioms(variants),
            *_intervals(variants, root),
            *_sources(m),
        ]
    )


def _linked(text: str) -> str:
    """Return the rest of a sentence as HTML, with links to the cards that it names."""
    known, text = registered(), text[:1].lower() + text[1:]

    def link(found: re.Match[str]) -> str:
        return f'<a href="{found[1]}.html">{found[0]}</a>' if found[1] in known else found[0]

    return re.sub(r"<code>(\w+)</code>", link, inline(text))


def _formulas(variants: list[Measure]) -> Iterator[str]:
    """Return the formula, or those of the variants where they differ."""
    by_formula = {m.formula: m for m in reversed(variants)}
    for formula, m in reversed(by_formula.items()):
        if len(by_formula) > 1:
            yield f"`{m}`"
        yield block(formula, "main")


def _defined(line: str) -> str:
    """Return the meaning of a symbol as HTML, the symbol in italics."""
    symbol, colon, meaning = line.partition(": ")
    if colon and symbol.isalpha():
        return f"<i>{symbol}</i>: {inline(meaning)}"
    return inline(line)


def _for_readers(lines: list[str]) -> list[str]:
    """Return lines of the card of the command line with names of Python."""
    return [line.replace("--values says", "`values` says") for line in lines]


# Worked examples


def _examples(variants: list[Measure]) -> Iterator[str]:
    m = variants[0]
    if m.record.task in _WITHOUT_TABLES:
        return
    worked = bool(steps_of(m))
    yield "## Worked example" if worked else "## Example"
    yield _data(m)
    for variant in variants:
        if worked and len(variants) > 1:
            yield f"### `{variant}`"
        if worked:
            yield steps(steps_of(variant))
        else:
            yield f"The score of `{variant}` is {shown(score_of(variant, example_of(variant)))}."
    if worked:
        yield (
            '<p class="quiet">Figures are rounded to four decimals, the computation is not. The '
            "steps are computed from the formula when this page is built, and must end with the "
            "score of the package.</p>"
        )


def _data(m: Measure) -> str:
    """Return the data of the example."""
    data = example_of(m)
    if isinstance(data, Table):
        text = (
            "25 items of three classes, counted by gold and predicted class. Further symbols: "
            f"G = ({', '.join(f'{x:.0f}' for x in data.G)}) are the sums of the rows, "
            f"P = ({', '.join(f'{x:.0f}' for x in data.P)}) those of the columns."
        )
        return f"{text}\n\n{grid(cells('Items', data.n))}"
    if isinstance(data, Shares):
        text = "A gold distribution over three classes and an estimate of it."
        rows = [("gold q", list(data.q)), ("estimate p", list(data.p))]
        return f"{text}\n\n{grid(Grid('Shares', LABELS, rows, 'distribution'))}"
    return _ratings(m, data)


def _ratings(m: Measure, data: Ratings) -> str:
    text = "Six items, rated by three raters on a scale of three classes"
    text += "." if m.id in NEEDS_ALL else "; one rating is missing."
    rows = [
        (f"item {i + 1}", [LABELS[x - 1] if x else "–" for x in row])
        for i, row in enumerate(data.given)
    ]
    return f"{text}\n\n{grid(Grid('Ratings', ['A', 'B', 'C'], rows, 'item'))}"


# What is known about a measure


def _axioms(variants: list[Measure]) -> Iterator[str]:
    if variants[0].record.task in ("raters", *_WITHOUT_TABLES):  # whose axioms are not known
        return
    yield "## Axioms"
    yield (
        "✓ holds in every case that a search tries: all small ones, then random larger ones; ✗ has "
        f'a counter-example, which `ordeval axioms "{variants[0]}"` shows.'
    )
    marks = {m.specification: {axiom.id: mark for mark, axiom in axiom_marks(m)} for m in variants}
    if len({tuple(sorted(found.items())) for found in marks.values()}) == 1:
        marks = dict([next(iter(marks.items()))])
    for name, found in marks.items():
        if len(marks) > 1:
            yield f"`{name}`"
        known = {axiom.id: axiom for axiom in axioms_of(variants[0].record.task)}
        yield "\n".join(
            f'- <span class="{"yes" if mark == "✓" else "no"}">{mark}</span> '
            f"**{known[id].title}**: {known[id].statement}"
            for id, mark in found.items()
        )


def _intervals(variants: list[Measure], root: Path) -> Iterator[str]:
    yield "## Intervals"
    if variants[0].interval_note:
        yield variants[0].interval_note
    shown = [
        (m, found) for m in variants if (found := coverage_grid(root, m.specification)) is not None
    ]
    for m, found in shown:
        name = f"{found.caption}: {m}" if len(variants) > 1 else found.caption
        yield grid(Grid(name, found.columns, found.rows, found.corner))
    told = shown or variants[0].record.task in _WITHOUT_TABLES
    yield _HOW_SIMULATED[variants[0].record.task] if told else _NOT_SIMULATED


def _usage(m: Measure) -> Iterator[str]:
    command, call = dict(card(m))["Try"]
    yield "## Compute it"
    yield f"```bash\n{chr(10).join(command_lines(command, _WIDTH))}\n```"
    yield f"```python\nimport ordeval as oe\n\n{_folded_call(call)}\n```"


def _folded_call(call: str) -> str:
    """Return a call in lines of at most 80 columns, broken between its arguments."""
    if len(call) <= _WIDTH:
        return call
    name, _, arguments = call.removesuffix(")").partition("(")
    lines = re.split(", (?=(?:labels|measures)=)", arguments)
    return "\n".join([f"{name}(", *(f"    {line}," for line in lines), ")"])


def _sources(m: Measure) -> Iterator[str]:
    yield "## Cite it"
    citation = m.record.card.citation
    yield f"{citation[0].upper()}{citation[1:]}."
    yield "```bibtex\n" + "\n\n".join(map(bibtex, cited(m))) + "\n```"


# The list of all


def list_page() -> str:
    """Return the page that lists all measures."""
    parts = [
        "# Measures",
        "Every measure has a card: when to use it and when not, how to compute it, the formula, "
        "an example, its properties and its source. `ordeval measures NAME` shows a short form on "
        "a terminal. ↑ higher is better, ↓ lower is better. Unsure? "
        "[Which measure?](../which-measure.md) asks a few questions and recommends one.",
    ]
    for family, group in groupby(records().values(), lambda variants: variants[0].record.family):
        variants = list(group)
        task = _TASKS[variants[0][0].record.task]
        parts += [f"## {family.capitalize()}", f"Measures {task}.", *_listed(variants)]
    return "\n\n".join(parts)


def _listed(group: list[list[Measure]]) -> Iterator[str]:
    lines = []
    for variants in group:
        m = variants[0]
        names = ", ".join(f"<code>{escape(name)}</code>" for name in m.record.aliases)
        also = f'<br><span class="quiet">also {names}</span>' if names else ""
        first = inline(m.record.card.description.split(". ")[0].rstrip("."))
        link = f'<a href="{m.id}.html">{escape(m.record.card.title)}</a>'
        lines.append(f"<dt>{link} <code>{m.id}</code> {m.arrow}</dt><dd>{first}.{also}</dd>")
    yield '<dl class="listed">\n' + "\n".join(lines) + "\n</dl>"


def card_pages(root: Path) -> dict[str, str]:
    """Return all pages of measures, by path."""
    pages = {f"measures/{id}.md": card_page(variants, root) for id, variants in records().items()}
    return {"measures/index.md": list_page(), **pages}


def names_on_cards() -> dict[str, list[str]]:
    """Return the built pages of the measures, with the names that each must have."""
    found = {"measures/index.html": list(records())}
    for id, variants in records().items():
        keys = [m.key for m in variants] if len(variants) > 1 else []
        found[f"measures/{id}.html"] = [id, *keys, *variants[0].record.aliases]
    return found
