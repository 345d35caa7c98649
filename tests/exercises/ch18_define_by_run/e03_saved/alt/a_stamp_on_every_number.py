"""Each place has an object that a write replaces; a saved value remembers the objects."""


class Storage:
    def __init__(self, values):
        self.values = [*values]
        self.stamps = [object()] * len(self.values)

    def write(self, places, values):
        pairs = list(zip(places, values, strict=True))  # raises ValueError before anything has happened
        stamp = object()
        for place, value in pairs:
            self.values[place], self.stamps[place] = value, stamp


class Saved:
    def __init__(self, storage, places):
        self.kept = storage, [(place, storage.stamps[place]) for place in places]

    def get(self):
        if self.kept is None:
            raise RuntimeError("nothing is here any more: it was released")
        storage, stamps = self.kept
        if any(storage.stamps[place] is not stamp for place, stamp in stamps):
            raise RuntimeError("somebody has written here")
        return [storage.values[place] for place, _ in stamps]

    def release(self):
        self.kept = None
