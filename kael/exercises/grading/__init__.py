"""`kael grade`: a class's submissions found, graded in parallel, and told about in tables, a report and feedback."""
