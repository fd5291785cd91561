"""The error tree. Every error says what to do next in its ``hint``.

::

    GenomeError
    ├── InvalidInput        (ValueError)    the caller's argument can not be taken as it is
    │   ├── InvalidScope                    no scope, a blank id, a label that is not a string
    │   └── InvalidFilter                   a filter outside the filter language
    ├── NotFound            (LookupError)   no such record
    │   ├── AmbiguousId                     the id exists in several namespaces: name the scope
    │   └── ContentErased                   the journal no longer holds what is needed to make the past again
    ├── Conflict            (RuntimeError)  somebody else changed the record first
    ├── Held                (RuntimeError)  a legal hold keeps what should go
    ├── NotTrusted          (PermissionError) a source would change what one of higher trust said
    ├── StorageError        (RuntimeError)  the database refused: locked, full, read-only, gone
    │   ├── NotADatabase                    the file holds something else; it was not touched
    │   ├── SchemaTooNew                    written by a newer release; it was not touched
    │   └── IntegrityError                  the journal does not verify
    ├── JournalKeyError     (ValueError)    the journal's key is missing, or is not the one it was signed with
    ├── EmbedderMismatch    (ValueError)    the store was written by another embedder
    ├── EmbedderError       (RuntimeError)  the embedder returned something unusable
    └── MissingDependency   (ImportError)   an optional package is needed; the hint has the command

Each class also derives from the builtin that a caller would catch without knowing this package.
"""

from __future__ import annotations


class GenomeError(Exception):
    """Base of all errors raised on purpose by this package.

    ``hint`` says what the caller can do about it, or is empty.
    """

    def __init__(self, message: str, *, hint: str = "") -> None:
        super().__init__(f"{message} ({hint})" if hint else message)
        self.hint = hint


class InvalidInput(GenomeError, ValueError):
    """An argument can not be taken as it is; nothing was written."""


class InvalidScope(InvalidInput):
    """The scope is missing, blank or malformed."""


class InvalidFilter(InvalidInput):
    """The filter is outside the filter language."""


class NotFound(GenomeError, LookupError):
    """No such record in the scope."""


class AmbiguousId(NotFound):
    """The id exists in more than one namespace."""


class ContentErased(NotFound):
    """What was erased, or dropped by ``compact``, would be needed to make a state again; nothing was made."""


class Conflict(GenomeError, RuntimeError):
    """The record changed since the caller read it."""


class Held(GenomeError, RuntimeError):
    """A legal hold keeps what should be deleted or erased; nothing was changed."""


class NotTrusted(GenomeError, PermissionError):
    """A source may not change what one of higher trust said; nothing was written."""


class StorageError(GenomeError, RuntimeError):
    """The database refused the operation; the transaction was rolled back."""


class NotADatabase(StorageError):
    """The path holds a file of another kind."""


class SchemaTooNew(StorageError):
    """The database was written by a newer release."""


class IntegrityError(StorageError):
    """The journal or the data derived from it do not verify."""


class JournalKeyError(GenomeError, ValueError):
    """The journal's key is missing, can not be read, or is not the one that the store was given."""


class EmbedderMismatch(GenomeError, ValueError):
    """The store holds vectors of another embedder."""


class EmbedderError(GenomeError, RuntimeError):
    """The embedder returned something unusable (a wrong count, width or a value that is not finite)."""


class MissingDependency(GenomeError, ImportError):
    """An optional package is not installed."""
