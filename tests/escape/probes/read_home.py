"""Read the home directory of whoever runs the recorder."""

import os

from outside import HOME, attempt, read

for name in (".bashrc", ".profile", ".bash_history", ".ssh/id_rsa", ".gitconfig", ".netrc", ".config"):
    path = os.path.join(HOME, name)
    attempt(os.listdir if os.path.isdir(path) else read, path)
