"""Builds the book, checks what was built, makes the chapters' notebooks and shows the book on this machine."""
