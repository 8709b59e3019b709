"""Old names still work, with a warning that gives the new one."""

import pytest

import ordeval as oe
from ordeval.deprecation import renamed


def test_a_renamed_function_is_found_with_a_warning() -> None:
    with pytest.warns(DeprecationWarning, match=r"use ordeval\.meta\.axioms"):
        old = oe.meta.search_axioms  # type: ignore[attr-defined, unused-ignore]
    assert old is oe.meta.axioms


def test_other_names_are_unknown() -> None:
    get = renamed("ordeval.meta", {}, since="0.2.0")
    with pytest.raises(AttributeError, match="no attribute 'nothing'"):
        get("nothing")
