# outcome: returned
# item: 52
# delta: home=None
import os

home = os.environ.get("HOME")
print(home, os.environ.get("USER"), "PYTHONPATH" in os.environ, os.getppid() != os.getpid())
