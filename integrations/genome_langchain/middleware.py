"""``GenomeMiddleware``: memory for the agents of ``langchain.agents.create_agent``."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Collection, Sequence
from typing import Annotated, Any, NotRequired, cast

from langchain.agents.middleware import AgentMiddleware, AgentState, ModelRequest, ModelResponse, Runtime
from langchain.agents.middleware.types import PrivateStateAttr
from langchain_core.messages import AnyMessage, BaseMessage, HumanMessage, SystemMessage
from langgraph.channels.untracked_value import UntrackedValue

from genome_core import Memory, Record
from genome_core.errors import InvalidInput
from genome_core.prompting import recalled_context
from genome_core.scopes import write_namespace
from genome_core.types import Namespace
from genome_langchain.messages import message_words, to_turn
from genome_langchain.tools import ToolName, memory_tools
from genome_langchain.transcript import last_records, sent_again
from genome_langchain.whose import Whose

_STRETCH = 20
"""How many messages are looked up at a time, from the last one back, to find where the stored ones begin."""


class RecallState(AgentState[Any]):
    """What a run knows of its memory; it is in no checkpoint, no input and no output."""

    genome_recalled: NotRequired[Annotated[str, UntrackedValue, PrivateStateAttr]]


class GenomeMiddleware(AgentMiddleware[RecallState, Any, Any]):
    """Lets an agent remember: recalls before the run, stores what was said after it.

    ::

        agent = create_agent(model, tools, middleware=[GenomeMiddleware(memory)], context_schema=Context)
        agent.invoke({"messages": [...]}, context=Context(user_id="tom"))

    **Whose memory**: ``user_id`` and ``agent_id`` given here, else the attribute or key of that name in the run's context,
    else in ``config["configurable"]``; the thread is ``thread_id`` from the same places. Turns are stored under user, agent
    and thread. They are recalled from all threads of the user, or from the thread alone if there is no user. Without user and
    thread a run raises ``InvalidScope``.

    **Recall** happens once a run, for the last user message: up to ``limit`` records that the conversation does not hold
    already, and the facts that hold, within ``budget_tokens``, as quoted data at the end of the system message of each model
    call. Nothing recalled gets into the state's messages or into a checkpoint.

    **Storing**: after the run the new turns of the types in ``stored`` go to the memory by their message ids. A transcript sent
    again, with or without ids, is not stored again; recalled blocks are cut out of what is stored; summaries that another
    middleware put in are left out.

    ``tools`` gives the agent those named of ``recall``, ``ask``, ``facts_at`` and ``forget``, bound to the run's user. The memory stays open.
    """

    state_schema = RecallState

    def __init__(
        self,
        memory: Memory,
        *,
        user_id: str | None = None,
        agent_id: str | None = None,
        limit: int = 10,
        budget_tokens: int = 1000,
        stored: Collection[str] = ("human", "ai"),
        tools: Collection[ToolName] = (),
    ) -> None:
        super().__init__()
        if limit < 0 or budget_tokens < 1:
            raise InvalidInput(f"limit {limit} and budget_tokens {budget_tokens}", hint="give at least 0 and 1")
        self.memory = memory
        self.limit = limit
        self.budget_tokens = budget_tokens
        self.stored = frozenset(stored)
        self._fixed = Whose(user_id, agent_id, None)
        self.tools = memory_tools(memory, self._fixed, tools)

    # --- recall ------------------------------------------------------------------------------------------------------

    def before_agent(self, state: RecallState, runtime: Runtime[Any]) -> dict[str, Any]:
        """Recalls for the last user message."""
        return {"genome_recalled": self._recall(state["messages"], runtime)}

    async def abefore_agent(self, state: RecallState, runtime: Runtime[Any]) -> dict[str, Any]:
        """As ``before_agent``, off the event loop."""
        return await asyncio.to_thread(self.before_agent, state, runtime)

    def wrap_model_call(
        self, request: ModelRequest[Any], handler: Callable[[ModelRequest[Any]], ModelResponse[Any]]
    ) -> ModelResponse[Any]:
        """Puts what was recalled at the end of the system message of this call."""
        return handler(self._informed(request))

    async def awrap_model_call(
        self, request: ModelRequest[Any], handler: Callable[[ModelRequest[Any]], Awaitable[ModelResponse[Any]]]
    ) -> ModelResponse[Any]:
        """As ``wrap_model_call``, off the event loop."""
        return await handler(await asyncio.to_thread(self._informed, request))

    def _informed(self, request: ModelRequest[Any]) -> ModelRequest[Any]:
        recalled = cast(RecallState, request.state).get("genome_recalled")
        if recalled is None:  # the run was resumed: what it had recalled is in no checkpoint
            recalled = self._recall(request.messages, request.runtime)
        return request.override(system_message=_extended(request.system_message, recalled)) if recalled else request

    def _recall(self, messages: Sequence[AnyMessage], runtime: Runtime[Any]) -> str:
        question = next((message for message in reversed(messages) if isinstance(message, HumanMessage)), None)
        if question is None:
            return ""
        whose = self._fixed.filled_in(runtime.context)
        seen = {message.id for message in messages if message.id}
        return recalled_context(
            self.memory,
            message_words(question),
            limit=self.limit,
            budget_tokens=self.budget_tokens,
            exclude=seen,
            **whose.read_scope(),
        )

    # --- storing -----------------------------------------------------------------------------------------------------

    def after_agent(self, state: RecallState, runtime: Runtime[Any]) -> None:
        """Stores the new turns of the run in one transaction."""
        namespace = write_namespace(self._fixed.filled_in(runtime.context).write_scope())
        messages = [message for message in state["messages"] if self._is_turn(message)]
        new = self._not_stored(namespace, messages)
        turns = [turn for message in new if (turn := to_turn(message, message.id or "")).text.strip()]
        if len(new) == len(messages):
            turns = turns[self._sent_again(namespace, turns) :]
        if turns:
            self.memory.add(turns, namespace=namespace)

    async def aafter_agent(self, state: RecallState, runtime: Runtime[Any]) -> None:
        """As ``after_agent``, off the event loop."""
        await asyncio.to_thread(self.after_agent, state, runtime)

    def _is_turn(self, message: BaseMessage) -> bool:
        written_by_middleware = "lc_source" in message.additional_kwargs
        return message.type in self.stored and not written_by_middleware

    def _not_stored(self, namespace: Namespace, messages: Sequence[BaseMessage]) -> Sequence[BaseMessage]:
        """The end of the messages that is not stored under their ids: what stands before a stored stretch is stored too."""
        for end in range(len(messages), 0, -_STRETCH):
            ids = {message.id or "" for message in messages[max(end - _STRETCH, 0) : end]}
            if len(self.memory.get_many(sorted(ids), namespace=namespace, exact=True)) == len(ids):
                return messages[end:]
        return messages

    def _sent_again(self, namespace: Namespace, turns: Sequence[Record]) -> int:
        """How many turns to skip of a transcript that came without ids, and so has new ones each time.

        The last user message is new in any case: it began the run.
        """
        begun = max((place for place, turn in enumerate(turns) if turn.role == "user"), default=0)
        stored = last_records(self.memory, namespace, begun + _STRETCH) if begun else []
        return sent_again(stored, turns[:begun])


def _extended(system: SystemMessage | None, block: str) -> SystemMessage:
    """The system message with a block of text at its end; what stands before keeps its form, so that prompt caches hold."""
    if system is None:
        return SystemMessage(block)
    content = system.content
    more = f"{content}\n\n{block}" if isinstance(content, str) else [*content, {"type": "text", "text": block}]
    return system.model_copy(update={"content": more})
