# misconception: library
# fails: test_same_bits
def matmul(a, b, out):
    """Write the product of `a` and `b` into `out`."""
    if b.shape[0] != a.shape[1]:
        raise ValueError(f"matmul: a is {a.shape} but b is {b.shape}; inner sizes differ")
    if out.shape != (a.shape[0], b.shape[1]):
        raise ValueError(f"matmul: the product is {(a.shape[0], b.shape[1])} but out is {out.shape}")
    out[...] = a @ b
