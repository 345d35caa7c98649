"""The proof of the exercises: their checks accept right answers and reject wrong ones, each in words."""
