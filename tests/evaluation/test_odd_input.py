"""Tables and labels that are not what they seem are said to be so."""

import numpy as np
import pandas as pd
import pytest

import ordeval as oe

INNER = [[8, 1, 1], [2, 6, 0], [1, 1, 9]]


def test_totals_of_a_table_are_no_class() -> None:
    table = np.asarray(INNER)
    table = np.vstack([table, table.sum(axis=0)])
    table = np.column_stack([table, table.sum(axis=1)])
    with pytest.raises(oe.InputError, match="totals of the others"):
        oe.evaluate(table)
    assert oe.evaluate(INNER, bootstrap=0).scores.items == 29


def test_tables_that_look_like_totals_by_chance_are_taken() -> None:
    assert oe.evaluate([[0, 0, 0], [0, 5, 5], [0, 5, 5]], bootstrap=0).scores.items == 20


def test_rows_of_percentages_are_said() -> None:
    percent = oe.evaluate([[80, 16, 4], [20, 67, 13], [3, 24, 73]], bootstrap=0)
    assert any("sums to about 100" in notice for notice in map(str, percent.notes))
    assert not any("100" in notice for notice in map(str, oe.evaluate(INNER, bootstrap=0).notes))


def test_numbers_beside_the_same_numbers_as_text_are_refused() -> None:
    with pytest.raises(oe.InputError, match="1 and '1' are different"):
        oe.score([1, 2, 3], ["1", "2", "3"], "qwk")


def test_a_list_is_no_name_of_a_column() -> None:
    with pytest.raises(oe.InputError, match="name of one column"):
        oe.compare_frame(pd.DataFrame({"g": [1, 2], "p": [1, 2]}), gold=["g"], pred="p")  # type: ignore[arg-type]


def test_a_system_looked_up_as_a_measure_is_explained() -> None:
    systems = {"bert": [1, 2, 3], "svm": [1, 1, 1]}
    result = oe.compare([1, 2, 3], systems, labels=[1, 2, 3], measures="qwk", bootstrap=0)
    with pytest.raises(oe.InputError, match=r"result\['qwk'\]\['bert'\]"):
        result["bert"]
