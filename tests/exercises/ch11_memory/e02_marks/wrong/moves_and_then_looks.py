# misconception: moved_first
# fails: test_peak_and_refusals


class Group:
    """Alive until a release takes it back."""

    alive = True


class Piece:
    """Bytes that were handed out."""

    def __init__(self, offset, nbytes, group):
        self.offset = offset
        self.nbytes = nbytes
        self.group = group

    @property
    def alive(self):
        return self.group.alive


class Mark:
    """A position, and the group that began there."""

    def __init__(self, used, group):
        self.used = used
        self.group = group


class MarkedArena:
    """A bump allocator over one block, with marks."""

    def __init__(self, capacity):
        self.capacity = capacity
        self.used = 0
        self.peak = 0
        self.groups = [Group()]

    def allocate(self, nbytes, align=16):
        """The next bytes."""
        offset = (self.used + align - 1) & -align
        self.used = offset + nbytes
        self.peak = max(self.peak, self.used)
        if offset + nbytes > self.capacity:
            raise MemoryError(f"no room for {nbytes} bytes at {offset} of {self.capacity}")
        return Piece(offset, nbytes, self.groups[-1])

    def mark(self):
        """A note of where we are."""
        group = Group()
        self.groups.append(group)
        return Mark(self.used, group)

    def release(self, mark):
        """Go back to the mark."""
        place = self.groups.index(mark.group)  # raises ValueError when it is not there
        for group in self.groups[place:]:
            group.alive = False
        mark.group = Group()
        self.groups[place:] = [mark.group]
        self.used = mark.used
