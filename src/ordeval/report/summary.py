"""What an object says in a few paragraphs of plain text, with citations, for a paper."""

import re
from collections.abc import Iterable
from functools import singledispatch
from math import isnan
from typing import Any

from .._version import __version__
from ..errors import plural
from ..formatting import one_line
from ..measures.spec import Measure
from ..meta import MetaEvaluation
from ..rater_results import Agreement, Judgement
from ..results import Result
from . import story
from .judge_story import judge_answer, judge_method
from .judge_tables import bias_sentences
from .meta_story import meta_answer, meta_method
from .rater_story import agreement_answer, size_sentence
from .rater_tables import agreement_method
from .result_tables import doubt_notes

BIBLIOGRAPHY = {
    "Amigó et al. 2013": "Amigó, E., Gonzalo, J., & Verdejo, F. (2013). A general evaluation "
    "measure for document organization tasks. Proceedings of SIGIR 2013, 643–652.",
    "Amigó et al. 2020": "Amigó, E., Gonzalo, J., Mizzaro, S., & Carrillo-de-Albornoz, J. (2020). "
    "An effectiveness metric for ordinal classification: Formal properties and experimental "
    "results. Proceedings of ACL 2020, 3938–3949.",
    "Baccianella et al. 2009": "Baccianella, S., Esuli, A., & Sebastiani, F. (2009). Evaluation "
    "measures for ordinal regression. Proceedings of ISDA 2009, 283–287.",
    "Barnhart et al. 2002": "Barnhart, H. X., Haber, M., & Song, J. (2002). Overall concordance "
    "correlation coefficient for evaluating agreement among multiple observers. Biometrics, 58(4), "
    "1020–1027.",
    "Brennan & Prediger 1981": "Brennan, R. L., & Prediger, D. J. (1981). Coefficient kappa: Some "
    "uses, misuses, and alternatives. Educational and Psychological Measurement, 41(3), 687–699.",
    "Calderon, Reichart & Dror 2025": "Calderon, N., Reichart, R., & Dror, R. (2025). The "
    "alternative annotator test for LLM-as-a-judge: How to statistically justify replacing human "
    "annotators with LLMs. Proceedings of ACL 2025.",
    "Cardoso & Sousa 2011": "Cardoso, J. S., & Sousa, R. (2011). Measuring the performance of "
    "ordinal classification. International Journal of Pattern Recognition and Artificial "
    "Intelligence, 25(8), 1173–1195.",
    "Angelopoulos et al. 2023a": "Angelopoulos, A. N., Bates, S., Fannjiang, C., Jordan, M. I., & "
    "Zrnic, T. (2023). Prediction-powered inference. Science, 382(6671), 669–674.",
    "Angelopoulos et al. 2023b": "Angelopoulos, A. N., Duchi, J. C., & Zrnic, T. (2023). PPI++: "
    "Efficient prediction-powered inference. arXiv:2311.01453.",
    "Carterette 2012": "Carterette, B. (2012). Multiple testing in statistical analysis of "
    "systems-based information retrieval experiments. ACM Transactions on Information Systems, "
    "30(1), 4.",
    "Cohen 1960": "Cohen, J. (1960). A coefficient of agreement for nominal scales. Educational "
    "and Psychological Measurement, 20(1), 37–46.",
    "Cohen 1968": "Cohen, J. (1968). Weighted kappa: Nominal scale agreement with provision for "
    "scaled disagreement or partial credit. Psychological Bulletin, 70(4), 213–220.",
    "Conger 1980": "Conger, A. J. (1980). Integration and generalization of kappas for multiple "
    "raters. Psychological Bulletin, 88(2), 322–328.",
    "Efron 1987": "Efron, B. (1987). Better bootstrap confidence intervals. Journal of the "
    "American Statistical Association, 82(397), 171–185.",
    "Epstein 1969": "Epstein, E. S. (1969). A scoring system for probability forecasts of ranked "
    "categories. Journal of Applied Meteorology, 8(6), 985–987.",
    "Fernández Caballero et al. 2010": "Fernández Caballero, J. C., Martínez, F. J., Hervás, C., & "
    "Gutiérrez, P. A. (2010). Sensitivity versus accuracy in multiclass problems using memetic "
    "Pareto evolutionary neural networks. IEEE Transactions on Neural Networks, 21(5), 750–770.",
    "Fleiss 1971": "Fleiss, J. L. (1971). Measuring nominal scale agreement among many raters. "
    "Psychological Bulletin, 76(5), 378–382.",
    "Gneiting 2011": "Gneiting, T. (2011). Making and evaluating point forecasts. Journal of the "
    "American Statistical Association, 106(494), 746–762.",
    "Gwet 2008": "Gwet, K. L. (2008). Computing inter-rater reliability and its variance in the "
    "presence of high agreement. British Journal of Mathematical and Statistical Psychology, "
    "61(1), 29–48.",
    "Gwet 2014": "Gwet, K. L. (2014). Handbook of inter-rater reliability (4th ed.). Advanced "
    "Analytics.",
    "Holm 1979": "Holm, S. (1979). A simple sequentially rejective multiple test procedure. "
    "Scandinavian Journal of Statistics, 6(2), 65–70.",
    "Kendall 1938": "Kendall, M. G. (1938). A new measure of rank correlation. Biometrika, "
    "30(1-2), 81–93.",
    "Kendall 1945": "Kendall, M. G. (1945). The treatment of ties in ranking problems. Biometrika, "
    "33(3), 239–251.",
    "Kendall & Babington Smith 1939": "Kendall, M. G., & Babington Smith, B. (1939). The problem "
    "of m rankings. Annals of Mathematical Statistics, 10(3), 275–287.",
    "Krippendorff 2004": "Krippendorff, K. (2004). Reliability in content analysis: Some common "
    "misconceptions and recommendations. Human Communication Research, 30(3), 411–433.",
    "Krippendorff 2011": "Krippendorff, K. (2011). Computing Krippendorff's alpha-reliability. "
    "Technical report, University of Pennsylvania.",
    "Kullback & Leibler 1951": "Kullback, S., & Leibler, R. A. (1951). On information and "
    "sufficiency. Annals of Mathematical Statistics, 22(1), 79–86.",
    "Lin 1989": "Lin, L. I.-K. (1989). A concordance correlation coefficient to evaluate "
    "reproducibility. Biometrics, 45(1), 255–268.",
    "Lin 1991": "Lin, J. (1991). Divergence measures based on the Shannon entropy. IEEE "
    "Transactions on Information Theory, 37(1), 145–151.",
    "McGraw & Wong 1996": "McGraw, K. O., & Wong, S. P. (1996). Forming inferences about some "
    "intraclass correlation coefficients. Psychological Methods, 1(1), 30–46.",
    "Nakov et al. 2016": "Nakov, P., Ritter, A., Rosenthal, S., Sebastiani, F., & Stoyanov, V. "
    "(2016). SemEval-2016 task 4: Sentiment analysis in Twitter. Proceedings of SemEval-2016, "
    "1–18.",
    "Pearson 1895": "Pearson, K. (1895). Note on regression and inheritance in the case of two "
    "parents. Proceedings of the Royal Society of London, 58, 240–242.",
    "Rennie & Srebro 2005": "Rennie, J. D. M., & Srebro, N. (2005). Loss functions for preference "
    "levels: Regression with discrete ordered labels. Proceedings of the IJCAI Multidisciplinary "
    "Workshop on Advances in Preference Handling.",
    "Rubner et al. 2000": "Rubner, Y., Tomasi, C., & Guibas, L. J. (2000). The earth mover's "
    "distance as a metric for image retrieval. International Journal of Computer Vision, 40(2), "
    "99–121.",
    "Sakai 2018": "Sakai, T. (2018). Laboratory experiments in information retrieval: Sample "
    "sizes, effect sizes, and statistical power. Springer.",
    "Sakai 2021": "Sakai, T. (2021). Evaluating evaluation measures for ordinal classification "
    "and ordinal quantification. Proceedings of ACL-IJCNLP 2021, 2759–2769.",
    "Schuirmann 1987": "Schuirmann, D. J. (1987). A comparison of the two one-sided tests "
    "procedure and the power approach for assessing the equivalence of average bioavailability. "
    "Journal of Pharmacokinetics and Biopharmaceutics, 15(6), 657–680.",
    "Sebastiani 2020": "Sebastiani, F. (2020). Evaluation measures for quantification: An "
    "axiomatic approach. Information Retrieval Journal, 23(3), 255–288.",
    "Shannon 1948": "Shannon, C. E. (1948). A mathematical theory of communication. Bell System "
    "Technical Journal, 27(3), 379–423.",
    "Shrout & Fleiss 1979": "Shrout, P. E., & Fleiss, J. L. (1979). Intraclass correlations: Uses "
    "in assessing rater reliability. Psychological Bulletin, 86(2), 420–428.",
    "Silva et al. 2018": "Silva, W., Pinto, J. R., & Cardoso, J. S. (2018). A uniform performance "
    "index for ordinal classification with imbalanced classes. Proceedings of IJCNN 2018.",
    "Spearman 1904": "Spearman, C. (1904). The proof and measurement of association between two "
    "things. American Journal of Psychology, 15(1), 72–101.",
    "Van Rijsbergen 1979": "Van Rijsbergen, C. J. (1979). Information retrieval (2nd ed.). "
    "Butterworths.",
    "Werman et al. 1985": "Werman, M., Peleg, S., & Rosenfeld, A. (1985). A distance metric for "
    "multidimensional histograms. Computer Vision, Graphics, and Image Processing, 32(3), 328–336.",
    "Westfall & Young 1993": "Westfall, P. H., & Young, S. S. (1993). Resampling-based multiple "
    "testing: Examples and methods for p-value adjustment. Wiley.",
}
"""Works by the words with which records and sentences cite them."""

_REQUESTS = (  # for the user, not for a paper
    "declare the labels if",
    "if that is unexpected",
    "was not given",
    "leaves them out",
    "every rater on every item",
    "transpose it",
)
_LEFT_OUT = re.compile(r"Left out, because (.+): (1 item|[\d,]+ items)\.")
_TESTS = {
    "maxt": "for step-down max-T see Westfall & Young 1993",
    "tukey": "for the randomised Tukey HSD see Carterette 2012 and Sakai 2018",
    "holm": "for Holm's correction see Holm 1979",
}


@singledispatch
def summary_of(obj: Any) -> str:
    """Return what an object says as paragraphs, the works that it cites after them."""
    raise TypeError(f"{type(obj).__name__} has no summary.")


@summary_of.register
def _of_result(result: Result) -> str:
    return _text([_data(result), *story.answer(result)], _method(result), _notes(result))


@summary_of.register
def _of_meta(found: MetaEvaluation) -> str:
    version = f"The figures were computed with ordeval {__version__}."
    source = [] if found.advice is None else [f"The advice follows {found.advice.source}."]
    return _text(meta_answer(found), [*meta_method(found), *source, version])


@summary_of.register
def _of_agreement(found: Agreement) -> str:
    version = f"The figures were computed with ordeval {__version__}."
    told = [size_sentence(found), *agreement_answer(found)]
    return _text(told, [*agreement_method(found), version], _in_sentences(found.notices))


@summary_of.register
def _of_judgement(found: Judgement) -> str:
    version = f"The figures were computed with ordeval {__version__}."
    told = [*judge_answer(found), *bias_sentences(found)]
    return _text(told, [*judge_method(found), version], _in_sentences(found.notices))


def _in_sentences(notices: Iterable[str]) -> list[str]:
    """Return notices about ratings for a paper: whole sentences, no requests to the user.

    Coefficients that were left out are not among those that a paper reports.
    """
    told = []
    for notice in notices:
        if found := _LEFT_OUT.fullmatch(notice):
            why, items = found.groups()
            verb = "were"
            if items == "1 item":
                verb, why = "was", why.replace("them", "it").replace("their", "its")
            told.append(f"{items} {verb} left out because {why}.")
        elif not notice.startswith("Left out, because") and not any(r in notice for r in _REQUESTS):
            told.append(notice)
    return [story.sentence(re.sub(r"^\d+(?= )", _number_in_words, each)) for each in told]


def _number_in_words(found: re.Match[str]) -> str:
    return story.in_words(int(found[0]))


def _text(*paragraphs: Iterable[str]) -> str:
    """Return paragraphs of sentences, and a bibliography of what they cite."""
    written = [story.plain(" ".join(filter(None, sentences))) for sentences in paragraphs]
    body = "\n\n".join(filter(None, written))
    cited = [line for key, line in BIBLIOGRAPHY.items() if key in body]
    references = ["References\n" + "\n".join(cited)] if cited else []
    return "\n\n".join([body, *references]) + "\n"


def _data(result: Result) -> str:
    """Say how many systems were scored on what."""
    scores, count = result.scores, len(result.systems)
    units = "topics" if result.kind == "quantification" else "items"
    weighted = "weighted " if scores.effective else ""
    size = f"{scores.size} {weighted}{units if scores.items != 1 else units[:-1]}"
    if result.judge is not None:
        size = f"{result.judge.items:,} items, {result.judge.labelled:,} of them with gold labels"
    size += f" (worth {scores.effective:,.1f} of equal weight)" if scores.effective else ""
    if scores.topics and result.kind != "quantification":
        size += f" in {plural(len(scores.topics), 'topic')}"
    clusters = result.clusters
    size += f", which belong to {plural(clusters, 'cluster')}" if clusters else ""
    what = "distributions over" if result.kind == "quantification" else "a scale of"
    done = "were evaluated" if result.kind == "evaluation" else "were compared"
    done = "was evaluated" if count == 1 else done
    return story.sentence(
        f"{story.counted(count, 'system')} {done} on {size}, with {what} {scores.scale.k} classes "
        f"({one_line(str(scores.scale.labels[0]))} lowest, "
        f"{one_line(str(scores.scale.labels[-1]))} highest)."
    )


def _method(result: Result) -> list[str]:
    """Say how the figures were computed, whose method that is, and with which version."""
    primary = result.primary
    sources = [f"The measure is {primary.short} ({primary.record.citation})", *_sources(result)]
    version = f"The figures were computed with ordeval {__version__}."
    return [*_steps(result), f"{'; '.join(sources)}.", version]


def _steps(result: Result) -> list[str]:
    """Say how scores, intervals and tests of the primary measure were made, where it has any."""
    scoring, intervals, *others = story.method(result, letters=False)
    judge, tests = ([], others) if result.judge is None else (others[:1], others[1:])
    if not _says_equivalence(result):
        tests = [text for text in tests if not text.startswith("Equivalence")]
    short = result.primary.short
    if result.intervals is not None and not _has_intervals(result):
        intervals = f"There are no intervals under {short}."
    if len(result.systems) == 1:
        tests = []
    elif result.tests is not None and not result.tested():
        tests = [f"No pair of systems could be tested under {short}."]
    return [scoring, intervals, *judge, *tests]


def _says_equivalence(result: Result) -> bool:
    """Whether there is a margin, and the answer says of a pair whether it is equivalent."""
    has_margin = result.tests is not None and not isnan(result.tests.margin)
    return has_margin and any("equivalent" in text for text in story.answer(result))


def _has_intervals(result: Result) -> bool:
    return not all(isnan(row.low) for row in result.standings())


def _sources(result: Result) -> list[str]:
    """Name the works that the intervals and tests follow."""
    found = []
    made = result.intervals if _has_intervals(result) else None
    if result.judge is not None:
        found.append(
            "for the correction by a judge see Angelopoulos et al. 2023a and, for the choice of "
            "λ, Angelopoulos et al. 2023b"
        )
    if made is not None and made.method == "bca":
        found.append("for BCa intervals see Efron 1987")
    if result.tests is not None and result.tested():
        found.append(_TESTS[result.tests.kind])
        if _says_equivalence(result):
            found.append("for equivalence by two one-sided tests see Schuirmann 1987")
    return found


def _notes(result: Result) -> list[str]:
    """Return what the reader should know about the data and the figures."""
    doubts = [line.split(" ", 1)[1] for line in doubt_notes(result, result.primary)]
    told = [notice for notice in result.notices if _belongs(result, notice)]
    return ["Note:", *doubts, *told] if doubts or told else []


def _belongs(result: Result, notice: str) -> bool:
    """Whether a notice is about the primary measure, or all, and not a request to the user."""
    if any(words in notice for words in _REQUESTS):
        return False
    named = {m for m in result.measures if _names(notice, m)}
    cut = re.search(r"and [\d,]+ more", notice) is not None
    return not named or result.primary in named or cut


def _names(notice: str, measure: Measure) -> bool:
    return re.search(rf"(?<!\w){re.escape(str(measure))}(?![\w(])", notice) is not None
