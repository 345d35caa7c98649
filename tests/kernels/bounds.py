"""How far the elementary functions of chapter 12 may be from the exact value, in units of the last place."""

WITHIN_TWO = (
    "acos",
    "acosh",
    "asin",
    "asinh",
    "atan",
    "atanh",
    "cos",
    "cosh",
    "erf",
    "exp2",
    "expm1",
    "log10",
    "log1p",
)
WITHIN_TWO += ("log2", "sin", "sinh", "tan")
UNARY = ("exp", "log", "tanh", "sigmoid", *WITHIN_TWO, "erfc", "sinc")
BINARY = ("pow", "atan2", "hypot", "xlogy")
BOUNDS = {
    **dict.fromkeys((*WITHIN_TWO, "atan2", "hypot"), (2, 4)),
    "exp": (1, 4), "log": (1, 4), "tanh": (3, 4), "sigmoid": (3, 6), "pow": (1, 4), "erfc": (5, 5), "sinc": (4, 4),
    "xlogy": (3, 5),
}  # fmt: skip
"""Per function that of the reference and the twins, and that of the NumPy rung; the docstrings state them."""
