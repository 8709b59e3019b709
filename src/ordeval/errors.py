"""Errors and warnings of the package, and helpers that word their messages.

Every error carries, besides its message, the parameter that it is about and a hint on what to do.
A hint names the settings it suggests as data, so that the command line can spell them as options.
"""

from collections.abc import Callable, Iterable, Mapping

Spelling = Callable[[str, object], str]


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
        The suggested value of every ``{name}`` in `hint`.

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
    ) -> None:
        super().__init__(message)
        self.message = message
        self.parameter = parameter
        self.suggest = dict(suggest or {})
        self._hint = hint

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
        hint = self._hint
        for name, value in self.suggest.items():
            hint = hint.replace(f"{{{name}}}", spell(name, value))
        return hint

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
        space = "\n" if "\n" in self.message else " "
        return f"{self.message}{space}{self.hint_as(spell)}".strip()

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
        The suggested value of every ``{name}`` in `hint`.

    Examples
    --------
    >>> import ordeval as oe
    >>> try:
    ...     oe.score([1, 2], [1, None], "mae")
    ... except oe.InputError as error:
    ...     print(error.parameter)
    missing
    """


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


def check_choice(name: str, value: object, choices: Iterable[object]) -> None:
    """Raise an error unless the value of a parameter is one of several choices."""
    choices = tuple(choices)
    if value not in choices:
        raise InputError(
            f"{name} is {value!r}, but one of {quoted(choices)} is expected.", parameter=name
        )


def _as_keyword(name: str, value: object) -> str:
    return f"{name}=…" if value is ... else f"{name}={value!r}"


def quoted(items: Iterable[object], limit: int = 5) -> str:
    """List at most `limit` items in quotes and say how many more there are.

    >>> quoted(["a", "b", "c"], limit=2)
    "'a', 'b' and 1 more"
    """
    shown = [repr(item) for item in items]
    more = len(shown) - limit
    return ", ".join(shown[:limit]) + (f" and {more} more" if more > 0 else "")


def abbreviate(value: object, limit: int = 80) -> str:
    """Return the representation of a value, cut after `limit` characters."""
    text = repr(value)
    return text if len(text) <= limit else text[:limit] + "…"


def plural(number: int, noun: str, nouns: str = "") -> str:
    """Return a number with its noun.

    >>> plural(1, "item"), plural(2000, "item"), plural(2, "class", "classes")
    ('1 item', '2,000 items', '2 classes')
    """
    return f"{number:,} {noun if number == 1 else nouns or noun + 's'}"


def did_you_mean(word: str, known: Iterable[str]) -> str:
    """Return a question that names the closest known word, or an empty string.

    >>> did_you_mean("kapa", ["kappa", "alpha"])
    " Did you mean 'kappa'?"
    """
    from difflib import get_close_matches  # only errors need it

    near = get_close_matches(word, list(known), n=1, cutoff=0.6)
    return f" Did you mean {near[0]!r}?" if near else ""
