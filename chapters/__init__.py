"""One folder per chapter; in each, the chapter's idea as code on up to three rungs."""
