"""`ordeval advise`: which measure to use, by questions that data can answer."""

import gzip
import re
import sys
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass, fields, replace
from functools import partial
from pathlib import Path
from typing import Any

from ..advice import (
    LEAVES,
    QUESTIONS,
    Choice,
    Findings,
    Leaf,
    Place,
    Question,
    Recommendation,
    choose,
    findings_of,
    next_question,
    of_distributions,
    recommend,
    with_judge,
)
from ..errors import InputError
from ..evaluation.judge_labels import JudgedSource
from ..io import open_files
from ..io.ratings import FileRatings, open_ratings
from ..report.advice_tables import (
    leaves_table,
    measures_table,
    path_tables,
    recommendation_tables,
)
from ..report.layout import text_width, wrapped
from .messages import printable, spell
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
    Shares,
    Source,
    Units,
    argument,
    option,
    refuse,
)
from .output import Progress, write_json, write_tables
from .quantify import read_shares, refuse_shares

_SAID_BY_ID = re.compile("^(yes|no)(: |, or )")  # at the beginning of an answer
_WIDEST = 100  # columns of questions and commands
_question = partial(option, rich_help_panel="Answers")
_OF_LABELS = (
    *("gold", "pred", "topic", "id", "run", "missing", "bins", "runs", "judge"),
    "labelled_rate",
)
_VARIABLES = {
    "topic": "topics",
    "cluster": "cluster",
    "weight": "sample_weight",
    "frequency": "frequency",
    "labelled_rate": "labelled_rate",
    "text": "text",
}  # arguments of labels, by the option that names a column
_READERS = {
    ".csv": "read_csv({}{})",
    ".tsv": "read_csv({}{})",
    ".parquet": "read_parquet({}{})",
    ".jsonl": "read_json({}, lines=True{})",
    ".xlsx": "read_excel({}{})",
}
_READ = ("where", "weight", "frequency", "na", "cluster", "text", "labels", "values")


def _answer(id: str) -> Any:
    """Declare the option for the answer to a question."""
    question = next(q for q in QUESTIONS if q.id == id)
    answers = "; ".join(f"{a.id}: {_SAID_BY_ID.sub('', a.text)}" for a in question.answers)
    return _question(None, choice(question.words), f"{question.text} {answers}.")


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
        return {q.id: getattr(self, q.id) for q in QUESTIONS if getattr(self, q.id) is not None}


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
    source: AnySource, rated: Rated, shares: Shares, answered: Answered, output: Output
) -> None:
    """Find the measure for your case by a few questions, some of which data answer.

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
    with Progress(quiet=output.quiet) as progress:
        found, given = _look(source, rated, shares, answered.given, progress)
    place = _place(source, rated, shares, found)
    if asking:
        answers = _interview(given, found, _width(output))
        if answers is None:
            return None
        given = answers
    return _write(recommend(given, found, place), output)


def _is_terminal() -> bool:
    return sys.stdin.isatty() and sys.stderr.isatty()


def _width(output: Output) -> int:
    return min(text_width(terminal=output.out is None), _WIDEST)


# What the data say.


def _look(
    source: AnySource, rated: Rated, shares: Shares, given: dict[str, str], progress: Progress
) -> tuple[Findings, dict[str, str]]:
    """Return what the data say, and the answers that are given."""
    if not source.data:
        return Findings(), given
    if given.get("task") == "distributions":
        return _look_at_shares(source, rated, shares), given
    refuse_shares(shares, "add --task distributions if this file holds distributions.")
    named = any(getattr(rated, field.name) is not None for field in fields(rated))
    if named or given.get("task") in ("raters", "judge"):
        refuse(source, _OF_LABELS, "data with gold labels; leave it out for ratings.")
        return _look_at_ratings(source, rated, given.get("task"), progress), given
    try:
        return _look_at_labels(source, progress), given
    except InputError as problem:
        if problem.parameter != "gold" or source.gold != "gold" or source.data == "-":
            raise
        with suppress(InputError):  # then the first problem is the one to tell
            return _look_at_ratings(source, rated, None, progress), given
        raise


def _refuse_without_data(*groups: Any) -> None:
    """Raise an error for options that say how to read data, if there are none."""
    for group in groups:
        names = [field.name for field in fields(group) if field.name not in ("data", "runs")]
        refuse(group, names, "reading data; name the file as well.")


def _look_at_labels(source: AnySource, progress: Progress) -> Findings:
    skipping = source.missing == "error" and source.judge is None
    given = vars(source) | ({"missing": "skip"} if skipping else {})
    with open_files(**given, progress=progress.stage("Reading")) as items:
        if source.judge:
            judged = JudgedSource.of(items)
            return _with_arguments(source, with_judge(judged), judged.given)
        counts = items.counts()
        return _with_arguments(source, findings_of(counts), counts.systems)


def _with_arguments(source: AnySource, found: Findings, systems: Sequence[str]) -> Findings:
    """Add the columns and the settings of the call in Python."""
    settings = {name: getattr(source, name) for name in ("bins", "na")}
    settings |= {"missing": None if source.missing == "error" else source.missing}
    found = replace(found, settings=_given(settings))
    if not _reading(source):
        variables = {name: getattr(source, role) for role, name in _VARIABLES.items()}
        return replace(found, variables=tuple(_given(variables)))
    columns = {name: getattr(source, name) for name in (*_VARIABLES, "judge")}
    columns["id"] = source.id[0] if source.id and len(source.id) == 1 else None
    return replace(found, columns=_given({"gold": source.gold, "pred": [*systems], **columns}))


def _given(arguments: dict[str, Any]) -> dict[str, Any]:
    """Return the arguments that are not None, tuples as lists."""
    return {
        name: [*value] if isinstance(value, tuple) else value
        for name, value in arguments.items()
        if value is not None
    }


def _separator(source: AnySource) -> str | None:
    """Return the character between fields, as given or as in the first line; None for a comma."""
    if source.delimiter is not None:
        return "\t" if source.delimiter == "tab" else source.delimiter
    opener: Any = gzip.open if source.data.endswith(".gz") else open
    with (
        suppress(OSError, LookupError),
        opener(source.data, "rt", encoding=source.encoding or "utf-8", errors="replace") as lines,
    ):
        first = lines.readline(2**16)
        likely = max(",;\t|", key=first.count)
        return None if likely == "," else likely
    return None


def _reading(source: AnySource) -> tuple[str, ...]:
    """Return lines of Python that read the file as a frame; none if it takes more than that."""
    name = source.data.removesuffix(".gz")
    kind = next((ending for ending in _READERS if name.lower().endswith(ending)), None)
    if kind is None or source.runs or source.run or Path(source.data).is_dir():
        return ()
    options = {"sheet_name": source.sheet} if kind == ".xlsx" else {}
    if kind in (".csv", ".tsv"):
        options = {"sep": _separator(source), "encoding": source.encoding}
    told = "".join(f", {key}={value!r}" for key, value in options.items() if value is not None)
    told += ", header=None" if not source.header else ""
    lines = ["import pandas as pd", f"frame = pd.{_READERS[kind].format(repr(source.data), told)}"]
    if not source.header:
        lines.append("frame.columns = [str(i + 1) for i in range(frame.shape[1])]")
    if source.id and len(source.id) > 1:
        lines.append("# --id, which only names the items here, is left out.")
    for column in dict(source.where):
        words = [word for name, word in source.where if name == column]
        lines.append(f"frame = frame[frame[{column!r}].astype(str).isin({words!r})]")
    return tuple(lines)


def _look_at_ratings(
    source: AnySource, rated: Rated, task: str | None, progress: Progress
) -> Findings:
    given = {name: getattr(source, name) for name in _READ}
    given |= {field.name: getattr(source, field.name) for field in fields(Reading)}
    columns = {field.name: getattr(rated, field.name) for field in fields(RatingColumns)}
    people, models = rated.people, rated.models or ()
    both = tuple(dict.fromkeys((*people, *models))) if people and models else rated.raters
    stage = progress.stage("Reading")
    with open_ratings(
        source.data, raters=both, kind=rated.kind, **columns, **given, progress=stage
    ) as opened:
        read = opened
    if task == "judge" or people or models or (task is None and all(read.by_kind())):
        models = tuple(read.panel(people, rated.models)[1])
    if len(read.ratings.raters) < 2:
        raise InputError(
            f"{source.data} has ratings of one rater; two or more are expected.",
            parameter="raters",
        )
    found = findings_of(read.ratings, models=models)
    shared = _given(
        {name: getattr(source, name) for name in ("weight", "frequency", "cluster", "text")}
    )
    columns = _columns_of_ratings(rated, read, models) if _reading(source) else {}
    named = () if columns else tuple(_VARIABLES[role] for role in shared)
    columns |= shared if columns else {}
    settings = _given({"na": source.na})
    return replace(found, columns=columns, variables=named, settings=settings)


def _columns_of_ratings(rated: Rated, read: FileRatings, models: Sequence[str]) -> dict[str, Any]:
    """Return the arguments that name columns; none where a frame would have to be made first."""
    about, raters = read.about, [name for name in read.ratings.raters if name not in models]
    item = about.get("item", [None])
    wide = about["form"] == "wide"
    if len(item) > 1 or about["form"] == "nested" or (rated.raters and not wide):
        return {}
    named = {"item": item[0]}
    if not wide:
        named |= {"rater": about.get("rater"), "rating": rated.rating or "rating"}
    if not models:
        return _given(named | ({"raters": raters} if wide else {}))
    return _given({**named, "people": raters, "models": [*models], "kind": about.get("kind")})


def _look_at_shares(source: AnySource, rated: Rated, shares: Shares) -> Findings:
    names = [field.name for field in fields(rated)]
    refuse(rated, names, "ratings; leave it out for distributions.")
    refuse(
        source,
        ("cluster", "judge", "labelled_rate", "text"),
        "files of labels; leave it out for distributions.",
    )
    read = read_shares(Source(**{f.name: getattr(source, f.name) for f in fields(Source)}), shares)
    return of_distributions(read.scale, list(read.estimates), len(read.topics))


def _place(source: AnySource, rated: Rated, shares: Shares, found: Findings) -> Place:
    """Return the files and the options that say how to read them, as they were given."""
    if not source.data:
        return Place()
    options = [*_spelled(source), *_spelled(rated), *_spelled(shares)]
    if found.skipped and source.missing == "error" and not source.judge:
        options.append("--missing skip")
    options += ["--html report.html"] if source.text else []
    return Place(source.files, tuple(options), reading=_reading(source) if found.columns else ())


def _spelled(group: Any) -> Iterator[str]:
    for field in fields(group):
        value = getattr(group, field.name)
        if value == field.default or field.name in ("data", "runs"):
            continue
        conditions = value if field.name == "where" else ()
        yield from (spell("where", {column: word}) for column, word in conditions)
        if field.name != "where":
            yield spell(field.name, value if isinstance(value, str | bool) else list(value))


# The interview on a terminal.


def _interview(given: dict[str, str], found: Findings, width: int) -> dict[str, str] | None:
    """Ask the questions that are open; return all answers, or None if the user quits."""
    answers, known = dict(given), dict[str, str]()
    while (question := next_question(known)) is not None:
        chosen = choose(question, answers, found)
        if chosen.how == "assumed":
            word = _ask(question, chosen, width)
            if word is None:
                return None
            answers[question.id] = known[question.id] = word
            continue
        if chosen.how == "data":
            _tell([f"{question.text} {chosen.chosen} ({chosen.because}).", ""], width)
        known[question.id] = chosen.answer
    return answers


def _ask(question: Question, likely: Choice, width: int) -> str | None:
    """Ask a question until it is answered; return the word of the answer."""
    default = question.words.index(likely.answer) + 1
    hint = f" ({likely.because})" if likely.because else ""
    lines = [question.text]
    lines += [f"  {i}. {answer.text}" for i, answer in enumerate(question.answers, 1)]
    _tell(lines, width)
    while True:
        _prompt(f"Number, Enter for {default}{hint}, ? for reasons, q to quit: ", width)
        typed = sys.stdin.readline()
        word = typed.strip().lower()
        if not typed or word in ("q", "quit"):
            _tell([""], width)
            return None
        if word == "?":
            _tell([f"  {i}. {a.reason} ({a.source})" for i, a in _numbered(question)], width)
        elif word in question.words or word in ("", *_numbers(question)):
            _tell([""], width)
            place = default if not word else int(word) if word.isdecimal() else 0
            return question.words[place - 1] if place else word
        else:
            _tell([f"Type a number from 1 to {len(question.words)}."], width)


def _numbered(question: Question) -> Iterator[tuple[int, Any]]:
    return enumerate(question.answers, 1)


def _numbers(question: Question) -> list[str]:
    return [str(i) for i, _ in _numbered(question)]


def _tell(lines: list[str], width: int) -> None:
    for line in lines:
        said = wrapped(printable(line), width, "     " if line.startswith("  ") else "")
        print("\n".join(said), file=sys.stderr)


def _prompt(text: str, width: int) -> None:
    print("\n".join(wrapped(printable(text), width - 8)), end=" ", file=sys.stderr, flush=True)


# The answer.


def _write(found: Recommendation, output: Output) -> None:
    """Write a recommendation."""
    if output.format == "json":
        write_json(found.to_dict(), output)
    elif output.format == "csv":
        write_tables([measures_table(found)], output)
    else:
        write_tables(recommendation_tables(found), output)


def _write_path(output: Output) -> None:
    """Write all questions, and the measures that the answers lead to."""
    if output.format == "json":
        write_json({"questions": _plain(QUESTIONS), "measures": _plain(LEAVES)}, output)
    else:
        write_tables([leaves_table()] if output.format == "csv" else path_tables(), output)


def _plain(parts: Sequence[Question | Leaf]) -> list[dict[str, Any]]:
    """Return parts of the path as plain data."""
    required = [{name: sorted(words) for name, words in part.when.items()} for part in parts]
    return [{**asdict(part), "when": when} for part, when in zip(parts, required, strict=True)]
