"""Facts in time: time expressions, extraction, the fact log, questions."""
