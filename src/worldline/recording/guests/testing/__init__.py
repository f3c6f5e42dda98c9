"""Record the tests of a repository in the repository's own pytest process: the plugin, and its guest in the sandbox."""
