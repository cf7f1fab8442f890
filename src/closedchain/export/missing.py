"""Packages that are not part of the installation."""

from __future__ import annotations

from closedchain.errors import ClosedChainError


class MissingPackage(ClosedChainError, ImportError):
    """An optional package is needed and not installed."""

    def __init__(self, package: str, extra: str, what: str) -> None:
        self.package = package
        super().__init__(
            f"{what} needs the package {package!r}, which is not installed: pip install closedchain[{extra}]"
        )
