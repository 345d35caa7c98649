"""Chapter 14: matrix multiplication, from three loops to packed panels and a register tile."""
