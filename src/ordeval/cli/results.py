"""`ordeval score`, `compare`, `quantify`, `agreement`, `judge`: files in, a result out."""

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

from .. import evaluation, options
from ..errors import InputError, naming, quoted
from ..evaluation import ratings
from ..evaluation.agreement import about_models, agreement_of
from ..evaluation.cutpoints import cutpoints as choose_cuts
from ..evaluation.judge import division_names, judge_of, read_panel
from ..evaluation.plan import plan as study_plan
from ..evaluation.plan import without_gold
from ..evaluation.rated import asks_ratings
from ..evaluation.stored import worse_than_baseline, worse_than_system
from ..formatting import one_line
from ..measures.spec import parse_measure
from ..notes import Notes
from ..results.gate import shortfalls
from ..results.serialise import is_stored, load
from ..types import Gate
from .messages import say, spell
from .option_types import COLUMN, Type, names
from .options import (
    DECLARED,
    GATE,
    LABEL_FILES,
    MEASURES_ASKED,
    PEOPLE,
    RATERS,
    RATINGS,
    REPORT,
    UNDER,
    Given,
    Option,
    argument,
    changed,
    command,
    library,
    refuse,
    switch,
    tables,
)
from .output import Progress, write_result

_FILES = (options.RowOptions, options.TextFileOptions)
_TOPICS = "measures has the other measures, scores a row per score, topics the scores on each topic"
_PER_CLASS = (
    "classes figures per class, confusion the counts of gold by predicted class, of each system, "
    "calibration what makes up the score of probabilities, slices and gaps what --by divides"
)
_PAIRED = "slice_pairs the differences of systems on slices"
_OF_LABELS = ("classes", "confusion", "calibration", "slices", "gaps")
_SHARE_TABLES = ("measures", "scores", "pairs", "anova", "topics")
_OF_RESULTS = {"data", "runs", "primary", "tables"}  # options that results can have
_OF_RESULTS |= {option.name for option in (*GATE, *REPORT)}
_AGREEMENT = ("coefficients", "kappas", "raters", "shares", "pairs", "confusion", "disputed")

_JUDGEMENT = ("measures", "people", "pairs", "test", "replacements", "bias", "slices", "items")

_MOST_FAILURES = 10  # in the sentence of a gate

Stage = Callable[[str], Any]  # returns what hears of the progress of a stage


def _write(given: Given, make: Callable[[Stage], Any], **empty: str) -> None:
    """Make a result and write it; outputs are checked first, so that no time is lost."""
    sections = given.sections
    given.output.protect(given.files)
    with Progress(quiet=given.output.quiet) as progress:
        result = make(progress.stage)
    failures, remarks = _failures(result, given)
    write_result(result, given.output, sections, **empty)
    if failures:
        from click.exceptions import Exit

        said = [*failures[:_MOST_FAILURES], f"and {len(failures) - _MOST_FAILURES} more"]
        said = said if len(failures) > _MOST_FAILURES else failures
        say(one_line(f"Gate failed: {'; '.join(said)}."))
        raise Exit(1)
    for remark in dict.fromkeys(remarks):
        say(one_line(f"Gate passed. {remark}"))


def _failures(result: Any, given: Given) -> tuple[list[str], Notes]:
    """Return why a result does not pass the gate, and notes that it could not fail."""
    under, baseline = (getattr(given, name, None) for name in ("fail_under", "fail_if_worse"))
    gate: Gate = getattr(given, "gate", "interval")
    with naming(parameter="fail_under"):
        reasons = [*shortfalls(result, under, gate)] if under else []
    if baseline is None:
        if gate != "interval" and not under:
            raise InputError(
                "gate says how conditions are checked, and there are none.",
                parameter="gate",
                hint="Pass {fail_under} or {fail_if_worse}.",
            )
        return reasons, ()
    with naming(parameter="fail_if_worse"):
        if len(result.systems) > 1 and baseline in result.scores.systems:
            worse, notes = worse_than_system(result, baseline, gate), result.notes
        elif len(result.systems) > 1 and not Path(baseline).exists():
            text = f"{baseline!r} is neither a stored result nor one of the systems compared: "
            raise InputError(f"{text}{quoted(result.systems, 5)}.")
        else:
            worse, notes = worse_than_baseline(result, load(baseline), gate)
    # Without intervals, scores decide, and no test needs to be able to find a difference.
    powerless = (note for note in notes if note.kind == "powerless" and gate == "interval")
    return [*reasons, *worse], tuple(powerless)


def read_labels(given: Given, stage: Stage) -> Any:
    """Read labels from the files."""
    reading = {**given.of(options.ReadSettings), "progress": stage("Reading")}
    pred = getattr(given, "pred", None)
    return evaluation.read(given.data, *given.runs, gold=given.gold, pred=pred, **reading)


def _labels_of_pilot(given: Given, stage: Stage) -> Any:
    """Read the labels of a pilot, of raters or with gold."""
    try:
        return read_labels(given, stage)
    except InputError as problem:
        if problem.parameter == "gold":
            problem.change_hint(f"{problem.raw_hint} {without_gold(given.measure)}")
        raise


def _of_ratings(function: Any, given: Given, measures: Any, stage: Stage, *kinds: Any) -> Any:
    """Evaluate or compare what people, and perhaps a judge, rated; several columns are a list."""
    refuse(["runs"] * bool(given.runs), "predictions; mean and shares are of DATA alone.")
    how = {**given.of(*kinds), "progress": stage("Resampling")}
    gold, judge = (
        names(text) if text and "," in text else text for text in (given.gold, given.judge)
    )
    return function(gold, given.pred, measures, data=given.data, **{**how, "judge": judge})


def _scored(function: Any, given: Given, stage: Stage, settings: Any, every: Any) -> Any:
    """Evaluate or compare labels or, if measures of ratings are asked for, what was rated."""
    if asks_ratings(given.measures):
        return _of_ratings(function, given, given.measures, stage, every)
    data, how = read_labels(given, stage), given.of(settings)
    return function(data, None, given.measures, **how, progress=stage("Resampling"))


def read_shares(given: Given, stage: Stage, **other: Any) -> Any:
    """Read distributions from the files."""
    reading = {**given.of(options.ReadSharesSettings), **other, "progress": stage("Reading")}
    return evaluation.read_shares(given.data, *given.runs, gold=given.gold, **reading)


@command(
    LABEL_FILES,
    library(options.ReadSettings),
    MEASURES_ASKED,
    library(options.EvaluateSettings),
    tables("measures", "scores", "topics", *_OF_LABELS, about=f"{_TOPICS}, {_PER_CLASS}"),
    GATE,
    REPORT,
)
def score(given: Given) -> None:
    """Score predictions under the usual measures, with intervals.

    DATA alone is a table with a gold column and a column per system. With RUN files, DATA holds
    the gold labels and every RUN the predictions of one system, joined on an id.

    \b
    Examples:
      ordeval score data.csv
      ordeval score data.csv --gold truth --pred bert,svm --labels low,medium,high
      ordeval score gold.csv bert.csv svm.csv --topic topic --labels -2..2
      ordeval score data.parquet --measures "cem, kappa(weights=quadratic)" --format json
      ordeval score gold.csv runs/*.csv --topic topic --measures mae --tables topics
      ordeval score data.csv --pred bert --tables classes,confusion
      ordeval score "part-*.csv.gz" --draws 0 --out scores.txt
      ordeval score data.csv --pred bert --fail-under "qwk=0.7, mae=0.5"
      ordeval score data.csv --pred bert --primary qwk --fail-if-worse released.json
      ordeval score ratings.xlsx --sheet May --gold "Rater 1" --pred "Rater 2" --missing skip
      ordeval score data.csv --by language,month --tables slices,gaps
      zcat data.csv.gz | ordeval score - --pred bert --where topic=news
      ordeval score answers.csv --gold human --judge llm --measures "mean, shares"
    """

    kinds = options.EvaluateSettings, options.EvaluateOptions
    _write(given, lambda stage: _scored(evaluation.evaluate, given, stage, *kinds))


def _stored(given: Given) -> list[str]:
    """Return the files to compare if one of them is a result of ordeval; both must be."""
    files = [given.data, *given.runs]
    stored = [file for file in files if is_stored(file)]
    others = [file for file in files if file not in stored and Path(file).exists()]
    if stored and (others or len(files) != 2):
        wrong = f"{others[0]} is not" if others else f"two are compared, not {len(files)}"
        raise InputError(
            f"{stored[0]} is a stored result, and {wrong}.",
            hint="Give two stored results, or files of labels alone.",
        )
    return files if stored else []


@command(
    LABEL_FILES,
    library(options.ReadSettings),
    MEASURES_ASKED,
    library(options.CompareSettings),
    tables(*_SHARE_TABLES, *_OF_LABELS, "slice_pairs", about=f"{_TOPICS}, {_PER_CLASS}, {_PAIRED}"),
    GATE,
    REPORT,
)
def compare(given: Given) -> None:
    """Compare systems on the same items, with intervals and tests.

    DATA alone is a table with a gold column and a column per system. With RUN files, DATA holds
    the gold labels and every RUN the predictions of one system, joined on an id.

    Systems are ranked by the primary measure; the column "beats" says which ranks a system beats
    significantly, and "ranks" which ranks it may have by these tests. The test is step-down max-T
    over clusters, topics or items.

    DATA and RUN may be two results of one system each on the same data, which `ordeval score`
    wrote as json. They hold scores of topics, but no items: without topics the test is unpaired.

    \b
    Examples:
      ordeval compare data.csv --labels low,medium,high
      ordeval compare gold.csv runs/*.csv --labels -2..2 --html report.html
      ordeval compare data.csv --against baseline --margin 0.02 --cluster patient
      ordeval compare gold.csv runs --id topic,id --topic topic --where lang=en
      ordeval compare gold.csv all-runs.csv --system system
      ordeval compare gold.csv runs/*.csv --proba "p_{label}" --labels 1..5
      ordeval compare data.csv --primary cem --tables pairs
      ordeval compare data.csv --topic topic --tables main,pairs,anova
      ordeval compare gold.csv runs/*.csv --topic topic --primary macro_mae --tables topics
      ordeval compare gold.csv old.csv new.csv --primary qwk --fail-if-worse old
      ordeval compare old.json new.json --primary qwk
      ordeval compare data.csv --primary qwk --format sentence
      ordeval compare data.csv --measures "qwk, mae" --format latex --out table.tex
      ordeval compare answers.csv --gold human --judge llm --system model --id prompt \\
        --measures mean
    """

    def make(stage: Stage) -> Any:
        if stored := _stored(given):
            ignored = changed(given, DECLARED["compare"]).keys() - _OF_RESULTS
            refuse(ignored, "labels, and results of ordeval are given.")
            result = evaluation.compare(*map(load, stored), primary=given.primary)
            return replace(result, about={"results": stored})
        kinds = options.CompareSettings, options.CompareOptions
        return _scored(evaluation.compare, given, stage, *kinds)

    _write(given, make)


@command(
    argument(
        "data",
        "DATA",
        "Gold distributions: a row per topic, a column per class; without RUN files the systems' "
        "rows, too (--system), or labels (--from-labels). csv, tsv, json, jsonl, parquet, xlsx, "
        "also .gz; - for standard input.",
    ),
    argument(
        "runs",
        "[RUN...]",
        "Files of estimated distributions, matched to DATA by topic and class; the system is "
        "named after the file.",
        (),
    ),
    Option("gold", Type("NAME"), "Name of gold in the column of systems.", "gold", "Data"),
    switch(
        "from_labels",
        "The files hold class labels as for `ordeval score`; the distributions of each topic are "
        "counted from them.",
        "Distributions",
    ),
    library(options.ReadSharesSettings),
    MEASURES_ASKED,
    library(options.QuantifySettings),
    tables(*_SHARE_TABLES, about=_TOPICS),
    GATE,
    REPORT,
)
def quantify(given: Given) -> None:
    """Compare estimated distributions with gold ones.

    DATA holds the gold distributions: a row per topic and a column per class, with shares that
    sum to 1, or counts; or a row per topic and class. Every RUN holds the estimates of one system.
    Or all are in one file, with a column that names the system.

    Columns are matched to classes by name; without a header, the columns after the topic are the
    classes in the order of --labels.

    \b
    Examples:
      ordeval quantify gold.csv bert.csv svm.csv --labels low,medium,high
      ordeval quantify all-runs.tsv --system run --prefix p_ --html report.html
      ordeval quantify gold.csv bert.csv --measures "rnod, nmd" --tables pairs
      ordeval quantify gold.txt run.txt --no-header --labels positive,negative
      ordeval quantify all-runs.tsv --size n --measures "kld_smoothed, ae, rae_smoothed"
      ordeval quantify data.csv --from-labels --topic topic --labels -2..2
    """

    def make(stage: Stage) -> Any:
        if given.from_labels:
            named = changed(given, library(options.ShareOptions)).keys()
            of_labels = options.declared(options.ReadOptions).keys()
            refuse(named - of_labels, "files of distributions; leave out --from-labels.")
        data = (read_labels if given.from_labels else read_shares)(given, stage)
        how = given.of(options.QuantifySettings)
        return evaluation.quantify(data, None, given.measures, **how, progress=stage("Resampling"))

    _write(given, make)


@command(
    RATINGS,
    RATERS,
    library(options.RatingsRead, *_FILES),
    replace(
        MEASURES_ASKED,
        help='Coefficients, e.g. "ac2, krippendorff(level=ordinal)"; all by default. `ordeval '
        "measures raters` lists them.",
    ),
    library(options.AgreementSettings),
    tables(
        *_AGREEMENT,
        about="kappas has tests of two raters, confusion their classes, shares the classes that "
        "raters use, disputed the items of largest disagreement",
        all=_AGREEMENT,
    ),
    replace(
        UNDER,
        help="Exit with code 1 unless every coefficient is at least this, e.g. "
        "krippendorff_ordinal=0.667, by the lower end of its interval.",
    ),
    GATE[-1],
    REPORT,
)
def agreement(given: Given) -> None:
    """Measure how well two or more raters agree.

    DATA has a row per item and a column per rater, a row per item and rater, or a row per item
    with a list of ratings. Raters need not have rated all items.

    \b
    Examples:
      ordeval agreement ratings.csv
      ordeval agreement ratings.csv --raters anna,ben --labels low,medium,high
      ordeval agreement long.parquet --item essay --rater teacher --rating grade
      ordeval agreement ratings.jsonl --rating scores --measures "ac2, krippendorff"
      ordeval agreement label-studio.json --where question=quality --tables main,disputed
      ordeval agreement ratings.csv --cluster author --over both --html agreement.html
      ordeval agreement ratings.csv --item id --text essay --html agreement.html
      zcat ratings.csv.gz | ordeval agreement - --pair-measures qwk --format csv
    """

    def make(stage: Stage) -> Any:
        reading = {**given.of(options.RatingsRead, *_FILES), "progress": stage("Reading")}
        raters = ratings.named_raters(given.raters, "ratings")
        data, kinds = ratings.rated_data(None, given.data, reading, raters=raters)
        settings = given.of(options.AgreementSettings)
        result = agreement_of(data, given.measures, **settings, progress=stage("Resampling"))
        skip, notes = spell("missing", "skip"), (*result.notes, *about_models(kinds))
        notes = tuple(replace(n, text=n.text.replace("missing='skip'", skip)) for n in notes)
        return replace(result, notes=notes)

    _write(given, make)


@command(
    RATINGS,
    PEOPLE,
    library(options.PanelRead, *_FILES),
    MEASURES_ASKED,
    library(options.JudgeSettings),
    tables(
        *_JUDGEMENT,
        about="test has the alternative annotator test, replacements its rows, items those on "
        "which models and people differ most",
        all=("main", *_JUDGEMENT),
    ),
    REPORT,
)
def judge(given: Given) -> None:
    """Judge models by people: is a model as good as one more person?

    DATA has a row per item and a column per person and model, or a row per item and rater with a
    column that says which raters are people. Each person is scored against the others, each model
    against the same people; the verdict is about the difference.

    \b
    Examples:
      ordeval judge ratings.csv --people anna,ben,carla --models gpt-4o,llama
      ordeval judge ratings.csv --models gpt-4o --labels low,medium,high
      ordeval judge long.csv --item id --rater rater --rating score --kind kind
      ordeval judge ratings.parquet --models gpt-4o --by topic --tables main,slices
      ordeval judge ratings.csv --models gpt-4o --gold majority --primary qwk --margin 0.2
      ordeval judge label-studio.json --where question=quality --html judge.html
      ordeval judge ratings.csv --models gpt-4o --item id --text answer --html judge.html
      zcat ratings.csv.gz | ordeval judge - --models m1,m2 --format json --out judge.json
    """

    def make(stage: Stage) -> Any:
        reading = {**given.of(options.PanelRead, *_FILES), "progress": stage("Reading")}
        panel = read_panel(given.people, given.models, given.data, reading)
        divisions = division_names(given.by, columns=True)
        settings = given.of(options.JudgeSettings)
        return judge_of(*panel, given.measures, divisions=divisions, **settings)

    _write(given, make, slices="name the columns of slices with --by")


@command(
    argument("data", "DATA", "Table with a column of gold labels and one of scores."),
    Option("gold", COLUMN, "Column of gold labels.", "gold", "Data"),
    Option("score", COLUMN, "Column of scores, real numbers.", "score", "Data"),
    Option("measure", Type("MEASURE", parse_measure), "The measure.", "qwk", "Measures"),
    library(options.CutpointOptions),
    tables("rules", "cuts", about="the scores of the rules, and their cuts"),
    REPORT,
)
def cutpoints(given: Given) -> None:
    """Choose thresholds on a score that are best for a measure.

    Shows the fitted score, the cross-fitted one, which other items would have, and the cuts,
    compared with quantile matching and rounding. JSON holds the cuts at full precision.

    \b
    Examples:
      ordeval cutpoints data.csv --gold truth --score output --measure qwk
      ordeval cutpoints data.csv --labels 1..5 --measure mae --html cuts.html
      ordeval cutpoints data.csv --rule quantiles --format json --out cuts.json
    """

    def make(stage: Stage) -> Any:
        how = given.of(options.CutpointOptions)
        return choose_cuts(given.gold, given.score, given.measure, data=given.data, **how)

    _write(given, make)


@command(
    argument(
        "data",
        "[DATA]",
        "A pilot: gold and a column per system, a column per rater, or a stored result.",
    ),
    LABEL_FILES[1:],
    Option("measure", Type("MEASURE", parse_measure), "The measure.", panel="Measures"),
    library(options.PlanSettings, options.ReadSettings),
    tables("sizes", about="numbers of units with the width or power that they have"),
    REPORT,
)
def plan(given: Given) -> None:
    """Plan how many items, topics or raters a study needs.

    Name one goal: the width of an interval, a difference that the test is to find, or a margin
    within which it is to show equivalence. DATA is a pilot; without it, assumptions take its place.

    \b
    Examples:
      ordeval plan pilot.csv --measure qwk --width 0.1
      ordeval plan pilot.csv --measure qwk --difference 0.05 --power 0.9
      ordeval plan pilot.csv --topic topic --measure cem --difference 0.05
      ordeval plan --labels 1..5 --accuracy 0.7 --measure qwk --difference 0.05 --correlation 0.5
      ordeval plan --labels 1..5 --score 0.6 --measure qwk --margin 0.05 --html plan.html
      ordeval plan --labels 1..5 --score 0.7 --raters 3 --measure krippendorff --width 0.1
      ordeval plan --labels 1..5 --score 0.7 --items 200 --measure krippendorff --width 0.1
    """

    def make(stage: Stage) -> Any:
        how, measure = given.of(options.PlanSettings), given.measure
        pilot = given.data
        if not pilot:
            how |= given.of(options.ScaleOptions)
        elif is_stored(pilot):
            own = {"measure", *options.declared(options.PlanSettings)}
            ignored = changed(given, DECLARED["plan"]).keys() - _OF_RESULTS - own
            refuse(ignored, "labels, and a result of ordeval is given.")
        elif asks_ratings(measure):
            alone = given.width is not None and len(given.systems or ()) < 2
            make_pilot = evaluation.evaluate if alone else evaluation.compare
            kinds = (options.ReadSettings, options.DrawOptions)
            pilot = _of_ratings(make_pilot, given, measure, stage, *kinds)
        else:
            if measure is not None and measure.record.task == "raters":
                given.gold = None
            pilot = _labels_of_pilot(given, stage)
        return study_plan(pilot, measure, **how, progress=stage("Simulating"))

    _write(given, make)
