"""Errors and warnings of the package, and helpers that word their messages.

Every error carries, besides its message, the parameter that it is about and a hint on what to do.
A hint names the settings it suggests as data, so that the command line can spell them as options.
"""

import re
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from contextlib import contextmanager
from itertools import islice
from typing import Any

Spelling = Callable[[str, object], str]
_LONGEST_WORD = 60
_MOST_LINES, _MOST_CHARACTERS = 16, 1400  # of a message, which a hint may follow
_LONGEST_HINT, _LONGEST_SETTING = 560, 300
_SETTING = re.compile(r"\{(\w+)\}")
_THE = re.compile(r"^Th(?=e |ere )")
_LONG_WORD = re.compile(r"\S{300,}")
_DIGITS = 10  # characters of a number, which an ellipsis may follow


class OrdevalError(Exception):
    """Base class of all errors that ordeval raises on purpose.

    Parameters
    ----------
    message : str
        What was given and what was expected.
    parameter : str, optional
        The parameter that the error is about, by its name in the Python interface.
    hint : str, optional
        What to do. A setting that the hint suggests is written ``{name}``.
    suggest : mapping of str to object, optional
        The suggested values of settings; others are spelled with an ellipsis.
    column : str, optional
        The column that the error is about, if it is one of several.

    Examples
    --------
    >>> error = OrdevalError(
    ...     "2 labels are missing.",
    ...     parameter="missing",
    ...     hint="Pass {missing} to leave these items out.",
    ...     suggest={"missing": "skip"},
    ... )
    >>> str(error)
    "2 labels are missing. Pass missing='skip' to leave these items out."
    """

    def __init__(
        self,
        message: str = "",
        *,
        parameter: str | None = None,
        hint: str = "",
        suggest: Mapping[str, object] | None = None,
        column: str = "",
    ) -> None:
        super().__init__(message)
        self.message = message
        self.parameter = parameter
        self.column = column
        self.named = False  # whether the message names a file
        self.suggest = dict(suggest or {})
        self._hint = hint

    def change_hint(self, hint: str, **suggest: object) -> None:
        """Replace the hint, where a caller knows better what to do.

        Parameters
        ----------
        hint : str
            What to do, with ``{name}`` for settings.
        **suggest : object
            The suggested values of further settings.
        """
        self._hint = hint
        self.suggest |= suggest

    def rename(self, **names: str) -> None:
        """Call parameters as the caller does.

        Parameters
        ----------
        **names : str
            The names of the caller, by those of this error.
        """
        self.parameter = names.get(self.parameter or "", self.parameter)
        self.suggest = {names.get(name, name): value for name, value in self.suggest.items()}
        self._hint = _SETTING.sub(lambda m: f"{{{names.get(m[1], m[1])}}}", self._hint)

    @property
    def raw_hint(self) -> str:
        """What to do, with ``{name}`` for every setting."""
        return self._hint

    @property
    def hint(self) -> str:
        """What to do, with settings spelled as in Python."""
        return self.hint_as(_as_keyword)

    def hint_as(self, spell: Spelling) -> str:
        """Return the hint in another spelling of settings.

        Parameters
        ----------
        spell : callable
            Returns a setting as text: ``spell(name, value)``.

        Returns
        -------
        str
            The hint.
        """

        def spelled(setting: re.Match[str]) -> str:
            name = setting[1]
            text = spell(name, self.suggest.get(name, ...))
            return text if len(text) <= _LONGEST_SETTING else spell(name, ...)

        # In one pass: a suggested label may look like a setting itself.
        hint = _SETTING.sub(spelled, self._hint)
        return _clipped(hint, _MOST_LINES, _LONGEST_HINT)

    def text_as(self, spell: Spelling) -> str:
        """Return the message and the hint in another spelling of settings.

        Parameters
        ----------
        spell : callable
            Returns a setting as text: ``spell(name, value)``.

        Returns
        -------
        str
            The text; after a message of several lines the hint is on a line of its own.
        """
        message = _clipped(self.message, _MOST_LINES, _MOST_CHARACTERS)
        space = "\n" if "\n" in message else " "
        return f"{message}{space}{self.hint_as(spell)}".strip()

    def __str__(self) -> str:
        return self.text_as(_as_keyword)


class InputError(OrdevalError, ValueError):
    """Input that cannot be used.

    Parameters
    ----------
    message : str
        What was given and what was expected.
    parameter : str, optional
        The parameter that the error is about, by its name in the Python interface.
    hint : str, optional
        What to do. A setting that the hint suggests is written ``{name}``.
    suggest : mapping of str to object, optional
        The suggested values of settings; others are spelled with an ellipsis.
    column : str, optional
        The column that the error is about, if it is one of several.

    Examples
    --------
    >>> import ordeval as oe
    >>> try:
    ...     oe.score([1, 2], [1, None], "mae")
    ... except oe.InputError as error:
    ...     print(error.parameter)
    missing
    """


class NoItemsError(InputError):
    """No item is left; `skipped` had a missing label."""

    skipped = 0


class UndefinedWarning(UserWarning):
    """A score is undefined (NaN) for the given data; the message gives the reason.

    Examples
    --------
    >>> import warnings
    >>> import ordeval as oe
    >>> with warnings.catch_warnings(record=True) as caught:
    ...     warnings.simplefilter("always")
    ...     score = oe.score([1, 1], [1, 1], "kappa(weights=linear)", labels=[1, 2])
    >>> caught[0].category.__name__
    'UndefinedWarning'
    """


@contextmanager
def naming(
    file: str = "", parameter: str | None = None, files: Mapping[str, str] | None = None
) -> Iterator[None]:
    """Put the name of a file or table before the messages of errors, and perhaps a parameter.

    An error is named once, an error about a column in `files` after the file of that column.
    """
    try:
        yield
    except InputError as problem:
        name = (files or {}).get(problem.column, file)
        if name and not problem.named:
            problem.message = f"{name}: {_THE.sub('th', problem.message)}"
            problem.named = True
        problem.parameter = parameter or problem.parameter
        raise


def require_known(
    what: str, name: object, known: Collection[str], parameter: str, start: str = "", **more: Any
) -> None:
    """Raise an error that lists the columns, sheets, raters, … that there are, unless one fits.

    `start` is the name of a file and a colon; `more` are a hint and its suggestions.

    >>> require_known("sheet", "Data", ["Data", "Notes"], "sheet", "a.xlsx: ")
    """
    if name not in known:
        near = did_you_mean(name, known) if isinstance(name, str) else ""
        raise InputError(
            f"{start}{'t' if start else 'T'}here is no {what} {abbreviate(name)}; there are "
            f"{quoted(known, 20)}.{near}",
            parameter=parameter,
            **more,
        )


def gold_hint(name: Any) -> str:
    """Return what to do where a name is not that of a column of gold labels."""
    if name == "gold":  # the default
        return "Name the column of gold labels with {gold}."
    if isinstance(name, str) and "," not in name:
        return ""
    return "Gold is one column, such as the median of several people; `judge` takes all of them."


def check_choice(name: str, value: object, choices: Iterable[object]) -> None:
    """Raise an error unless the value of a parameter is one of several choices."""
    choices = tuple(choices)
    if not any(value is choice or _same(value, choice) for choice in choices):
        near = did_you_mean(value, map(str, choices)) if isinstance(value, str) else ""
        raise InputError(
            f"{name} is {abbreviate(value)}, but one of {quoted(choices, 10)} is expected.",
            parameter=name,
            hint=near.strip(),
        )


def _same(value: object, choice: object) -> bool:
    return isinstance(value, type(choice)) and value == choice


def _clipped(text: str, lines: int, characters: int) -> str:
    """Return a text without what exceeds a number of lines or characters.

    Very long words, such as names of systems, lose their middle, so that the rest is still read.
    """
    found = _LONG_WORD.sub(lambda word: f"{word[0][:60]}…{word[0][-20:]}", text).split("\n")
    if len(found) > lines:
        more = len(found) - lines + 1
        found = [*found[: lines - 1], f"… and {plural(more, 'more line', 'more lines')}"]
    shown = "\n".join(found)
    return shown if len(shown) <= characters else shown[: characters - 1] + "…"


def _as_keyword(name: str, value: object) -> str:
    return f"{name}=…" if value is ... else f"{name}={value!r}"


def quoted(items: Iterable[object], limit: int = 5) -> str:
    """List at most `limit` items in quotes and say how many more there are.

    >>> quoted(["a", "b", "c"], limit=2)
    "'a', 'b' and 1 more"
    """
    every = list(items)
    more = len(every) - limit
    shown = ", ".join(abbreviate(item, 60) for item in every[:limit])
    return shown + (f" and {more:,} more" if more > 0 else "")


def first_few(texts: Sequence[str], limit: int) -> str:
    """List texts, at most `limit` of them.

    >>> first_few(["low", "mid", "high"], 2)
    'low, mid and 1 more'
    """
    more = f" and {len(texts) - limit:,} more" if len(texts) > limit else ""
    return ", ".join(texts[:limit]) + more


def abbreviate(value: object, limit: int = 80) -> str:
    """Return the representation of a value, cut after `limit` characters, or some decimals.

    >>> abbreviate(0.1 + 0.2), abbreviate("text", 3)
    ('0.30000000…', "'te…")
    >>> abbreviate(1234567890123.5)
    '1234567890123.5'
    """
    if isinstance(value, str | bytes | list | tuple) and len(value) > limit:
        value = value[: limit + 1]  # the rest is not worth its representation
    elif isinstance(value, Mapping | AbstractSet) and len(value) > limit:
        value = list(islice(value, limit + 1))
    try:
        text = repr(value)
    except ValueError:  # Python refuses to write integers of thousands of digits
        what = f"a {type(value).__name__} with " if not isinstance(value, int) else ""
        text = f"{what}an integer of thousands of digits"
    if type(value) is float and "e" not in text:
        limit = max(_DIGITS, text.find(".") + 2)
    return text if len(text) <= limit else text[:limit] + "…"


def plural(number: int, noun: str, nouns: str = "") -> str:
    """Return a number with its noun.

    >>> plural(1, "item"), plural(2000, "item"), plural(2, "class", "classes")
    ('1 item', '2,000 items', '2 classes')
    """
    return f"{number:,} {noun if number == 1 else nouns or noun + 's'}"


def nearest(word: str, known: Iterable[str]) -> str | None:
    """Return the known word that is most like a word, or ends with it after a dot, or begins so.

    None if none is close.

    >>> nearest("speramn", ["pearson", "spearman"]), nearest("human", ["scores.human"])
    ('spearman', 'scores.human')
    """
    from difflib import get_close_matches  # only errors need it

    wanted = word[:_LONGEST_WORD].casefold().strip()
    names = {str(name)[:_LONGEST_WORD].casefold(): str(name) for name in reversed([*known])}
    begun = [n for n in names if len(wanted) > 2 and n.endswith(f".{wanted}")]
    begun += [n for n in names if len(wanted) > 2 and n.startswith(wanted)]
    near = get_close_matches(wanted, names)
    return next((names[name] for name in (*near, *begun)), None)


def did_you_mean(word: str, known: Iterable[str]) -> str:
    """Return a question that names the closest known word, or an empty string.

    >>> did_you_mean("kapa", ["kappa", "alpha"])
    " Did you mean 'kappa'?"
    """
    near = nearest(word, known)
    return "" if near is None else f" Did you mean {abbreviate(near)}?"
