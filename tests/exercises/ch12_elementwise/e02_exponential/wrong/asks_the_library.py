# misconception: asks_the_library
# fails: test_ordinary_arguments
import math


def exp(x, out):
    for k in range(len(out)):
        try:
            out[k] = math.exp(x[k])
        except OverflowError:
            out[k] = math.inf
