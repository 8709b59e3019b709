"""Pages and figures of raters and of models beside people: what they say, whatever the data."""

import re
from collections.abc import Callable
from dataclasses import replace
from functools import cache
from html import unescape
from math import nan
from typing import Any

import numpy as np
import pytest
from rater_data import (
    LINEAR,
    MEASURES,
    agreement,
    hostile_agreement,
    hostile_judgement,
    judgement,
    rated,
)
from report_data import HOSTILE

import ordeval as oe
from ordeval.measures.spec import parse_measure
from ordeval.plot.heatmaps import rater_grid
from ordeval.rater_results import Agreement, Estimate, Judgement, RaterPair, coefficient_name
from ordeval.report.judge_story import judge_answer, judge_checks
from ordeval.report.rater_story import agreement_answer, agreement_checks
from ordeval.report.story import plain

MANY = [f"rater {i}" for i in range(200)]
SAME = np.full((20, 5), 2)
AGREEMENTS: dict[str, Callable[[], Agreement]] = {
    "five": agreement,
    "two": lambda: agreement(("ann", "ben")),
    "two hundred": lambda: agreement(MANY, items=60),
    "two classes": lambda: agreement(k=2),
    "a hundred and one classes": lambda: agreement(k=101, labels=range(101)),
    "undefined": lambda: agreement(values=(nan,) * 5, doubts=("one class",) * 5, codes=SAME),
    "without intervals": lambda: agreement(intervals=False),
    "nobody named": lambda: agreement(raters=(), pairs=()),
    "hostile": hostile_agreement,
}
JUDGEMENTS: dict[str, Callable[[], Judgement]] = {
    "three": judgement,
    "one model": lambda: judgement(("gpt-4o",)),
    "sixty models": lambda: judgement([f"model {i}" for i in range(60)], items=60),
    "two people": lambda: judgement(people=("ann", "ben")),
    "two hundred people": lambda: judgement(people=MANY, items=60),
    "two classes": lambda: judgement(k=2, labels=["no", "yes"]),
    "a hundred and one classes": lambda: judgement(k=101, labels=range(101)),
    "without intervals": lambda: judgement(intervals=False),
    "without slices": lambda: judgement(slices=()),
    "hostile": hostile_judgement,
}
EVERY: dict[str, Callable[[], Any]] = {
    **{f"agreement: {name}": make for name, make in AGREEMENTS.items()},
    **{f"judgement: {name}": make for name, make in JUDGEMENTS.items()},
}


def _sections(text: str) -> list[str]:
    return re.findall(r'<section id="([a-z]+)"', text)


@cache
def _page(name: str) -> str:
    return str(EVERY[name]().to_html())


def _main(text: str) -> str:
    return text[text.index("<main>") : text.index("</main>")]


@pytest.fixture(scope="module")
def page() -> str:
    return _page("agreement: five")


@pytest.fixture(scope="module")
def judge_page() -> str:
    return _page("judgement: three")


@pytest.mark.parametrize("name", EVERY)
def test_every_page_has_unique_ids_links_with_targets_and_no_nan(name: str) -> None:
    text = _page(name)
    ids = re.findall(r'\bid="([^"]+)"', text)
    assert len(ids) == len(set(ids))
    assert set(re.findall(r'href="#([^"]+)"', text)) <= set(ids)
    assert re.findall(r'<li><a href="#([a-z]+)">', text) == _sections(text)
    assert not re.search(r"\bnan\b", _main(text), re.IGNORECASE)
    assert "None" not in _main(text)


def test_sections_of_an_agreement(page: str) -> None:
    wanted = ["answer", "coefficients", "pairs", "raters", "items", "data", "method", "repeat"]
    assert _sections(page) == wanted
    assert page.count("<svg") == 3


def test_sections_of_a_judgement(judge_page: str) -> None:
    wanted = ["answer", "ceiling", "test", "bias", "slices", "pairs", "items", "people", "data"]
    assert _sections(judge_page) == [*wanted, "method", "repeat"]
    assert "slices" not in _sections(judgement(slices=()).to_html())


def test_pages_of_five_people_and_three_models_are_small(page: str, judge_page: str) -> None:
    assert len(page.encode()) < 150_000
    assert len(judge_page.encode()) < 300_000


def test_pages_of_many_are_not_large() -> None:
    assert len(_page("agreement: two hundred").encode()) < 1_000_000
    assert len(_page("judgement: sixty models").encode()) < 2_000_000


@pytest.mark.parametrize("make", [agreement, judgement])
def test_the_page_is_the_same_every_time(make: Callable[[], Any]) -> None:
    assert make().to_html() == make().to_html()


def test_the_page_is_written_to_a_file(tmp_path: Any, judge_page: str) -> None:
    assert judgement().to_html(tmp_path / "judge.html") == judge_page
    assert (tmp_path / "judge.html").read_text("utf-8") == judge_page


# Names.


@pytest.mark.parametrize("make", [hostile_agreement, hostile_judgement])
def test_names_are_escaped_visible_and_distinct(make: Callable[[], Any]) -> None:
    text = make().to_html(command=f"ordeval judge '{HOSTILE}'")
    assert HOSTILE not in text
    assert "<script>alert(1)" not in text
    assert "<b>low</b>" not in text
    assert text.count("<script") == 1
    assert "\u202e" not in _main(text)[: _main(text).index('id="repeat"')]
    assert ">(blank)<" in text
    assert "\ufffdgnp" in text


def test_two_blank_names_are_told_apart() -> None:
    assert "(blank) (2)" in hostile_agreement().to_html()


def test_a_rater_without_a_name_does_not_change_empty_texts() -> None:
    text = agreement(("", "ben", "cai")).to_html()
    reasons = re.findall(r'<td class="words">([^<]*)</td></tr>', text)
    assert reasons
    assert "(blank)" not in [unescape(reason) for reason in reasons]


# What is said.


def test_the_answer_says_how_well_raters_agree() -> None:
    first, convention, pairs, outstanding = map(plain, agreement_answer(agreement()))
    assert first == (
        "Krippendorff's α ordinal of the five raters is 0.612 (95 % interval 0.582 to 0.642) on "
        "199 items with two ratings or more: their disagreement, in squared differences of ranks, "
        "is 39 % of that expected by chance."
    )
    assert "the conventional bounds of Krippendorff 2004" in convention
    assert "a convention, not a test" in convention
    assert pairs.startswith("Of ten pairs, ben and cai agree most, dee and eve least")
    assert outstanding == "No rater stands out."


@pytest.mark.parametrize(
    ("value", "told"),
    [
        (0.9, "The whole interval lies above"),
        (0.73, "The interval lies between"),
        (0.81, "The interval contains one of"),
        (0.3, "The whole interval lies below"),
    ],
)
def test_alpha_is_set_beside_the_convention(value: float, told: str) -> None:
    found = agreement(values=(value, 0.6, 0.6, 0.6, 0.6))
    assert agreement_answer(found)[1].startswith(told)


def test_a_wide_interval_contains_both_bounds() -> None:
    found = agreement()
    first = next(iter(found.coefficients))
    wide = {**found.coefficients, first: Estimate(0.7, 0.2, 0.9)}
    told = agreement_answer(replace(found, coefficients=wide))[1]
    assert told.startswith("The interval contains both of")


@pytest.mark.parametrize(
    ("value", "told"), [(1.0, "they never differ"), (-0.1, "is not less than that expected by")]
)
def test_agreement_at_the_ends_is_said_in_words(value: float, told: str) -> None:
    found = agreement(values=(value, 0.6, 0.6, 0.6, 0.6), intervals=False)
    assert told in agreement_answer(found)[0]


def test_an_undefined_coefficient_has_a_dash_and_its_reason() -> None:
    found = AGREEMENTS["undefined"]()
    text = found.to_html()
    assert "is undefined for five raters" in agreement_answer(found)[0]
    assert ">–<" in text
    assert "– Undefined: one class (Krippendorff&#39;s α ordinal, " in text


def test_raters_who_stand_out_are_named_with_the_reason() -> None:
    found = agreement()
    rows = [replace(row, stands_out="rates higher") for row in found.raters[:2]]
    found = replace(found, raters=(*rows, *found.raters[2:]))
    assert plain(agreement_answer(found)[-1]) == "Standing out: ann and ben (rates higher)."
    assert "rates higher" in found.to_html()


@pytest.mark.parametrize(
    ("make", "told"),
    [
        (agreement, "12.6 % of the 1,000 ratings are missing"),
        (lambda: agreement(("ann", "ben")), "only two raters"),
        (lambda: agreement(items=12), "intervals are rough"),
        (lambda: agreement(items=12), "share fewer than 20 items"),
        (lambda: agreement(codes=SAME), "give the same class throughout"),
        (lambda: agreement(codes=SAME), "4 classes are never given: 1, 2, 4, 5."),
        (AGREEMENTS["undefined"], "Krippendorff's α ordinal is undefined: one class."),
        (lambda: agreement(notices=("The scale was inferred.",)), "The scale was inferred."),
    ],
)
def test_data_checks_of_raters(make: Callable[[], Agreement], told: str) -> None:
    assert any(told in check.text for check in agreement_checks(make()))


def test_the_answer_has_a_verdict_for_every_model() -> None:
    gpt, llama, bert, *others = map(plain, judge_answer(judgement()))
    assert gpt == (
        "gpt-4o is as good as one more person under κ linear (Weighted kappa): 0.610 against 0.580 "
        "among people, difference +0.030 [−0.010, 0.070]."
    )
    assert llama.startswith("Whether llama-3 is as good as one more person is undecided under")
    assert bert.startswith("bert is worse than one more person under κ linear: 0.490 against")
    assert others[0] == (
        "gpt-4o passes and llama-3 and bert do not pass the alternative annotator test (ε = 0.2)."
    )
    assert others[-1] == "Everybody is scored against the majority of the other people."


@pytest.mark.parametrize("gold", ["majority", "median", "mean", "soft", "each"])
def test_the_rule_of_gold_is_always_said(gold: str) -> None:
    found = judgement(gold=gold)
    assert f"gold: {gold}" in found.to_html()
    assert "other people" in judge_answer(found)[-1]


def test_many_models_are_told_by_their_verdicts() -> None:
    told = plain(" ".join(judge_answer(JUDGEMENTS["sixty models"]())))
    assert "Of 60 models beside people (0.580): model 3, model 7" in told
    assert len(told) < 900


def test_a_model_without_a_score_is_told_with_the_reason() -> None:
    found = judgement(("gpt-4o",))
    [row] = [r for r in found.scores if r.kind == "model" and r.measure == LINEAR]
    gone = replace(row, leave_one_out=Estimate(nan, doubt="one class"), verdict="undecided")
    found = replace(found, scores=tuple(gone if r is row else r for r in found.scores))
    assert plain(judge_answer(found)[0]).endswith("(Weighted kappa): one class.")
    assert "– Undefined: one class (gpt-4o, κ linear)." in found.to_html()


def test_a_model_with_gaps_has_its_difference_on_its_own_items() -> None:
    found = judgement(("gpt-4o",))
    rows = tuple(replace(row, items=150) for row in found.scores)
    assert "difference on its 150 items +0.030" in judge_answer(replace(found, scores=rows))[0]


def test_verdicts_that_depend_on_the_measure_are_told() -> None:
    found = judgement()
    changed = tuple(
        replace(row, verdict="worse") if row.measure == MEASURES[2] and row.verdict else row
        for row in found.scores
    )
    told = map(plain, judge_answer(replace(found, scores=changed)))
    assert "The verdicts on gpt-4o and llama-3 depend on the measure." in list(told)


def test_people_who_stand_out_are_named_beside_models() -> None:
    found = judgement()
    panel = found.people_agreement
    odd = replace(panel.raters[0], stands_out="agrees less")
    found = replace(found, people_agreement=replace(panel, raters=(odd, *panel.raters[1:])))
    assert "Standing out among people: ann (agrees less)." in map(plain, judge_answer(found))


def test_data_checks_of_models() -> None:
    found = judgement(people=("ann", "ben"))
    constant = replace(found.biases[0], shares=(0.0, 0.0, 1.0, 0.0, 0.0))
    found = replace(found, biases=(constant, *found.biases[1:]))
    texts = " ".join(check.text for check in judge_checks(found))
    for told in ("With two people", "gpt-4o gives the same class"):
        assert told in texts


def test_a_test_that_nobody_had_enough_items_for_is_shown_as_such() -> None:
    found = judgement(("gpt-4o",))
    test = replace(
        found.tests[0],
        left_out=("ann",),
        people=(),
        passes=None,
        winning_rate=nan,
        advantage=nan,
    )
    text = replace(found, tests=(test,)).to_html()
    assert "Left out, with too few items: ann." in text
    assert "person by person" not in text


def test_every_measure_and_model_has_a_row(judge_page: str) -> None:
    for measure in MEASURES:
        assert f"{measure.short} {measure.arrow}".replace(" ", "\u00a0") in judge_page
    assert judge_page.count("as\u00a0good\u00a0as\u00a0one\u00a0more\u00a0person") == 5


def test_tables_without_intervals_have_no_column_for_them() -> None:
    for make in (agreement, judgement):
        assert "95 % interval" in make().to_html()
        assert "% interval" not in _main(make(intervals=False).to_html()).replace(
            "95 % intervals", ""
        )


def test_items_show_who_said_what(page: str) -> None:
    found = agreement()
    worst = found.disputed[0]
    row = re.search(rf'<tr>\s*<th scope="row">{worst.item}</th>(.*?)</tr>', page, re.DOTALL)
    assert row is not None
    assert re.findall(r'<td class="words">([^<]*)</td>', row[1]) == [
        str(worst.ratings.get(name, "")) for name in ("ann", "ben", "cai", "dee", "eve")
    ]


def test_items_of_many_raters_count_them_by_class() -> None:
    text = _page("agreement: two hundred")
    assert re.search(r"\d \(\d+ raters\); \d \(", text)


def test_the_summary_says_what_the_page_answers() -> None:
    for found, answer in ((agreement(), agreement_answer), (judgement(), judge_answer)):
        text = found.summary()
        assert all(plain(said) in text for said in answer(found))
        assert "References" in text


# How to repeat it.


def test_the_command_and_the_call_repeat_the_result(page: str, judge_page: str) -> None:
    for text, words in (
        (page, ("ordeval agreement DATA \\", "--raters=ann,ben,cai,dee,eve", "oe.agreement(")),
        (judge_page, ("ordeval judge DATA \\", "--models=gpt-4o,llama-3,bert", "oe.judge(")),
    ):
        shown = unescape(text)
        assert all(word in shown for word in (*words, "--bootstrap=2000", "--seed=0"))
    given = agreement().to_html(command="ordeval agreement mine.csv")
    assert "ordeval agreement mine.csv" in given
    assert "agreement DATA" not in given


def test_names_in_the_command_are_quoted_for_the_shell() -> None:
    text = unescape(agreement(("a b", "c,d", "$e")).to_html())
    assert """--raters='a b,"c,d",$e'""" in text


# Figures.


def test_the_band_of_the_ceiling_is_the_interval_of_people() -> None:
    found = judgement()
    ax = oe.plot.ceiling(found)
    mean = found.ceilings[0].leave_one_out
    band = ax.patches[0].get_extents().transformed(ax.transData.inverted())
    assert (band.x0, band.x1) == pytest.approx((mean.low, mean.high))
    names = [label.get_text() for label in ax.get_yticklabels()]
    assert names == ["gpt-4o", "llama-3", "bert", "mean of people", "each person"]
    assert not oe.plot.ceiling(judgement(intervals=False)).patches


def test_errors_rank_the_lowest_model_first() -> None:
    ax = oe.plot.ceiling(judgement(), "mae")
    assert ax.get_yticklabels()[0].get_text() == "gpt-4o"
    assert ax.get_xlabel() == "MAEᵘ (lower is better ↓)"


def test_severity_has_the_highest_on_top() -> None:
    found = agreement()
    names = [label.get_text() for label in oe.plot.severity(found).get_yticklabels()]
    severity = {row.rater: row.severity.value for row in found.raters}
    assert names == sorted(severity, key=lambda name: -severity[name])
    few = [label.get_text() for label in oe.plot.severity(found, most=2).get_yticklabels()]
    assert few == [names[0], names[-1]]


def test_bars_of_shares_end_at_a_hundred() -> None:
    for found in (agreement(), agreement(k=101, labels=range(101)), judgement()):
        ax = oe.plot.rater_shares(found)
        widths: dict[float, float] = {}
        for patch in ax.patches:
            y = round(patch.get_y(), 3)
            widths[y] = widths.get(y, 0.0) + patch.get_width()
        np.testing.assert_allclose(list(widths.values()), 100)


def test_the_matrix_is_ordered_by_agreement_and_mirrored() -> None:
    grid = rater_grid(agreement())
    means = [float(tiles[-1].text) for _, tiles in grid.rows]
    assert means == sorted(means, reverse=True)
    text = [[tile.text for tile in tiles[:-1]] for _, tiles in grid.rows]
    assert text == [list(column) for column in zip(*text, strict=True)]
    assert [row[i] for i, row in enumerate(text)] == [""] * 5


def test_the_matrix_of_many_has_both_ends() -> None:
    found = AGREEMENTS["two hundred"]()
    grid = rater_grid(found, most=10)
    everybody = rater_grid(found)
    whole = [name.split(". ", 1)[1] for name, _ in everybody.rows]
    assert [name for name, _ in grid.rows] == [*whole[:5], *whole[-5:]]
    assert "Of 200 raters, those who agree best" in _page("agreement: two hundred")


def test_the_matrix_of_a_measure_that_depends_on_gold_has_gold_in_the_row() -> None:
    measure = parse_measure("cem")
    found = agreement(("ann", "ben", "cai"))
    pairs = tuple(RaterPair(measure, p.first, p.second, p.items, p.estimate) for p in found.pairs)
    found = replace(found, pairs=pairs)
    grid = rater_grid(found)
    assert grid.corner == "gold in the row"
    assert sum(tile.text == "" for _, tiles in grid.rows for tile in tiles) == 3 + 3
    assert "The rater of the row is taken as gold." in found.to_html()


def test_opposition_is_marked_and_pairs_without_items_have_a_dash() -> None:
    codes = np.array([[0, 1, -1], [1, 0, -1], [0, 1, -1], [1, 0, 1]])
    grid = rater_grid(agreement(("ann", "ben", "cai"), k=2, codes=codes, intervals=False))
    kinds = {tile.kind for _, tiles in grid.rows for tile in tiles}
    assert "oppose" in kinds
    assert any(tile.text == "–" for _, tiles in grid.rows for tile in tiles)


@pytest.mark.parametrize(
    "name", ["agreement", "ceiling", "rater_matrix", "rater_shares", "severity"]
)
def test_figures_refuse_other_objects(name: str) -> None:
    with pytest.raises(oe.InputError, match="int was given; a result of "):
        getattr(oe.plot, name)(3)


def test_figures_refuse_unknown_measures_and_raters_without_names() -> None:
    with pytest.raises(oe.InputError, match="'macro_mae' was not computed"):
        oe.plot.ceiling(judgement(), "macro_mae")
    with pytest.raises(oe.InputError, match="was not computed for pairs"):
        oe.plot.rater_matrix(agreement(), "mae")
    with pytest.raises(oe.InputError, match="no pairs of raters"):
        oe.plot.rater_matrix(agreement(pairs=()))


# Results of the functions themselves.


@pytest.fixture(scope="module")
def found_agreement() -> Agreement:
    codes = rated(4, 80, 5)
    columns = [[None if c < 0 else c + 1 for c in column] for column in codes.T.tolist()]
    ratings = dict(zip(("ann", "ben", "cai", "dee"), columns, strict=True))
    return oe.agreement(ratings, labels=[1, 2, 3, 4, 5], bootstrap=100)


@pytest.fixture(scope="module")
def found_judgement() -> Judgement:
    codes = rated(5, 80, 5)
    columns = [[None if c < 0 else c + 1 for c in column] for column in codes.T.tolist()]
    people = dict(zip(("ann", "ben", "cai"), columns, strict=False))
    models = {"gpt-4o": columns[3], "bert": columns[4]}
    slices = ["short", "long"] * 40
    return oe.judge(people, models, labels=[1, 2, 3, 4, 5], slices=slices, bootstrap=100)


def test_the_page_of_an_agreement_of_data(found_agreement: Agreement) -> None:
    text = found_agreement.to_html()
    assert _sections(text) == _sections(_page("agreement: five"))
    for measure in found_agreement.coefficients:
        assert coefficient_name(measure) in unescape(text)
    assert found_agreement.signature in unescape(text)
    assert "Under other measures" in text


def test_the_page_of_a_judgement_of_data(found_judgement: Judgement) -> None:
    text = found_judgement.to_html()
    assert _sections(text) == _sections(_page("judgement: three"))
    assert found_judgement.signature in unescape(text)
    assert len(text.encode()) < 300_000


def test_two_raters_have_kappa_with_analytic_errors() -> None:
    found = oe.agreement({"ann": [1, 2, 3, 3, 2], "ben": [1, 2, 3, 2, 2]}, bootstrap=0)
    assert "Fleiss, Cohen &amp; Everitt" in found.to_html()


def test_lists_without_raters_have_a_page() -> None:
    found = oe.agreement([[1, 1, 2], [3, 3], [2, 3, 3, 3], [1, 1]], labels=[1, 2, 3], bootstrap=50)
    text = found.to_html()
    assert "pairs" not in _sections(text)
    assert "Everybody against everybody" not in text


def _call(text: str) -> str:
    found = re.search(r'aria-label="Python"><code>(.*?)</code>', text, re.DOTALL)
    assert found is not None
    return unescape(found[1]).replace('.to_html("report.html")', "")


def test_the_call_of_an_agreement_gives_the_same_page() -> None:
    ratings = {"ann": [1, 2, 3, 3, 2], "ben": [1, 2, 3, 2, 2], "cai": [1, None, 3, 3, 1]}
    cluster = ["x", "x", "y", "y", "z"]
    found = oe.agreement(ratings, labels=[1, 2, 3], cluster=cluster, measures="ac2", bootstrap=50)
    text = found.to_html()
    names: dict[str, Any] = {"ratings": ratings, "cluster": cluster}
    exec(_call(text).replace("oe.agreement(", "again = oe.agreement("), names)
    assert names["again"].to_html() == text


def test_the_call_of_a_judgement_gives_the_same_page() -> None:
    people = {"ann": [1, 2, 3, 3, 2], "ben": [1, 2, 3, 2, 2], "cai": [1, None, 3, 3, 1]}
    models, slices = {"gpt": [1, 2, 3, 1, 1]}, ["x", "x", "y", "y", "y"]
    settings: dict[str, Any] = {"gold": "median", "margin": 0.3, "nearness": "accuracy"}
    found = oe.judge(
        people,
        models,
        labels=[1, 2, 3],
        slices=slices,
        measures="mae, qwk",
        over="both",
        **settings,
    )
    text = found.to_html()
    names: dict[str, Any] = {"people": people, "models": models, "slices": slices}
    exec(_call(text).replace("oe.judge(", "again = oe.judge("), names)
    assert names["again"].to_html() == text


@pytest.mark.parametrize("name", ["found_agreement", "found_judgement"])
def test_a_result_read_back_gives_the_same_page(
    name: str, request: pytest.FixtureRequest, tmp_path: Any
) -> None:
    found = request.getfixturevalue(name)
    found.to_json(tmp_path / "found.json")
    assert oe.load(tmp_path / "found.json").to_html() == found.to_html()


def test_weights_and_clusters_of_a_judgement_are_shown() -> None:
    people = {"ann": [1, 2, 3, 3, 1, 2], "bob": [1, 2, 3, 2, 1, 1]}
    models, options = {"gpt": [1, 2, 3, 3, 2, 2]}, {"labels": [1, 2, 3], "measures": "mae"}
    found = oe.judge(people, models, sample_weight=[1, 2, 1, 1, 1, 3], bootstrap=50, **options)
    assert "6 weighted items (worth 4.8 of equal weight)" in str(found)
    assert "|worth:4.8" in found.signature
    found = oe.judge(people, models, cluster=list("aabbcc"), bootstrap=50, **options)
    assert "6 items in 3 clusters" in str(found)
    assert "|clusters:3" in found.signature


def test_all_verdicts_are_explained() -> None:
    text = " ".join(str(judgement()).split())
    assert all(f"“{word}”" in text for word in ("better", "worse", "as good", "undecided"))
    assert "Intervals are for other items with these people." in text
