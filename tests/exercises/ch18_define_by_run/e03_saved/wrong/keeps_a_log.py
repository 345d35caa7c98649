# misconception: log
# fails: test_long_training
class Storage:
    """A row of numbers, and for each place the number of the last write that fell there."""

    def __init__(self, values):
        self.values = list(values)
        self.log = []

    def write(self, places, values):
        """Put `values` at `places`, a range of positions."""
        if len(places) != len(values):
            raise ValueError(f"{len(values)} values for {len(places)} places")
        self.log.append(places)
        for place, value in zip(places, values, strict=True):
            self.values[place] = value


class Saved:
    """The numbers at `places` of a storage, kept for the backward pass."""

    def __init__(self, storage, places):
        self.storage = storage
        self.places = places
        self.writes = len(storage.log)

    def get(self):
        """The numbers, as they were."""
        if self.storage is None:
            raise RuntimeError("this value was released")
        if any(place in written for written in self.storage.log[self.writes :] for place in self.places):
            raise RuntimeError("a saved value was written in place")
        return [self.storage.values[place] for place in self.places]

    def release(self):
        """Let go of them."""
        self.storage = None
