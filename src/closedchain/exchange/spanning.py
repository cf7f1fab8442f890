"""A spanning tree of a mechanism's parts: what hangs on what, and at which clusters loops are left to close.

From the ground outwards, level by level; drives first, so that loops close at the far end, as one cuts them by hand. A
telescope's two parts and a rail's block with its holder are never cut apart. Parts without mass come first on their
level, so that a plate hangs on a massless leg and the leg's end does not dangle: engines need mass at a tree's ends.
"""

from __future__ import annotations

from collections.abc import Container, Iterator
from dataclasses import dataclass

from closedchain.describe.elements import Point
from closedchain.exchange.guiding import guides_of
from closedchain.exchange.parts import Cluster, Part, Parts


@dataclass(frozen=True, eq=False)
class Edge:
    """A part that hangs on another: by a drive, by slides, or hinged at a cluster."""

    parent: Part
    child: Part
    cluster: Cluster | None = None  # hinged there; None for a drive, a block's slide, a carrier's slides

    @property
    def points(self) -> tuple[Point, Point]:
        """The point of the cluster as the parent and as the child hold it."""
        assert self.cluster is not None
        return self.cluster.parts[self.parent], self.cluster.parts[self.child]


@dataclass(frozen=True, eq=False)
class Chord:
    """Two parts that a cluster keeps together and the tree does not."""

    cluster: Cluster
    a: Part
    b: Part


class Spanning:
    """The edges, parents first, and the chords."""

    def __init__(self, parts: Parts, massless: Container[Part] = ()) -> None:
        self.parts, self.massless = parts, massless
        self.guides = guides_of(parts.mechanism)
        self.edges: list[Edge] = []
        self.placed: dict[Part, int] = {parts.ground: 0}  # in the order of placing
        self._grow()
        while len(self.placed) < len(parts.every):
            if not self._start_again():
                break
            self._grow()
        self.unreached = tuple(p for p in parts.every if p not in self.placed)
        self.chords = tuple(self._chords())

    def _grow(self) -> None:
        level = list(self.placed)
        while level:
            reached: list[Part] = []
            for part in sorted(level, key=lambda p: p not in self.massless):
                for edge in (*self._slides(part), *self._hinges(part)):
                    if edge.child not in self.placed:
                        reached += self._place(edge)
            level = reached

    def _place(self, edge: Edge) -> list[Part]:
        """Hang a part, and with it what may not be cut from it; the parts that were hung."""
        self.edges.append(edge)
        self.placed[edge.child] = len(self.placed)
        return [edge.child, *(p for other in self._partners(edge.child) for p in self._place(Edge(edge.child, other)))]

    def _partners(self, part: Part) -> list[Part]:
        """The other half of a telescope; the plate that a block slides on."""
        if part.kind in ("base", "rod"):
            other = self.parts.of["rod" if part.kind == "base" else "base", id(part.element)]
            return [other] if other not in self.placed else []
        if part.kind == "block" and self.parts.holders[part] not in self.placed:
            return [self.parts.holders[part]]
        return []

    def _slides(self, part: Part) -> Iterator[Edge]:
        if part.kind == "ground":
            yield from (Edge(part, p) for p in self.parts.every if p.kind in ("slider", "crank", "carrier"))
        for solid in self.parts.mechanism.solids:
            if self.parts.solid(solid.joint.by if solid.joint else None) is part:
                yield Edge(part, self.parts.solid(solid))
        yield from (Edge(part, block) for block, holder in self.parts.holders.items() if holder is part)

    def _hinges(self, part: Part) -> Iterator[Edge]:
        for cluster in self.parts.clusters_with(part):
            for other in cluster.parts:
                guide = self.guides.get(id(other.element))
                if other.kind in ("bar", "base", "rod", "plate") and (guide is None or guide.foot in cluster.points):
                    yield Edge(part, other, cluster)

    def _start_again(self) -> bool:
        """Go on from a block whose holder nothing else reaches."""
        for block in self.parts.holders:
            if block in self.placed:
                continue
            for cluster in self.parts.clusters_with(block):
                reached = [p for p in cluster.parts if p in self.placed]
                if reached:
                    self._place(Edge(min(reached, key=self.placed.__getitem__), block, cluster))
                    return True
        return False

    def _chords(self) -> Iterator[Chord]:
        for cluster in self.parts.clusters:
            group = {part: {part} for part in cluster.parts}
            for edge in self.edges:
                if edge.cluster is cluster:
                    merged = group[edge.parent] | group[edge.child]
                    group.update(dict.fromkeys(merged, merged))
            heads = [min(g, key=self.placed.__getitem__) for g in {id(g): g for g in group.values()}.values()]
            heads.sort(key=self.placed.__getitem__)
            yield from (Chord(cluster, heads[0], other) for other in heads[1:])
