"""Chapter 11: where the bytes come from, one array at a time (11.1) and from an arena (11.2)."""
