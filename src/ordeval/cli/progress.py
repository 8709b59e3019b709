"""A bar on stderr for work that takes over a second, where somebody is there to see it."""

import sys
from threading import Lock, Timer
from types import TracebackType
from typing import Any, Self

_PATIENCE = 1.0  # seconds before anything is shown


class Progress:
    """Shows how far the work is; call it as `progress(done, total)`."""

    def __init__(self, *, quiet: bool = False) -> None:
        self._wanted = not quiet and sys.stderr.isatty()
        self._timer = Timer(_PATIENCE, self._show)
        self._lock, self._over = Lock(), False
        self._bar: Any = None
        self._state: dict[str, Any] = {"description": "Reading", "completed": 0, "total": None}

    def __enter__(self) -> Self:
        if self._wanted:
            self._timer.daemon = True
            self._timer.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        problem: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._timer.cancel()
        with self._lock:
            self._over = True
            if self._bar is not None:
                self._bar.stop()

    def stage(self, description: str) -> None:
        """Name the work that begins."""
        self._update(description=description, completed=0, total=None)

    def __call__(self, done: float, total: float) -> None:
        self._update(completed=done, total=total)

    def _update(self, **state: Any) -> None:
        if not self._wanted:
            return
        with self._lock:
            self._state |= state
            if self._bar is not None and not self._over:
                self._bar.update(self._task, **self._state)

    def _show(self) -> None:
        from rich.console import Console
        from rich.progress import Progress as Bar

        with self._lock:
            if not self._over:
                self._bar = Bar(console=Console(stderr=True), transient=True)
                self._task = self._bar.add_task(**self._state)
                self._bar.start()
