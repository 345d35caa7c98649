"""Chapter 18: define by run. An engine that counts, the two designs it replaces, and its loops over integers."""
