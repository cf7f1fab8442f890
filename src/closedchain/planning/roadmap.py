"""The shortest way through a grid of (output, working mode), with edges proven only when a way uses them.

An edge joins neighbours of one mode on one side of det A = 0, or the two modes that meet where a leg is at its end. The
shortest way is found with every edge trusted; those that it uses are then proven, and the refuted ones and those around
them that fail at samples are taken out, until a way is proven from end to end or none is left.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from closedchain.arrays import Doubles
from closedchain.extras import Late
from closedchain.planning.changes import Changes, changes_near
from closedchain.planning.grid import Grid, Nodes, nodes_of
from closedchain.planning.measure import Flags, Index
from closedchain.planning.proof import Prover, Segments

sparse, csgraph = Late("scipy.sparse"), Late("scipy.sparse.csgraph")

ROUNDS = 150  # of search and proof, at most
SCREEN = np.array([0.25, 0.5, 0.75])  # samples of an edge near one that was refuted
SHORTEST = 1e-12  # [m] an edge without length would be none to the graph
NEAR = 2  # steps of the grid around a refuted edge


@dataclass(frozen=True)
class Way:
    """A proven way: nodes of the roadmap in order, and how many rounds of search and proof it took."""

    nodes: tuple[int, ...]
    rounds: int


class Roadmap:
    """Nodes, edges and their proofs; the goal's poses are the rows after the grid's."""

    def __init__(self, prover: Prover, grid: Grid, goals: Doubles, changing: bool = True) -> None:
        self.prover, self.setting, self.grid = prover, prover.setting, grid
        self.nodes: Nodes = nodes_of(self.setting, grid)
        self.modes = self.nodes.modes
        self.x = np.concatenate([self.nodes.x, goals])  # (rows, nx)
        at_goal = self.setting.measure(
            np.repeat(goals, self.modes, axis=0), np.tile(self.setting.sigma, (len(goals), 1))
        )
        table = (len(goals), self.modes)
        self.kept = np.concatenate([self.nodes.kept, self.setting.kept(at_goal).reshape(table)])
        self.side = np.concatenate([self.nodes.side, np.sign(at_goal.det).reshape(table)])
        goal_worth = self._worth(at_goal.clearance, np.minimum(at_goal.parallel, at_goal.serial)).reshape(table)
        self.worth = np.concatenate([self._worth(self.nodes.clearance, self.nodes.margin), goal_worth])
        self.changes: Changes = changes_near(self.nodes)
        if not changing:
            self.changes = self.changes[np.zeros(len(self.changes), bool)]
        self.tail, self.head, self.length = self._edges(goals)
        self.alive = np.ones(len(self.tail), bool)
        self.proven = np.zeros(len(self.tail), bool)
        self.screened = np.zeros(len(self.tail), bool)

    def _worth(self, clearance: Doubles, margin: Doubles) -> Doubles:
        """What the objective "clearance" wants large: room between bodies, or margins where nothing can meet."""
        return clearance if self.setting.bodies.pairs else margin

    @property
    def size(self) -> int:
        """How many nodes keep every constraint."""
        return int(self.kept.sum())

    @property
    def start(self) -> int:
        """The row of the start."""
        return int(self.nodes.row[self.grid.origin])

    @property
    def goal_rows(self) -> range:
        return range(len(self.nodes.x), len(self.x))

    def node(self, row: int, mode: int) -> int:
        """A node's number."""
        return row * self.modes + mode

    # Edges --------------------------------------------------------------------------------------

    def _edges(self, goals: Doubles) -> tuple[Index, Index, Doubles]:
        """(tail, head, length) of every edge; those that change the mode come last, in the order of `changes`."""
        rows = [self._neighbours(offset) for offset in self.grid.neighbours()]
        rows += [self._to_goal(k, x) for k, x in enumerate(goals)]
        a, b = (np.concatenate(column) for column in zip(*rows, strict=True))
        mode = np.arange(self.modes)
        good = self.kept[a] & self.kept[b] & (self.side[a] == self.side[b])  # (pairs, modes)
        pair, which = np.nonzero(good)
        length = np.linalg.norm((self.x[a] - self.x[b]) * self.setting.metric, axis=-1)
        c = self.changes
        tail = np.concatenate([a[pair] * self.modes + mode[which], c.row * self.modes + c.mode])
        head = np.concatenate([b[pair] * self.modes + mode[which], c.row * self.modes + c.other])
        return tail, head, np.maximum(np.concatenate([length[pair], c.length]), SHORTEST)

    def _neighbours(self, offset: tuple[int, ...]) -> tuple[Index, Index]:
        a, b = (self.nodes.row[side] for side in self.grid.pairs(offset))
        both = (a >= 0) & (b >= 0)
        return a[both], b[both]

    def _to_goal(self, k: int, x: Doubles) -> tuple[Index, Index]:
        near = self.nodes.row[self.grid.around(x)]
        near = near[near >= 0]
        return near, np.full(len(near), len(self.nodes.x) + k, dtype=np.intp)

    @property
    def plain(self) -> int:
        """How many edges keep their mode."""
        return len(self.tail) - len(self.changes)

    @cached_property
    def _sorted_ends(self) -> tuple[Index, Index]:
        """(order, keys): edges sorted by a number made of their two ends, of which no other edge has both."""
        keys = self._key(self.tail, self.head)
        order = np.argsort(keys, kind="stable")
        return order, keys[order]

    def _key(self, a: Index, b: Index) -> Index:
        return np.asarray(np.minimum(a, b) * self.kept.size + np.maximum(a, b))

    # Search -------------------------------------------------------------------------------------

    def shortest(self, sources: list[int], targets: list[int], least: float = -np.inf) -> Way | None:
        """The shortest proven way between any source and any target over nodes worth at least that much."""
        enough = (self.worth >= least).ravel()
        for round_ in range(1, ROUNDS + 1):
            use = self.alive & enough[self.tail] & enough[self.head]
            way = self._dijkstra(use, [n for n in sources if enough[n]], [n for n in targets if enough[n]])
            if way is None:
                return None
            edges = self.edges_of(way)
            refuted = self._prove(edges[~self.proven[edges]])
            if not len(refuted):
                return Way(tuple(way), round_)
            self._screen_around(refuted)
        return None

    def demand(self, prover: Prover) -> None:
        """Prove with other demands from now on; what was proven or refuted before is open again."""
        self.prover, self.setting = prover, prover.setting
        self.alive[:], self.proven[:], self.screened[:] = True, False, False

    def widest(self, sources: list[int], targets: list[int]) -> float:
        """The largest `least` that still joins a source to a target, with every edge trusted; −inf if none does."""
        worth = np.minimum(self.worth.ravel()[self.tail], self.worth.ravel()[self.head])
        values = np.unique(worth[self.alive])
        lo, hi = -1, len(values) - 1
        while lo < hi:
            middle = (lo + hi + 1) // 2
            joined = self._joined(self.alive & (worth >= values[middle]), sources, targets)
            lo, hi = (middle, hi) if joined else (lo, middle - 1)
        return float(values[lo]) if lo >= 0 else -np.inf

    def _joined(self, use: Flags, sources: list[int], targets: list[int]) -> bool:
        label = csgraph.connected_components(self._graph(use), directed=False)[1]
        return bool(np.intersect1d(label[sources], label[targets]).size)

    def _graph(self, use: Flags) -> Any:
        count = self.kept.size
        return sparse.csr_array((self.length[use], (self.tail[use], self.head[use])), shape=(count, count))

    def _dijkstra(self, use: Flags, sources: list[int], targets: list[int]) -> list[int] | None:
        if not sources or not targets:
            return None
        far, back, _ = csgraph.dijkstra(
            self._graph(use), directed=False, indices=sources, return_predecessors=True, min_only=True
        )
        end = min(targets, key=lambda n: float(far[n]))
        if not np.isfinite(far[end]):
            return None
        way = [end]
        while back[way[-1]] >= 0:
            way.append(int(back[way[-1]]))
        return way[::-1]

    def edges_of(self, way: list[int]) -> Index:
        """The edges between nodes that follow each other."""
        order, keys = self._sorted_ends
        at = np.array(way, dtype=np.intp)
        return order[np.searchsorted(keys, self._key(at[:-1], at[1:]))]

    # Proofs -------------------------------------------------------------------------------------

    def segments(self, edges: Index) -> Segments:
        """The straight motions of edges; one that changes the mode has two, to the leg's end from both of its modes."""
        flat, change = edges[edges < self.plain], edges[edges >= self.plain] - self.plain
        sigma, c = self.setting.sigma, self.changes
        start = [self.x[self.tail[flat] // self.modes], self.x[c.row[change]], self.x[c.row[change]]]
        end = [self.x[self.head[flat] // self.modes], c.x[change], c.x[change]]
        signs = [sigma[self.tail[flat] % self.modes], sigma[c.mode[change]], sigma[c.other[change]]]
        leg = [np.full(len(flat), -1, dtype=np.intp), c.leg[change], c.leg[change]]
        return Segments(*(np.concatenate(v) for v in (start, end, signs, leg)))

    def _prove(self, edges: Index) -> Index:
        """Prove edges; the refuted ones are taken out and returned."""
        if not len(edges):
            return edges
        flat, change = edges[edges < self.plain], edges[edges >= self.plain]
        proven = self.prover.prove(self.segments(edges)).proven
        n = len(flat)
        good = np.concatenate([proven[:n], proven[n : n + len(change)] & proven[n + len(change) :]])
        order = np.concatenate([flat, change])
        self.proven[order[good]] = True
        self.alive[order[~good]] = False
        return order[~good]

    def _screen_around(self, refuted: Index) -> None:
        """Take out the edges near refuted ones, in the same modes, that break a constraint at samples."""
        grid_rows = len(self.nodes.x)
        rows = np.concatenate([self.tail[refuted], self.head[refuted]]) // self.modes
        rows = np.unique(rows[rows < grid_rows])
        here = np.stack(np.unravel_index(self.nodes.point[rows], self.grid.shape), axis=-1)
        near = np.zeros(self.grid.shape, bool)
        for k in here:
            near[tuple(slice(max(0, i - NEAR), i + NEAR + 1) for i in k)] = True
        touched = np.concatenate([near.ravel()[self.nodes.point], np.zeros(len(self.x) - grid_rows, bool)])
        modes = np.unique(self.tail[refuted] % self.modes)
        flat = np.arange(len(self.tail)) < self.plain
        ask = flat & self.alive & ~self.screened & ~self.proven & np.isin(self.tail % self.modes, modes)
        ask &= touched[self.tail // self.modes] | touched[self.head // self.modes]
        edges = np.flatnonzero(ask)
        self.screened[edges] = True
        self.alive[edges[~self._plausible(edges)]] = False

    def _plausible(self, edges: Index) -> Flags:
        """Whether edges keep every constraint, and the side of det A, at samples."""
        seg = self.segments(edges)
        row, s = np.repeat(np.arange(len(edges)), len(SCREEN)), np.tile(SCREEN, len(edges))
        m = self.setting.measure(seg.x(row, s), seg.sigma[row])
        good = self.setting.kept(m) & (np.sign(m.det) == self.side.ravel()[self.tail[edges]][row])
        return np.asarray(good.reshape(-1, len(SCREEN)).all(axis=-1))
