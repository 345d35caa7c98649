"""What an instructor hands out and keeps, made from the exercises' own files: handouts, keys, plans, autograders."""
