"""One row cut into pieces at random: where the cuts are must not matter."""

import math
from itertools import pairwise

from kael.testing import assert_tensor


def test_cuts_do_not_matter(answer, numbers, because):
    scores = (numbers.normal(size=40) * 10.0 ** numbers.integers(0, 4, 40)).tolist()
    top = max(scores)
    expected = top + math.log(math.fsum(math.exp(x - top) for x in scores))
    for _ in range(5):
        cuts = [0, *sorted(int(c) for c in numbers.integers(0, 41, 6)), 40]
        pieces = [scores[a:b] for a, b in pairwise(cuts)]
        reason = because(f"stream_logsumexp of 40 scores cut at {cuts[1:-1]}")
        assert_tensor(answer.stream_logsumexp(iter(pieces)), expected, because=reason)
