"""A write marks every saved value that it hits; the storage knows them weakly."""

from weakref import WeakSet


class Storage:
    def __init__(self, values):
        self.values = list(values)
        self.watchers = WeakSet()

    def write(self, places, values):
        if len(values) != len(places):
            raise ValueError("one value for each place, please")
        for place, value in zip(places, values, strict=True):
            self.values[place] = value
        for saved in self.watchers:
            saved.spoiled = saved.spoiled or not set(places).isdisjoint(saved.places)


class Saved:
    def __init__(self, storage, places):
        self.storage, self.places, self.spoiled = storage, places, False
        storage.watchers.add(self)

    def get(self):
        if not self.storage:
            raise RuntimeError("released")
        if self.spoiled:
            raise RuntimeError("written in place since it was saved")
        return [self.storage.values[k] for k in self.places]

    def release(self):
        if self.storage:
            self.storage.watchers.discard(self)
        self.storage = None
