"""Recall in a chain, now and as of an earlier time. Run: python examples/langchain_chain.py"""

from __future__ import annotations

from datetime import UTC, datetime

from genome_langchain import GenomeRetriever
from langchain_core.documents import Document
from langchain_core.language_models.fake_chat_models import GenericFakeChatModel
from langchain_core.messages import AIMessage
from langchain_core.output_parsers import StrOutputParser
from langchain_core.prompts import ChatPromptTemplate
from langchain_core.runnables import RunnablePassthrough

from genome_core import Memory


def as_lines(documents: list[Document]) -> str:
    """What was said, with the day."""
    return "\n".join(f"{document.metadata['genome']['at'][:10]}: {document.page_content}" for document in documents)


def main() -> None:
    """Put a real model in the place of the scripted one."""
    with Memory(":memory:") as memory:
        memory.add("I live in Lisbon.", user_id="tom", at=datetime(2024, 3, 1, tzinfo=UTC))
        memory.add("I moved to Oslo.", user_id="tom", at=datetime(2025, 3, 1, tzinfo=UTC))
        retriever = GenomeRetriever(memory=memory, user_id="tom")
        chain = (
            {"memories": retriever | as_lines, "question": RunnablePassthrough()}
            | ChatPromptTemplate.from_template("{memories}\n\n{question}")
            | GenericFakeChatModel(messages=iter([AIMessage("In Oslo.")]))
            | StrOutputParser()
        )
        print(chain.invoke("Where do I live?"))
        print(as_lines(retriever.invoke("Where do I live?", at=datetime(2024, 6, 1, tzinfo=UTC))))


if __name__ == "__main__":
    main()
