"""Base parameters from efforts: least squares, weighed by drive, or with instrumental variables.

    β = (Wᵀ Σ⁻¹ W)⁻¹ Wᵀ Σ⁻¹ Y        Σ the variance of each drive's efforts, from what a first fit leaves
    β = (Zᵀ Σ⁻¹ W)⁻¹ Zᵀ Σ⁻¹ Y        Z the regressor of a motion without the readings' noise

Noise in the drives' readings is in W, too, and pulls least squares towards smaller parameters; instruments do not have
it. Rows are solved by orthogonal factors, with columns of length one.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from closedchain.arrays import Doubles
from closedchain.errors import BadInput

ESTIMATORS = ("ols", "wls", "iv")


@dataclass(frozen=True, eq=False)
class Rows:
    """W β = Y: rows of one drive after another."""

    W: Doubles  # (drives, n, base)
    Y: Doubles  # (drives, n)
    Z: Doubles | None = None  # (drives, n, base) instruments

    def instants(self, chosen: np.ndarray) -> Rows:
        """Some of the instants."""
        return Rows(self.W[:, chosen], self.Y[:, chosen], None if self.Z is None else self.Z[:, chosen])


@dataclass(frozen=True, eq=False)
class Estimate:
    """Base parameters with their covariance."""

    beta: Doubles
    covariance: Doubles
    sd_efforts: Doubles  # (drives,)
    condition: float  # of W with columns of length one, weighed

    @property
    def sd(self) -> Doubles:
        return np.sqrt(np.maximum(np.diag(self.covariance), 0.0))


def estimate(rows: Rows, estimator: str) -> Estimate:
    """β by one of the estimators."""
    if estimator not in ESTIMATORS:
        raise BadInput(f"no estimator {estimator!r:.30}; there are {', '.join(ESTIMATORS)}")
    if estimator == "iv" and rows.Z is None:
        raise BadInput("instrumental variables need the commanded motion: columns q1_ref … of every drive")
    drives, n, k = rows.W.shape
    if drives * n <= k:
        raise BadInput(f"{drives * n} readings of efforts do not tell {k} base parameters; measure longer")
    weights = np.ones(drives)
    first = _solve(rows, weights, None)
    if estimator != "ols":
        for _ in range(3):
            weights = 1.0 / np.maximum(_spread(rows, first.beta), 1e-300)
            first = _solve(rows, weights, rows.Z if estimator == "iv" else None)
    return first


def _spread(rows: Rows, beta: Doubles) -> Doubles:
    """Standard deviation of each drive's efforts about their prediction, a k/drives-th freedom taken by β."""
    left = rows.Y - rows.W @ beta
    drives, n, k = rows.W.shape
    floor = 1e-15 * np.maximum(np.abs(rows.Y).max(axis=1), 1e-300)
    return np.maximum(np.sqrt((left**2).sum(axis=1) / (n - k / drives)), floor)


def _solve(rows: Rows, weights: Doubles, Z: Doubles | None) -> Estimate:
    k = rows.W.shape[-1]
    W, Y = (rows.W * weights[:, None, None]).reshape(-1, k), (rows.Y * weights[:, None]).reshape(-1)
    size = np.maximum(np.linalg.norm(W, axis=0), 1e-300)
    unit = W / size
    Q, R = np.linalg.qr(unit)
    sigma = np.linalg.svd(R, compute_uv=False)
    if sigma[-1] <= 1e-12 * sigma[0]:
        condition = sigma[0] / max(sigma[-1], 1e-300)
        raise BadInput(
            f"the motion does not excite every base parameter: the condition number is {condition:.1e}. Use one of "
            f"`closedchain identify ROBOT --excite`, or fewer friction columns"
        )
    if Z is None:
        beta = np.linalg.solve(R, Q.T @ Y)
        half = np.linalg.solve(R, np.eye(k))
    else:
        instruments = (Z * weights[:, None, None]).reshape(-1, k)
        instruments = instruments / np.maximum(np.linalg.norm(instruments, axis=0), 1e-300)
        Q, _ = np.linalg.qr(instruments)
        cross = Q.T @ unit
        beta = np.linalg.solve(cross, Q.T @ Y)
        half = np.linalg.solve(cross, np.eye(k))
    left = Y - unit @ beta
    uniform = bool(np.ptp(weights) == 0.0)
    variance = float(left @ left) / (len(Y) - k) if uniform else 1.0
    covariance = variance * half @ half.T / np.outer(size, size)
    return Estimate(beta / size, covariance, _spread(rows, beta / size), float(sigma[0] / sigma[-1]))
