"""The options of commands.

A command is a function of the values `Given` for its options. `command` lists the options: those
of functions of the library (`library`, made from `ordeval.options`) and those of the command line
alone. `ordeval.cli.app` makes a command of click from the list.
"""

import os
import re
from collections.abc import Callable, Collection, Iterable
from dataclasses import dataclass, replace
from functools import cached_property
from glob import escape, glob
from importlib.util import find_spec
from math import inf
from pathlib import Path
from types import SimpleNamespace
from typing import Any

from .. import options
from ..call import flag
from ..errors import InputError
from ..measures.spec import parse_measure
from ..results.gate import parse_conditions
from . import option_types
from .option_types import COLUMN, FILE, FLAG, MEASURES, NAMES, OUT, Type, choice, number, several

_FORMATS = {
    ".txt": "text", ".csv": "csv", ".json": "json", ".md": "markdown", ".tex": "latex",
    ".xlsx": "xlsx", ".parquet": "parquet", ".html": "html",
}  # fmt: skip
_NOT_TEXT = ("xlsx", "parquet", "html")  # formats that no --format names
_LONGEST_CHOICE = 20  # characters of words to choose from beside the name of an option
_COMMON = {  # options that the brief help shows, besides those without a group
    *("gold", "pred", "raters", "people", "models", "score", "labels", "from_labels"),
    *("topic", "cluster", "by"),
    *("distributions", "measure", "measures", "primary", "against", "margin", "width"),
    *("difference", "accuracy", "tables", "format", "out", "html", "quiet", "notes"),
}


@dataclass(frozen=True)
class Option:
    """An option of a command, or an argument; a default () takes several values."""

    name: str
    type: Type
    help: str
    default: Any = None
    panel: str = ""
    short: str = ""
    argument: bool = False
    required: bool = False
    rare: bool = False  # in this command, though it is common in others

    @property
    def shown_names(self) -> str:
        """The names in the help, with the placeholder of the value."""
        if self.argument:
            return str(self.type.metavar)
        names = ", ".join(filter(None, (self.short, flag(self.name))))
        return names if self.type.metavar is None else f"{names} {self.type.metavar}"

    @property
    def common(self) -> bool:
        """Whether the brief help shows the option."""
        return not self.rare and (self.name in _COMMON or self.panel in ("", "Answers"))

    @property
    def brief(self) -> tuple[str, str]:
        """The names and the first clause of the help; many words to choose from stand there."""
        words, metavar = self.type.choices, self.type.metavar
        clause = _first_clause(self.help)
        if words and len(str(metavar)) > _LONGEST_CHOICE:
            names = self.shown_names.replace(str(metavar), self.name.upper())
            return names, f"{clause.split(':')[0].rstrip('.?')}: {', '.join(words)}."
        return self.shown_names, clause

    @property
    def shown_default(self) -> str:
        """The default in the help."""
        default = self.default
        if default in (None, ()) or isinstance(default, bool):
            return ""
        return f" [default: {','.join(default) if isinstance(default, tuple) else default}]"

    def read(self, given: Any) -> Any:
        """Convert what was given: a flag, a text, or the texts of an option that was repeated."""
        if given in (None, ()):
            return self.default
        if isinstance(given, bool):
            return given
        texts = [given] if isinstance(given, str) else given
        if self.default == ():
            return tuple(map(self._convert, texts))
        if self.type.gather is not None:
            return self.type.gather([self._convert(text) for text in texts])
        if len(texts) > 1 and not self.type.adds:
            message = f"{len(texts)} values are given, and one is expected."
            raise InputError(message, parameter=self.name)
        return self._convert(",".join(texts))

    def _convert(self, text: str) -> Any:
        try:
            return self.type.convert(text)
        except InputError as error:
            error.parameter = self.name
            raise


def _first_clause(help: str) -> str:
    """Return a text up to the first full stop, semicolon or bracket.

    >>> _first_clause("Columns of predictions (not gold); by default all.")
    'Columns of predictions.'
    """
    first = re.split(r"(?<=[^.]{8})(?:[.;] | \()|(?<=\?) ", help)[0]
    return first if first.endswith((".", "?")) else f"{first}."


def argument(name: str, metavar: str, help: str, default: Any = None) -> Option:
    """Declare an argument; without brackets around its placeholder it is required."""
    required = not metavar.startswith("[")
    return Option(name, Type(metavar), help, default, argument=True, required=required)


def switch(name: str, help: str, panel: str = "") -> Option:
    """Declare an option that is given or not."""
    return Option(name, FLAG, help, False, panel)


SEED = number("N", options.whole(most=inf))
_TYPES = {  # of options whose declaration does not say how text becomes a value
    "labels": Type("LOW,…,HIGH", option_types.labels),
    "values": Type("1,2,4", option_types.numbers),
    "bins": Type("round|floor|1.5,2.5,…", option_types.bins),
    "na": Type("99,.", option_types.names, adds=True),
    "where": Type("COLUMN=VALUE", option_types.condition),
    **dict.fromkeys(("id", "item", "by"), Type("COLUMN,…", option_types.names, adds=True)),
    "proba": Type("PATTERN", option_types.pattern, gather=option_types.patterns),
    "pair_measures": MEASURES,
    "primary": Type("MEASURE", parse_measure),
    "undefined": Type("skip|NUMBER", option_types.replacement),
    "shares": Type("0.2,0.5,0.3", option_types.numbers),
    "systems": NAMES,
    "rng": SEED,
    "against": Type("SYSTEM"),
    "prefix": Type("TEXT"),
    "delimiter": Type("CHARACTER"),
    "encoding": Type("NAME"),
    "decimal": Type("MARK"),
    "sheet": Type("NAME"),
    "memory_limit": Type("SIZE"),
}
_PANELS = {  # where options are listed, if not under "Data"
    **dict.fromkeys(("labels", "values", "bins"), "Scale"),
    **dict.fromkeys(("primary", "undefined", "aggregate", "pair_measures", "gold"), "Measures"),
    **dict.fromkeys(("prefix", "label", "share", "size", "renormalise"), "Distributions"),
    **dict.fromkeys(("ci", "draws", "rng", "method", "over"), "Intervals and tests"),
    **dict.fromkeys(("against", "margin", "family", "trials"), "Intervals and tests"),
    **dict.fromkeys(("epsilon", "nearness"), "Intervals and tests"),
    **dict.fromkeys(("width", "difference", "power", "systems"), "Goal"),
    **dict.fromkeys(("shares", "accuracy", "score", "decay"), "Assumptions"),
    **dict.fromkeys(("correlation", "raters"), "Assumptions"),
    "disputed": "Output",
}
_HELP = {  # of options that read otherwise in Python
    "header": "Text files have no header line; columns are called 1, 2, and so on.",
    "where": "Keep the rows with this value in a column; may be repeated. When files are joined, "
    "it applies to those that have the column.",
}
_PYTHON_ONLY = ("progress",)


def library(*kinds: Any) -> list[Option]:
    """Return the options that TypedDicts of `ordeval.options` declare."""
    every = {name: facts for kind in kinds for name, facts in options.declared(kind).items()}
    return [_of_library(name, *every[name]) for name in every if name not in _PYTHON_ONLY]


def _of_library(name: str, kind: Any, opt: options.Opt) -> Option:
    default = () if name == "where" else opt.default
    panel = _PANELS.get(name, "Data")
    return Option(name, _type_of(name, kind, opt), _HELP.get(name, opt.help), default, panel)


def _type_of(name: str, kind: Any, opt: options.Opt) -> Type:
    """Return how the command line reads the value of an option."""
    if name in _TYPES:
        return _TYPES[name]
    if words := options.choices(kind):
        return choice(words)
    if isinstance(opt.check, options.Number):
        return number("N" if opt.check.whole else "NUMBER", opt.check)
    return FLAG if kind is bool else COLUMN


LABEL_FILES = (
    argument(
        "data",
        "DATA",
        "Table with a gold column and a column per system; with RUN files: id, gold and perhaps a "
        "topic. csv, tsv, json, jsonl, parquet, xlsx, also .gz; a folder of such files; - for "
        "standard input.",
    ),
    argument(
        "runs",
        "[RUN...]",
        "Files or folders of (id, prediction), joined to DATA on the id; the system is named after "
        "the file.",
        (),
    ),
    Option("gold", COLUMN, "Column of gold labels.", "gold", "Data"),
    Option(
        "pred",
        NAMES,
        "Columns of predictions. By default every other column of DATA, or the column of a RUN "
        "that is not the id.",
        panel="Data",
    ),
)
RATINGS = argument(
    "data",
    "DATA",
    "Ratings: a row per item and a column per rater, or a row per item and rater, or a column of "
    "lists. csv, tsv, json, jsonl, parquet, xlsx, also .gz; an export of Label Studio, Argilla, "
    "Inspect or promptfoo; a folder of such files; - for standard input.",
)
RATERS = Option(
    "raters",
    NAMES,
    "Columns of the raters, by default all without another role; in long form, the raters to keep.",
    panel="Data",
)
PEOPLE = tuple(
    Option(
        name,
        NAMES,
        f"The {name}: columns, or raters in long form; by default all that are no {others}.",
        panel="Data",
    )
    for name, others in (("people", "models"), ("models", "people"))
)
MEASURES_ASKED = Option(
    "measures",
    MEASURES,
    'Measures, e.g. "cem, kappa(weights=quadratic)", or "all"; `ordeval measures` lists them.',
    panel="Measures",
)


def tables(*words: str, about: str, all: Iterable[str] = ()) -> Option:
    """Declare the option that chooses tables to print."""
    every = ("main", *words)
    whole = (*all,)
    kind = several(every, whole)
    help = f"Tables to print: {', '.join(every)}{', all' if whole else ''} ({about})."
    return Option("tables", kind, help, ("main",), "Output")


def output(*formats: str, help: str) -> list[Option]:
    """Declare where the answer goes, and in which format."""
    every = choice(("text", "json", "csv", "markdown", "latex", *formats))
    quiet = "Print the tables alone, and no messages."
    return [
        Option("format", every, f"The format; {help}", "text", "Output"),
        Option(
            "out",
            OUT,
            "Write to a file, in the format that its ending names (one of "
            f"{', '.join(_FORMATS)}); - is standard output.",
            panel="Output",
        ),
        Option("quiet", FLAG, quiet, False, "Output", "-q"),
    ]


OUTPUT = output(help="json holds everything at full precision.")
REPORT = (
    *output(
        "sentence",
        help="json holds everything at full precision; sentence is a paragraph for a paper.",
    ),
    switch("notes", "Print all notes, the method and the signature as well.", "Output"),
    Option(
        "html",
        FILE,
        "Write a report with figures that opens in any browser.",
        panel="Output",
    ),
    Option("title", Type("TEXT"), "Title of the report.", panel="Output"),
)
UNDER = Option(
    "fail_under",
    Type("MEASURE=SCORE,…", parse_conditions, adds=True),
    'Exit with code 1 unless every system scores at least this, e.g. "qwk=0.7, mae=0.5" (at most, '
    "where lower is better), by the worse end of its interval.",
    panel="Gate",
)
GATE = (
    UNDER,
    Option(
        "fail_if_worse",
        Type("BASELINE"),
        "Exit with code 1 if a system is significantly worse under the primary measure than in an "
        "earlier result (json), or than a system of this comparison, which is a sharper test.",
        panel="Gate",
    ),
    Option(
        "gate",
        choice(("interval", "point")),
        "What decides: intervals and tests, or the scores alone.",
        "interval",
        "Gate",
    ),
)


@dataclass(frozen=True)
class Output:
    """Where the answer goes, and in which format: by default that of the file's ending."""

    format: str = "text"
    out: Path | None = None
    quiet: bool = False
    html: Path | None = None
    notes: bool = False
    title: str | None = None
    pages: bool = True  # whether there is a report

    def __post_init__(self) -> None:
        """Take the format from the ending of the output file, unless another one was chosen."""
        ending = "" if self.out is None else self.out.suffix.lower()
        named = _FORMATS.get(ending, self.format if self.format != "text" or not ending else "")
        if named in _NOT_TEXT and self.format not in ("text", named):
            raise InputError(f"--out {self.out} and --format {self.format} are two formats.")
        if not named or (named == "html" and not self.pages):
            every = [e for e, kind in _FORMATS.items() if self.pages or kind != "html"]
            raise InputError(
                f"--out {self.out}: {ending} is not a format of this command.",
                parameter="out",
                hint=f"Name a file that ends in {', '.join(every)}.",
            )
        if self.html is not None and self.html.suffix.lower() not in ("", ".html", ".htm"):
            text = f"--html {self.html} is the name of another kind of file."
            raise InputError(text, parameter="html", hint="Name a file that ends in .html.")
        if self.title is not None and self.html is None and named != "html":
            raise InputError("--title is for a page; add --html FILE.", parameter="title")
        if named == "xlsx" and find_spec("openpyxl") is None:
            raise InputError(
                f"--out {self.out} needs openpyxl.",
                parameter="out",
                hint='Install it with `pip install "ordeval[xlsx]"`.',
            )
        object.__setattr__(self, "format", named if self.format == "text" else self.format)

    def protect(self, inputs: Iterable[str]) -> None:
        """Raise an error if an output would overwrite another file of the command."""
        if str(self.html) == "-":
            raise InputError("--html writes a file; - is not the name of one.", parameter="html")
        taken = {os.path.realpath(file) for given in inputs for file in _files_of(given)}
        for name, path in (("out", self.out), ("html", self.html)):
            if path is None:
                continue
            if os.path.realpath(path) in taken:
                raise InputError(f"--{name} {path} would overwrite another file of this command.")
            taken.add(os.path.realpath(path))


def _files_of(given: str) -> list[str]:
    """Return the files that an argument may stand for."""
    return [given, *glob(given), *glob(f"{escape(given)}/*")]


class Given(SimpleNamespace):
    """The values of a command's options, each an attribute."""

    def of(self, *kinds: Any) -> dict[str, Any]:
        """Return the options that TypedDicts of `ordeval.options` declare."""
        return options.options_of(vars(self), *kinds)

    @property
    def files(self) -> tuple[str, ...]:
        """All files to read, as given."""
        baseline = getattr(self, "fail_if_worse", None)
        runs = (*getattr(self, "runs", ()), *filter(None, [baseline]))
        return (self.data, *runs) if self.data else ()

    @cached_property
    def output(self) -> Output:
        """Where the answer goes."""
        names = ("format", "out", "quiet", "html", "notes", "title")
        chosen = {name: value for name, value in vars(self).items() if name in names}
        return Output(**chosen, pages="html" in chosen)

    @property
    def sections(self) -> tuple[str, ...]:
        """The tables to print; a csv file takes one, and what has no choice of them none."""
        every, kind = tuple(dict.fromkeys(self.tables)), self.output.format
        if kind in ("html", "sentence") and every != ("main",):
            what = "a page" if kind == "html" else "a sentence"
            text = f"--tables does not apply to {what}; leave it out."
            raise InputError(text, parameter="tables")
        if kind in ("csv", "parquet") and len(every) > 1:
            raise InputError(f"A {kind} file holds one table; choose one of {', '.join(every)}.")
        return every


Command = Callable[[Given], None]
DECLARED: dict[str, tuple[Option, ...]] = {}  # the options of the commands that are loaded


def command(
    *declared: Option | Iterable[Option], rare: Collection[str] = ()
) -> Callable[[Command], Command]:
    """Declare the options of a command; of options with one name, the first counts.

    The brief help leaves out those that are `rare` in this command.
    """
    every: dict[str, Option] = {}
    for part in declared:
        for option in [part] if isinstance(part, Option) else part:
            every.setdefault(option.name, replace(option, rare=option.name in rare))

    def declare(function: Command) -> Command:
        DECLARED[function.__name__] = tuple(every.values())
        return function

    return declare


def changed(given: Given, declared: Iterable[Option]) -> dict[str, Any]:
    """Return the options that have another value than their default."""
    values = ((o.name, getattr(given, o.name), o.default) for o in declared)
    return {name: value for name, value, default in values if value not in (default, None, ())}


def refuse(names: Iterable[str], reason: str) -> None:
    """Raise an error for options that would be ignored."""
    if ignored := sorted(map(flag, names)):
        raise InputError(f"{', '.join(ignored)} is for {reason}")
