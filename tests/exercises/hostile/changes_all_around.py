"""Changes folder, environment, streams, limits and settings, for whoever runs next."""

import os
import random
import sys
import warnings

import numpy as np

os.chdir("/")
os.environ.clear()
random.seed(0)
np.random.seed(0)
np.seterr(all="raise")
warnings.simplefilter("ignore")
sys.setrecursionlimit(200)
sys.path.clear()
sys.stdout = sys.stderr = None


def __getattr__(name):
    if name.startswith("__"):
        raise AttributeError(name)
    return lambda *arguments: None
