"""LlamaIndex's own Memory on GENOME's store, with a block that recalls. Run: python examples/llama_index_chat.py"""

from __future__ import annotations

import asyncio

from genome_llama_index import GenomeChatStore, GenomeMemoryBlock
from llama_index.core.base.llms.types import ChatMessage
from llama_index.core.memory import Memory as LlamaIndexMemory

from genome_core import Memory


async def main() -> None:
    """Two sessions of one user: the second recalls what was said in the first."""
    with Memory(":memory:") as memory:
        for session, text in (("monday", "My cat is called Moss."), ("friday", "What is my cat called?")):
            chat = LlamaIndexMemory.from_defaults(
                session_id=session,
                chat_store=GenomeChatStore(memory, user_id="ann"),
                memory_blocks=[GenomeMemoryBlock(memory, user_id="ann")],
            )
            await chat.aput(ChatMessage(text))
            for message in await chat.aget():
                print(f"{session}, {message.role.value}: {message.content}")


if __name__ == "__main__":
    asyncio.run(main())
