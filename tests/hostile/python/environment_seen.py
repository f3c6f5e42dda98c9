# outcome: returned
# item: 52
# delta: user=None
# delta: names=['HOME', 'LANG', 'LC_ALL', 'PATH', 'PYTHONHASHSEED', 'TMPDIR', 'TZ']
import os

user = os.environ.get("USER")
names = sorted(os.environ)
print(names, user, os.environ["HOME"] == os.getcwd(), os.getppid() != os.getpid())
