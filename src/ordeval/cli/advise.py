"""`ordeval advise`: which measure to use, by questions that data can answer."""

import re
import sys
from contextlib import suppress
from dataclasses import asdict, dataclass, fields
from functools import partial
from typing import Any

from ..advice import Choice, Facts, Question, choose, known_answers, path, recommend
from ..errors import InputError
from ..evaluation import read
from ..evaluation.advise import judged_facts
from ..evaluation.judge import read_panel
from ..evaluation.ratings import by_kind, named_raters, rated_data
from ..options import PanelReadSettings, defaults
from ..report.layout import text_width, wrapped
from ..report.other_views import path_view
from ..report.present import view_of
from .messages import printable
from .option_types import FLAG, Type, choice
from .options import (
    Classes,
    Columns,
    Files,
    Output,
    Panel,
    Raters,
    RatingColumns,
    Reading,
    ShareColumns,
    Units,
    argument,
    option,
    refuse,
)
from .options import Source as LabelFiles
from .output import Progress, write_json, write_view
from .quantify import refuse_shares, shares_of

_SAID_BY_ID = re.compile("^(yes|no)(: |, or )")  # at the beginning of an answer
_WIDEST = 100  # columns of questions
_question = partial(option, rich_help_panel="Answers")
_OF_LABELS = (
    *("gold", "pred", "topic", "id", "system", "missing", "bins", "runs", "judge"),
    "rate",
)


def _answer(id: str) -> Any:
    """Declare the option for the answer to a question."""
    question = next(q for q in path().questions if q.id == id)
    answers = "; ".join(f"{a.id}: {_SAID_BY_ID.sub('', a.text)}" for a in question.answers)
    return _question(None, choice(question.ids), f"{question.text} {answers}.")


@dataclass(frozen=True)
class Answered:
    """The answers that are given."""

    task: str | None = _answer("task")
    purpose: str | None = _answer("purpose")
    order: str | None = _answer("order")
    far: str | None = _answer("far")
    chance: str | None = _answer("chance")
    balance: str | None = _answer("balance")
    constant: str | None = _answer("constant")
    each_class: str | None = _answer("each_class")
    path: bool = _question(False, FLAG, "Show all questions and where they lead.", "--path")

    @property
    def given(self) -> dict[str, str]:
        """The answers by question."""
        answers = {question.id: getattr(self, question.id) for question in path().questions}
        return {id: answer for id, answer in answers.items() if answer is not None}


@dataclass(frozen=True)
class PerhapsFiles(Files):
    """The files, if there are any."""

    data: str = argument(
        Type("[DATA]"),
        "Data that answer some of the questions: a table as for `ordeval score`, ratings as for "
        "`ordeval agreement` and `ordeval judge`, or with --task distributions a file as for "
        "`ordeval quantify`.",
        default=None,
    )


@dataclass(frozen=True)
class AnySource(Classes, Reading, Units, Columns, PerhapsFiles):
    """Files, their columns, and the scale."""


@dataclass(frozen=True)
class Rated(RatingColumns, Panel, Raters):
    """Who rated the items, if there is no gold."""


def advise(
    source: AnySource, rated: Rated, shares: ShareColumns, answered: Answered, output: Output
) -> None:
    """Choose a measure by answering a few questions; your data answer some of them.

    On a terminal, the questions that neither options nor DATA answer are asked; elsewhere they are
    assumed, and the answer says so. Ends with the measures to use, the reasons with their sources,
    and the command that computes them. In a pipe without any answer, the whole path is shown.

    \b
    Examples:
      ordeval advise
      ordeval advise data.csv --labels low,medium,high
      ordeval advise data.csv --gold truth --pred bert,svm --chance no
      ordeval advise ratings.csv --raters anna,ben,carla
      ordeval advise ratings.csv --models gpt-4o --order order
      ordeval advise --task distributions --purpose compare --order distances
      ordeval advise --path --format markdown --out path.md
    """
    output.protect(source.files if source.data else ())
    if not source.data:
        _refuse_without_data(source, rated, shares)
    asking = source.data != "-" and sys.stdin is not None and _is_terminal()
    if answered.path or not (asking or source.data or answered.given):
        return _write_path(output)
    facts = None
    if source.data:
        with Progress(quiet=output.quiet) as progress:
            facts = _facts(source, rated, shares, answered.given, progress)
    given = answered.given
    if asking:
        answers = _interview(given, facts, min(text_width(terminal=output.out is None), _WIDEST))
        if answers is None:
            return None
        given = answers
    where = _options(source, rated, shares, facts) if facts else None
    advice = recommend(given, facts, where)
    if output.format == "json":
        return write_json(advice.to_dict(), output)
    return write_view(view_of(advice), output)


def _write_path(output: Output) -> None:
    """Write all questions, and the measures that the answers lead to."""
    if output.format == "json":
        plain = asdict(path())
        for part in (*plain["questions"], *plain["leaves"]):
            part["when"] = {name: sorted(ids) for name, ids in part["when"].items()}
        return write_json({"questions": plain["questions"], "measures": plain["leaves"]}, output)
    return write_view(path_view(), output)


def _is_terminal() -> bool:
    return sys.stdin.isatty() and sys.stderr.isatty()


def _refuse_without_data(*groups: Any) -> None:
    """Raise an error for options that say how to read data, if there are none."""
    for group in groups:
        names = [field.name for field in fields(group) if field.name not in ("data", "runs")]
        refuse(group, names, "reading data; name the file as well.")


def _facts(
    source: AnySource, rated: Rated, shares: ShareColumns, given: dict[str, str], progress: Progress
) -> Facts:
    """Return the facts about the files."""
    task = given.get("task")
    if task == "distributions":
        return _facts_of_shares(source, rated, shares)
    refuse_shares(shares, "add --task distributions if this file holds distributions.")
    named = any(getattr(rated, field.name) is not None for field in fields(rated))
    if named or task in ("raters", "judge"):
        refuse(source, _OF_LABELS, "data with gold labels; leave it out for ratings.")
        return _facts_of_ratings(source, rated, task, progress)
    try:
        return _facts_of_labels(source, progress)
    except InputError as problem:
        if problem.parameter != "gold" or source.gold != "gold" or source.data == "-":
            raise
        with suppress(InputError):  # then the first problem is the one to tell
            return _facts_of_ratings(source, rated, None, progress)
        raise


def _facts_of_labels(source: AnySource, progress: Progress) -> Facts:
    skipping = source.missing == "error" and source.judge is None
    reading = vars(source) | ({"missing": "skip"} if skipping else {})
    data, runs = reading.pop("data"), reading.pop("runs")
    items = read(data, *runs, **reading, progress=progress.stage("Reading"))
    return judged_facts(items) if source.judge else Facts.of_counts(items.counts())


def _facts_of_ratings(
    source: AnySource, rated: Rated, task: str | None, progress: Progress
) -> Facts:
    groups = {**vars(source), **vars(rated)}
    reading = {name: groups.get(name, value) for name, value in defaults(PanelReadSettings).items()}
    reading |= {"bins": None, "progress": progress.stage("Reading")}
    if task == "judge" or rated.people or rated.models:
        data, _, models = read_panel(rated.people, rated.models, source.data, reading)
        return Facts.of_ratings(data, models=models)
    data, kinds = rated_data(
        None, source.data, reading, raters=named_raters(rated.raters, "ratings")
    )
    people, models = by_kind(kinds)
    if len(data.names) < 2:
        raise InputError(
            f"{source.data} has ratings of one rater; two or more are expected.",
            parameter="ratings",
        )
    return Facts.of_ratings(data, models=models if task is None and people else ())


def _facts_of_shares(source: AnySource, rated: Rated, shares: ShareColumns) -> Facts:
    names = [field.name for field in fields(rated)]
    refuse(rated, names, "ratings; leave it out for distributions.")
    refuse(
        source,
        ("cluster", "judge", "rate", "text"),
        "files of labels; leave it out for distributions.",
    )
    files = LabelFiles(**{f.name: getattr(source, f.name) for f in fields(LabelFiles)})
    read = shares_of(files, shares)
    return Facts("distributions", read.scale.k, read.systems, len(read.topics))


def _options(
    source: AnySource, rated: Rated, shares: ShareColumns, facts: Facts | None
) -> dict[str, Any]:
    """Return the files and the options that say how to read them, as they were given."""
    options = {
        field.name: getattr(group, field.name)
        for group in (source, rated, shares)
        for field in fields(group)
        if field.name not in ("data", "runs") and getattr(group, field.name) != field.default
    }
    if facts is not None and facts.skipped and source.missing == "error" and not source.judge:
        options["missing"] = "skip"
    if conditions := options.pop("where", ()):
        columns = dict.fromkeys(column for column, _ in conditions)
        options["where"] = {c: [word for name, word in conditions if name == c] for c in columns}
    named = {_ROLES.get(name, name): value for name, value in options.items()}
    files = {"data": source.data, **({"runs": source.runs} if source.runs else {})}
    return files | {
        name: list(v) if isinstance(v, tuple | range) else v for name, v in named.items()
    }


_ROLES = {"gold": "y_true", "pred": "y_pred", "raters": "ratings"}  # in Python


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
                _say([f"{question.text} {choice.text} ({choice.because}).", ""], width)
            reached[question.id] = choice.answer
    return answers


def _ask(question: Question, assumed: Choice, width: int) -> str | None:
    """Ask a question until it is answered; return None if the user quits."""
    default = question.ids.index(assumed.answer) + 1
    hint = f" ({assumed.because})" if assumed.because else ""
    _say([question.text, *(f"  {i}. {a.text}" for i, a in enumerate(question.answers, 1))], width)
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
