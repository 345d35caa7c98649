"""A list of all that is alive, allocations and marks alike; a release cuts it behind the mark."""


class Piece:
    def __init__(self, offset, nbytes):
        self.offset, self.nbytes, self.alive = offset, nbytes, True


class Mark:
    def __init__(self, used):
        self.used, self.alive = used, True


class MarkedArena:
    def __init__(self, capacity):
        self.capacity, self.used, self.peak, self.there = capacity, 0, 0, []

    def allocate(self, nbytes, align=16):
        offset = -(-self.used // align) * align
        if offset + nbytes > self.capacity:
            raise MemoryError("full")
        self.used = offset + nbytes
        self.peak = max(self.peak, self.used)
        self.there.append(Piece(offset, nbytes))
        return self.there[-1]

    def mark(self):
        self.there.append(Mark(self.used))
        return self.there[-1]

    def release(self, mark):
        if not mark.alive:
            raise ValueError("taken back")
        while self.there[-1] is not mark:
            self.there.pop().alive = False
        self.used = mark.used
