"""A page per measure, made from its record: the card of the command line, and what it lacks."""

import re
from collections.abc import Iterator
from html import escape
from itertools import groupby
from pathlib import Path

from ordeval import Measure, measure
from ordeval import measures as all_measures
from ordeval.measures.raters import NEEDS_ALL
from ordeval.measures.registry import notation
from ordeval.measures.registry import records as registered
from ordeval.measures.spec import usual_variants
from ordeval.meta import axioms_of
from ordeval.report.measure_view import axiom_marks, card, own_symbols, symbol_definition

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

_FACTS = ("Range", "Scale", "Parameters", "Aliases", "Properties", "Undefined", "Source")
_GREEK = {r"\pi": "π", r"\delta": "δ", r"\theta": "θ", r"\sigma": "σ", r"\mu": "μ", r"\rho": "ρ"}
_TASKS = {
    "classification": "of labels",
    "probabilities": "of probabilities",
    "quantification": "of distributions",
    "raters": "of several raters",
    "ratings": "of ratings themselves",
}
_WITHOUT_TABLES = ("probabilities", "ratings")  # of gold and predicted classes
_HOW_SIMULATED = {
    "classification": "Simulated, of the default interval; in parentheses where results say that "
    "it is doubtful. [Coverage over items](../coverage.md) has more populations, and says how it "
    "was simulated.",
    "probabilities": "[Probabilities](../probabilities.md) says how intervals are made, and has "
    "the coverage of some.",
    "quantification": "Simulated, of the default interval, which is over topics. "
    "[Coverage](../coverage.md#quantification-60-topics) says how.",
    "ratings": "[Few people and a judge](../judge-labels.md) has the coverage, with a judge.",
    "raters": "Simulated, of the default interval, which is over items. [Coverage of "
    "agreement](../rater-coverage.md) says how, and has intervals over clusters and over raters.",
}
_NOT_SIMULATED = (
    "The coverage of its intervals was not simulated: it is computed one table at a time. "
    "[Coverage over items](../coverage.md) has that of the other measures."
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
            f"# {escape(record.card.title, quote=False)}{f' ({symbol})' * bool(symbol)} {m.arrow}",
            f"`{m.id}` · {m.better} is better · {record.family}",
            record.card.description,
            *_formulas(variants),
            "where\n\n" + "\n".join(f"- {_defined(line)}" for line in where(variants)),
            "## When to use it",
            f'<p><span class="yes">Use</span> {_linked(record.card.use)}</p>',
            f'<p><span class="no">Avoid</span> {_linked(record.card.avoid)}</p>',
            "## Facts",
            facts((h, _for_readers(lines)) for h, lines in card(m) if h in _FACTS),
            *_examples(variants),
            *_axioms(variants),
            *_intervals(variants, root),
            *_usage(m),
            *_sources(m),
        ]
    )


def _linked(text: str) -> str:
    """Return a text as HTML, with links to the cards of the measures that it names."""
    known = registered()

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


def where(variants: list[Measure]) -> list[str]:
    """Return the meaning of every symbol of the formulas and of these meanings."""
    m = variants[0]
    own, common = own_symbols(m), notation(m.record.task)
    text = " ".join([*(_quantities(each.formula) for each in variants), *own])
    used: list[str] = []
    while True:
        new = [s for s in common if s not in (*used, *m.record.card.symbols) and _occurs(s, text)]
        if not new:
            break
        used += new
        text += " ".join(common[s] for s in new if s != "K")
    return [*own, *(symbol_definition(s, common[s]) for s in common if s in used)]


def _defined(line: str) -> str:
    """Return the meaning of a symbol as HTML, the symbol in italics."""
    symbol, colon, meaning = line.partition(": ")
    if colon and symbol.isalpha():
        return f"<i>{symbol}</i>: {inline(meaning)}"
    return inline(line)


def _quantities(formula: str) -> str:
    """Return a formula without commands of LaTeX but for Greek letters."""
    for latex, letter in _GREEK.items():
        formula = formula.replace(latex, letter)
    formula = re.sub(r"\\mathrm\{(\w+)\}", r" \1 ", formula)
    return re.sub(r"\\[A-Za-z]+|\\\W", " ", formula)


def _occurs(symbol: str, text: str) -> bool:
    """Return whether a text has a symbol by itself, also as one of two indices."""
    plain = _GREEK.get(symbol, symbol).replace("C^+", "C⁺").replace("'", "[′']")
    spaced = re.sub(r"_\{?([A-Za-z])([A-Za-z])\b\}?", r"_ \1 \2 ", text.replace("C^+", "C⁺"))
    return re.search(rf"(?<![A-Za-z′']){plain}(?![A-Za-z′'])", spaced) is not None


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
    yield f"```bash\n{_folded_command(command)}\n```"
    yield f"```python\nimport ordeval as oe\n\n{_folded_call(call)}\n```"


def _folded_command(command: str) -> str:
    """Return a command in lines of at most 80 columns, broken before options."""
    lines = [""]
    for part in re.split("(?= --)", command):
        if len(lines[-1] + part) <= 78:  # a backslash may follow
            lines[-1] += part
        else:
            lines.append(f"    {part.strip()}")
    return " \\\n".join(lines)


def _folded_call(call: str) -> str:
    """Return a call in lines of at most 80 columns, broken between its arguments."""
    if len(call) <= 80:
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
        "Every measure has a card: the formula with its symbols, an example, when to use it "
        "and when not, its range, its properties and its source. On a terminal, "
        "`ordeval measures NAME` shows the same. ↑ higher is better, ↓ lower is better.",
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
