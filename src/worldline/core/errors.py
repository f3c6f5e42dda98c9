"""Every exception that worldline raises. docs/reference/messages.md explains each slug.

    WorldlineError            exit 3: a fault of the tool, unless a subclass says otherwise
    +-- UsageError            exit 2: the caller asked for something impossible
    |   +-- NoModelError      exit 2: no model has this name, here or on the server
    |   +-- NotStarted        exit 4: the program does not compile, or this machine lacks its compiler or interpreter
    +-- NoSandbox             exit 3: this machine offers no sandbox
    +-- DiskError             exit 3: a write did not reach the disk; nothing was renamed
    +-- BusyError             exit 3: another writer holds the directory
    +-- FingerprintError      exit 2: the directory was made with another recipe, limits, interpreter or code
    +-- DigestError           exit 1: a stored file does not match its digest
    +-- FormatError           exit 3: this release does not read the file's format version
    +-- DryError              exit 3: the sources of training documents have ended
    +-- DivergedError         exit 1: the training loss or gradient is not a number
    +-- UnreadableError       exit 1: no output of a model is a trace
    +-- ServerError           exit 3: the server of a model does not answer, or refuses every request

The end of a *program* is an `Outcome`; unreadable text of a *model* is a `Malformed`. Neither is an exception.
"""

from __future__ import annotations

from typing import ClassVar


class WorldlineError(Exception):
    """The base class: a message, a slug and an exit code."""

    slug: ClassVar[str] = "fault"
    exit_code: ClassVar[int] = 3


class UsageError(WorldlineError):
    """An argument is impossible or contradicts another."""

    slug = "usage"
    exit_code = 2


class NoModelError(UsageError):
    """No model has the name that was asked for. The message lists the models that exist."""

    slug = "no-model"


class NotStarted(UsageError):
    """The program has no run: it does not compile, or this machine lacks its compiler or interpreter."""

    slug = "not-started"
    exit_code = 4


class NoSandbox(WorldlineError):
    """This machine offers no sandbox, and `--trust` was not given."""

    slug = "no-sandbox"


class DiskError(WorldlineError):
    """A write failed. The final path holds its old content or the whole new file."""

    slug = "disk"


class BusyError(WorldlineError):
    """Another process is writing to this directory."""

    slug = "busy"


class FingerprintError(WorldlineError):
    """New data was made in another way than the data already there. The message lists the differences."""

    slug = "fingerprint"
    exit_code = 2


class DigestError(WorldlineError):
    """A file does not match its manifest."""

    slug = "digest"
    exit_code = 1


class FormatError(WorldlineError):
    """The file has an unknown format or an unsupported version."""

    slug = "format"


class DryError(WorldlineError):
    """No training documents are left, and every command that produced them has ended."""

    slug = "dry"


class DivergedError(WorldlineError):
    """The training loss or its gradient is not a number. `diverged.json` in the run names the batch."""

    slug = "diverged"
    exit_code = 1


class UnreadableError(WorldlineError):
    """No output of a model is a trace: it was asked in a way that it does not follow."""

    slug = "unreadable"
    exit_code = 1


class ServerError(WorldlineError):
    """The server of a model does not answer, or refuses every request. The message says what to do."""

    slug = "server"
