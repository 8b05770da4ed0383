"""The bus in memory, for tests: the same process asks and answers."""

import asyncio

import structlog

from shared.ports.bus import Answer, NoAnswer
from shared.ports.log import Following

_log = structlog.get_logger("bus")


class MemoryBus:
    """``Bus`` in one process; the instances of a group take turns."""

    def __init__(self) -> None:
        """Nobody listens."""
        self._serving: list[_Serving] = []

    async def request(self, subject: str, data: bytes, timeout_ms: int) -> bytes:
        """See ``Bus.request``."""
        serving = next((s for s in self._serving if s.matches(subject)), None)
        if serving is None:
            raise NoAnswer(f"nobody listens on {subject}")
        self._serving.remove(serving)  # to the end: the others of its group come first next time
        self._serving.append(serving)
        try:
            async with asyncio.timeout(timeout_ms / 1000):
                return await serving.answer(subject, data)
        except TimeoutError as error:
            raise NoAnswer(f"no answer from {subject} in time") from error
        except Exception as error:
            _log.exception("a request was not answered", subject=subject)
            raise NoAnswer(f"no answer from {subject}") from error

    async def serve(self, subject: str, group: str, answer: Answer) -> Following:  # noqa: ARG002 - one process is one group
        """See ``Bus.serve``."""
        serving = _Serving(subject, answer, self._serving)
        self._serving.append(serving)
        return serving


class _Serving:
    def __init__(self, subject: str, answer: Answer, among: "list[_Serving]") -> None:
        self._parts = subject.split(".")
        self.answer = answer
        self._among = among

    def matches(self, subject: str) -> bool:
        parts = subject.split(".")
        if self._parts[-1] == ">":
            wanted = self._parts[:-1]
            parts = parts[: len(wanted)] if len(parts) > len(wanted) else []
        else:
            wanted = self._parts
        return len(parts) == len(wanted) and all(w in ("*", p) for w, p in zip(wanted, parts, strict=True))

    async def close(self) -> None:
        """See ``Following.close``."""
        if self in self._among:
            self._among.remove(self)
