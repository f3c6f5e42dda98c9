"""The small repositories in `project/` and `failing/` are recorded by tests; their own tests are not ours."""

collect_ignore = ["project", "failing"]
