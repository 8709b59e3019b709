"""The page "Which measure?": the questions of `ordeval advise`, and a card for every path.

The script of the page walks a tree of answers that is made here from the one decision path, so it
knows no conditions and no measures. Without a script the path is a list.
"""

import json
from collections.abc import Iterator
from functools import cache
from html import escape, unescape

import ordeval as oe
from ordeval.advice import Answers, Leaf, Question, Reason, Recommendation, path, recommend
from ordeval.report.layout import command_lines
from ordeval.report.texts import works as cited_works

_INTRODUCTION = """# Which measure?

If you have no time:

- you know the order of the classes and nothing else: [CEM](measures/cem.md), or
  [ordinal alpha](measures/alpha.md) if guessing should score 0
- the steps between classes are equal: [linear kappa](measures/kappa.md), or
  [macro-averaged MAE](measures/macro_mae.md) if every class should count the same
- several raters, none of them gold: [Krippendorff's alpha](measures/krippendorff.md)
- probabilities of ordered classes: [RPS](measures/rps.md)
- distributions: [RNOD](measures/rnod.md) and [NMD](measures/nmd.md)

Otherwise answer up to eight questions. You get one measure to decide by, what else to report,
and the call that computes it."""
_MORE = """## With your data

`ordeval advise` asks the same questions on a terminal. With a file, `ordeval advise data.csv`, the
data answer what they can: how many systems there are, which classes are rare, who predicts a
constant. In Python:

```python
import ordeval as oe

oe.advise(task="labels", order="order", chance="no").primary
```

[All measures side by side](side-by-side.md) shows what each measure uses, and how all of them score
the same eight tables.

## The whole path"""
_NARROW = 40  # columns of code on a phone
_ENDS = {
    "labels": "Labels of systems, and of models judged by people",
    "probabilities": "Probabilities",
    "raters": "Several raters",
    "distributions": "Distributions",
}
_POSTS = {
    "How to evaluate Ordinal Regression, 2025": "How to evaluate Ordinal Regression (2025). Web "
    "log post of 1 April 2025."
}


def which_measure_page() -> str:
    """Return the page in Markdown."""
    ends = [_folded(title, "\n".join(map(_end, _leaves(task)))) for task, title in _ENDS.items()]
    questions = "\n".join(map(_explained, path().questions))
    page = "\n\n".join([_INTRODUCTION, _form(), _MORE, _folded("The questions", questions), *ends])
    return f"{page}\n\n{_folded('References', _references(unescape(page)))}"


def _leaves(task: str) -> list[Leaf]:
    return [leaf for leaf in path().leaves if task in leaf.when["task"]]


def _folded(title: str, html: str) -> str:
    return f"<details>\n<summary>{escape(title)}</summary>\n{html}\n</details>"


def _references(page: str) -> str:
    """Return the list of the works that the page cites."""
    works = sorted(work for key, work in {**cited_works(), **_POSTS}.items() if key in page)
    return "<ul>" + "".join(f"\n<li>{escape(work)}</li>" for work in works) + "\n</ul>"


# The questions


def _form() -> str:
    """Return the form, which the script shows, and what the script needs."""
    data = json.dumps(walk(), ensure_ascii=False).replace("</", "<\\/")
    fields = "\n".join(map(_field, path().questions))
    return (
        "<noscript><p>The form needs JavaScript. Without it, see "
        '<a href="#the-whole-path">The whole path</a>.</p></noscript>\n'
        f'<form id="which" hidden>\n{fields}\n'
        '<p><button type="reset" class="button">Start again</button></p>\n</form>\n'
        '<p id="said" class="md-visually-hidden" role="status" aria-live="polite"></p>\n'
        '<section id="advised" class="answer" aria-label="Recommended measure" hidden></section>\n'
        f'<script type="application/json" id="which-data">{data}</script>\n'
        '<script src="assets/which-measure.js" defer></script>'
    )


def _field(question: Question) -> str:
    choices = "".join(
        f'<label><input type="radio" name="{question.id}" value="{answer.id}"> '
        f"{escape(_sentence(answer.text))}</label>"
        for answer in question.answers
    )
    hint = f"hint-{question.id}"
    return (
        f'<fieldset id="ask-{question.id}" aria-describedby="{hint}" hidden>'
        f"<legend>{escape(question.text)}</legend>"
        f'<p class="quiet" id="{hint}">{escape(question.hint)}</p>'
        f'<div class="choices">{choices}</div></fieldset>'
    )


@cache
def walk() -> dict[str, object]:
    """Return the tree of answers, and the pieces of the cards at its ends.

    A question is `{"ask": id, "then": {answer: …}}`, an end the list of the numbers of its pieces.
    """
    pieces: dict[str, int] = {}

    def node(answers: Answers) -> object:
        question = path().next_question(answers)
        if question is None:
            return [pieces.setdefault(piece, len(pieces)) for piece in card(recommend(answers))]
        then = {id: node({**answers, question.id: id}) for id in question.ids}
        return {"ask": question.id, "then": then}

    return {"tree": node({}), "pieces": list(pieces)}


def card(advice: Recommendation) -> Iterator[str]:
    """Yield the pieces of a recommendation in HTML."""
    title = oe.measure(advice.primary).record.card.title
    name = link(advice.primary, title)
    yield f"<h2>Use {name} ({code(advice.primary)})</h2><p>{escape(advice.reason)}</p>"
    yield f"<p>{escape(' '.join(advice.remarks))}</p>" if advice.remarks else ""
    yield f"<h3>Also report</h3>{_reasons(advice.beside)}"
    yield f"<h3>Do not use</h3>{_reasons(advice.avoid)}<h3>Compute it</h3>"
    command = "\n".join(command_lines(advice.command, _NARROW))
    yield _copied("On the command line", "command", command)
    yield _copied("In Python", "python", advice.code)


def _reasons(reasons: tuple[Reason, ...]) -> str:
    items = [f"<li>{link(r.measure)} – {escape(_clause(r.reason))}</li>" for r in reasons]
    return f"<ul>{''.join(items)}</ul>"


def _clause(sentence: str) -> str:
    return f"{sentence[:1].lower()}{sentence[1:].rstrip('.')}"


def _copied(title: str, name: str, text: str) -> str:
    """Return code with a button that the script of the theme serves."""
    return (
        f'<p class="quiet">{title} <button type="button" class="button" aria-label="Copy: {title}" '
        f'data-clipboard-target="#advised-{name}">Copy</button></p>'
        f'<pre id="advised-{name}">{escape(text).replace(",", ",<wbr>")}</pre>'
    )


# The path as a list


def _explained(question: Question) -> str:
    """Return a question with what follows from its answers."""
    answers = "".join(
        f"<li><b>{escape(_sentence(answer.text))}</b> ({code(answer.id)}). {escape(answer.reason)} "
        f"<i>{escape(answer.source)}</i></li>"
        for answer in question.answers
    )
    option = code(f"--{question.id.replace('_', '-')}")
    return f"<p>{escape(question.text)} {option}</p><ul>{answers}</ul>"


def _end(leaf: Leaf) -> str:
    """Return what to use after some answers, what else to report, and what not to use."""
    answers = [
        f"{question.id.replace('_', ' ')} {' or '.join(code(word) for word in words)}"
        for question in path().questions
        if question.id != "task"
        and (words := [w for w in question.ids if w in leaf.when.get(question.id, ())])
    ]
    why = (
        f"{escape(' '.join(filter(None, (leaf.reason, leaf.remark))))} <i>{escape(leaf.source)}</i>"
    )
    beside = ", ".join(link(r.measure) for r in leaf.beside)
    avoid = ", ".join(link(r.measure) for r in leaf.avoid)
    return (
        f'<div class="entry"><p><b>{", ".join(answers)}</b><br>'
        f'<span class="yes">Use</span> {link(leaf.primary)}. {why}<br>'
        f'Also {beside}.<br><span class="no">Not</span> {avoid}.</p></div>'
    )


def _sentence(text: str) -> str:
    return f"{text[:1].upper()}{text[1:]}"


def code(text: str) -> str:
    return f"<code>{escape(text)}</code>"


def link(measure: str, text: str = "") -> str:
    """Return a measure, by its title or its name, with a link to its card."""
    shown = escape(text) if text else code(measure)
    return f'<a href="measures/{oe.measure(measure).id}.html">{shown}</a>'
