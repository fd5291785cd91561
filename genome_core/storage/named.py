"""Tables of adapters whose rows stand under a name (column ``namespace``) and a ``key``: how they are written and erased."""

from __future__ import annotations

from collections.abc import Sequence

import sqlalchemy as sa
from sqlalchemy.dialects import postgresql, sqlite
from sqlalchemy.engine import Connection

from genome_core.storage import rules
from genome_core.storage.database import Database
from genome_core.storage.lists import one_of
from genome_core.types import Scope


def upsert(database: Database, table: sa.Table) -> sa.Insert:
    """INSERT that replaces the row with the same primary key."""
    insert = postgresql.insert(table) if database.is_postgres else sqlite.insert(table)
    key = [column.name for column in table.primary_key]
    others = {column.name: insert.excluded[column.name] for column in table.columns if column.name not in key}
    return insert.on_conflict_do_update(index_elements=key, set_=others)


def erase_named(connection: Connection, tables: sa.MetaData, scope: Scope, ids: Sequence[str] | None) -> int:
    """Deletes what stands under names in the scope, a name counting as a label: all of it, or the keys that are ids.

    Returns how many values. Raises ``Held`` where a legal hold stands.
    """
    count = 0
    for table in tables.sorted_tables:
        names = connection.scalars(sa.select(table.c.namespace).distinct()).all()
        mine = [name for name in names if scope.matches((name,))]
        gone = sa.delete(table).where(one_of(table.c.namespace, mine))
        if ids is not None:
            gone = gone.where(one_of(table.c.key, ids))
        rules.refuse_held(connection, [(name,) for name in mine])
        count += connection.execute(gone).rowcount
    return count
