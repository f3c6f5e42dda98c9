"""The small repository in `project/` is recorded by tests; its own tests are not ours."""

collect_ignore = ["project"]
