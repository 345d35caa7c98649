"""Walks back through the groups and never arrives."""


class MarkedArena:
    def __init__(self, capacity):
        self.used = self.peak = 0

    def allocate(self, nbytes, align=16):
        while self.used % align or nbytes:
            nbytes = max(nbytes, 1)

    def mark(self):
        return 0

    def release(self, mark):
        pass
