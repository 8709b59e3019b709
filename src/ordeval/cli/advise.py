"""`ordeval advise`: which measure to use, by questions that data can answer."""

import re
import sys
from collections.abc import Iterable
from contextlib import suppress
from dataclasses import asdict, dataclass, fields
from functools import partial
from typing import Any

from ..advice import Choice, Facts, Question, choose, known_answers, path, recommend
from ..errors import InputError
from ..evaluation import read, read_shares
from ..evaluation.advise import judged_facts
from ..evaluation.judge import read_panel
from ..evaluation.ratings import by_kind, named_raters, rated_data
from ..options import (
    AnySettings,
    PanelReadSettings,
    RatingColumns,
    ReadSettings,
    ReadSharesSettings,
    ShareColumns,
    declared,
    defaults,
    options_of,
)
from ..report.layout import text_width, wrapped
from ..report.other_views import path_view
from ..report.present import view_of
from .messages import OPTIONS, printable
from .option_types import FLAG, Type, choice
from .options import LabelFiles, Output, People, Raters, argument, option
from .output import Progress, write_json, write_view

_SAID_BY_ID = re.compile("^(yes|no)(: |, or )")  # at the beginning of an answer
_WIDEST = 100  # columns of questions
_question = partial(option, rich_help_panel="Answers")


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
class AnyFiles(Raters, People, LabelFiles):
    """The files, if there are any, and the columns of labels or ratings."""

    data: str = argument(
        Type("[DATA]"),
        "Data that answer some of the questions: a table as for `ordeval score`, ratings as for "
        "`ordeval agreement` and `ordeval judge`, or with --task distributions a file as for "
        "`ordeval quantify`.",
        default=None,
    )


def advise(files: AnyFiles, reading: AnySettings, answered: Answered, output: Output) -> None:
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
    output.protect(files.files if files.data else ())
    given = _Given(files, reading)
    if not files.data:
        given.refuse(given.options, "reading data; name the file as well.")
    asking = files.data != "-" and sys.stdin is not None and _is_terminal()
    if answered.path or not (asking or files.data or answered.given):
        return _write_path(output)
    facts = None
    if files.data:
        with Progress(quiet=output.quiet) as progress:
            facts = given.facts(answered.given.get("task"), progress.stage("Reading"))
    answers: dict[str, str] | None = answered.given
    if asking:
        width = min(text_width(terminal=output.out is None), _WIDEST)
        answers = _interview(answered.given, facts, width)
    if answers is None:
        return None
    advice = recommend(answers, facts, given.source(facts) if facts else None)
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


class _Given:
    """The files, and the options that say how to read them."""

    def __init__(self, files: AnyFiles, reading: AnySettings) -> None:
        usual = {field.name: field.default for field in fields(files)} | defaults(AnySettings)
        every = {**vars(files), **reading}
        self._files, self._reading = files, {**defaults(AnySettings), **reading}
        self.options = {
            name: value
            for name, value in every.items()
            if name not in ("data", "runs") and value and value != usual[name]
        }

    def refuse(self, names: Iterable[str], reason: str) -> None:
        """Raise an error for options that would be ignored."""
        if ignored := [OPTIONS[name] for name in self.options if name in names]:
            raise InputError(f"{', '.join(ignored)} is for {reason}")

    def _of(self, *kinds: Any) -> dict[str, Any]:
        return options_of(self._reading, *kinds)

    def facts(self, task: str | None, progress: Any) -> Facts:
        """Return the facts about the files."""
        if task == "distributions":
            return self._of_shares(progress)
        self.refuse(
            declared(ShareColumns),
            "files of distributions; add --task distributions if this file holds distributions.",
        )
        raters = {*declared(RatingColumns), "kind", "raters", "people", "models"}
        if raters & self.options.keys() or task in ("raters", "judge"):
            known = {*declared(PanelReadSettings), *raters} - {"bins"}
            wrong = self.options.keys() - known
            self.refuse(wrong, "data with gold labels; leave it out for ratings.")
            return self._of_ratings(task, progress)
        try:
            return self._of_labels(progress)
        except InputError as problem:
            named = "gold" in self.options or self._files.data == "-"
            if problem.parameter != "gold" or named:
                raise
            with suppress(InputError):  # then the first problem is the one to tell
                return self._of_ratings(None, progress)
            raise

    def _of_labels(self, progress: Any) -> Facts:
        files, reading = self._files, self._of(ReadSettings)
        judged = reading["judge"] is not None
        if reading["missing"] == "error" and not judged:
            reading["missing"] = "skip"
        items = read(
            files.data, *files.runs, gold=files.gold, pred=files.pred, **reading, progress=progress
        )
        return judged_facts(items) if judged else Facts.of_counts(items.counts())

    def _of_ratings(self, task: str | None, progress: Any) -> Facts:
        files = self._files
        reading = {**defaults(PanelReadSettings), **self._of(PanelReadSettings)}
        reading |= {"progress": progress}
        if task == "judge" or files.people or files.models:
            data, _, models = read_panel(files.people, files.models, files.data, reading)
            return Facts.of_ratings(data, models=models)
        raters = named_raters(files.raters, "ratings")
        data, kinds = rated_data(None, files.data, reading, raters=raters)
        people, models = by_kind(kinds)
        if len(data.names) < 2:
            raise InputError(
                f"{files.data} has ratings of one rater; two or more are expected.",
                parameter="ratings",
            )
        return Facts.of_ratings(data, models=models if task is None and people else ())

    def _of_shares(self, progress: Any) -> Facts:
        known = {*declared(ReadSharesSettings), "gold"}
        wrong = self.options.keys() - known
        self.refuse(wrong, "labels or ratings; leave it out for distributions.")
        files, reading = self._files, self._of(ReadSharesSettings)
        shares = read_shares(files.data, *files.runs, gold=files.gold, **reading, progress=progress)
        return Facts("distributions", shares.scale.k, shares.systems, len(shares.topics))

    def source(self, facts: Facts) -> dict[str, Any]:
        """Return the files and options as arguments in Python."""
        files = {
            "data": self._files.data,
            **({"runs": list(self._files.runs)} if self._files.runs else {}),
        }
        options = dict(self.options)
        if facts.skipped and "missing" not in options and "judge" not in options:
            options["missing"] = "skip"
        if conditions := options.pop("where", ()):
            columns = dict.fromkeys(column for column, _ in conditions)
            options["where"] = {c: [x for name, x in conditions if name == c] for c in columns}
        return {name: value for name, value in files.items() if value} | {
            _ROLES.get(name, name): list(value) if isinstance(value, tuple | range) else value
            for name, value in options.items()
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
