"""The tables and figures of papers, reproduced with ordeval and compared with the printed ones.

`python -m replication` runs one paper or all of them. The printed figures are data (`printed`), a
module per paper computes ours, `study.judge` compares them, and `output` shows studies as text,
tables and pages. The classifiers that some papers train are in `learners`; `internals` names what
is used of ordeval beyond its public interface.
"""

from collections.abc import Mapping

from . import amigo_2020, cardoso_2011, qwk_post, sakai_2021, silva_2018
from .study import Comparison, Exhibit, Maker, Setting, Study, Verdict, run_study

PAPERS: Mapping[str, Mapping[str, Maker]] = {
    "amigo-2020": amigo_2020.EXHIBITS,
    "sakai-2021": sakai_2021.EXHIBITS,
    "silva-2018": silva_2018.EXHIBITS,
    "cardoso-2011": cardoso_2011.EXHIBITS,
    "qwk-post": qwk_post.EXHIBITS,
}

__all__ = ["PAPERS", "Comparison", "Exhibit", "Setting", "Study", "Verdict", "reproduce"]


def reproduce(paper: str = "all", setting: Setting | None = None) -> list[Study]:
    """Reproduce the tables and figures of one of `PAPERS` or of "all"."""
    names = PAPERS if paper == "all" else [paper]
    return [run_study(name, PAPERS[name], setting or Setting()) for name in names]
