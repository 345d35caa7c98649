"""A clock ticks at every call. A release writes down which stretch of time it undid; what was made in one is dead."""

from types import SimpleNamespace


class Piece:
    def __init__(self, arena, offset, nbytes):
        self.offset, self.nbytes = offset, nbytes
        self._arena, self._made = arena, arena.tick()

    @property
    def alive(self):
        return not self._arena.undone(self._made)


class MarkedArena:
    def __init__(self, capacity):
        self.capacity, self.used, self.peak = capacity, 0, 0
        self.now, self.stretches = 0, []

    def tick(self):
        self.now += 1
        return self.now

    def undone(self, moment):
        return any(first < moment < last for first, last in self.stretches)

    def allocate(self, nbytes, align=16):
        offset = self.used + -self.used % align
        if offset + nbytes > self.capacity:
            raise MemoryError("full")
        self.used = offset + nbytes
        self.peak = max(self.peak, self.used)
        return Piece(self, offset, nbytes)

    def mark(self):
        return SimpleNamespace(used=self.used, made=self.tick())

    def release(self, mark):
        if self.undone(mark.made):
            raise ValueError("taken back")
        self.stretches.append((mark.made, self.tick()))
        self.used = mark.used
