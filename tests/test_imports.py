"""Which modules may import which, without cycles, and what `import ordeval` loads."""

import subprocess
import sys
from pathlib import Path

import pytest

import ordeval
from house import Import, cycles, graph, imports, modules, part_of, without_hooks

SOURCE = Path(ordeval.__file__).parents[1]
TEXTS = modules(SOURCE)
IMPORTS = imports(TEXTS)

LEAVES = {"_version", "errors", "types", "notes", "atomic", "formatting", "limits"}
DOORS = {*LEAVES, "display", "data", "ratings"}
MEASURES = {*DOORS, "measures"}
SCORES = {*MEASURES, "stats"}
RESULTS = {*SCORES, "archive", "results"}
FOUND = {*RESULTS, "formatting", "io", "evaluation", "meta"}
FOUND |= {"advice"}

# What the modules of each top-level part may import besides those of their own part.
MAY_IMPORT: dict[str, set[str]] = {
    "_version": set(),
    "errors": set(),
    "types": set(),
    "notes": set(),
    "formatting": set(),
    "limits": {"errors"},
    "atomic": {"errors", "types"},
    "display": LEAVES,
    "data": {*LEAVES, "display"},
    "ratings": DOORS,
    "demo_data": DOORS,
    "files": {*LEAVES, "archive"},
    "io": {*DOORS, "files"},
    "measures": DOORS,
    "stats": {*MEASURES, "scoring"},
    "results": {*SCORES, "archive"},
    "advice": {*RESULTS, "formatting"},
    "evaluation": {*RESULTS, "io", "advice"},
    "meta": {*RESULTS, "advice"},
    "archive": LEAVES,
    "plot": {*FOUND, "report"},
    "report": FOUND,
    "cli": {*FOUND, "plot", "report", "demo_data"},
    "__main__": {"cli"},
    "__init__": SCORES,
}
# Imports of ordeval inside functions. Each stays for one reason: presentation hooks, a quick start
# of the command line.
LATE = {
    "ordeval.display": {"report", "meta"},
    "ordeval.data.counts": {"data"},
    "ordeval.cli": {"cli"},
    "ordeval.cli.run": {"cli"},
    "ordeval.cli.measures": {"meta"},
    "ordeval.cli.output": {"report"},
    "ordeval.report.present": {"report"},
}


def may_import(found: Import) -> bool:
    wanted, own = part_of(found.target), part_of(found.module)
    if found.late:
        return wanted in LATE.get(found.module, ())
    return wanted == own or wanted in MAY_IMPORT.get(own, ())


def test_every_part_has_a_rule_and_every_rule_a_part() -> None:
    assert set(map(part_of, TEXTS)) == set(MAY_IMPORT), "add or remove a line of MAY_IMPORT"


@pytest.mark.parametrize("part", sorted(set(map(part_of, TEXTS))))
def test_modules_import_only_what_is_below_them(part: str) -> None:
    found = [each for each in IMPORTS if part_of(each.module) == part and not each.late]
    wrong = [str(each) for each in found if not may_import(each)]
    assert not wrong, "\n".join(wrong)


def test_imports_inside_functions_are_the_listed_hooks() -> None:
    wrong = [str(each) for each in IMPORTS if each.late and not may_import(each)]
    assert not wrong, "\n".join(wrong)


def test_no_cycle_of_modules() -> None:
    circles = cycles(graph(without_hooks(IMPORTS)))
    assert not circles, "\n".join(f"{len(names)}: {' '.join(names)}" for names in circles)


# The machinery, on modules made up for it.


def found_in(**texts: str) -> list[Import]:
    named = {name.replace("__", "."): text for name, text in texts.items()}
    return imports({"ordeval": "", **named})


def test_imports_are_found_wherever_they_stand() -> None:
    found = found_in(
        ordeval__a="import numpy\nfrom .b import f\ndef g():\n    from ordeval.c.d import h\n",
        ordeval__b="class C:\n    def m(self):\n        import ordeval.a\n",
        ordeval__c="from . import d\nfrom .d import h\n",
        ordeval__c__d="from ..b import f\nfrom typing import Any\n",
    )
    assert found == [
        Import("ordeval.a", "ordeval.b", 2, late=False),
        Import("ordeval.a", "ordeval.c.d", 4, late=True),
        Import("ordeval.b", "ordeval.a", 3, late=True),
        Import("ordeval.c", "ordeval.c.d", 1, late=False),
        Import("ordeval.c", "ordeval.c.d", 2, late=False),
        Import("ordeval.c.d", "ordeval.b", 1, late=False),
    ]


def test_imports_for_type_checkers_do_not_count() -> None:
    text = "if TYPE_CHECKING:\n    from .b import B\nelse:\n    from .c import C\n"
    found = found_in(ordeval__a=text, ordeval__b="", ordeval__c="")
    assert [each.target for each in found] == ["ordeval.c"]


def test_cycles_are_found_through_the_packages_around_a_module() -> None:
    found = found_in(
        ordeval__a="from .c.d import f",  # runs ordeval.c first
        ordeval__c="from ..b import g",
        ordeval__b="from .a import h",
        ordeval__c__d="",
    )
    assert cycles(graph(found)) == [["ordeval.a", "ordeval.b", "ordeval.c"]]


def test_a_package_may_export_what_its_modules_hold() -> None:
    found = found_in(
        ordeval__c="from .d import f\nfrom .e import g",
        ordeval__c__d="from .e import g",
        ordeval__c__e="",
    )
    assert cycles(graph(found)) == []


def test_a_module_that_imports_its_own_package_is_a_cycle() -> None:
    found = found_in(ordeval__c="from .d import f", ordeval__c__d="from . import g")
    assert cycles(graph(found)) == [["ordeval.c", "ordeval.c.d"]]


def test_separate_cycles_come_largest_first() -> None:
    edges = {"a": {"b"}, "b": {"a"}, "c": {"d"}, "d": {"e"}, "e": {"c", "a"}, "f": {"a"}}
    assert cycles(edges) == [["c", "d", "e"], ["a", "b"]]


def test_forbidden_imports_are_refused() -> None:
    assert not may_import(Import("ordeval.stats.paired", "ordeval.meta.ranks", 1, late=True))
    assert not may_import(Import("ordeval.data.counts", "ordeval.io", 1, late=False))
    assert not may_import(Import("ordeval.data.scale", "ordeval.spec", 1, late=False))
    assert not may_import(Import("ordeval.results", "ordeval.report.present", 1, late=True))
    assert may_import(Import("ordeval.display", "ordeval.report.present", 1, late=True))
    assert may_import(Import("ordeval.report.tables", "ordeval.results", 1, late=False))


# What is loaded.

HEAVY = (
    *("pandas", "polars", "pyarrow", "matplotlib", "scipy", "sklearn", "torch", "duckdb"),
    *("narwhals", "typer", "rich", "jinja2", "dask", "pyspark"),
)


def loaded_by(code: str) -> set[str]:
    """Top-level modules that a fresh interpreter has after running the code."""
    program = f"import sys\n{code}\nprint(*{{name.partition('.')[0] for name in sys.modules}})"
    done = subprocess.run(
        [sys.executable, "-c", program],
        env={"PYTHONPATH": str(SOURCE), "PATH": ""},
        capture_output=True,
        text=True,
        check=True,
    )
    return set(done.stdout.split())


def test_importing_the_package_loads_nothing_heavy() -> None:
    assert loaded_by("import ordeval") & set(HEAVY) == set()


def test_scoring_arrays_loads_nothing_heavy() -> None:
    code = (
        "import numpy, ordeval\n"
        "gold, pred = numpy.array([1, 2, 3, 3]), numpy.array([1, 2, 2, 3])\n"
        "[m(gold, pred, undefined=0) for m in ordeval.measures(batched=True)]"
    )
    assert loaded_by(code) & set(HEAVY) == set()
