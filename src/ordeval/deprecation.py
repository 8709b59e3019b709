"""Old names that still work for a while, with a warning."""

import sys
import warnings
from collections.abc import Callable, Mapping
from typing import Any


def renamed(module: str, names: Mapping[str, str], *, since: str) -> Callable[[str], Any]:
    """Return a module's ``__getattr__`` that gives renamed objects under their old names.

    Parameters
    ----------
    module : str
        The name of the module.
    names : mapping of str to str
        The new name of every old one.
    since : str
        The version in which the names changed.

    Returns
    -------
    callable
        A function to be called ``__getattr__`` in the module.
    """

    def get(name: str) -> Any:
        if name not in names:
            raise AttributeError(f"module {module!r} has no attribute {name!r}")
        new = names[name]
        warnings.warn(
            f"{module}.{name} was renamed in {since}; use {module}.{new}.",
            DeprecationWarning,
            stacklevel=2,
        )
        return getattr(sys.modules[module], new)

    return get
