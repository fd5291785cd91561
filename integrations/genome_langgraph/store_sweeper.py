"""A thread that deletes what has expired, time and again."""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable
from concurrent.futures import Future

from genome_core.errors import StorageError

logger = logging.getLogger(__name__)


class Sweeper:
    """Calls a function every so many seconds until it is stopped; ``future`` is done when the thread has ended.

    A database that is busy or away is tried again the next time. Any other error ends the thread and is the future's.
    """

    def __init__(self, sweep: Callable[[], int], seconds: float) -> None:
        self.future: Future[None] = Future()
        self.future.set_running_or_notify_cancel()
        self._sweep = sweep
        self._seconds = seconds
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._run, name="ttl-sweeper", daemon=True)
        self._thread.start()

    def _run(self) -> None:
        try:
            while not self._stop.wait(self._seconds):
                self._once()
            self.future.set_result(None)
        except Exception as error:  # noqa: BLE001 -- handed to whoever waits for the future
            self.future.set_exception(error)

    def _once(self) -> None:
        try:
            self._sweep()
        except StorageError as error:
            logger.warning("expired items could not be swept, trying again in %s s: %s", self._seconds, error)

    def stop(self, timeout: float | None) -> bool:
        """Whether the thread has ended within so many seconds (None: waits for it)."""
        self._stop.set()
        self._thread.join(timeout)
        return not self._thread.is_alive()
