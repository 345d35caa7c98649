# misconception: same_places
# fails: test_overlap_of_one_place
class Storage:
    """A row of numbers, and for each place the number of the last write that fell there."""

    def __init__(self, values):
        self.values = list(values)
        self.writes = 0
        self.last = [0] * len(self.values)

    def write(self, places, values):
        """Put `values` at `places`, a range of positions."""
        if len(places) != len(values):
            raise ValueError(f"{len(values)} values for {len(places)} places")
        self.writes += 1
        for place, value in zip(places, values, strict=True):
            self.values[place] = value
            self.last[place] = self.writes


class Saved:
    """The numbers at `places` of a storage, kept for the backward pass."""

    def __init__(self, storage, places):
        self.storage = storage
        self.places = places
        self.writes = storage.writes

    def get(self):
        """The numbers, as they were."""
        if self.storage is None:
            raise RuntimeError("this value was released")
        for place in self.places[:1]:
            if self.storage.last[place] > self.writes:
                raise RuntimeError(f"place {place} of a saved value was written in place")
        return [self.storage.values[place] for place in self.places]

    def release(self):
        """Let go of them."""
        self.storage = None
