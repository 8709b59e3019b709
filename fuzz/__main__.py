"""Run campaigns: `python -m fuzz [--seconds 60] [--campaign NAME ...] [--seed N]`."""

import argparse
import sys
from collections.abc import Sequence

from . import campaigns
from .driver import CORPUS, Report, replay, run, saved_cases


def _arguments(args: Sequence[str]) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m fuzz", description=__doc__)
    parser.add_argument("--seconds", type=float, default=60, help="time for all campaigns")
    parser.add_argument("--seed", type=int, default=0, help="another seed, other cases")
    names = sorted(campaigns.ALL)
    parser.add_argument("--campaign", nargs="+", choices=names, default=names)
    parser.add_argument("--keep", action="store_true", help=f"save what breaks in {CORPUS.name}/")
    return parser.parse_args(args)


def main(args: Sequence[str]) -> int:
    """Replay the corpus, then run the campaigns; return 1 if anything broke."""
    given = _arguments(args)
    broken = replay(saved_cases(given.campaign), campaigns.ALL)
    chosen = {name: campaigns.ALL[name] for name in given.campaign}
    shares = sum(campaign.share for campaign in chosen.values())
    reports: list[Report] = []
    for name, campaign in chosen.items():
        seconds = given.seconds * campaign.share / shares
        reports.append(run(name, campaign, seconds, given.seed, keep=given.keep))
        print(reports[-1], flush=True)
    return 1 if broken or any(report.breaks for report in reports) else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
