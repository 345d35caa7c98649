"""Chapter 18: define by run. The library itself is the subject; here are the two loops of its engine over integers."""
