"""``GenomeMemory`` in the chains of langchain-classic."""

from __future__ import annotations

import pytest
from genome_langchain import GenomeChatMessageHistory, GenomeMemory
from langchain_classic.base_memory import BaseMemory
from langchain_classic.chains.conversation.base import ConversationChain
from langchain_core._api import suppress_langchain_deprecation_warning
from langchain_core.language_models.fake_chat_models import GenericFakeChatModel
from langchain_core.messages import AIMessage, BaseMessage, HumanMessage, SystemMessage
from langchain_core.outputs import ChatResult

from genome_core import Memory


class Listening(GenericFakeChatModel):
    """A scripted model that remembers what it was asked."""

    asked: list[str] = []  # noqa: RUF012 -- a field of a pydantic model

    def _generate(self, messages: list[BaseMessage], *args: object, **kwargs: object) -> ChatResult:
        self.asked.append(str(messages[-1].text))
        return super()._generate(messages)


def chain(memory: BaseMemory, model: Listening) -> ConversationChain:
    with suppress_langchain_deprecation_warning():
        return ConversationChain(llm=model, memory=memory)


def test_conversation_chain_recalls_from_another_session(memory: Memory) -> None:
    model = Listening(messages=iter([AIMessage("Nice."), AIMessage("In Lisbon.")]))
    monday = chain(GenomeMemory(memory=memory, session_id="monday", user_id="tom"), model)
    friday = chain(GenomeMemory(memory=memory, session_id="friday", user_id="tom"), model)
    monday.invoke({"input": "I live in Lisbon."})
    assert friday.invoke({"input": "Where do I live?"})["response"] == "In Lisbon."
    assert '"I live in Lisbon."' in model.asked[1]
    assert "<genome-memory>" in model.asked[1]
    stored = [record.text for record in memory.get_all(user_id="tom")]
    assert stored == ["I live in Lisbon.", "Nice.", "Where do I live?", "In Lisbon."]


async def test_conversation_chain_works_in_async_code(memory: Memory) -> None:
    model = Listening(messages=iter([AIMessage("Nice."), AIMessage("Nice.")]))
    conversation = chain(GenomeMemory(memory=memory, session_id="s", user_id="tom"), model)
    await conversation.ainvoke({"input": "Hello."})
    await conversation.ainvoke({"input": "Hello."})
    history = GenomeChatMessageHistory(memory, "s", user_id="tom")
    assert [message.text for message in history.messages] == ["Hello.", "Nice.", "Hello.", "Nice."]


def test_the_last_turns_come_word_for_word_and_only_older_ones_are_recalled(memory: Memory) -> None:
    own = GenomeMemory(memory=memory, session_id="s", window=2, k=1)
    own.save_context({"input": "figs are nice"}, {"output": "indeed"})
    own.save_context({"input": "pears too"}, {"output": "quite"})
    loaded = own.load_memory_variables({"input": "figs and pears"})["history"]
    block, _, turns = loaded.partition("</genome-memory>\n")
    assert turns == "Human: pears too\nAI: quite"
    assert '"figs are nice"' in block
    assert "pears" not in block


def test_messages_are_returned_as_such(memory: Memory) -> None:
    own = GenomeMemory(memory=memory, session_id="s", window=2, return_messages=True, memory_key="past")
    assert own.memory_variables == ["past"]
    assert own.load_memory_variables({"question": "x"}) == {"past": []}
    for _ in range(2):
        own.save_context({"question": "figs"}, {"answer": "yes"})
    block, question, answer = own.load_memory_variables({"question": "figs"})["past"]
    assert isinstance(block, SystemMessage)
    assert (question.text, type(question)) == ("figs", HumanMessage)
    assert (answer.text, type(answer)) == ("yes", AIMessage)


def test_an_exchange_in_the_same_words_is_stored_again(memory: Memory) -> None:
    own = GenomeMemory(memory=memory, session_id="s")
    for _ in range(3):
        own.save_context({"input": "yes"}, {"output": "ok"})
    assert len(own.chat_memory.messages) == 6


def test_twenty_turns_with_recall_store_twenty_questions_and_twenty_answers(memory: Memory) -> None:
    """K17-01: even if the host merges what was recalled into the question."""
    for turn in range(20):
        one = GenomeMemory(memory=memory, session_id=f"s{turn % 3}", user_id="tom", window=0)
        question = f"tell me of moss, time {turn}"
        recalled = one.load_memory_variables({"input": question})["history"]
        assert bool(recalled) == bool(turn)
        one.save_context({"input": f"{recalled}\n\n{question}".strip()}, {"output": f"moss is green, time {turn}"})
    stored = sorted((record.role, record.text) for record in memory.get_all(user_id="tom", limit=1000))
    said = [("user", f"tell me of moss, time {n}") for n in range(20)]
    assert stored == sorted([*said, *(("assistant", f"moss is green, time {n}") for n in range(20))])


def test_without_a_user_nothing_of_other_sessions_is_recalled(memory: Memory) -> None:
    GenomeMemory(memory=memory, session_id="a").save_context({"input": "the code is 4711"}, {"output": "noted"})
    assert GenomeMemory(memory=memory, session_id="b").load_memory_variables({"input": "the code"}) == {"history": ""}


def test_clear_forgets_the_session_only(memory: Memory) -> None:
    one = GenomeMemory(memory=memory, session_id="a", user_id="tom")
    other = GenomeMemory(memory=memory, session_id="b", user_id="tom")
    for own in (one, other):
        own.save_context({"input": "hello"}, {"output": "hi"})
    one.clear()
    assert one.chat_memory.messages == []
    assert len(other.chat_memory.messages) == 2


def test_a_prompt_with_several_inputs_needs_to_know_which_is_the_question(memory: Memory) -> None:
    with pytest.raises(ValueError, match="input"):
        GenomeMemory(memory=memory, session_id="s").load_memory_variables({"a": "1", "b": "2"})
    own = GenomeMemory(memory=memory, session_id="s", input_key="a")
    assert own.load_memory_variables({"a": "1", "b": "2"}) == {"history": ""}
