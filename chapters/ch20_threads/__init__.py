"""Chapter 20: vectors, caches and threads: one pass for three, walks that fit a cache, and cuts that keep the bits."""
