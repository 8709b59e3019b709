"""What the search of the site finds first, and by which words that a page does not have itself."""

# Pages that explain come before those that list, and these before records of the past.
BOOSTS = {
    "start.md": 4,
    "which-measure.md": 3,
    "faq.md": 3,
    "statistics/": 4,
    "tutorials/": 4,
    "agreement.md": 3,
    "judge.md": 3,
    "coming-from/": 2,
    "peers.md": 0.5,
    "changelog.md": 0.2,
}
WORDS = {
    "start.md": ("install", "notebook", "csv", "excel", "spreadsheet"),
    "which-measure.md": ("choose a metric", "best metric"),
    "faq.md": ("missing labels", "missing values", "excel", "latex", "latex table"),
    "gallery.md": ("plot", "figure", "confusion matrix"),
    "statistics/intervals.md": ("confidence interval", "standard error", "bootstrap"),
    "statistics/paired-tests.md": ("compare two models", "significance", "p-value"),
    "statistics/many-systems.md": ("compare models", "multiple comparisons", "leaderboard"),
    "statistics/topics-and-clusters.md": ("patients", "repeated measures", "grouped data"),
    "statistics/weights.md": ("sample weight", "survey", "frequency"),
    "statistics/equivalence.md": ("non-inferiority", "equal models", "margin"),
    "tutorials/llm-judge.md": ("LLM as a judge", "language model", "GPT"),
    "tutorials/shared-task.md": ("leaderboard", "competition"),
    "tutorials/scikit-learn.md": ("sklearn", "cross-validation", "grid search"),
    "tutorials/billion-rows.md": ("spark", "duckdb", "polars", "parquet", "big data"),
    "tutorials/quantification.md": ("prevalence", "shares of classes"),
    "agreement.md": ("inter-rater reliability", "interrater", "inter-annotator agreement"),
    "judge.md": ("LLM judge", "human ceiling"),
    "ratings.md": ("Label Studio", "annotations"),
    "coming-from/scikit-learn.md": ("sklearn", "cohen_kappa_score"),
}


def boost(path: str) -> float:
    """Return how much the search prefers a page to one that it finds equally good.

    >>> boost("statistics/weights.md"), boost("reference/compare.md")
    (4, 1)
    """
    return next((by for start, by in BOOSTS.items() if path.startswith(start)), 1)


def words(path: str) -> tuple[str, ...]:
    """Return words that people search for and that lead to a page."""
    return WORDS.get(path, ())
