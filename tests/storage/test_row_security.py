"""Row-level security: a second role reads and writes the rows of its own tenant, through the library and by any SQL."""

from __future__ import annotations

import uuid
from collections.abc import Iterator

import pytest
import sqlalchemy as sa
from sqlalchemy.engine import Engine, make_url

from genome_core import Memory
from genome_core.errors import Held, IntegrityError, InvalidInput, JournalKeyError, StorageError
from genome_core.storage import row_security
from genome_core.storage.database import Database
from genome_core.storage.schema import tenant_of
from genome_core.testing.embedders import FakeEmbedder

ACME, OTHER = "acme", "other"
TABLES = [name for name in row_security._TABLES if name not in ("genome_pseudonyms", "genome_journal_keys")]


@pytest.fixture
def owner(postgres_url: str) -> Iterator[Memory]:
    with Memory(postgres_url, embedder=FakeEmbedder()) as memory:
        for tenant in (ACME, OTHER):
            memory.add(
                {"role": "user", "name": "Ann", "content": f"I live in Leeds, says {tenant}."},
                namespace=(tenant, "ann"),
            )
            memory.retain(1000, namespace=(tenant,))
        yield memory


@pytest.fixture
def role(owner: Memory) -> Iterator[str]:
    """A role that may log in, and nothing else."""
    name = f"genome_role_{uuid.uuid4().hex[:12]}"
    _run(owner, f"CREATE ROLE {name} LOGIN")
    yield name
    _run(owner, f"DROP OWNED BY {name}", f"DROP ROLE {name}")


@pytest.fixture
def bound(owner: Memory, role: str, postgres_url: str) -> Iterator[Engine]:
    """The connections of a role that is bound to one tenant."""
    row_security.enable(owner.database, role, tenant=ACME)
    yield from _engine(postgres_url, role)


@pytest.fixture
def choosing(owner: Memory, role: str, postgres_url: str) -> Iterator[Engine]:
    """The connections of a role that chooses its tenant by a setting."""
    row_security.enable(owner.database, role)
    yield from _engine(postgres_url, role)


def _engine(url: str, role: str) -> Iterator[Engine]:
    engine = sa.create_engine(make_url(url).set(username=role))
    yield engine
    engine.dispose()


def _run(memory: Memory, *statements: str) -> None:
    def work(connection: sa.Connection) -> None:
        for statement in statements:
            connection.exec_driver_sql(statement)

    memory.database.write(work)


def _refused(engine: Engine, before: str, statement: str) -> bool:
    """Whether a statement fails for want of a right, or changes nothing."""
    try:
        with engine.begin() as connection:
            connection.exec_driver_sql(before)
            return connection.exec_driver_sql(statement).rowcount == 0
    except sa.exc.ProgrammingError as error:
        return any(reason in str(error) for reason in ("permission denied", "row-level security", "must be owner"))


def test_a_tenant_works_with_its_own_rows_only(bound: Engine, owner: Memory) -> None:
    with Memory(bound, embedder=FakeEmbedder()) as memory:
        assert memory.namespaces(namespace=()) == [(ACME, "ann")]
        assert [hit.record.text for hit in memory.search("Leeds", namespace=())] == ["I live in Leeds, says acme."]
        assert memory.search("Leeds", namespace=(OTHER,)) == []
        assert {fact.namespace[0] for fact in memory.fact_log(namespace=())} == {ACME}
        [id] = memory.add("The key is under the mat.", namespace=(ACME, "new"))
        memory.update(id, text="The key is in the shed.")
        assert memory.search("key", namespace=(ACME,))[0].record.text == "The key is in the shed."
        assert [version.op for version in memory.history(id)] == ["add", "update"]
        assert memory.delete(id)
    assert owner.verify(deep=True)
    assert owner.count(namespace=(OTHER,)) == 1


def test_a_tenant_writes_large_batches(bound: Engine, owner: Memory) -> None:
    notes = [f"note {n}" for n in range(50)]
    with Memory(bound, embedder=FakeEmbedder()) as memory:
        assert len(memory.add(notes, namespace=(ACME, "new"))) == 50
        with pytest.raises(StorageError, match="row-level security"):
            memory.add(notes, namespace=(OTHER, "ann"))
    assert owner.count(namespace=(ACME, "new")) == 50
    assert owner.verify(deep=True)


def test_a_tenant_can_not_write_for_another(bound: Engine, owner: Memory) -> None:
    with Memory(bound, embedder=FakeEmbedder()) as memory:
        for namespace in ((OTHER, "ann"), (OTHER,), (), ("acm",), ("acme ",)):
            with pytest.raises(StorageError, match="row-level security"):
                memory.add("forged", namespace=namespace)
        for attempt in (
            memory.reset,
            lambda: memory.erase(reason="asked", namespace=(ACME,)),
            lambda: memory.hold("case", namespace=(ACME,)),
        ):
            with pytest.raises(StorageError, match=r"permission denied|row-level security"):
                attempt()
    assert owner.verify(deep=True)
    assert owner.count(namespace=()) == 2


def test_raw_sql_shows_no_row_of_another_tenant(bound: Engine, owner: Memory) -> None:
    with owner.database.read() as connection:
        everything = {name: connection.exec_driver_sql(f"SELECT count(*) FROM {name}").scalar() for name in TABLES}
    for before in ("SELECT 1", "SET genome.tenant = 'other\x1f'", "SET genome.tenant = ''"):
        with bound.connect() as connection:
            connection.exec_driver_sql(before)
            for name in TABLES:
                rows = [str(row) for row in connection.exec_driver_sql(f"SELECT * FROM {name}")]
                assert not any(OTHER in row for row in rows), name
                assert name == "genome_embedder" or len(rows) < (everything[name] or 0), name
    with bound.connect() as connection:
        connection.exec_driver_sql("SET row_security = off")
        with pytest.raises(sa.exc.ProgrammingError, match="row-level security"):
            connection.exec_driver_sql("SELECT * FROM genome_records")


def test_raw_sql_changes_no_row_of_another_tenant(bound: Engine, owner: Memory) -> None:
    digest, entries = owner.digest(), owner.verify().entries
    for setting in ("SELECT 1", "SET genome.tenant = 'other\x1f'; SET genome.tenant_number = '0';"):
        for statement in (
            "DELETE FROM genome_records WHERE namespace_id IN (SELECT namespace_id FROM genome_records"
            " WHERE text LIKE 'I live in Leeds, says o_her.')",
            "UPDATE genome_records SET text = 'forged' WHERE text LIKE 'I live in Leeds, says o_her.'",
            "DELETE FROM genome_journal",
            "UPDATE genome_journal SET payload = 'forged'",
            "UPDATE genome_namespaces SET path = 'other\x1f'",
            "DELETE FROM genome_rules",
            "DELETE FROM genome_chains",
            "UPDATE genome_tenants SET path = 'other\x1f'",
            "INSERT INTO genome_tenants VALUES ('x', 'other\x1f', 1)",
            "SELECT * FROM genome_records_0",
            "SELECT * FROM genome_journal_3",
            "ALTER TABLE genome_records DISABLE ROW LEVEL SECURITY",
            "CREATE OR REPLACE FUNCTION genome_tenant() RETURNS text LANGUAGE sql AS 'SELECT ''other'''",
        ):
            assert _refused(bound, setting, statement), statement
    assert (owner.digest(), owner.verify(deep=True).entries) == (digest, entries)


def test_a_temporary_table_can_not_take_the_place_of_the_bindings(bound: Engine) -> None:
    with bound.connect() as connection:
        connection.exec_driver_sql("CREATE TEMP TABLE genome_tenants (role name, path text, number bigint)")
        connection.exec_driver_sql("INSERT INTO pg_temp.genome_tenants SELECT current_user, 'other\x1f', 0")
        rows = connection.exec_driver_sql("SELECT text FROM genome_records").scalars().all()
    assert rows == ["I live in Leeds, says acme."]


def test_a_role_can_choose_its_tenant_for_each_memory(choosing: Engine) -> None:
    for tenant in (ACME, OTHER, ACME):
        with Memory(choosing, tenant=tenant, embedder=FakeEmbedder()) as memory:
            assert memory.namespaces(namespace=()) == [(tenant, "ann")]
            [id] = memory.add(f"note of {tenant}", namespace=(tenant, "ann"))
            assert memory.get(id, namespace=(tenant,))
            with pytest.raises(StorageError, match="row-level security"):
                memory.add("forged", namespace=("third",))
    with Memory(choosing, embedder=FakeEmbedder()) as memory:  # the connections are the same, but nothing stays set
        assert memory.namespaces(namespace=()) == []
        assert memory.count(namespace=()) == 0


def test_a_tenant_verifies_its_own_chain_of_a_signed_store(bound: Engine, owner: Memory) -> None:
    key = b"a key for the journal of a test"
    owner.rekey(key)
    with Memory(bound, embedder=FakeEmbedder(), journal_key=key) as memory:
        memory.add("more", namespace=(ACME,))
        report = memory.verify(deep=True)
        assert (report.chains, report.signed) == (1, True)
        with pytest.raises(StorageError, match="connect as the owner"):
            memory.rekey(b"another key for the same journal")
    assert owner.verify(deep=True).chains == 3  # its tenants, and the one that tells of the key
    _run(owner, f"DELETE FROM genome_journal WHERE tenant = {tenant_of((ACME,), 'postgresql')} AND seq > 1")
    with (
        Memory(bound, embedder=FakeEmbedder(), journal_key=key) as memory,
        pytest.raises(IntegrityError, match="was cut"),
    ):
        memory.verify()


def test_a_tenant_verifies_a_chain_of_which_the_owner_erased_and_compacted(bound: Engine, owner: Memory) -> None:
    [id] = owner.add("The key is under the mat.", namespace=(ACME, "new"))
    owner.update(id, text="The key is in the shed.")
    owner.compact()
    owner.erase([id], reason="asked", namespace=(ACME, "new"))
    owner.erase(reason="asked", namespace=(OTHER,))
    with Memory(bound, embedder=FakeEmbedder()) as memory:
        assert memory.verify(deep=True).chains == 1
        assert [version.op for version in memory.history(id)] == ["add", "update", "erase"]
        for namespace in ((), ("erased:" + "0" * 32,)):
            with pytest.raises(StorageError, match="row-level security"):
                memory.add("forged", namespace=namespace)


def test_a_tenant_can_not_touch_the_key_of_the_journal(owner: Memory, role: str, postgres_url: str) -> None:
    key = b"a key for the journal of a test"
    owner.rekey(key)
    with pytest.raises(JournalKeyError):
        row_security.enable(owner.database, role, tenant="newcomer")
    row_security.enable(owner.database, role, tenant="newcomer", journal_key=key)
    for engine in _engine(postgres_url, role):
        with Memory(engine, embedder=FakeEmbedder(), journal_key=key) as memory:
            memory.add("Only for us.", namespace=("newcomer", "ann"))
            assert memory.verify(deep=True).signed
        for change in ("chains = 0", "signature = 'forged'", "since = 0", "\"check\" = 'forged'"):
            assert _refused(engine, "SELECT 1", f"UPDATE genome_journal_keys SET {change}")
    assert owner.verify(deep=True)


def test_a_hold_binds_the_tenant_too(bound: Engine, owner: Memory) -> None:
    owner.hold("case 7", namespace=(ACME,))
    with Memory(bound, embedder=FakeEmbedder()) as memory, pytest.raises(Held, match="case 7"):
        memory.delete_all(namespace=(ACME,))
    owner.erase(reason="asked", namespace=(OTHER,))
    assert owner.verify(deep=True)


def test_what_would_not_be_safe_is_refused(owner: Memory, postgres_url: str, sqlite_url: str) -> None:
    with pytest.raises(InvalidInput, match="no role"):
        row_security.enable(owner.database, "nobody_here")
    with pytest.raises(InvalidInput, match="see everything"):
        row_security.enable(owner.database, make_url(postgres_url).username or "postgres")
    with pytest.raises(StorageError, match="all tenants"):
        Memory(postgres_url, tenant=ACME)
    with pytest.raises(InvalidInput, match="SQLite"):
        Memory(sqlite_url, tenant=ACME)
    database = Database(sqlite_url)
    with pytest.raises(InvalidInput, match="SQLite"):
        row_security.enable(database, "role")
    with pytest.raises(InvalidInput, match="share"):
        Memory(database, tenant=ACME)
    database.close()
