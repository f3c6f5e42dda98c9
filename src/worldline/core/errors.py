"""Every exception worldline raises, each with a slug that docs/messages.md explains.

    WorldlineError            exit 3: the tool's own fault unless a subclass says otherwise
    +-- UsageError            exit 2: the caller asked for something that cannot be
    +-- NoSandbox             exit 3: no box can be had on this machine
    +-- DiskError             exit 3: a write did not reach the disk; nothing was renamed
    +-- BusyError             exit 3: another writer holds the directory
    +-- FingerprintError      exit 2: the directory was made with another recipe, limits, interpreter or code
    +-- DigestError           exit 1: a stored byte is not the byte that was written
    +-- FormatError           exit 3: an artefact of a format version this release does not read
    +-- DryError              exit 3: the sources of training documents have ended
    +-- DivergedError         exit 1: a training's loss or gradient is no number

What a *program* did is an `Outcome`, what a *model* wrote is a `Malformed`: neither is an exception.
"""

from __future__ import annotations

from typing import ClassVar


class WorldlineError(Exception):
    """The root of the tree: a message, a slug, an exit code."""

    slug: ClassVar[str] = "fault"
    exit_code: ClassVar[int] = 3


class UsageError(WorldlineError):
    """An argument that cannot be honoured."""

    slug = "usage"
    exit_code = 2


class NoSandbox(WorldlineError):
    """No box can be had here, and `--trust` was not said."""

    slug = "no-sandbox"


class DiskError(WorldlineError):
    """The disk refused a byte; the final path holds what it held, or the whole new file."""

    slug = "disk"


class BusyError(WorldlineError):
    """Another process is writing to this directory."""

    slug = "busy"


class FingerprintError(WorldlineError):
    """What is to be added was made otherwise than what is there; the message is the difference."""

    slug = "fingerprint"
    exit_code = 2


class DigestError(WorldlineError):
    """A file does not match its manifest."""

    slug = "digest"
    exit_code = 1


class FormatError(WorldlineError):
    """A file of another format version, or of no format of ours."""

    slug = "format"


class DryError(WorldlineError):
    """No more training documents will come: every command that made them has ended, and all are used up."""

    slug = "dry"


class DivergedError(WorldlineError):
    """A training's loss or its gradient is no number; the batch is named in the run's `diverged.json`."""

    slug = "diverged"
    exit_code = 1
