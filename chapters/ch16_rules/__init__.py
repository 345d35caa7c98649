"""Chapter 16: one backward rule per operation, and the check that each rule passes before it is trusted."""
