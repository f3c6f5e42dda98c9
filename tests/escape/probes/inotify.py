"""Watch which commands the host runs, by inotify."""

from outside import libc, syscall

syscall("inotify_init")
watcher = syscall("inotify_init1", 0)
print("refused:", libc.inotify_add_watch(watcher, b"/usr/bin", 0xFFF))
