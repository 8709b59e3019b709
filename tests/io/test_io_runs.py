"""Gold and run files joined on ids."""

from pathlib import Path
from typing import Any

import pytest
from io_files import counted

from ordeval import InputError

GOLD = "id,gold,topic\n1,1,x\n2,2,x\n3,3,y\n4,1,y\n"


@pytest.fixture
def write(tmp_path: Path) -> Any:
    def writer(**files: str) -> dict[str, Path]:
        paths = {}
        for name, text in files.items():
            paths[name] = tmp_path / f"{name}.csv"
            paths[name].write_text(text, encoding="utf-8")
        return paths

    return writer


def test_runs_are_joined_on_ids_and_named_after_their_files(write: Any) -> None:
    files = write(
        gold=GOLD, good="id,label\n4,1\n3,3\n2,2\n1,1\n", bad="id,label\n1,3\n2,3\n3,1\n4,3\n"
    )
    found = counted(files["gold"], (files["good"], files["bad"]), topic="topic", labels=[1, 2, 3])
    assert found.systems == ("good", "bad")
    good, bad = found.counts.pooled().table
    assert good.tolist() == [[2, 0, 0], [0, 1, 0], [0, 0, 1]]
    assert bad.tolist() == [[0, 0, 2], [0, 0, 1], [1, 0, 0]]
    assert found.counts.topics == ("x", "y")


def test_files_of_one_name_are_told_apart_by_their_directory(tmp_path: Path) -> None:
    (tmp_path / "gold.csv").write_text(GOLD)
    for system in ("bert", "svm"):
        (tmp_path / system).mkdir()
        (tmp_path / system / "run.tsv").write_text("id\tpred\n1\t1\n2\t2\n3\t3\n4\t1\n")
    found = counted(tmp_path / "gold.csv", (tmp_path / "*" / "run.tsv",))
    assert found.systems == ("bert/run", "svm/run")


def test_ids_are_compared_as_text(write: Any, tmp_path: Path) -> None:
    files = write(gold="id,gold\n007,1\n7,2\n", run="id,pred\n7,2\n007,1\n")
    assert counted(files["gold"], (files["run"],)).counts.table[0].trace() == 2


HOLED = "id,pred\n1,1\n2,\n"


def test_skip_leaves_absent_items_out_of_every_system(write: Any) -> None:
    files = write(gold=GOLD, full="id,pred\n1,1\n2,2\n3,3\n4,1\n", holed=HOLED)
    found = counted(
        files["gold"], (files["full"], files["holed"]), missing="skip", labels=[1, 2, 3]
    )
    assert found.counts.skipped == 3
    assert found.counts.table.sum(axis=(-1, -2)).tolist() == [1, 1]
    assert tuple(map(str, found.notices)) == ("Missing values: holed: 3.",)


FULL = "id,pred\n1,1\n2,2\n3,3\n4,1\n"


def test_strangers_are_an_error_under_every_policy(write: Any) -> None:
    files = write(gold=GOLD, run=FULL + "5,1\n")
    for missing in ("skip", "worst"):
        with pytest.raises(InputError, match="not in"):
            counted(files["gold"], (files["run"],), missing=missing)


def test_files_are_named_as_they_were_typed(write: Any, monkeypatch: Any) -> None:
    files = write(gold=GOLD, run=FULL + "5,1\n")
    monkeypatch.chdir(files["run"].parent)
    with pytest.raises(InputError, match=r"^run\.csv: 1 id not in gold\.csv: '5'"):
        counted("gold.csv", ("run.csv",))
    with pytest.raises(InputError, match=r"The run file 'run\.csv' is given more than once"):
        counted("gold.csv", ("run.csv", files["run"]))
    with pytest.raises(InputError, match=r"^run\.csv: 1 id"):
        counted("gold.csv", ("r[u]n.csv",))


def test_ids_are_the_same_if_only_one_file_has_them_as_floats(write: Any) -> None:
    whole, floats = "1,1\n2,2\n3,1\n", "3.0,1\n2.0,2\n1.0,1\n"
    for gold, run in ((whole, floats), (floats, whole)):
        files = write(gold=f"id,gold\n{gold}", run=f"id,pred\n{run}")
        assert counted(files["gold"], (files["run"],)).counts.table[0].trace() == 3
    files = write(gold="id,gold\n1,1\n2,2\n", run="id,pred\n1,1\n1.0,1\n2,2\n")
    with pytest.raises(InputError, match="1 repeated id: '1'"):
        counted(files["gold"], (files["run"],))


def test_ids_that_are_asked_for_tell_the_rows_of_one_table_apart(write: Any) -> None:
    files = write(wide="id,topic,gold,a\n1,x,1,1\n1,y,2,2\n")
    assert counted(files["wide"]).counts.items == 2
    assert counted(files["wide"], id=["topic", "id"]).counts.items == 2
    with pytest.raises(InputError, match="1 id in several rows: '1'") as caught:
        counted(files["wide"], id="id")
    assert caught.value.parameter == "id"
