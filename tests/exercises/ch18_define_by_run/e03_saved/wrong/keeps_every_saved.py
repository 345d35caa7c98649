# misconception: keeps_every_saved
# fails: test_long_training
class Storage:
    """A row of numbers, and for each place the number of the last write that fell there."""

    def __init__(self, values):
        self.values = list(values)
        self.watchers = []

    def write(self, places, values):
        """Put `values` at `places`, a range of positions."""
        if len(places) != len(values):
            raise ValueError(f"{len(values)} values for {len(places)} places")
        for saved in self.watchers:
            saved.spoiled = saved.spoiled or any(place in saved.places for place in places)
        for place, value in zip(places, values, strict=True):
            self.values[place] = value


class Saved:
    """The numbers at `places` of a storage, kept for the backward pass."""

    def __init__(self, storage, places):
        self.storage = storage
        self.places = places
        self.spoiled = False
        storage.watchers.append(self)

    def get(self):
        """The numbers, as they were."""
        if self.storage is None:
            raise RuntimeError("this value was released")
        if self.spoiled:
            raise RuntimeError("a saved value was written in place")
        return [self.storage.values[place] for place in self.places]

    def release(self):
        """Let go of them."""
        self.storage = None
