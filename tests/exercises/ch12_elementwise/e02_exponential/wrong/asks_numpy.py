# misconception: asks_the_library
# fails: test_ordinary_arguments
import numpy as np


def exp(x, out):
    with np.errstate(all="ignore"):
        np.exp(x, out=out)
