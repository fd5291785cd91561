"""Row-level security on PostgreSQL: a role to which only the rows of one tenant are there, whatever SQL it sends.

A tenant is everything below one first label of the namespaces. ``enable`` is called by the owner of the tables, once for each
role. A role that is bound to a tenant can not leave it. Another one chooses by the session's setting ``genome.tenant``, as
``Memory(..., tenant=...)`` does in each transaction: that guards against a forgotten condition, not against hostile SQL, which
can change the setting. Without either there are no rows at all.

The role can add, read, change and delete records. Its entries in the journal it can neither change nor remove. What concerns
the whole store (erasing, holds, compacting, reindexing, the journal's key) is the owner's, and so are the tables of adapters: no
role gets any of their rows. What the owner wrote into the tenant's chain, and what was erased there, the role sees: it can
verify its chain.
"""

from __future__ import annotations

import os
from collections.abc import Sequence

import sqlalchemy as sa
from sqlalchemy.engine import Connection

from genome_core.errors import InvalidInput, StorageError
from genome_core.scopes import checked_namespace
from genome_core.storage.database import Database
from genome_core.storage.journal import JournalWriter
from genome_core.storage.namespaces import path_of
from genome_core.storage.schema import SCHEMA, tenant_of
from genome_core.storage.signing import JournalKey

_EVERYTHING = "true"
_OWN_NAMESPACE = "path >= genome_tenant() AND path < left(genome_tenant(), -1) || ' '"
_ERASED_NAMESPACE = "path >= 'erased:' AND path < 'erased;' AND tenant = genome_tenant_number()"
_BELONGING = f"namespace_id IN (SELECT id FROM genome_namespaces WHERE {_OWN_NAMESPACE})"  # noqa: S608 -- our own
_OWN_ROW = f"tenant = genome_tenant_number() AND {_BELONGING}"
_OWN_ENTRY = "tenant = genome_tenant_number() AND namespace_id IN (SELECT id FROM genome_namespaces)"

_TABLES = {
    "genome_namespaces": (_OWN_NAMESPACE, "SELECT, INSERT"),
    "genome_namespace_labels": (_BELONGING, "SELECT, INSERT"),
    "genome_chains": ("tenant = genome_tenant_number()", "SELECT, INSERT, UPDATE"),
    "genome_journal": (_OWN_ROW, "SELECT, INSERT"),
    "genome_records": (_OWN_ROW, "SELECT, INSERT, UPDATE, DELETE"),
    "genome_passages": (_OWN_ROW, "SELECT, INSERT, UPDATE, DELETE"),
    "genome_facts": (_OWN_ROW, "SELECT, INSERT, UPDATE, DELETE"),
    "genome_rules": (f"path = '' OR ({_OWN_NAMESPACE})", "SELECT"),
    "genome_pseudonyms": (_EVERYTHING, "SELECT"),
    "genome_embedder": (_EVERYTHING, "SELECT, INSERT"),
    "genome_journal_keys": (_EVERYTHING, "SELECT"),
}
"""Which rows are the role's, and what it may do with them. Whatever is not here, it can not touch."""

_SEEN = {
    "genome_namespaces": f"({_OWN_NAMESPACE}) OR path = '' OR ({_ERASED_NAMESPACE})",
    "genome_namespace_labels": "namespace_id IN (SELECT id FROM genome_namespaces)",
    "genome_journal": _OWN_ENTRY,
}
"""Which rows it sees, where these are more."""

_COUNTS_CHAINS = "UPDATE (chains, signature) ON genome_journal_keys"
"""What a role needs that begins chains in a signed store. Only one that chooses its tenant has it: see ``enable``."""


def enable(
    database: Database,
    role: str,
    *,
    tenant: str | None = None,
    journal_key: bytes | str | os.PathLike[str] | JournalKey | None = None,
) -> None:
    """Gives a role the rows of one tenant: of ``tenant``, or of the one that each session chooses.

    The role must exist, and must neither own the tables nor bypass row security. Calling it again, after an upgrade, a
    ``reset``, or with another tenant, replaces what was there. A store whose journal is signed needs its ``journal_key`` for a
    ``tenant``: its chain begins here, since the role has no right to count chains.

    Raises ``InvalidInput`` on SQLite, and for a role that would see everything; ``JournalKeyError``.
    """
    if not database.is_postgres:
        raise InvalidInput("SQLite has no row-level security", hint="give each tenant a file of its own")
    database.install(SCHEMA)
    components = database.components()
    key = JournalKey.of(journal_key)

    def work(connection: Connection) -> None:
        _refuse_powerful(connection, role)
        connection.exec_driver_sql(_BINDINGS)
        for statement in _FUNCTIONS:
            connection.exec_driver_sql(statement.replace("{schema}", _schema(connection)))
        for schema in components:
            for table in schema.tables.sorted_tables:
                _secure(connection, table.name)
        quoted = connection.dialect.identifier_preparer.quote(role)
        connection.exec_driver_sql(f"GRANT USAGE ON SCHEMA {_schema(connection)} TO {quoted}")
        connection.exec_driver_sql(f"GRANT SELECT ON genome_schema, genome_tenants TO {quoted}")
        connection.exec_driver_sql(f"GRANT USAGE ON SEQUENCE genome_namespaces_id_seq TO {quoted}")
        for name, (_, verbs) in _TABLES.items():
            connection.exec_driver_sql(f"REVOKE ALL ON {name} FROM {quoted}")
            connection.exec_driver_sql(f"GRANT {verbs} ON {name} TO {quoted}")
        if tenant is None:
            connection.exec_driver_sql(f"GRANT {_COUNTS_CHAINS} TO {quoted}")
        else:
            JournalWriter(connection, [tenant_of((tenant,), "postgresql")], 0, key)
        _bind(connection, role, tenant)

    database.write(work)


def setting(tenant: str) -> dict[str, str]:
    """The settings by which a session chooses its tenant."""
    [label] = checked_namespace([tenant])
    return {"genome.tenant": path_of((label,)), "genome.tenant_number": str(tenant_of((label,), "postgresql"))}


def sees_one_tenant(connection: Connection) -> bool:
    """Whether row security limits what this connection sees."""
    if connection.dialect.name != "postgresql":
        return False
    return bool(connection.scalar(sa.text("SELECT row_security_active('genome_records')")))


def require(database: Database) -> None:
    """Raises unless what this database's user sees is limited by row security."""
    if not database.is_postgres:
        raise InvalidInput("SQLite has no row-level security", hint="give each tenant a file of its own")
    with database.read() as connection:
        if not sees_one_tenant(connection):
            raise StorageError(
                "this role sees the rows of all tenants",
                hint="call row_security.enable as the owner, and connect as the role that was given",
            )


def _secure(connection: Connection, name: str) -> None:
    """The policy on a table; none means that nobody but the owner has any row. Partitions have none: the parent's counts."""
    for table in [name, *_partitions(connection, name)]:
        connection.exec_driver_sql(f"ALTER TABLE {table} ENABLE ROW LEVEL SECURITY")
    connection.exec_driver_sql(f"DROP POLICY IF EXISTS genome_tenant ON {name}")
    if name in _TABLES:
        mine, _ = _TABLES[name]
        seen = _SEEN.get(name, mine)
        connection.exec_driver_sql(f"CREATE POLICY genome_tenant ON {name} USING ({seen}) WITH CHECK ({mine})")


def _partitions(connection: Connection, name: str) -> Sequence[str]:
    query = sa.text("SELECT inhrelid::regclass::text FROM pg_inherits WHERE inhparent = CAST(:name AS regclass)")
    return connection.scalars(query, {"name": name}).all()


def _refuse_powerful(connection: Connection, role: str) -> None:
    query = sa.text(
        "SELECT rolsuper OR rolbypassrls OR pg_has_role(oid, (SELECT relowner FROM pg_class"
        " WHERE oid = CAST('genome_records' AS regclass)), 'MEMBER') FROM pg_roles WHERE rolname = :role"
    )
    powerful = connection.scalar(query, {"role": role})
    if powerful is None:
        raise InvalidInput(f"there is no role {role!r}", hint="create it first, with LOGIN and nothing else")
    if powerful:
        raise InvalidInput(
            f"the role {role!r} would see everything",
            hint="it owns the tables, is a superuser, or bypasses row security",
        )


def _bind(connection: Connection, role: str, tenant: str | None) -> None:
    connection.execute(sa.text("DELETE FROM genome_tenants WHERE role = :role"), {"role": role})
    if tenant is not None:
        path, number = setting(tenant).values()
        row = {"role": role, "path": path, "number": int(number)}
        connection.execute(sa.text("INSERT INTO genome_tenants VALUES (:role, :path, :number)"), row)


def _schema(connection: Connection) -> str:
    name = connection.scalar(sa.text("SELECT current_schema()"))
    return connection.dialect.identifier_preparer.quote(str(name))


_BINDINGS = """
CREATE TABLE IF NOT EXISTS genome_tenants (role name PRIMARY KEY, path text NOT NULL, number bigint NOT NULL);
ALTER TABLE genome_tenants ENABLE ROW LEVEL SECURITY;
DROP POLICY IF EXISTS genome_own_role ON genome_tenants;
CREATE POLICY genome_own_role ON genome_tenants USING (role = current_user)
"""

# The table is named with its schema, and nothing else is looked up: a temporary table can not take its place.
# An empty setting is what PostgreSQL leaves behind after SET LOCAL: it must not mean every row.
_FUNCTIONS = (
    """
    CREATE OR REPLACE FUNCTION genome_tenant() RETURNS text LANGUAGE sql STABLE SET search_path = pg_catalog AS $$
        SELECT coalesce((SELECT path FROM {schema}.genome_tenants WHERE role = current_user),
                        nullif(current_setting('genome.tenant', true), '')) $$
    """,
    """
    CREATE OR REPLACE FUNCTION genome_tenant_number() RETURNS bigint LANGUAGE sql STABLE SET search_path = pg_catalog AS $$
        SELECT coalesce((SELECT number FROM {schema}.genome_tenants WHERE role = current_user),
                        nullif(current_setting('genome.tenant_number', true), '')::bigint) $$
    """,
)
