"""Write where the kernel takes its settings."""

from outside import escaped

for path in ("/proc/sys/kernel/core_pattern", "/proc/sys/kernel/hostname", "/proc/sys/vm/overcommit_memory", "/proc/sysrq-trigger", "/proc/sys/user/max_user_namespaces", "/proc/self/uid_map", "/proc/self/setgroups", "/sys/kernel/uevent_helper", "/sys/power/state"):
    try:
        with open(path, "w") as file:
            file.write("1")
    except OSError as error:
        print("refused:", error)
    else:
        escaped(path)
