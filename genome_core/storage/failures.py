"""What the drivers' errors mean to who called, and what can be done about them."""

from __future__ import annotations

from genome_core.errors import NotADatabase, StorageError

_HINTS = {
    "locked": "another process holds the write lock; it waited for the busy timeout",
    "busy": "another process holds the write lock; it waited for the busy timeout",
    "lock timeout": "another writer of the same tenant holds its lock; it waited for the timeout",
    "full": "free disk space and try again; nothing was half-written",
    "readonly": "the file or its folder is read-only: make both writable",
    "unable to open": "check that the folder exists and that it and the file can be written",
    "no such table": "a store in memory ends when it is closed: open a new one, or name a file",
    "malformed": "the file is damaged: restore it from a backup or an export",
    "QueuePool limit": "too many connections at once: give an Engine with a larger pool",
    "not a database": "the file holds something else; it was left untouched",
    "row-level security": "this role has the rows of one tenant: name a namespace below it, or connect as the owner",
    "permission denied": "this role has not that right: connect as the owner of the tables",
    "NUL (0x00)": "use genome_core.inputs.clean_text",
}


def translated(error: BaseException | None) -> StorageError:
    """The package's own error in place of a driver's."""
    text = str(error)
    hint = next((hint for part, hint in _HINTS.items() if part in text), "see the database's own message")
    kind = NotADatabase if "not a database" in text else StorageError
    return kind(text.strip(), hint=hint)
