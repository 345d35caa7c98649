"""How far the elementary functions of chapter 12 may be from the exact value, in units of the last place."""

WITHIN_TWO = ("acos", "asin", "atan", "cos", "erf", "exp2", "expm1", "log10", "log1p", "log2", "sin", "tan")
HYPERBOLIC = ("acosh", "asinh", "atanh", "cosh", "sinh")
UNARY = ("exp", "log", "tanh", "sigmoid", *WITHIN_TWO, *HYPERBOLIC, "erfc", "sinc")
BINARY = ("pow", "atan2", "hypot", "xlogy")
BOUNDS = {
    **dict.fromkeys((*WITHIN_TWO, "atan2", "hypot"), (2, 4)),
    **dict.fromkeys(HYPERBOLIC, (3, 4)),
    "exp": (1, 4), "log": (1, 4), "tanh": (3, 4), "sigmoid": (3, 6), "pow": (1, 4), "erfc": (7, 5), "sinc": (4, 4),
    "xlogy": (3, 5),
}  # fmt: skip
"""Per function that of the twins, which the reference keeps too, and that of the NumPy rung, as the docstrings say."""
