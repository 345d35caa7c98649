"""Values kept for the backward pass, and writes that are counted where they fall."""

from kael.exercises import NotStarted


class Storage:
    """A row of numbers, and what is known of the writes into it.

    Attributes
    ----------
    values : list of float
        The numbers.
    """

    def __init__(self, values):
        raise NotStarted  # delete this line to begin

    def write(self, places, values):
        """Put `values` at `places`, a range of positions."""


class Saved:
    """The numbers at `places` of a storage, kept for the backward pass."""

    def __init__(self, storage, places):
        """Remember what is needed to notice a write."""

    def get(self):
        """The numbers, as they were."""

    def release(self):
        """Let go of them."""
