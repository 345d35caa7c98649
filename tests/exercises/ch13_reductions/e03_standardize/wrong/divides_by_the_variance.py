# misconception: no_root
# fails: test_more_columns_than_rows
def standardize(x):
    """Each row of `x` with its mean subtracted, divided by its standard deviation."""
    away = x - x.mean(axis=1, keepdims=True)
    variance = (away * away).mean(axis=1, keepdims=True)
    variance[variance == 0] = 1
    return away / variance
