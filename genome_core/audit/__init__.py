"""What the journal proves: verification, keys, replay, branches, rollback, past states."""
