"""The machine, the versions and the date of a run."""

import os
import platform
from collections.abc import Mapping
from datetime import UTC, datetime
from importlib import metadata
from pathlib import Path
from typing import Any

from ordeval import __version__


def processor() -> str:
    """Return the model of the processor, as the system calls it."""
    path = Path("/proc/cpuinfo")
    lines = path.read_text("utf-8").splitlines() if path.exists() else []
    names = [line.partition(":")[2].strip() for line in lines if line.startswith("model name")]
    return names[0] if names else platform.processor() or platform.machine()


def about(packages: Mapping[str, str]) -> dict[str, Any]:
    """Return what a reader needs to know of a run."""
    return {
        "date": datetime.now(UTC).date().isoformat(),
        "machine": {
            "processor": processor(),
            "cores": os.cpu_count(),
            "system": f"{platform.system()} {platform.machine()}",
            "python": platform.python_version(),
        },
        "versions": {"ordeval": __version__, "NumPy": metadata.version("numpy"), **packages},
    }
