"""The questions of the decision path."""

from .path import Answer, Question, when

_LABELS = "labels|probabilities|judge"
_AXIOMS = "Amigó et al. 2020, sec. 4.1"

TASK = Question(
    "task",
    "What do you have?",
    (
        Answer(
            "labels",
            "one gold label per item, and the labels that one or more systems predict",
            "Everything is in the table of gold by predicted class, which all measures of labels "
            "are computed from.",
            "Sakai 2021, sec. 3.1",
        ),
        Answer(
            "raters",
            "labels of several raters, none of whom is gold",
            "No rater is right by definition, so that a coefficient must treat all raters alike "
            "and allow for items that some did not rate.",
            "Krippendorff 2011; Gwet 2014",
        ),
        Answer(
            "judge",
            "labels of several people, and of models that are to replace or assist them",
            "People disagree, so that a model is scored against the same people as each of them, "
            "and the question is whether it is as good as one more person.",
            "Calderon, Reichart & Dror 2025",
        ),
        Answer(
            "distributions",
            "for every topic, how the items are distributed over the classes (quantification)",
            "Errors of single items can cancel out. The distributions are compared, not labels.",
            "Sakai 2021, sec. 3.2",
        ),
        Answer(
            "probabilities",
            "for every item, a probability for each class",
            "ordeval scores decisions: give each item one class first. The most probable class is "
            "best for accuracy and the median for absolute errors. Scores of the probabilities "
            "themselves, such as the ranked probability score, are not computed here.",
            "Gneiting 2011; Epstein 1969",
        ),
    ),
)

PURPOSE = Question(
    "purpose",
    "What is the number for?",
    (
        Answer(
            "compare",
            "to compare systems and find the best",
            "The measure must rank systems alike on other data and separate them, and systems "
            "that always give one answer must not break it.",
            "Sakai 2021, sec. 5.1 to 5.3",
        ),
        Answer(
            "report",
            "to report how well one system does, or agrees with gold",
            "The number stands alone, so that its range and its zero should be known to readers.",
            "Silva et al. 2018, sec. V",
        ),
    ),
    when(task="labels|probabilities|distributions"),
)

ORDER = Question(
    "order",
    "What do you know about the classes?",
    (
        Answer(
            "order",
            "only their order, such as low < medium < high",
            "A measure must not change when the classes get other increasing numbers (ordinal "
            "invariance), because those that you would assume are arbitrary.",
            _AXIOMS,
        ),
        Answer(
            "distances",
            "distances as well: equal steps, or a number for each class",
            "Errors may be averaged in these units. Equal steps are an assumption; declare other "
            "class values if you know them.",
            "Sakai 2021, sec. 7",
        ),
        Answer(
            "none",
            "no order that matters, or two classes only",
            "An error is an error, whichever class is predicted instead. With two classes there "
            "is nothing else.",
            "Amigó et al. 2020, sec. 4.2",
        ),
    ),
)

FAR = Question(
    "far",
    "How much worse is an error of two steps than one of one step?",
    (
        Answer(
            "steps",
            "twice as bad",
            "Errors count by their distance.",
            "Sakai 2021, sec. 3.1",
        ),
        Answer(
            "squares",
            "four times as bad",
            "Errors count by their squared distance, so that few large errors outweigh many small "
            "ones.",
            "How to evaluate Ordinal Regression, 2025",
        ),
    ),
    when(task=f"{_LABELS}|raters", order="distances"),
)

CHANCE = Question(
    "chance",
    "Must agreement by chance be removed?",
    (
        Answer(
            "yes",
            "yes: guessing by the shares of the classes should score 0",
            "Where most items are in one class, guessing agrees often. A corrected measure shows "
            "what is left beyond that; it depends on the shares of the classes, so that values of "
            "different data are hard to compare.",
            "How to evaluate Ordinal Regression, 2025; Sakai 2021, sec. 3.1",
        ),
        Answer(
            "no",
            "no: the errors themselves should count",
            "The number can be read as it is: a share of items, or a distance.",
            "Sakai 2021, sec. 3.1",
        ),
    ),
    when(task=f"{_LABELS}|raters"),
)

BALANCE = Question(
    "balance",
    "Should every class count alike, however rare it is?",
    (
        Answer(
            "items",
            "no: every item counts alike",
            "The common classes decide the score, as they do in use.",
            "Sakai 2021, sec. 3.1",
        ),
        Answer(
            "classes",
            "yes: every class counts alike",
            "A system that ignores a rare class loses as much as one that ignores a common class "
            "(imbalance).",
            f"{_AXIOMS}; Silva et al. 2018, sec. II",
        ),
    ),
    when(task=_LABELS, order="distances|none"),
)

CONSTANT = Question(
    "constant",
    "Do two or more systems predict the same class for every item?",
    (
        Answer(
            "no",
            "no, or at most one of them",
            "Kappa can rank the systems; it is 0 for the constant one.",
            "Sakai 2021, sec. 5.4",
        ),
        Answer(
            "several",
            "yes, for instance baselines",
            "Kappa is 0 for each of them and cannot rank them. Ordinal alpha can.",
            "Sakai 2021, sec. 5.4 and 7",
        ),
    ),
    when(task="labels|probabilities", purpose="compare", order="distances", chance="yes"),
)

EACH_CLASS = Question(
    "each_class",
    "Do you need a number for every class?",
    (
        Answer(
            "no",
            "no: one number is enough",
            "One number ranks systems.",
            "Sakai 2021, sec. 1",
        ),
        Answer(
            "yes",
            "yes: a number for every class",
            "One number hides which class fails. Precision, recall, F1 and mean absolute error of "
            "each class are added, and the worst class as a measure.",
            "Silva et al. 2018, eq. 14",
        ),
    ),
    when(task="labels|probabilities"),
)

QUESTIONS = (TASK, PURPOSE, ORDER, FAR, CHANCE, BALANCE, CONSTANT, EACH_CLASS)
"""All questions, in the order in which they are asked."""
