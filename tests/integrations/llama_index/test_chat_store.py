"""``GenomeChatStore``: the contract of AsyncDBChatStore, side by side with LlamaIndex's own store, and what goes beyond it."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest
from genome_llama_index import GenomeChatStore
from llama_index.core.base.llms.types import (
    ChatMessage,
    ContentBlock,
    ImageBlock,
    MessageRole,
    TextBlock,
    ThinkingBlock,
    ToolCallBlock,
)
from llama_index.core.memory import Memory as LlamaMemory
from llama_index.core.storage.chat_store.base_db import AsyncDBChatStore, MessageStatus
from llama_index.core.storage.chat_store.sql import SQLAlchemyChatStore

from genome_core import Memory
from genome_core.storage.database import Database
from genome_core.testing.embedders import FakeEmbedder

ACTIVE, ARCHIVED = MessageStatus.ACTIVE, MessageStatus.ARCHIVED


def user(text: str) -> ChatMessage:
    return ChatMessage(text, role=MessageRole.USER)


def assistant(text: str) -> ChatMessage:
    return ChatMessage(text, role=MessageRole.ASSISTANT)


@pytest.fixture
def store(memory: Memory) -> GenomeChatStore:
    return GenomeChatStore(memory)


async def texts(store: AsyncDBChatStore, key: str = "k", status: MessageStatus | None = ACTIVE) -> list[str | None]:
    return [message.content for message in await store.get_messages(key, status)]


async def walk_through(store: AsyncDBChatStore) -> list[object]:
    """Every method, and what it answers."""
    seen: list[object] = []

    async def look() -> None:
        for key in ("a", "b", "none"):
            for status in (ACTIVE, ARCHIVED, None):
                count = await store.count_messages(key, status)
                seen.append((key, status, await texts(store, key, status), count))
        seen.append(sorted(await store.get_keys()))

    await look()
    await store.add_message("a", user("1"))
    await store.add_messages("a", [assistant("2"), user("3"), user("3")])
    await store.add_message("b", user("old"), status=ARCHIVED)
    await look()
    seen.append([message.content for message in await store.get_messages("a", limit=2)])
    seen.append([message.content for message in await store.get_messages("a", limit=2, offset=1)])
    seen.append([message.content for message in await store.get_messages("a", limit=0)])
    seen.append([message.content for message in await store.archive_oldest_messages("a", 2)])
    await look()
    seen.append([message.content for message in await store.delete_oldest_messages("a", 1)])
    seen.append([message.content for message in await store.delete_oldest_messages("none", 1)])
    await look()
    await store.delete_messages("a", ARCHIVED)
    await look()
    await store.set_messages("a", [user("new"), assistant("newer")])
    await store.set_messages("b", [user("gone")], status=ARCHIVED)
    await look()
    await store.delete_messages("a")
    await look()
    seen.append(await store.delete_message("a", 10**6))
    return seen


async def test_it_answers_like_llamaindexs_own_store(store: GenomeChatStore) -> None:
    own = SQLAlchemyChatStore(table_name="reference")
    try:
        expected = await walk_through(own)
    finally:
        engine, _ = await own._setup_connections()
        await engine.dispose()
    assert await walk_through(store) == expected


def every_kind_of_message() -> list[ChatMessage]:
    blocks: list[ContentBlock] = [
        ThinkingBlock(content="hm"),
        TextBlock(text="a"),
        TextBlock(text="b"),
        ToolCallBlock(tool_call_id="1", tool_name="add", tool_kwargs={"a": 1}),
    ]
    return [
        ChatMessage("be kind", role=MessageRole.SYSTEM),
        ChatMessage("Hi 🐈 \t two  spaces", role=MessageRole.USER, additional_kwargs={"name": "Ann", "n": [1, None]}),
        ChatMessage(role=MessageRole.ASSISTANT, blocks=blocks),
        ChatMessage("3", role=MessageRole.TOOL, additional_kwargs={"tool_call_id": "1"}),
        ChatMessage(role=MessageRole.USER, blocks=[ImageBlock(url="https://example.org/cat.png")]),
        ChatMessage("", role=MessageRole.ASSISTANT),
        ChatMessage(role=MessageRole.MODEL, blocks=[]),
        *(ChatMessage("said", role=role) for role in MessageRole),
    ]


async def test_every_kind_of_message_comes_back_as_it_was(store: GenomeChatStore) -> None:
    messages = every_kind_of_message()
    await store.add_messages("k", messages)
    assert await store.get_messages("k") == messages


async def test_turns_have_role_name_and_origin_for_other_adapters(store: GenomeChatStore, memory: Memory) -> None:
    await store.add_messages("k", every_kind_of_message()[:4])
    records = list(memory.get_all(run_id="k"))
    assert [(record.role, record.name, record.origin) for record in records] == [
        ("system", None, "system"),
        ("user", "Ann", "user"),
        ("assistant", None, "agent"),
        ("tool", None, "tool"),
    ]
    assert records[2].text == "a\nb"
    found = {hit.record.role for hit in memory.search("be kind", run_id="k")}
    assert "system" not in found


async def test_turns_that_other_adapters_wrote_are_messages_of_the_session(
    store: GenomeChatStore, memory: Memory
) -> None:
    memory.add([{"role": "user", "content": "hello"}, {"role": "narrator", "content": "later"}], run_id="k")
    found = await store.get_messages("k")
    assert [(message.role, message.content) for message in found] == [("user", "hello"), ("user", "later")]


@pytest.mark.parametrize("text", ["half an emoji \ud83d", "nul\x00"])
async def test_no_turn_is_lost_for_what_a_database_can_not_keep(store: GenomeChatStore, text: str) -> None:
    with pytest.warns(UserWarning, match="stored with a replacement"):
        await store.add_message("k", ChatMessage(text, additional_kwargs={"when": object(), "x": float("nan")}))
    assert await texts(store) == [text[:-1] + "\ufffd"]


async def test_setting_what_is_there_already_writes_only_the_rest(store: GenomeChatStore, memory: Memory) -> None:
    history = [user("1"), assistant("2")]
    await store.set_messages("k", history)
    before = [record.id for record in memory.get_all(run_id="k")]
    await store.set_messages("k", [*history, user("3")])
    assert [record.id for record in memory.get_all(run_id="k")][:2] == before
    await store.set_messages("k", [history[0], user("4")])
    assert await texts(store, status=None) == ["1", "4"]


async def test_delete_message_counts_from_the_first(store: GenomeChatStore) -> None:
    await store.add_messages("k", [user("1"), user("2"), user("3")])
    deleted = await store.delete_message("k", 1)
    assert deleted is not None
    assert deleted.content == "2"
    assert await texts(store) == ["1", "3"]
    assert await store.delete_message("k", 2) is None
    assert await store.delete_message("k", -1) is None


async def test_two_users_do_not_meet_even_in_sessions_of_the_same_name(memory: Memory) -> None:
    ann, bob = GenomeChatStore(memory, user_id="ann"), GenomeChatStore(memory, user_id="bob")
    nobody = GenomeChatStore(memory)
    for store, text in ((ann, "I am Ann"), (bob, "I am Bob"), (nobody, "I am nobody")):
        await store.add_message("k", user(text))
    await ann.add_message("ann's other", user("more"))
    assert (await texts(ann), await texts(bob), await texts(nobody)) == (["I am Ann"], ["I am Bob"], ["I am nobody"])
    assert (await ann.get_keys(), await bob.get_keys(), await nobody.get_keys()) == (["ann's other", "k"], ["k"], ["k"])
    await bob.delete_messages("k")
    assert (await texts(ann), await texts(bob)) == (["I am Ann"], [])


@pytest.mark.parametrize("key", ["", " ", "nul\x00"])
async def test_a_session_without_a_usable_name_is_refused(store: GenomeChatStore, key: str) -> None:
    with pytest.raises(ValueError, match=r"run_id|label|NUL"):
        await store.add_message(key, user("1"))


# --- LlamaIndex's own Memory over it ---------------------------------------------------------------------------------


async def test_llamaindexs_memory_keeps_its_queue_in_it(store: GenomeChatStore) -> None:
    memory = LlamaMemory.from_defaults(
        session_id="k", chat_store=store, token_limit=60, chat_history_token_ratio=0.5, token_flush_size=10
    )
    for number in range(12):
        await memory.aput(user(f"question number {number}"))
        await memory.aput(assistant(f"answer number {number}"))
    active = await texts(store)
    assert active[-1] == "answer number 11"
    assert active[0] is not None
    assert active[0].startswith("question")
    assert 2 <= len(active) < 24
    assert len(await texts(store, status=None)) == 24
    assert [message.content for message in await memory.aget()] == active
    await memory.areset()
    assert await texts(store, status=None) == []


def test_llamaindexs_memory_works_synchronously_over_it(store: GenomeChatStore) -> None:
    memory = LlamaMemory.from_defaults(session_id="k", chat_store=store, chat_history=[user("1")])
    memory.put(assistant("2"))
    assert [message.content for message in memory.get()] == ["1", "2"]


async def test_llamaindexs_memory_works_synchronously_inside_a_running_loop(store: GenomeChatStore) -> None:
    memory = LlamaMemory.from_defaults(session_id="k", chat_store=store)
    memory.put(user("1"))
    assert [message.content for message in memory.get()] == ["1"]


KILLED = """
import asyncio, os, signal, sys
from genome_core import Memory
from genome_core.testing.embedders import FakeEmbedder
from genome_llama_index import GenomeChatStore
from llama_index.core.base.llms.types import ChatMessage
from llama_index.core.memory import Memory as LlamaMemory

async def main():
    store = GenomeChatStore(Memory(sys.argv[1], embedder=FakeEmbedder()), user_id="ann")
    await LlamaMemory.from_defaults(session_id="k", chat_store=store).aput(ChatMessage("still here"))
    os.kill(os.getpid(), signal.SIGKILL)

asyncio.run(main())
"""


async def test_a_message_survives_kill_9_right_after_aput(tmp_path: Path) -> None:
    path = str(tmp_path / "memory.db")
    done = subprocess.run([sys.executable, "-c", KILLED, path], check=False, capture_output=True, text=True)
    assert done.returncode == -9, done.stderr
    database = Database(path)
    with Memory(database, embedder=FakeEmbedder()) as memory:
        assert await texts(GenomeChatStore(memory, user_id="ann")) == ["still here"]
    database.close()
