"""Change the limits of process 1."""

import resource

from outside import attempt

attempt(resource.prlimit, 1, resource.RLIMIT_NOFILE, (16, 16))
attempt(resource.prlimit, 1, resource.RLIMIT_NOFILE)
