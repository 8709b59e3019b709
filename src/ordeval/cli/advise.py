"""`ordeval advise`: which measure to use, by questions that data can answer."""

import re
import sys
from contextlib import suppress
from typing import Any

from .. import options
from ..advice import Choice, Facts, Question, choose, known_answers, path, recommend
from ..errors import InputError
from ..evaluation.advise import judged_facts
from ..evaluation.agreement import by_kind
from ..evaluation.judge import read_panel
from ..evaluation.ratings import named_raters, rated_data
from ..report.layout import text_width, wrapped
from ..report.present import view_of
from .messages import printable
from .option_types import choice
from .options import (
    LABEL_FILES,
    OUTPUT,
    PEOPLE,
    RATERS,
    Given,
    Option,
    argument,
    changed,
    command,
    library,
    refuse,
    tables,
)
from .output import Progress, write_json, write_view
from .results import Stage, read_labels, read_shares

_SAID_BY_ID = re.compile("^(yes|no)(: |, or )")  # at the beginning of an answer
_WIDEST = 100  # columns of questions
_COLUMNS = (*LABEL_FILES[2:], *PEOPLE, RATERS)
_READING = (options.ReadSettings, options.ShareColumns, options.RatingColumns, options.KindOption)
_OF_RATINGS = {*options.declared(options.RatingColumns), "kind", "raters", "people", "models"}
_ROLES = {"gold": "y_true", "pred": "y_pred", "raters": "ratings"}  # in Python


def _answer(question: Question) -> Option:
    """Declare the option for the answer to a question."""
    answers = "; ".join(f"{a.id}: {_SAID_BY_ID.sub('', a.text)}" for a in question.answers)
    help = f"{question.text} {answers}."
    return Option(question.id, choice(question.ids), help, panel="Answers")


@command(
    argument(
        "data",
        "[DATA]",
        "Data that answer some of the questions: a table as for `ordeval score`, ratings as for "
        "`ordeval agreement` and `ordeval judge`, or with --task distributions a file as for "
        "`ordeval quantify`.",
    ),
    LABEL_FILES,
    PEOPLE,
    RATERS,
    library(*_READING),
    map(_answer, path().questions),
    tables("answers", about="the answers that led there, with reasons"),
    OUTPUT,
    rare=("topic", "cluster", "by"),  # the answers need the screen
)
def advise(given: Given) -> None:
    """Choose a measure by answering a few questions.

    On a terminal it asks what neither options nor DATA answer; elsewhere it assumes an answer and
    says so. It ends with the measures to use, why, and the command that computes them.

    \b
    Examples:
      ordeval advise
      ordeval advise data.csv --labels low,medium,high
      ordeval advise data.csv --gold truth --pred bert,svm --chance no
      ordeval advise ratings.csv --raters anna,ben,carla
      ordeval advise ratings.csv --models gpt-4o --order order
      ordeval advise --task distributions --purpose compare --order distances
    """
    output = given.output
    output.protect(given.files)
    answers = {q.id: getattr(given, q.id) for q in path().questions if getattr(given, q.id)}
    named = changed(given, (*_COLUMNS, *library(*_READING)))
    if not given.data:
        refuse(named, "reading data; name the file as well.")
    asking = given.data != "-" and sys.stdin is not None and _is_terminal()
    facts = None
    if given.data:
        with Progress(quiet=output.quiet) as progress:
            facts = _facts(given, named, answers.get("task"), progress.stage)
    if asking:
        width = min(text_width(terminal=output.out is None), _WIDEST)
        interview = _interview(answers, facts, width)
        if interview is None:
            return None
        answers = interview
    advice = recommend(answers, facts, _source(given, named, facts) if facts else None)
    if output.format == "json":
        return write_json(advice.to_dict(), output)
    return write_view(view_of(advice), output, given.sections)


def _is_terminal() -> bool:
    return sys.stdin.isatty() and sys.stderr.isatty()


def _facts(given: Given, named: dict[str, Any], task: str | None, stage: Stage) -> Facts:
    """Return the facts about the files; options that are `named` must be of use."""
    if task == "distributions":
        known = {*options.declared(options.ReadSharesSettings), "gold"}
        refuse(named.keys() - known, "labels or ratings; leave it out for distributions.")
        shares = read_shares(given, stage)
        return Facts("distributions", shares.scale.k, shares.systems, len(shares.topics))
    refuse(
        named.keys() & options.declared(options.ShareColumns).keys(),
        "files of distributions; add --task distributions if this file holds distributions.",
    )
    if named.keys() & _OF_RATINGS or task in ("raters", "judge"):
        known = {*_reading_of_ratings(given), *_OF_RATINGS} - {"bins"}
        refuse(named.keys() - known, "data with gold labels; leave it out for ratings.")
        return _facts_of_ratings(given, task, stage)
    try:
        return _facts_of_labels(given, stage)
    except InputError as problem:
        if problem.parameter == "gold" and "gold" not in named and given.data != "-":
            with suppress(InputError):  # then the first problem is the one to tell
                return _facts_of_ratings(given, None, stage)
        raise


def _facts_of_labels(given: Given, stage: Stage) -> Facts:
    judged = given.judge is not None
    if given.missing == "error" and not judged:
        given = Given(**vars(given) | {"missing": "skip"})
    items = read_labels(given, stage)
    return judged_facts(items) if judged else Facts.of_data(items)


def _reading_of_ratings(given: Given) -> dict[str, Any]:
    return {
        "by": None,
        **given.of(options.PanelRead, options.RowOptions, options.TextFileOptions),
    }


def _facts_of_ratings(given: Given, task: str | None, stage: Stage) -> Facts:
    reading = {**_reading_of_ratings(given), "progress": stage("Reading")}
    if task == "judge" or given.people or given.models:
        data, _, models = read_panel(given.people, given.models, given.data, reading)
        return Facts.of_ratings(data, models=models)
    raters = named_raters(given.raters, "ratings")
    data, kinds = rated_data(None, given.data, reading, raters=raters)
    people, models = by_kind(kinds)
    if len(data.names) < 2:
        raise InputError(
            f"{given.data} has ratings of one rater; two or more are expected.",
            parameter="ratings",
        )
    return Facts.of_ratings(data, models=models if task is None and people else ())


def _source(given: Given, named: dict[str, Any], facts: Facts) -> dict[str, Any]:
    """Return the files and options as arguments in Python."""
    source = {"data": given.data, **({"runs": list(given.runs)} if given.runs else {}), **named}
    if facts.skipped and not named.keys() & {"missing", "judge"}:
        source["missing"] = "skip"
    if conditions := source.pop("where", ()):
        columns = dict.fromkeys(column for column, _ in conditions)
        source["where"] = {c: [x for name, x in conditions if name == c] for c in columns}
    return {
        _ROLES.get(name, name): list(value) if isinstance(value, tuple | range) else value
        for name, value in source.items()
    }


# The interview on a terminal.


def _interview(given: dict[str, str], facts: Facts | None, width: int) -> dict[str, str] | None:
    """Ask the questions that are open; return all answers, or None if the user quits."""
    known = known_answers(facts) if facts else {}
    answers, reached = dict(given), dict[str, str]()
    while (question := path().next_question(reached)) is not None:
        choice = choose(question, answers, known, reached)
        if choice.how == "assumed":
            answer = _ask(question, choice, width)
            if answer is None:
                return None
            answers[question.id] = reached[question.id] = answer
        else:
            if choice.how == "data":
                text = f"{choice.text[:1].upper()}{choice.text[1:]} ({choice.because})."
                _say(["", f"{question.text} {text}"], width)
            reached[question.id] = choice.answer
    return answers


def _ask(question: Question, assumed: Choice, width: int) -> str | None:
    """Ask a question until it is answered; return None if the user quits."""
    default = question.ids.index(assumed.answer) + 1
    hint = f" ({assumed.because})" if assumed.because else ""
    answers = [f"  {i}. {a.text}" for i, a in enumerate(question.answers, 1)]
    _say(["", question.text, question.hint, *answers], width)
    while True:
        prompt = f"Number, Enter for {default}{hint}, ? for reasons, q to quit: "
        print(
            "\n".join(wrapped(printable(prompt), width - 8)), end=" ", file=sys.stderr, flush=True
        )
        line = sys.stdin.readline()
        word = line.strip().lower() or (str(default) if line else "q")
        if word in ("q", "quit"):
            return None
        if word == "?":
            reasons = enumerate(question.answers, 1)
            _say([f"  {i}. {a.reason} ({a.source})" for i, a in reasons], width)
        elif word in question.ids:
            return word
        elif word in [str(i + 1) for i in range(len(question.ids))]:
            return question.ids[int(word) - 1]
        else:
            _say([f"Type a number from 1 to {len(question.ids)}."], width)


def _say(lines: list[str], width: int) -> None:
    for line in lines:
        indent = "     " if line.startswith("  ") else ""
        print("\n".join(wrapped(printable(line), width, indent)), file=sys.stderr)
