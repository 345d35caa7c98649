# misconception: no_reduction
# fails: test_ordinary_arguments
def exp(x, out):
    for k in range(len(out)):
        total = term = 1.0
        for n in range(1, 200):
            term *= float(x[k]) / n
            total += term
        out[k] = total
