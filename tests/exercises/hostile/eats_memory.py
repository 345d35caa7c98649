"""Asks for memory as long as there is any."""


def __getattr__(name):
    if name.startswith("__"):
        raise AttributeError(name)
    kept = []
    while True:
        kept.append(bytearray(100_000_000))
