"""A layered layout: inputs above, results below, arrows led past the boxes between."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise

from kael.tracing.graph import Graph

__all__ = ["Layout", "Place", "lay_out"]

GAP = 22.0
LAYER_GAP = 44.0
LANE = 14.0
SWEEPS = 8


@dataclass(slots=True)
class Place:
    """Centre and size of a box."""

    x: float
    y: float
    width: float
    height: float


@dataclass(slots=True)
class Layout:
    """Where everything goes.

    Attributes
    ----------
    places : list of Place
        By box.
    routes : list of list of (float, float)
        By arrow: the points it passes, from the lower edge of its start to the upper edge of its end.
    width, height : float
        Size of the picture.
    """

    places: list[Place]
    routes: list[list[tuple[float, float]]]
    width: float
    height: float


def lay_out(graph: Graph, sizes: list[tuple[float, float]]) -> Layout:
    """Place boxes of the given sizes.

    Layers by longest path; a leaf stands right above the first box that uses it. An arrow across several layers gets
    a lane in each. The order within layers is the barycentre's, the positions are means of the neighbours' with the
    overlaps pushed apart.
    """
    return _Layered(graph, sizes).layout()


class _Layered:
    def __init__(self, graph: Graph, sizes: list[tuple[float, float]]) -> None:
        self.graph = graph
        self.sizes = list(sizes)
        self.level = self._levels()
        self.above: list[list[int]] = [[] for _ in sizes]
        self.below: list[list[int]] = [[] for _ in sizes]
        self.lanes = [self._lane(arrow.start, arrow.end) for arrow in graph.arrows]
        self.layers: list[list[int]] = [[] for _ in range(max(self.level, default=0) + 1)]
        for item, level in enumerate(self.level):
            self.layers[level].append(item)
        self.x = [0.0] * len(self.sizes)

    def _levels(self) -> list[int]:
        level = [0] * len(self.graph.boxes)
        users: list[list[int]] = [[] for _ in level]
        for arrow in self.graph.arrows:
            level[arrow.end] = max(level[arrow.end], level[arrow.start] + 1)
            users[arrow.start].append(arrow.end)
        for item, used in enumerate(users):
            if used and not any(arrow.end == item for arrow in self.graph.arrows):
                level[item] = min(level[user] for user in used) - 1
        return level

    def _lane(self, start: int, end: int) -> list[int]:
        """The items an arrow passes: its ends, and one lane per layer between."""
        passed = [start]
        for level in range(self.level[start] + 1, self.level[end]):
            passed.append(len(self.sizes))
            self.sizes.append((LANE, 0.0))
            self.level.append(level)
            self.above.append([])
            self.below.append([])
        passed.append(end)
        for upper, lower in pairwise(passed):
            self.below[upper].append(lower)
            self.above[lower].append(upper)
        return passed

    def layout(self) -> Layout:
        for layer in self.layers:
            self._pack(layer)
        for sweep in range(SWEEPS):
            downward = sweep % 2 == 0
            for layer in self.layers if downward else reversed(self.layers):
                wish = {item: self._mean(self.above[item] if downward else self.below[item], item) for item in layer}
                layer.sort(key=wish.__getitem__)
                self._spread(layer, wish)
        for layer in self.layers:
            self._spread(layer, {item: self._mean(self.above[item] + self.below[item], item) for item in layer})
        left = min(self.x[item] - self.sizes[item][0] / 2 for item in range(len(self.x)))
        self.x = [x - left + GAP / 2 for x in self.x]
        return self._placed()

    def _mean(self, neighbours: list[int], item: int) -> float:
        return sum(self.x[other] for other in neighbours) / len(neighbours) if neighbours else self.x[item]

    def _pack(self, layer: list[int]) -> None:
        right = 0.0
        for item in layer:
            width = self.sizes[item][0]
            self.x[item] = right + width / 2
            right += width + GAP
        for item in layer:
            self.x[item] -= right / 2

    def _spread(self, layer: list[int], wish: dict[int, float]) -> None:
        """Give every item the place it wishes for, pushed apart where they overlap, their mean kept."""
        right = None
        for item in layer:
            half = self.sizes[item][0] / 2
            self.x[item] = wish[item] if right is None else max(wish[item], right + GAP + half)
            right = self.x[item] + half
        shift = sum(self.x[item] - wish[item] for item in layer) / max(len(layer), 1)
        for item in layer:
            self.x[item] -= shift

    def _placed(self) -> Layout:
        tops, top = [], GAP / 2
        for layer in self.layers:
            tops.append(top)
            top += max(self.sizes[item][1] for item in layer) + LAYER_GAP
        places = []
        for item, (width, height) in enumerate(self.sizes):
            layer = self.layers[self.level[item]]
            middle = tops[self.level[item]] + max(self.sizes[other][1] for other in layer) / 2
            places.append(Place(self.x[item], middle, width, height))
        width = max(place.x + place.width / 2 for place in places) + GAP / 2
        routes = [self._route(arrow, lane, places) for arrow, lane in enumerate(self.lanes)]
        return Layout(places[: len(self.graph.boxes)], routes, width, top - LAYER_GAP + GAP / 2)

    def _route(self, arrow: int, lane: list[int], places: list[Place]) -> list[tuple[float, float]]:
        first, last = places[lane[0]], places[lane[-1]]
        points = [(self._port(lane[0], arrow, 0), first.y + first.height / 2)]
        points += [(places[item].x, places[item].y) for item in lane[1:-1]]
        return [*points, (self._port(lane[-1], arrow, -1), last.y - last.height / 2)]

    def _port(self, box: int, arrow: int, end: int) -> float:
        """Where on a box's edge an arrow meets it: arrows of one box stand side by side, in the order they come."""
        beside = -2 if end == -1 else 1
        sharing = [other for other, lane in enumerate(self.lanes) if lane[end] == box]
        sharing.sort(key=lambda other: (self.x[self.lanes[other][beside]], other))
        share = (sharing.index(arrow) + 1) / (len(sharing) + 1)
        return self.x[box] + (share - 0.5) * self.sizes[box][0] * 0.8
