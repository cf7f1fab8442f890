"""Levenberg–Marquardt on the whitened residuals of all rows, priors among them, with weights against outliers.

    min Σ w_i |ρ_i(θ)|² + Σ ((θ_k − θ_k⁰) / s_k)²,    (SJᵀJS + μ I) δ = −S Jᵀρ,    θ ← θ + S δ

The steps are solved by orthogonal factors of J, not by JᵀJ: the condition enters once. Directions that the data do not
show have no gradient, and stay where the search began.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace

import numpy as np

from closedchain.arrays import Doubles
from closedchain.calibration.sensing import Sensing
from closedchain.calibration.system import Block, Group
from closedchain.errors import BadInput, ClosedChainError
from closedchain.policy import RANK

ITERATIONS = 200
REWEIGHTINGS = 50
SETTLED = 1e-14  # of a step, in metres at the scales
STUCK = 1e-9  # of the robot's size: a full step that is longer, and that cannot be gone, is no solution


class NotConverged(ClosedChainError, ArithmeticError):
    """The search for parameters did not come to an end."""


@dataclass(frozen=True, eq=False)
class Fit:
    """Unknowns at the least cost."""

    theta: Doubles
    groups: tuple[Group, ...]
    blocks: tuple[Block, ...]
    weights: tuple[Doubles, ...]  # of each group's rows
    iterations: int
    prior: Doubles  # (priors, unknowns) rows of the prior in whitened form
    prior_left: Doubles

    @property
    def rho(self) -> Doubles:
        """Every whitened residual, weighed, the priors' last."""
        parts = [(np.sqrt(w)[:, None] * b.left).ravel() for b, w in zip(self.blocks, self.weights, strict=True)]
        return np.concatenate([*parts, self.prior_left])

    @property
    def J(self) -> Doubles:
        """∂ρ/∂θ."""
        n = len(self.theta)
        pairs = zip(self.blocks, self.weights, strict=True)
        parts = [(np.sqrt(w)[:, None, None] * b.slopes).reshape(-1, n) for b, w in pairs]
        return np.concatenate([*parts, self.prior])

    @property
    def cost(self) -> float:
        return float(self.rho @ self.rho)


class Search:
    """The fit of one set of readings."""

    def __init__(self, sensing: Sensing, scales: Doubles, priors: Mapping[str, tuple[float, float]]) -> None:
        names = sensing.unknowns.names
        self.sensing, self.scales = sensing, scales
        self.prior = np.zeros((len(priors), len(names)))
        self.prior_at = np.array([value for value, _ in priors.values()])
        for row, (name, (_, sd)) in enumerate(priors.items()):
            if name not in names:
                raise BadInput(f"a prior of {name!r:.40}, which is not among what is to be found: {', '.join(names)}")
            if not (np.isfinite(sd) and sd > 0.0):
                raise BadInput(f"the prior of {name} has a standard deviation of {sd}; above 0 is needed, or hold it")
            self.prior[row, names.index(name)] = 1.0 / sd

    def at(self, theta: Doubles, groups: tuple[Group, ...], weights: tuple[Doubles, ...], iterations: int = 0) -> Fit:
        """Rows settled and compared for these unknowns."""
        settled = tuple(self.sensing.settle(g, theta) for g in groups)
        blocks = tuple(self.sensing.block(g, theta) for g in settled)
        sd = 1.0 / np.maximum(np.abs(self.prior).sum(axis=1), 1e-300)
        return Fit(theta, settled, blocks, weights, iterations, self.prior, self.prior @ theta - self.prior_at / sd)

    def least(self, start: Fit) -> Fit:
        """Levenberg–Marquardt from a start, with the weights as they are."""
        fit, damping, step, iteration = start, 1e-6, np.zeros(len(start.theta)), 0
        for iteration in range(1, ITERATIONS + 1):
            J, rho = fit.J * self.scales, fit.rho
            size = float(np.linalg.norm(J, 2)) or 1.0
            step = self.scales * _damped(J, -rho, damping * size)
            other = self._tried(fit, fit.theta + step)
            small = float(np.abs(step / self.scales).max()) <= SETTLED
            if other is not None and (other.cost < fit.cost or (small and other.cost <= fit.cost)):
                fit = replace(other, iterations=start.iterations + iteration)
                damping = 0.0 if damping < 1e-12 else damping / 10
                if small:
                    return fit
                continue
            if small or (damping == 0.0 and _rounding(fit, self.scales)):
                return fit
            damping = max(10 * damping, 1e-12)
            if damping > 1e6:
                break
        whole = _damped(fit.J * self.scales, -fit.rho, 0.0)
        if float(np.abs(whole).max()) <= STUCK * self.sensing.model.scale or _rounding(fit, self.scales):
            return fit  # no step helps, because none is left but rounding
        raise NotConverged(
            f"{self.sensing.model.name}: {iteration} steps did not settle the parameters; the last moved "
            f"{float(np.abs(step / self.scales).max()):.1e} m. Hold what the data do not show, or give priors"
        )

    def _tried(self, fit: Fit, theta: Doubles) -> Fit | None:
        try:
            other = self.at(theta, fit.groups, fit.weights)
        except ClosedChainError:
            return None
        return other if np.isfinite(other.cost) else None

    def robust(self, start: Fit, loss: Callable[[Doubles], Doubles], *, known: bool) -> Fit:
        """The same with weights of rows by a loss, of what they leave; in standard deviations where these are known."""
        fit = self.least(start)
        for _ in range(REWEIGHTINGS):
            sizes = [np.linalg.norm(b.left, axis=1) / np.sqrt(max(b.left.shape[1], 1)) for b in fit.blocks]
            usual = 1.0 if known else spread(np.concatenate([b.left.ravel() for b in fit.blocks]))
            if not usual > 0.0:
                return fit
            weights = tuple(np.maximum(loss(s / usual), 1e-12) for s in sizes)
            change = max(float(np.abs(a - b).max(initial=0.0)) for a, b in zip(weights, fit.weights, strict=True))
            fit = self.least(replace(fit, weights=weights))
            if change < 1e-6:
                break
        return fit


def _damped(J: Doubles, b: Doubles, damping: float) -> Doubles:
    """The least |J δ − b|² + damping² |δ|², by J's singular directions; unseen ones get no step."""
    U, sigma, V = np.linalg.svd(J, full_matrices=False)
    shares = np.where(sigma > RANK * sigma[0], sigma / np.maximum(sigma**2 + damping**2, 1e-300), 0.0)
    return np.asarray(V.T @ (shares * (U.T @ b)))


def _rounding(fit: Fit, scales: Doubles) -> bool:
    """Whether a full step would change the cost by rounding only."""
    J, rho = fit.J * scales, fit.rho
    gain = float(np.linalg.norm(J @ _damped(J, -rho, 0.0)))
    return gain <= 1e-9 * float(np.linalg.norm(rho)) or gain <= 1e-13


def spread(values: Doubles) -> float:
    """A standard deviation by the median: half of the values may be anything."""
    return float(1.4826 * np.median(np.abs(values)))


def huber(t: Doubles) -> Doubles:
    """Weights of Huber's loss: 1 up to 1.345 standard deviations, then what keeps the pull constant."""
    return np.asarray(np.where(t <= 1.345, 1.0, 1.345 / np.maximum(t, 1e-300)))


def tukey(t: Doubles) -> Doubles:
    """Weights of Tukey's biweight: nothing beyond 4.685 standard deviations."""
    return np.asarray(np.where(t < 4.685, (1.0 - np.minimum(t / 4.685, 1.0) ** 2) ** 2, 0.0))


LOSSES: dict[str, Callable[[Doubles], Doubles]] = {"huber": huber, "tukey": tukey}
