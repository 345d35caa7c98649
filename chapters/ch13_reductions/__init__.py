"""Chapter 13: reductions, the mirror of broadcasting, with a summation order that every rung keeps to the bit."""
