"""Amigó et al. (2020): definitions, propositions and proofs, evaluated on all small cases."""

from collections.abc import Callable, Iterator, Mapping
from itertools import permutations, product

import numpy as np

import ordeval as oe

from .internals import (
    Floats,
    Ints,
    all_moves_closer,
    all_tables,
    ciq,
    imbalance_cases,
    one_error,
    proximity,
    random_golds,
)
from .matrix_exhibits import compared, score_of
from .printed import Printed
from .statements import statement, yes
from .study import Drawing, Fact, Item, Ours, Setting

_CLASSES = 4  # of the scale on which Definition 1 is tried
_UNIFORM = ((4, 2), (6, 2), (3, 3), (6, 3), (4, 4))  # items and classes of tables with equal gold
_LARGEST = 30  # class size of Appendix C


def figure_2(setting: Setting, printed: Printed) -> Iterator[Item]:
    """Draw the three properties as pairs of outputs, with cases of the axiom search."""
    pairs = _pairs(printed)
    for name, (left, right, values) in pairs.items():
        for measure in printed.columns:
            sign = _mapped(measure, left, values) if values else compared(measure, left, right)
            yield Ours(name, measure, sign, unjudged="outputs of our own")
    series = {
        name: {
            "relation": printed.figures[name]["cem"],
            "left": {"counts": left, "values": range(1, len(left) + 1)},
            "right": {"counts": right, "values": values or range(1, len(left) + 1)},
        }
        for name, (left, right, values) in pairs.items()
    }
    yield Drawing(printed.key, "outputs", series, **printed["drawing"])


Pair = tuple[Floats, Floats, tuple[float, ...]]


def _pairs(printed: Printed) -> dict[str, Pair]:
    """Return two outputs for each property, and the class values of the second if they differ."""
    table = np.array(printed["invariance"], dtype=np.float64)
    values = tuple(float(v) for v in printed["values"])
    moves = all_moves_closer(all_tables(int(table.sum()), len(table)))
    wanted = (moves.points[moves.right] == np.array(printed["monotonicity"])).all(axis=(1, 2))
    at = int(np.flatnonzero(wanted)[0])
    one = imbalance_cases(np.array([printed["imbalance"]]))
    if one is None:
        raise RuntimeError("the imbalance axiom needs neighbours of different size")
    return {
        "ordinal invariance": (table, table, values),
        "ordinal monotonicity": (moves.points[moves.left[at]], moves.points[moves.right[at]], ()),
        "imbalance": (one.points[one.left[0]], one.points[one.right[0]], ()),
    }


def _mapped(measure: str, table: Floats, values: tuple[float, ...]) -> str:
    """Compare a score with that under other class values."""
    mapped = float(oe.measure(measure).of(table, values=list(values)))
    return "=" if abs(mapped - score_of(measure, table)) < 1e-12 else "≠"


Closer = Callable[[int, int, int], bool]
_STATED: Mapping[str, Closer] = {
    "nominal": lambda x, a, b: b == x or b != a,
    "ordinal": lambda x, a, b: b >= x >= a or a >= x >= b,
    "interval": lambda x, a, b: abs(b - x) <= abs(b - a),
}


def definition_1(setting: Setting, printed: Printed) -> Iterator[Item]:
    """Compare the stated conditions for closeness with the definition, on all triples."""
    for scale, stated in _STATED.items():
        maps = list(_permissible(scale))
        for column, quantifier in (("for some function", any), ("for all functions", all)):
            wrong = [
                (x, a, b)
                for x, a, b in product(range(1, _CLASSES + 1), repeat=3)
                if quantifier(_closer(f, x, a, b) for f in maps) != stated(x, a, b)
            ]
            note = "Not so for x = {}, a = {}, b = {}.".format(*wrong[0]) if wrong else ""
            yield Ours(scale, column, yes(not wrong), note, explained=bool(wrong))


def _closer(f: tuple[int, ...], x: int, a: int, b: int) -> bool:
    return abs(f[x - 1] - f[b - 1]) <= abs(f[a - 1] - f[b - 1])


def _permissible(scale: str) -> Iterator[tuple[int, ...]]:
    """Return class values after permissible functions; steps of 1 and 9 decide all orders."""
    if scale == "nominal":
        yield from permutations(range(_CLASSES))
    elif scale == "ordinal":
        for steps in product((1, 9), repeat=_CLASSES - 1):
            yield (0, *(sum(steps[:i]) for i in range(1, _CLASSES)))
    else:
        for slope, shift in product((-3, -1, 1, 3), (0, 5)):
            yield tuple(slope * i + shift for i in range(_CLASSES))


def propositions(setting: Setting, printed: Printed) -> Iterator[Item]:
    """Compare CEM at nominal scale with accuracy, and its parts with precision and recall."""
    equal = [_equal_gold(items, k) for items, k in _UNIFORM]
    off = max(_apart("cem(scale=nominal)", "accuracy", tables) for tables in equal)
    yield Ours("Proposition 1", "CEM_NOM − accuracy, equal class sizes", off, expected=0.0)
    for name, axis in (("recall", -1), ("precision", -2)):
        largest = max(_off_share(t, axis) for t in equal)
        yield Ours("Proposition 2", f"normalised CIQ − {name}", largest, expected=0.0)
        true, note = _one_factor(equal, axis)
        yield statement(f"Proposition 2: {name} is proportional to ΣCIQ", true, note)
    yield Ours(
        "macro average accuracy", "mean of normalised CIQ, any gold", _off_macro(), expected=0.0
    )
    rare, common = (float(v) for v in np.diag(_prox_nominal([2, 8])))
    yield statement(
        "unequal class sizes: rare classes weigh more",
        rare > common,
        f"{rare:.2f} bits for a class of 2 of 10 items, {common:.2f} for one of 8",
    )
    yield Fact("tables", f"{sum(map(len, equal)):,}")


def _array(x: object) -> Floats:
    return np.asarray(x, dtype=np.float64)


def _apart(one: str, other: str, tables: Floats) -> float:
    """Return the largest difference between two measures."""
    first, second = (_array(oe.measure(m).of(tables)) for m in (one, other))
    return float(np.abs(first - second).max())


def _equal_gold(items: int, k: int) -> Floats:
    """Return all tables in which all gold classes have the same size."""
    tables = all_tables(items, k)
    return np.asarray(tables[(tables.sum(axis=2) == items / k).all(axis=1)])


def _prox_nominal(golds: list[int]) -> Floats:
    n = np.diag(np.array(golds, dtype=np.float64))
    return _array(proximity(n, np.arange(float(len(golds))), "nominal", True))


def _off_share(tables: Floats, axis: int) -> float:
    """Return the largest distance of normalised CIQ sums from recall or precision."""
    k = tables.shape[-1]
    ours = _array(ciq(tables, np.arange(float(k)), axis, "nominal"))
    with np.errstate(invalid="ignore"):
        shares = np.diagonal(tables, axis1=1, axis2=2) / tables.sum(axis=axis)
    return float(np.nanmax(np.abs(ours - shares)))


def _one_factor(equal: list[Floats], axis: int) -> tuple[bool, str]:
    """Return whether ΣCIQ is the share times one number for all systems, or two that differ."""
    for tables in equal:
        k = tables.shape[-1]
        prox = _array(proximity(tables, np.arange(float(k)), "nominal", True))
        sums = (prox * tables).sum(axis=axis)[:, 0]
        right, total = tables[:, 0, 0], tables.sum(axis=axis)[:, 0]
        shares = np.divide(right, total, out=np.zeros_like(right), where=total > 0)
        some = np.flatnonzero(shares > 0)
        factor = sums[some] / shares[some]
        if np.ptp(factor) > 1e-9:
            low, high = some[factor.argmin()], some[factor.argmax()]
            return False, (
                f"With {k} classes of {int(tables[0, 0].sum())} items, ΣCIQ of class 1 is "
                f"{sums[low]:g} for precision {shares[low]:.3g} in table "
                f"{_rows(tables[low])}, and {sums[high]:g} for {shares[high]:.3g} in "
                f"{_rows(tables[high])}."
            )
    return True, ""


def _rows(table: Floats) -> str:
    return "; ".join(" ".join(f"{x:g}" for x in row) for row in table)


def _off_macro() -> float:
    """Return the largest distance of the mean normalised CIQ from macro recall, for any gold."""
    tables = all_tables(5, 3)
    ours = _array(ciq(tables, np.arange(3.0), -1, "nominal")).mean(axis=1)
    return float(np.abs(ours - _array(oe.measure("macro_recall").of(tables))).max())


def interval_cem(setting: Setting, printed: Printed) -> Iterator[Item]:
    """Compare the closeness that an error costs on an interval scale with a logarithm of it."""
    k = printed["classes"]
    lost = _lost(k)
    index = np.arange(k)
    d = np.abs(np.subtract.outer(index, index))
    inside = d <= np.minimum(index, k - 1 - index)[:, None]
    off = float(np.abs(lost - np.log2(2 * d + 1))[inside].max())
    yield Ours("errors inside the scale", "bits lost − log₂(2|error| + 1)", off, expected=0.0)
    middle, end = one_error(np.ones((1, 5), dtype=np.int64), 2, 1), _errors(5, {0: 1})
    scores = [score_of("cem(scale=interval)", t.reshape(5, 5)) for t in (middle, end)]
    note = (
        f"With one item in each of 5 classes, 2 for 3 gives {scores[0]:.4f} and 2 for 1 gives "
        f"{scores[1]:.4f}; MAE is 0.2 for both."
    )
    same = abs(scores[0] - scores[1]) < 1e-12
    yield statement("the cost of an error depends only on its size", same, note)
    small, large = _errors(9, {3: 4, 5: 4}), _errors(9, {4: 7})
    yield Ours(
        "order of two systems: errors 1 and 1, or 3 (9 classes)",
        "MAE and CEM_INT",
        f"{compared('mae', small, large)} and {compared('cem(scale=interval)', small, large)}",
        "a sum of logarithms is not the logarithm of a sum",
    )
    series = {"log₂(2|error| + 1)": (index.tolist(), np.log2(2 * index + 1).tolist())}
    for name, gold in printed["gold"].items():  # these are in the lower half of the scale
        upward = lost[gold - 1, gold - 1 :].tolist()
        series[name] = (list(range(len(upward))), upward)
    yield Drawing(printed.key, "curves", series, **printed["drawing"])
    yield Fact("share", f"{inside.mean():.0%}")


def _lost(k: int) -> Floats:
    """Return prox(g, g) − prox(p, g) `[gold, predicted]` with one item in each of k classes."""
    prox = _array(proximity(np.eye(k), np.arange(float(k)), "interval", True))
    return np.asarray(np.diag(prox)[:, None] - prox)


def _errors(k: int, predicted: Mapping[int, int]) -> Floats:
    """Return a table of one item per class, correct except for some gold classes (from 0)."""
    table = np.eye(k)
    for gold, p in predicted.items():
        table[gold, gold], table[gold, p] = 0.0, 1.0
    return table


def appendix_c(setting: Setting, printed: Printed) -> Iterator[Item]:
    """Compare CEM's difference between two errors with the identity, for many class sizes."""
    sizes = np.array(list(product(range(1, _LARGEST + 1), repeat=3)))
    rng = np.random.default_rng(setting.seed)
    more = random_golds(5, 2000, 300, rng)
    for row, golds in {"3 classes": sizes, "5 classes": more}.items():
        for first in range(golds.shape[1] - 2):
            gaps, identity = _scaled_gaps(golds, first), _identity(*golds[:, first : first + 3].T)
            off = float(np.abs(gaps - identity).max())
            place = f"classes {first + 1} to {first + 3}"
            yield Ours(f"{row}, {place}", "CEM's difference − identity", off, expected=0.0)
    larger = sizes[:, 0] > sizes[:, 2]
    positive = (_scaled_gaps(sizes, 0) > 0) == larger
    ties = sizes[:, 0] == sizes[:, 2]
    yield statement(
        "above 0 exactly if n₁ > n₃", bool(positive[~ties].all()), f"{len(sizes):,} class sizes"
    )
    empty = float(_identity(np.array(5.0), np.array(0.0), np.array(2.0)))
    yield Ours("n₁ = 5, n₂ = 0, n₃ = 2", "identity", empty, "an empty class in the middle")
    ns = np.arange(1.0, 61.0)
    series = {
        f"n₂ = {n2}": (ns.tolist(), _identity(ns, np.array(float(n2)), np.array(10.0)).tolist())
        for n2 in (1, 10, 100)
    }
    yield Drawing(printed.key, "curves", series, **printed["drawing"])


def _scaled_gaps(golds: Ints, first: int) -> Floats:
    """Return CEM of one error minus CEM of the other, times the sum by which CEM is divided."""
    large, small = one_error(golds, first, first + 1), one_error(golds, first + 2, first + 1)
    cem = oe.measure("cem")
    gap = _array(cem.of(large)) - _array(cem.of(small))
    own = golds / 2 / golds.sum(axis=1, keepdims=True)
    return np.asarray(gap * (-np.log2(own) * golds).sum(axis=1))


def _identity(n1: Floats, n2: Floats, n3: Floats) -> Floats:
    """Return the logarithm of Appendix C, in bits."""
    return np.asarray(np.log2((n1 / 2) * (n3 + n2 / 2) / ((n1 + n2 / 2) * (n3 / 2))))


def sentences(setting: Setting, printed: Printed) -> Iterator[Item]:
    """Check sentences of sections 2, 4 and 5 by computation or against the printed tables."""
    up = [[0, 1, 0, 0], [0, 0, 1, 0], [0, 0, 0, 1], [0, 0, 0, 0]]
    ranked = {m: score_of(m, up) for m in ("kendall_b", "pearson", "accuracy")}
    scores = ", ".join(f"{m} {v:g}" for m, v in ranked.items())
    yield statement(
        "2.1: perfect rank and linear correlation without a correct item",
        abs(ranked["kendall_b"] - 1) < 1e-12
        and abs(ranked["pearson"] - 1) < 1e-12
        and ranked["accuracy"] == 0,
        f"every item one class too high: {scores}",
    )
    shown = [10 * x + x**2 for x in (1, 2, 3)]
    table = np.array([[1.0, 0, 0], [0, 1, 0], [0, 1, 0]])
    same = _mapped("cem", table, tuple(float(v) for v in shown)) == "="
    yield statement("4.1: the example with 11, 24 and 39", shown == [11, 24, 39] and same)
    yield from _on_table_3(printed)


def _on_table_3(printed: Printed) -> Iterator[Ours]:
    """Compare the columns of CEM with those of the others in Table 3, as printed."""
    left, right = printed.of("table-3").figures, printed.of("table-3-campaigns").figures
    ahead = {c: _lead(left, c) for c in left["cem"]}
    yield statement("5.3: CEM is ahead in every synthetic column", min(ahead.values()) > 0)
    flat = {c: _gap(left, c) for c in left["cem"]}
    yield statement("5.3: CEM without logarithm is always behind CEM", min(flat.values()) > 0)
    real = {c: _lead(right, c) for c in right["cem"]}
    first = [c for c, lead in real.items() if lead >= 0]
    behind = [round(lead, 2) for lead in real.values() if lead < 0]
    yield statement(
        "5.4: CEM is first in four campaigns and 0.01 behind in two",
        len(first) == 4 and behind == [-0.01, -0.01],
        f"first, or equal with others, in {', '.join(first)}",
    )
    flat = {c: _gap(right, c) for c in right["cem"]}
    yield statement(
        "5.4: CEM without logarithm is behind except in one campaign",
        min(flat.values()) == 0 and sum(gap > 0 for gap in flat.values()) == len(flat) - 1,
    )
    last, low = (right[m]["sem15T10C"] for m in ("cohen_kappa", "cem"))
    lowest = sorted(float(row["replab2013"]) for row in right.values())
    yield statement(
        "5.4: κ has the highest coverage in the last campaign and a low one for RepLab",
        float(last) == max(float(row["sem15T10C"]) for row in right.values())
        and float(last) > float(low)
        and lowest.index(float(right["cohen_kappa"]["replab2013"])) < len(lowest) / 2,
        f"{last} and {right['cohen_kappa']['replab2013']}",
    )


def _lead(figures: Mapping[str, Mapping[str, str]], column: str) -> float:
    """Return CEM minus the best other measure; its version without logarithm does not count."""
    others = [float(row[column]) for m, row in figures.items() if not m.startswith("cem")]
    return float(figures["cem"][column]) - max(others)


def _gap(figures: Mapping[str, Mapping[str, str]], column: str) -> float:
    return float(figures["cem"][column]) - float(figures["cem_flat"][column])
