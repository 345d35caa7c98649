"""A transformer: what its text is cut into. Byte pairs are merged to tokens, learned from counts."""
