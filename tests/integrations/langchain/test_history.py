"""``GenomeChatMessageHistory``: complete, in order, exact; transcripts sent again; async."""

from __future__ import annotations

import asyncio
import threading
from typing import Any

import pytest
from genome_langchain import GenomeChatMessageHistory
from langchain_core._api import suppress_langchain_deprecation_warning
from langchain_core.language_models.fake_chat_models import GenericFakeChatModel
from langchain_core.messages import (
    AIMessage,
    AIMessageChunk,
    BaseMessage,
    ChatMessage,
    FunctionMessage,
    HumanMessage,
    RemoveMessage,
    SystemMessage,
    ToolMessage,
)
from langchain_core.runnables.history import RunnableWithMessageHistory

from genome_core import Memory, Record
from genome_core.search.context import render_context
from genome_core.types import Hit

EVERY_MESSAGE: list[BaseMessage] = [
    SystemMessage("Be kind."),
    HumanMessage("Hi", id="h1", name="Ann", additional_kwargs={"a": [1, {"b": None}]}),
    HumanMessage([{"type": "text", "text": "What is this?"}, {"type": "image", "url": "https://example.org/i.png"}]),
    AIMessage(
        "Let me look.",
        id="a1",
        tool_calls=[{"name": "look", "args": {"at": "it", "deep": {"x": [1.5]}}, "id": "c1", "type": "tool_call"}],
        invalid_tool_calls=[{"name": "look", "args": "{", "id": "c2", "error": "no JSON", "type": "invalid_tool_call"}],
        usage_metadata={
            "input_tokens": 3,
            "output_tokens": 4,
            "total_tokens": 7,
            "input_token_details": {"cache_read": 1},
        },
        response_metadata={"model_name": "m", "finish_reason": "tool_calls"},
    ),
    AIMessage([{"type": "reasoning", "reasoning": "Hm."}, {"type": "text", "text": "A cat."}]),
    ToolMessage("a cat", tool_call_id="c1", name="look", status="error", artifact={"pixels": [1, 2]}, id="t1"),
    ToolMessage("", tool_call_id="c3"),
    FunctionMessage(name="f", content="1"),
    ChatMessage(role="narrator", content="Years passed."),
    AIMessageChunk(content="piece", id="a2", tool_call_chunks=[{"name": "n", "args": "{}", "id": "c4", "index": 0}]),
    RemoveMessage(id="h0"),
]


@pytest.fixture
def history(memory: Memory) -> GenomeChatMessageHistory:
    return GenomeChatMessageHistory(memory, "s1", user_id="tom")


def words(history: GenomeChatMessageHistory) -> list[str]:
    return [str(message.text) for message in history.messages]


def test_every_type_of_message_is_restored_exactly(history: GenomeChatMessageHistory) -> None:
    history.add_messages(EVERY_MESSAGE)
    assert history.messages == EVERY_MESSAGE
    assert [type(message) for message in history.messages] == [type(message) for message in EVERY_MESSAGE]
    assert [message.model_dump() for message in history.messages] == [m.model_dump() for m in EVERY_MESSAGE]


def test_order_is_that_of_adding_over_many_pages(
    history: GenomeChatMessageHistory, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("genome_langchain.history._PAGE", 3)
    for start in range(0, 20, 4):
        history.add_messages([HumanMessage(str(number)) for number in range(start, start + 4)])
    assert words(history) == [str(number) for number in range(20)]


def test_the_same_words_again_are_a_turn_of_their_own(history: GenomeChatMessageHistory) -> None:
    history.add_user_message("yes")
    history.add_user_message("yes")
    history.add_user_message("yes")
    history.add_messages([HumanMessage("yes"), HumanMessage("yes")])
    history.add_messages([HumanMessage("yes"), HumanMessage("yes")])
    assert words(history) == ["yes"] * 7


@pytest.mark.parametrize("with_ids", ["all", "answers", "none"])
def test_a_transcript_sent_whole_each_turn_is_stored_once(history: GenomeChatMessageHistory, with_ids: str) -> None:
    transcript: list[BaseMessage] = []
    for turn in range(10):
        question = HumanMessage("yes", id=f"h{turn}" if with_ids == "all" else None)
        answer = AIMessage("and?", id=f"a{turn}" if with_ids != "none" else None)
        transcript += [question, answer]
        history.add_messages(transcript)
        history.add_messages(transcript)
    assert history.messages == transcript


def test_a_transcript_that_lost_its_beginning_is_not_stored_again(history: GenomeChatMessageHistory) -> None:
    transcript = [message for n in range(5) for message in (HumanMessage(f"q{n}"), AIMessage(f"r{n}", id=f"a{n}"))]
    history.add_messages(transcript)
    history.add_messages([*transcript[4:], HumanMessage("q5"), AIMessage("r5", id="a5")])
    assert words(history) == [text for n in range(6) for text in (f"q{n}", f"r{n}")]


def test_a_message_that_changed_is_replaced_in_its_place(history: GenomeChatMessageHistory) -> None:
    history.add_messages([HumanMessage("a", id="1"), AIMessage("b", id="2")])
    history.add_messages([HumanMessage("changed", id="1")])
    assert words(history) == ["changed", "b"]


def test_sessions_and_users_are_apart_and_clear_takes_one(memory: Memory) -> None:
    one = GenomeChatMessageHistory(memory, "s", user_id="1")
    others = [
        GenomeChatMessageHistory(memory, "s", user_id="11"),
        GenomeChatMessageHistory(memory, "s2", user_id="1"),
        GenomeChatMessageHistory(memory, "s"),
        GenomeChatMessageHistory(memory, "s", user_id="1", agent_id="a"),
    ]
    for history in [one, *others]:
        history.add_user_message("hello")
    one.clear()
    assert one.messages == []
    assert [words(other) for other in others] == [["hello"]] * len(others)


@pytest.mark.parametrize("session", ["", "  ", None, 3])
def test_a_session_needs_a_name(memory: Memory, session: Any) -> None:
    with pytest.raises(ValueError, match=r"run_id|whose"):
        GenomeChatMessageHistory(memory, session)


def test_what_was_said_is_found_by_memory_and_tools_are_told_apart(
    memory: Memory, history: GenomeChatMessageHistory
) -> None:
    history.add_messages([HumanMessage("I like figs", name="Tom"), ToolMessage("figs are fruit", tool_call_id="1")])
    found = {hit.record.text: hit.record for hit in memory.search("figs", user_id="tom")}
    assert (found["I like figs"].role, found["I like figs"].origin, found["I like figs"].speaker) == (
        "user",
        "user",
        "Tom",
    )
    assert (found["figs are fruit"].role, found["figs are fruit"].origin) == ("tool", "tool")


def test_a_turn_without_words_is_kept_but_not_found(memory: Memory, history: GenomeChatMessageHistory) -> None:
    call = AIMessage("", tool_calls=[{"name": "f", "args": {}, "id": "1", "type": "tool_call"}])
    history.add_message(call)
    assert history.messages == [call]
    assert memory.search("anything", user_id="tom") == []


def test_a_recalled_block_in_a_message_is_restored_but_not_learned(
    memory: Memory, history: GenomeChatMessageHistory
) -> None:
    block = render_context([Hit(Record(text="Tom likes figs"), 1.0)])
    message = HumanMessage(f"{block}\n\nWhat now?", id="1")
    history.add_message(message)
    assert history.messages == [message]
    record = memory.get("1", user_id="tom")
    assert record is not None
    assert record.text == "What now?"


@pytest.mark.parametrize(
    ("message", "kept"),
    [
        (HumanMessage("a\x00b"), HumanMessage("a\ufffdb")),
        (HumanMessage("half \ud800"), HumanMessage("half \ufffd")),
        (ToolMessage("x", tool_call_id="1", artifact={1, 2}), ToolMessage("x", tool_call_id="1", artifact="{1, 2}")),
        (
            AIMessage("x", response_metadata={"score": float("nan")}),
            AIMessage("x", response_metadata={"score": "nan"}),
        ),
    ],
)
def test_what_no_database_keeps_is_replaced_with_a_warning(
    history: GenomeChatMessageHistory, message: BaseMessage, kept: BaseMessage
) -> None:
    with pytest.warns(UserWarning, match="stored with a replacement"):
        history.add_message(message)
    assert history.messages == [kept]


def test_a_type_that_could_not_be_read_back_is_refused_before_anything_is_written(
    history: GenomeChatMessageHistory,
) -> None:
    class Odd(BaseMessage):
        type: str = "odd"

    with pytest.raises(ValueError, match="Odd"):
        history.add_messages([HumanMessage("good"), Odd(content="bad")])
    assert history.messages == []


def test_turns_that_others_stored_in_the_session_are_shown_too(
    memory: Memory, history: GenomeChatMessageHistory
) -> None:
    memory.add(
        [
            {"role": "user", "content": "hi", "name": "Tom", "id": "1"},
            {"role": "assistant", "content": "hello", "id": "2"},
            {"role": "system", "content": "rules", "id": "3"},
            {"role": "tool", "content": "42", "id": "4"},
        ],
        user_id="tom",
        run_id="s1",
    )
    assert history.messages == [
        HumanMessage("hi", name="Tom", id="1"),
        AIMessage("hello", id="2"),
        SystemMessage("rules", id="3"),
        ChatMessage(role="tool", content="42", id="4"),
    ]


async def test_async_methods_do_the_same(history: GenomeChatMessageHistory) -> None:
    await history.aadd_messages([HumanMessage("a"), AIMessage("b")])
    assert await history.aget_messages() == [HumanMessage("a"), AIMessage("b")]
    await history.aclear()
    assert await history.aget_messages() == []


def test_many_threads_lose_no_turn(memory: Memory) -> None:
    def talk(number: int) -> None:
        own = GenomeChatMessageHistory(memory, "s")
        for turn in range(5):
            own.add_messages([HumanMessage(f"{number}.{turn}")])

    threads = [threading.Thread(target=talk, args=(number,)) for number in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    said = words(GenomeChatMessageHistory(memory, "s"))
    assert sorted(said) == sorted(f"{number}.{turn}" for number in range(6) for turn in range(5))
    for number in range(6):
        assert [text for text in said if text.startswith(f"{number}.")] == [f"{number}.{turn}" for turn in range(5)]


def with_history(memory: Memory, answers: list[str]) -> RunnableWithMessageHistory:
    model = GenericFakeChatModel(messages=iter([AIMessage(answer) for answer in answers]))
    with suppress_langchain_deprecation_warning():
        return RunnableWithMessageHistory(model, lambda session_id: GenomeChatMessageHistory(memory, session_id))


def test_runnable_with_message_history_stores_each_exchange_once(memory: Memory) -> None:
    chain = with_history(memory, ["hello", "hello", "bye"])
    config = {"configurable": {"session_id": "s"}}
    for question in ["hi", "hi", "good night"]:
        chain.invoke([HumanMessage(question)], config)  # type: ignore[arg-type]
    assert words(GenomeChatMessageHistory(memory, "s")) == ["hi", "hello", "hi", "hello", "good night", "bye"]


async def test_runnable_with_message_history_works_in_async_code_for_several_sessions_at_once(memory: Memory) -> None:
    chain = with_history(memory, ["same"] * 12)

    async def talk(session: str) -> None:
        for question in ["one", "two"]:
            config = {"configurable": {"session_id": session}}
            answer = await chain.ainvoke([HumanMessage(question)], config)  # type: ignore[arg-type]
            assert answer.text == "same"

    await asyncio.gather(*(talk(f"s{number}") for number in range(6)))
    for number in range(6):
        assert words(GenomeChatMessageHistory(memory, f"s{number}")) == ["one", "same", "two", "same"]
