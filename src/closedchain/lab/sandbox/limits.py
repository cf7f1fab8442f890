"""How much a submission may use."""

from __future__ import annotations

from dataclasses import asdict, dataclass, replace

MB = 2**20
WAITS = 6.0  # a machine that is busy gives a child at least one second in so many


@dataclass(frozen=True)
class Limits:
    """What one child may use; whatever is passed ends it, and only it."""

    seconds: float = 10.0  # [s] of the processor, for one request; on the wall WAITS times as many
    cpu_seconds: int = 120  # [s] of the processor, for the child's whole life
    memory: int = 1024 * MB  # address space, libraries included
    file_size: int = 8 * MB  # of one file
    disk: int = 64 * MB  # of the working copy
    open_files: int = 64
    threads: int = 32
    output: int = 64 * 1024  # characters of print that are kept
    output_most: int = 16 * MB  # printed bytes after which the child is stopped
    answer: int = 64 * 1024  # bytes of one answer

    def within(self, seconds: float | None) -> Limits:
        """The same with another time for a request, and for the whole life one that fits it."""
        if seconds is None:
            return self
        return replace(self, seconds=seconds, cpu_seconds=max(2, round(12 * seconds)))

    def settings(self) -> dict[str, int | float]:
        """As numbers to send."""
        return asdict(self)
