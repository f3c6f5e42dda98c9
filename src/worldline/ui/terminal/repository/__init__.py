"""What the recorded tests of a project, two revisions or a check against stored traces look like in a terminal."""
