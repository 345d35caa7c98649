"""The statements that the design makes about kael, each with the tests that hold it: ``python -m tests.promises``."""
