"""Every figure is the frozen one, by every door; `permitted.toml` lists what may differ."""

import shutil
from pathlib import Path

import pytest
from adapter import figures
from calls import cases
from comparing import differences, gone, read

CASES = cases()


def _group(name: str) -> str:
    """Return what is tested at once: a case of many doors, or cases of one kind."""
    return name if len(CASES[name].doors) > 8 else name.rsplit("/", 1)[0]


GROUPS = sorted({_group(name) for name in CASES})


def _differences(name: str, door: str, folder: Path) -> list[str]:
    """Return what differs in one call; a call that fails differs in all."""
    here = folder / f"{name}@{door}".replace("/", " ")
    here.mkdir()
    try:
        found = figures(CASES[name], door, here)
    except Exception as problem:  # noqa: BLE001 - all calls of a group are reported
        return [f"{name}@{door}: {type(problem).__name__}: {problem}"]
    return list(differences(name, door, read()[name], found))


def _calls(group: str, *, spark: bool = False) -> list[tuple[str, str]]:
    found = [(name, door) for name, case in CASES.items() for door in case.doors]
    found = [(name, door) for name, door in found if group in ("", _group(name))]
    return [(name, door) for name, door in found if (door == "spark") is spark]


@pytest.mark.parametrize("group", GROUPS)
def test_figures_are_the_frozen_ones(group: str, tmp_path: Path) -> None:
    wrong = [line for call in _calls(group) for line in _differences(*call, tmp_path)]
    assert not wrong, f"{len(wrong)} differences\n" + "\n".join(wrong[:60])


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore")  # pyspark's own, on sockets and deprecations
def test_spark_gives_the_same_figures(tmp_path: Path) -> None:
    pytest.importorskip("pyspark", reason="pyspark is not installed (extra: spark)")
    if shutil.which("java") is None:
        pytest.skip("PySpark needs Java, which is not on the path")
    wrong = [line for call in _calls("", spark=True) for line in _differences(*call, tmp_path)]
    assert not wrong, "\n".join(wrong[:60])


def test_every_frozen_case_is_still_called() -> None:
    assert sorted(read()) == sorted([*CASES, *gone()])
