"""What the report says in words, against figures that are known."""

import re
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from report_data import compared, meta, quantified

import ordeval as oe
from ordeval.plot.heatmaps import significance_grid
from ordeval.report.html import emphasised
from ordeval.report.meta_page import meta_answer
from ordeval.report.result_page import (
    all_scores,
    board,
    error_distances,
    hardest_topics,
    winners_table,
)
from ordeval.report.story import (
    advice,
    answer,
    counted,
    data_checks,
    listed,
    method,
    number,
    p_phrase,
    plain,
    system_sentence,
    tau_sentences,
)


def _plain(sentences: list[str]) -> str:
    return " ".join(map(plain, sentences))


@pytest.fixture(scope="module")
def result() -> oe.Result:
    return compared()


def _with(result: oe.Result, p: Any) -> oe.Result:
    """The result with other p-values for every pair."""
    assert result.tests is not None
    tests = replace(result.tests, p=np.broadcast_to(p, result.tests.p.shape))
    return replace(result, tests=tests)


def test_the_answer_names_the_best_its_score_and_interval(result: oe.Result) -> None:
    text = _plain(answer(result))
    assert result.intervals is not None
    score, low = result.scores.of(result.primary, "alpha"), result.intervals.low[0, 0]
    assert text.startswith("alpha ranks first of four systems under κ linear (Weighted kappa)")
    assert f"with a score of {score:.3f} (95 % interval {low:.3f} to" in text


def test_the_answer_says_by_how_much_and_how_sure(result: oe.Result) -> None:
    gap = result.scores.of(result.primary, "alpha") - result.scores.of(result.primary, "beta")
    sure = _plain(answer(_with(result, 0.004)))
    assert "The runner-up, beta (score 0." in sure
    assert f"is {gap:.3f} behind, a significant difference (p = 0.004" in sure
    assert (
        "alpha is significantly better than all three others; besides the runner-up these are "
        "gamma (score 0." in sure
    )
    unsure = _plain(answer(_with(result, 0.4)))
    assert "not a significant difference (p = 0.40" in unsure
    assert "No system is significantly worse than alpha; the others are gamma (score 0." in unsure


def test_the_answer_names_the_group_of_the_best(result: oe.Result) -> None:
    p = np.ones((4, 4))
    p[0, 2:] = p[2:, 0] = 0.01
    text = _plain(answer(_with(result, p)))
    assert "The two other systems, gamma (score 0." in text
    assert "p = 0.010), are significantly worse than alpha." in text
    p[0, 2] = p[2, 0] = 1.0
    text = _plain(answer(_with(result, p)))
    assert "alpha, beta and gamma form the best group: none of them is significantly worse" in text
    assert re.search(r"delta \(score 0\.\d+, p = 0\.010\) is significantly worse\.", text)


def test_the_answer_says_where_measures_disagree() -> None:
    gold = [1, 2, 3, 1, 2, 3, 1, 2, 3, 3]
    far = [1, 2, 3, 1, 2, 3, 1, 2, 1, 3]  # one error, two classes off
    near = [1, 2, 3, 1, 2, 3, 2, 2, 2, 3]  # two errors, one class off each
    guesses = {"far": far, "near": near, "mid": [*near[:-1], 2]}
    result = oe.compare(gold, guesses, labels=[1, 2, 3], measures="accuracy, mse",
                        bootstrap=0, trials=50)  # fmt: skip
    text = _plain(answer(result))
    assert "One of two measures (Acc) ranks far first; MSE prefers near." in text
    two = oe.compare(gold, {"far": far, "near": near}, labels=[1, 2, 3], measures="accuracy, mse",
                     bootstrap=0, trials=50)  # fmt: skip
    link = 'See <a href="#measures">where the ranking depends on the measure</a>.'
    assert link in result.to_html()
    assert link not in two.to_html()  # which has no such section


def test_equal_scores_share_the_first_place() -> None:
    gold = [1, 2, 3, 1, 2, 3, 1, 2, 3, 3]
    worse = [1, 2, 2, 2, 2, 2, 1, 2, 2, 3]
    given: dict[str, Any] = {"labels": [1, 2, 3], "bootstrap": 0, "trials": 50}
    some = oe.compare(gold, {"a": gold, "b": gold, "c": worse}, **given)
    text = _plain(answer(some))
    assert text.startswith("a and b share the first rank of three systems under κ linear")
    assert "The next one, c (score 0." in text
    assert "rank a first" not in text
    every = oe.compare(gold, {"a": gold, "b": gold}, **given)
    assert _plain(answer(every)) == (
        "Both systems score 1.000 under κ linear (Weighted kappa) (higher is better)."
    )
    table = winners_table(some)
    assert [cell.text for cell in table.rows[0]][1:4] == ["a, b", "1.0000", "1"]
    assert [[cell.bold for cell in row[1:2]] for row in all_scores(some)[0].rows] == [
        [True], [True], [False]
    ]  # fmt: skip


def test_measures_that_break_a_tie_are_named() -> None:
    gold = [1, 2, 3, 3]
    guesses = {"far": [1, 2, 3, 1], "near": [1, 2, 3, 2]}
    result = oe.compare(gold, guesses, labels=[1, 2, 3], measures="accuracy, mae", bootstrap=0,
                        trials=50)  # fmt: skip
    assert _plain(answer(result)).endswith("To break the tie: MAEᵘ prefers near.")


def test_measures_that_give_the_best_no_score_have_no_say() -> None:
    gold, same = [1, 2, 3] * 4, [2] * 12
    guesses = {"same": same, "wrong": [3, 2, 1] * 4}
    result = oe.compare(gold, guesses, labels=[1, 2, 3], measures="mae, pearson, mse", bootstrap=0,
                        trials=50)  # fmt: skip
    text = _plain(answer(result))
    assert text.endswith(
        "Both measures that score it rank same first: MAEᵘ and MSE. r is undefined for it."
    )
    line = [cell.text for cell in winners_table(result).rows[1]]
    assert line[1:4] == ["wrong (1 of 2 with a score)", "-1.0000", "–"]


def test_systems_without_a_score_do_not_hide_the_hardest_topics() -> None:
    gold, topics = [1, 2, 3] * 4, [f"t{i // 3}" for i in range(12)]
    good = [1, 2, 3, 1, 2, 2, 1, 2, 3, 2, 2, 2]
    result = oe.compare(gold, {"same": [2] * 12, "good": good}, labels=[1, 2, 3], topics=topics,
                        measures="pearson, mae", bootstrap=0, trials=50)  # fmt: skip
    table = hardest_topics(result)
    assert table is not None
    assert table.title == "The hardest of 3 topics with a score for every system; 1 without"
    assert table.rows[0][0].text == "t1"
    lone = oe.compare(gold, {"a": [2] * 12, "b": [1] * 12}, labels=[1, 2, 3], topics=topics,
                      measures="pearson, mae", bootstrap=0, trials=50)  # fmt: skip
    assert hardest_topics(lone) is None
    assert "<svg" in lone.to_html()


def test_the_interval_of_the_difference_is_told_where_there_is_one() -> None:
    result = compared(differences=True, primary="mae")
    found = result.difference(*result.systems[:2])
    low, high = sorted((-found.low, -found.high))
    told = f", 95 % interval {number(low)} to {number(high)})."
    assert told in answer(result)[1]


def test_scores_that_differ_by_rounding_stand_in_the_middle() -> None:
    gold = [1, 2, 3] * 5
    how: Any = {"labels": [1, 2, 3], "bootstrap": 50, "trials": 50, "method": "percentile"}
    result = oe.compare(gold, {"a": gold, "b": gold}, **how)
    assert board(result, result.primary)[0]["whisker"] == [0.5, 0.5, 0.5]


def test_lower_is_better_where_it_is() -> None:
    text = _plain(answer(quantified()))
    assert text.startswith("near ranks first of three systems under RNOD")
    assert "lower is better)" in text


def test_words_about_a_system_come_from_its_table() -> None:
    result = oe.evaluate([1, 1, 2, 3], [1, 3, 3, 3], labels=[1, 2, 3], bootstrap=0)
    text = system_sentence(result, "y_pred")
    assert text == (
        "It is right on 50.0 % of the items and at most one class off on 75.0 %; on average its "
        "predictions are 0.75 classes too high."
    )


def test_error_distances_keep_their_sign() -> None:
    result = oe.evaluate([1, 1, 2, 3], [1, 3, 3, 3], labels=[1, 2, 3], bootstrap=0)
    assert result.tables is not None
    bars = {bar.label: bar.share for bar in error_distances(result.tables[0])}
    assert bars == {"−2": 0, "−1": 0, "right": 0.5, "+1": 0.25, "+2": 0.25}


def test_letters_and_ranks_of_the_leaderboard(result: oe.Result) -> None:
    p = np.ones((4, 4))
    p[0, 2:] = p[2:, 0] = p[1, 3] = p[3, 1] = 0.01
    rows = board(_with(result, p), result.primary)
    assert [row["group"] for row in rows] == ["a", "ab", "bc", "c"]
    assert [row["beats"] for row in rows] == ["3–4", "4", "", ""]
    assert [row["best"] for row in rows] == [True, True, False, False]


def test_verdicts_are_mirrored(result: oe.Result) -> None:
    grid = significance_grid(_with(result, 0.01))
    kinds = np.array([[tile.kind for tile in tiles] for _, tiles in grid.rows])
    assert (np.diag(kinds) == "self").all()
    assert (kinds[np.triu_indices(4, 1)] == "win").all()
    assert (kinds[np.tril_indices(4, -1)] == "loss").all()


def test_the_hardest_topic_is_first(result: oe.Result) -> None:
    table = hardest_topics(result)
    assert table is not None
    assert result.scores.per_topic is not None
    means = result.scores.per_topic[0].mean(axis=0)
    assert table.rows[0][0].text == result.scores.topics[int(np.argmin(means))]
    assert table.rows[0][1].value == pytest.approx(means.min())
    assert len(table.rows) == 20


def test_the_method_gives_the_settings(result: oe.Result) -> None:
    text = " ".join(method(result))
    for part in ("20 topics", "Student's t", "max-T", "200 trials", "seed 0", "p < 0.05"):
        assert part in text


def test_checks_name_constant_systems_and_rare_classes() -> None:
    gold = [1, 2, 3] * 3
    result = oe.compare(gold, {"same": [2] * 9, "good": gold}, labels=[1, 2, 3], bootstrap=0,
                        trials=50)  # fmt: skip
    texts = {(check.level, check.text[:29]) for check in data_checks(result)}
    assert ("warning", "'same' predicts the same clas") in texts
    assert ("note", "Class 1 has only 3 gold items") in texts
    assert ("ok", "All classes occur in gold.") in texts


def test_notices_of_the_result_are_passed_on() -> None:
    result = oe.compare([1, 2, 4], {"a": [1, 2, 4], "b": [1, 1, 1]}, bootstrap=0, trials=50)
    levels = {check.text: check.level for check in data_checks(result)}
    assert all(levels[notice] == "warning" for notice in result.notices)
    assert len(result.notices) >= 2


def test_advice_tells_whether_the_page_follows_it(result: oe.Result) -> None:
    assert "which is recommended for such data" in _plain(advice(result))
    other = compared(primary="mae")
    text = _plain(advice(other))
    assert "κ linear is recommended; this page ranks by MAE" in text


def test_similar_and_opposite_measures_are_named() -> None:
    tau = np.array([[1.0, 0.9, -0.5], [0.9, 1.0, 0.1], [-0.5, 0.1, 1.0]])
    text = _plain(tau_sentences(tau, ["a", "b", "c"]))
    assert "The most similar rankings are those under a and b (τ = 0.90)" in text
    assert "The least similar ones are those under a and c (τ = −0.50)" in text
    assert "The ranking depends on the measure (median τ 0.10)" in text


def test_the_answer_on_measures_names_the_steadiest_and_sharpest() -> None:
    found = meta()
    text = _plain(meta_answer(found))
    assert text.startswith("Use κ linear, and report α ordinal")
    best = found.discrimination.order[0]
    assert f"{found.discrimination.significant[best]} of 15 pairs of systems" in text


def test_numbers_in_sentences() -> None:
    assert number(0.12345) == "0.123"
    assert number(-0.5) == "−0.500"
    assert number(0.00004) == "4e−05"
    assert [p_phrase(p) for p in (0.0002, 0.0234, 0.5)] == ["p < 0.001", "p = 0.023", "p = 0.50"]
    assert [counted(n, "system") for n in (1, 7, 12)] == [
        "one system",
        "seven systems",
        "12 systems",
    ]


def test_lists_in_sentences_are_escaped_and_cut() -> None:
    assert emphasised(listed(["a", "<b>"])) == ("<strong>a</strong> and <strong>&lt;b&gt;</strong>")
    assert plain(listed(list("abcdefgh"), 3)) == "a, b, c and five others"
    assert plain(listed(["a"])) == "a"
