"""Adds terms until one is zero, which none is while nan and inf are among the arguments."""


def exp(x, out):
    for k in range(len(out)):
        total, term, n = 1.0, 1.0, 0
        while term != 0.0:
            n += 1
            term = max(abs(term * float(x[k]) / n), 1e-300)
            total += term
        out[k] = total
