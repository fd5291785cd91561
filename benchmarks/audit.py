#!/usr/bin/env python3
"""The journal: how fast it verifies, alone and with the tables, beside plain hashlib; and what vectors in it would cost.

    OMP_NUM_THREADS=1 python benchmarks/audit.py --rows 1000000 --deep-rows 20000 [--postgres URL]

``hashlib`` is the least that the work can take: the three hashes of each entry over strings at hand. ``read`` adds fetching the
rows. Both and ``verify`` run in turn on the same journal. ``deep`` verifies a store of records with vectors and facts. The
last lines make payloads with the vectors of 384 numbers in them, and with digests as the journal has them.
"""

from __future__ import annotations

import argparse
import base64
import time
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
from engine import line, memory
from synthetic import WIDTH, GivenVectors, load, turns, unit

from genome_core import Memory
from genome_core.audit import chain
from genome_core.storage.drafts import StoredPassage, digest_of
from genome_core.storage.journal import GENESIS, JournalWriter, entry_hash, salted, whose
from genome_core.storage.json_text import canonical
from genome_core.storage.namespaces import NamespaceTable

KEY = b"a key for the benchmark"
LABELS, BATCH = '["user:42"]', 5000


def payload(text: str, number: int) -> dict[str, Any]:
    row = {"text": text, "role": "user", "name": None, "value": None, "metadata": "{}", "index_texts": None}
    row |= {
        "origin": "user",
        "at": number,
        "expires_at": None,
        "created_at": number,
        "updated_at": number,
        "version": 1,
    }
    return row | {"duplicate": "0" * 32, "facts": [], "passages": ["0" * 64]}


def fill(store: Memory, rows: int) -> None:
    """A journal of so many entries, without the records: only verifying it is measured."""
    texts = turns(1000)

    def work(connection: Any, start: int) -> None:
        place = NamespaceTable(store.database.dialect).ensure(connection, [("user:42",)])[("user:42",)]
        writer = JournalWriter(connection, [place.tenant], start, store.journal_key)
        for number in range(start, min(start + BATCH, rows)):
            own = payload(texts[number % 1000], number)
            writer.append(
                "add", tenant=place.tenant, namespace_id=place.id, labels=place.labels, id=f"{number:032x}", payload=own
            )
        writer.flush()

    for start in range(0, rows, BATCH):
        store.database.write(lambda connection, start=start: work(connection, start))  # type: ignore[misc]


def plain_hashes(rows: int) -> None:
    text, salt, previous = canonical(payload(turns(1)[0], 1)), bytes(16), GENESIS
    for number in range(rows):
        about, digest = salted(salt, whose(LABELS, "0" * 32, None)), salted(salt, text)
        previous = entry_hash(previous, 0, number, number, "add", about, digest)


def read_all(store: Memory) -> None:
    with store.database.read() as connection:
        for tenant in chain.tenants_of(connection, chain.Scope()):
            for _ in chain.entries(connection, tenant):
                pass


def seconds(call: Callable[[], Any]) -> float:
    started = time.perf_counter()
    call()
    return time.perf_counter() - started


def report(name: str, rows: int, taken: float, floor: float) -> None:
    line(name, rows_a_second=rows / taken, us_a_row=1e6 * taken / rows, times_hashlib=taken / floor)


def databases(postgres: str | None) -> Iterator[tuple[str, str | None]]:
    yield "SQLite", None
    if postgres:
        yield "PostgreSQL", postgres


def vectors_in_payloads(rows: int) -> None:
    vectors = unit(np.random.default_rng(0), rows)
    plain = [payload(text, 0) for text in turns(rows)]

    def digests() -> int:
        return sum(
            len(canonical(body | {"passages": [digest_of(StoredPassage("a few terms", vector.tobytes()))]}))
            for body, vector in zip(plain, vectors, strict=True)
        )

    def whole() -> int:
        return sum(
            len(canonical(body | {"passages": [digest_of(StoredPassage("a few terms", vector.tobytes()))],
                                  "given": [base64.b64encode(vector.tobytes()).decode()]}))
            for body, vector in zip(plain, vectors, strict=True)
        )  # fmt: skip

    for name, make in (("payload with digests", digests), ("payload with vectors", whole)):
        started = time.thread_time()
        size = make()
        taken = time.thread_time() - started
        line(f"{name}, {WIDTH} numbers", bytes_a_row=size / rows, cpu_us_a_row=1e6 * taken / rows)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rows", type=int, default=1_000_000)
    parser.add_argument("--deep-rows", type=int, default=20_000)
    parser.add_argument("--postgres", metavar="URL", help="a database that may be emptied")
    arguments = parser.parse_args()
    rows, deep = arguments.rows, arguments.deep_rows
    for name, url in databases(arguments.postgres):
        with memory(url, embedder=GivenVectors(), journal_key=KEY) as store:
            fill(store, rows)
            floor = seconds(lambda: plain_hashes(rows))
            report("hashlib alone", rows, floor, floor)
            report(f"{name}: read", rows, seconds(lambda: read_all(store)), floor)
            report(f"{name}: verify", rows, seconds(store.verify), floor)
        with memory(url, embedder=GivenVectors(), journal_key=KEY) as store:
            load(store, turns(deep), unit(np.random.default_rng(1), deep), batch=1000)
            floor = seconds(lambda: plain_hashes(deep))
            report(f"{name}: verify, deep", deep, seconds(lambda: store.verify(deep=True)), floor)
            report(f"{name}: replay into memory", deep, seconds(lambda: store.replay(":memory:")), floor)
    vectors_in_payloads(5000)


if __name__ == "__main__":
    main()
