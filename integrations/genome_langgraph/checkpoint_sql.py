"""The statements of ``GenomeSaver``'s frequent calls, as SQL: one text per database, parameters by name."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, fields

from genome_langgraph.checkpoint_tables import COARSE

HEAD, VALUE, WRITE = 0, 1, 2
"""What a row of ``Statements.by_id`` and its siblings is a part of."""

_HEADS = """
SELECT position, 0, checkpoint_id, parent_id, versions, type, data, metadata_type, metadata, 0, held FROM chosen
"""
_VALUES = """
SELECT c.position, 1, v.channel, v.chunks, NULL, v.type, v.data, NULL, NULL, 0, NULL
FROM chosen c CROSS JOIN {values}
"""
_WRITES = """
SELECT c.position, 2, w.channel, w.task_id, w.task_path, w.type, w.data, NULL, NULL, w.idx, NULL
FROM chosen c CROSS JOIN langgraph_writes w
WHERE w.thread_id = c.thread_id AND w.checkpoint_ns = c.checkpoint_ns AND w.checkpoint_id = c.checkpoint_id
"""
_PARTS = f"{_HEADS} UNION ALL {_VALUES} UNION ALL {_WRITES}"
"""Everything that belongs to the chosen checkpoints, in one round trip and so from one snapshot. Its rows are

* position among the chosen, HEAD, checkpoint_id, parent_id, versions, type, data, metadata_type, metadata, -, held
* position, VALUE, channel, chunks, -, type, data, -, -, -, -
* position, WRITE, channel, task_id, task_path, type, data, -, -, idx, -
"""

_BY_ID = "AND checkpoint_id = :checkpoint_id"
_LATEST = "ORDER BY checkpoint_id DESC LIMIT 1"
_IN_NAMESPACE = """
SELECT 0 AS position, c.* FROM langgraph_checkpoints c WHERE thread_id = :thread_id AND checkpoint_ns = :checkpoint_ns
"""

_NAMED = (
    "SELECT 0 AS position, :thread_id AS thread_id, :checkpoint_ns AS checkpoint_ns, :checkpoint_id AS checkpoint_id"
)

# An owner is a line, which is added if it is not there yet: see checkpoint_owners.py. Otherwise a thread's row is changed
# once a day at most: the checkpoints know their times.
_SAVE_THREAD = """
INSERT INTO langgraph_threads (thread_id, saved_at, owners) VALUES (:thread_id, :saved_at, :owner)
ON CONFLICT (thread_id) DO UPDATE SET saved_at = excluded.saved_at, owners = CASE
    WHEN {position}(langgraph_threads.owners, excluded.owners) > 0 THEN langgraph_threads.owners
    ELSE langgraph_threads.owners || excluded.owners END
WHERE excluded.saved_at NOT BETWEEN langgraph_threads.saved_at AND langgraph_threads.saved_at + {coarse}
   OR {position}(langgraph_threads.owners, excluded.owners) = 0
"""

_SAVE_TTL = """
INSERT INTO langgraph_threads (thread_id, saved_at, ttl) VALUES (:thread_id, :saved_at, :ttl)
ON CONFLICT (thread_id) DO UPDATE SET ttl = excluded.ttl
"""

# The statements of a put run after its first one, which locks the thread: see ``quick.AFTER_FIRST``.
_CHECKPOINT_ROW = """
    :thread_id, :checkpoint_ns, :checkpoint_id, :parent_id, :run_id, :versions, :places,
    :type, :data, :metadata_type, :metadata, :held, :saved_at"""
_ADD_CHECKPOINT = """
INSERT INTO langgraph_checkpoints (thread_id, checkpoint_ns, checkpoint_id, parent_id, run_id, versions, places,
                                   type, data, metadata_type, metadata, held, saved_at)
{row}
ON CONFLICT (thread_id, checkpoint_ns, checkpoint_id) DO """

_REPLACE_CHECKPOINT = """UPDATE SET
    parent_id = excluded.parent_id, run_id = excluded.run_id, versions = excluded.versions, places = excluded.places,
    type = excluded.type, data = excluded.data, metadata_type = excluded.metadata_type, metadata = excluded.metadata,
    held = excluded.held, saved_at = excluded.saved_at
"""

# For SQLite, where one statement in autocommit mode takes less than a transaction: it stores nothing if the row of the thread
# has to be written too, or the id is there already.
_ADD_CHECKPOINT_ONLY = """
SELECT {columns} WHERE EXISTS (
    SELECT 1 FROM langgraph_threads
    WHERE thread_id = :thread_id AND saved_at BETWEEN :saved_at - {coarse} AND :saved_at AND instr(owners, :owner) > 0)
"""
_PLACES = """
SELECT versions, places FROM langgraph_checkpoints
WHERE thread_id = :thread_id AND checkpoint_ns = :checkpoint_ns AND checkpoint_id = :parent_id
"""

_VALUE_ROW = ":thread_id, :checkpoint_ns, :channel, :version, :snapshot, :type, :data, :chunks"
_SAVE_VALUE = """
INSERT INTO langgraph_values (thread_id, checkpoint_ns, channel, version, snapshot, type, data, chunks)
{row}
ON CONFLICT (thread_id, checkpoint_ns, channel, version) DO UPDATE SET
    snapshot = excluded.snapshot, type = excluded.type, data = excluded.data, chunks = excluded.chunks
"""

# A repeated write of a task is ignored; a special one (error, interrupt, resume: idx < 0) replaces.
_SAVE_WRITE = """
INSERT INTO langgraph_writes (thread_id, checkpoint_ns, checkpoint_id, task_id, idx, task_path, channel, type, data)
VALUES (:thread_id, :checkpoint_ns, :checkpoint_id, :task_id, :idx, :task_path, :channel, :type, :data)
ON CONFLICT (thread_id, checkpoint_ns, checkpoint_id, task_id, idx) DO UPDATE SET
    task_path = excluded.task_path, channel = excluded.channel, type = excluded.type, data = excluded.data
WHERE excluded.idx < 0
"""


@dataclass(frozen=True, slots=True)
class Statements:
    by_id: str
    latest: str
    by_keys: str
    """``keys``: a JSON list of lists of thread_id, checkpoint_ns and checkpoint_id."""
    head_by_id: str
    latest_head: str
    values_by_id: str
    writes_by_id: str
    chunks: str
    """Rows (thread_id, digest, data). ``keys``: a JSON list of lists of thread_id and digest."""
    save_thread: str
    save_chunks: str
    """``digests``: a JSON list; ``pieces``: what they are the digests of, ``size`` bytes each, joined."""
    add_checkpoint: str
    add_checkpoint_only: str
    """Also takes the parameters of ``save_thread``, whose row it leaves."""
    save_checkpoint: str
    save_value: str
    save_ttl: str = _SAVE_TTL
    places: str = _PLACES
    save_write: str = _SAVE_WRITE


def _statements(
    values: str, keys: str, chunks: str, save_chunks: str, position: str, row: Callable[[str], str]
) -> Statements:
    def of(chosen: str, parts: str) -> str:
        return f"WITH chosen AS ({chosen}) {parts}".replace("{values}", values)

    by_id, latest = _IN_NAMESPACE + _BY_ID, _IN_NAMESPACE + _LATEST
    add_checkpoint = _ADD_CHECKPOINT.replace("{row}", row(_CHECKPOINT_ROW))
    only = _ADD_CHECKPOINT_ONLY.replace("{columns}", _CHECKPOINT_ROW).replace("{coarse}", str(COARSE - 1))
    return Statements(
        by_id=of(by_id, _PARTS),
        latest=of(latest, _PARTS),
        by_keys=of(keys, _PARTS),
        head_by_id=of(by_id, _HEADS),
        latest_head=of(latest, _HEADS),
        values_by_id=of(by_id, _VALUES),
        writes_by_id=of(_NAMED, _WRITES),
        chunks=chunks,
        save_chunks=save_chunks,
        save_thread=_SAVE_THREAD.replace("{position}", position).replace("{coarse}", str(COARSE - 1)),
        add_checkpoint=add_checkpoint + "NOTHING",
        add_checkpoint_only=_ADD_CHECKPOINT.replace("{row}", only) + "NOTHING",
        save_checkpoint=add_checkpoint + _REPLACE_CHECKPOINT,
        save_value=_SAVE_VALUE.replace("{row}", row(_VALUE_ROW)),
    )


def _for_psycopg(statements: Statements) -> Statements:
    """psycopg writes the parameter ``:name`` as ``%(name)s``."""
    texts = {field.name: getattr(statements, field.name) for field in fields(statements)}
    return Statements(**{name: re.sub(r":(\w+)", r"%(\1)s", text) for name, text in texts.items()})


# Either database is made to look each row up by its key, instead of reading all values of the thread: SQLite by
# CROSS JOIN, which keeps the order of the tables, PostgreSQL by LATERAL with LIMIT.
_SQLITE = _statements(
    position="instr",
    row=lambda columns: f"VALUES ({columns})",
    values="""json_each(c.versions) named CROSS JOIN langgraph_values v
        ON v.thread_id = c.thread_id AND v.checkpoint_ns = c.checkpoint_ns
       AND v.channel = named.key AND v.version = named.value
        UNION ALL
        SELECT c.position, 1, place.key, NULL, NULL, json_extract(place.value, '$[1]'),
            substr(home.held, json_extract(place.value, '$[2]') + 1, json_extract(place.value, '$[3]')),
            NULL, NULL, 0, NULL
        FROM chosen c CROSS JOIN json_each(c.places) place CROSS JOIN langgraph_checkpoints home
          ON home.thread_id = c.thread_id AND home.checkpoint_ns = c.checkpoint_ns
         AND home.checkpoint_id = json_extract(place.value, '$[4]')""",
    keys="""
        SELECT wanted.key AS position, c.* FROM json_each(:keys) wanted CROSS JOIN langgraph_checkpoints c
          ON c.thread_id = json_extract(wanted.value, '$[0]')
         AND c.checkpoint_ns = json_extract(wanted.value, '$[1]')
         AND c.checkpoint_id = json_extract(wanted.value, '$[2]')""",
    chunks="""
        SELECT k.thread_id, k.digest, k.data FROM json_each(:keys) wanted CROSS JOIN langgraph_chunks k
          ON k.thread_id = json_extract(wanted.value, '$[0]') AND k.digest = json_extract(wanted.value, '$[1]')""",
    save_chunks="""
        INSERT INTO langgraph_chunks (thread_id, digest, data)
        SELECT :thread_id, value, substr(:pieces, key * :size + 1, :size) FROM json_each(:digests) WHERE true
        ON CONFLICT (thread_id, digest) DO NOTHING""",
)
_POSTGRES = _for_psycopg(
    _statements(
        position="strpos",
        row=lambda columns: f"SELECT {columns} /* after the first step */ WHERE true",
        values="""json_each_text(CAST(c.versions AS JSON)) named CROSS JOIN LATERAL (
            SELECT * FROM langgraph_values v
            WHERE v.thread_id = c.thread_id AND v.checkpoint_ns = c.checkpoint_ns
              AND v.channel = named.key AND v.version = named.value LIMIT 1) v""",
        keys="""
            SELECT wanted.ordinality - 1 AS position, c.*
            FROM json_array_elements(CAST(:keys AS JSON)) WITH ORDINALITY wanted CROSS JOIN LATERAL (
                SELECT * FROM langgraph_checkpoints c
                WHERE c.thread_id = wanted.value->>0 AND c.checkpoint_ns = wanted.value->>1
                  AND c.checkpoint_id = wanted.value->>2 LIMIT 1) c""",
        chunks="""
            SELECT k.thread_id, k.digest, k.data
            FROM json_array_elements(CAST(:keys AS JSON)) wanted CROSS JOIN LATERAL (
                SELECT * FROM langgraph_chunks k
                WHERE k.thread_id = wanted.value->>0 AND k.digest = wanted.value->>1 LIMIT 1) k""",
        save_chunks="""
            INSERT INTO langgraph_chunks (thread_id, digest, data)
            SELECT :thread_id, named.value,
                   substr(whole.pieces, (CAST(named.ordinality AS INT) - 1) * whole.size + 1, whole.size)
            FROM json_array_elements_text(CAST(:digests AS JSON)) WITH ORDINALITY named
            CROSS JOIN (SELECT CAST(:pieces AS BYTEA) AS pieces, CAST(:size AS INT) AS size
                        /* after the first step */) whole WHERE true
            ON CONFLICT (thread_id, digest) DO NOTHING""",
    )
)
STATEMENTS = {"sqlite": _SQLITE, "postgresql": _POSTGRES}
