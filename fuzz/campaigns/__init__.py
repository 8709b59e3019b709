"""The campaigns by name."""

from ..driver import Campaign
from . import archives, containers, files, names, processes, specifications

ALL: dict[str, Campaign] = {
    "archives": Campaign(archives.draw, archives.check, shrinks=("text",)),
    "containers": Campaign(containers.draw, containers.check, shrinks=("gold", "pred")),
    "files": Campaign(files.draw, files.check, share=2, shrinks=("content",)),
    "names": Campaign(names.draw, names.check),
    "processes": Campaign(processes.draw, processes.check, share=2),
    "specifications": Campaign(specifications.draw, specifications.check, shrinks=("text",)),
}
