"""Keep an index of documents in step with its sources. Run: python examples/langchain_documents.py"""

from __future__ import annotations

from genome_langchain import GenomeRecordManager, GenomeVectorStore
from langchain_core.documents import Document
from langchain_core.indexing import index

from genome_core import Memory


def main() -> None:
    """The second run deletes what its source does not hold any more, and embeds only what is new."""
    first = [
        Document("The office opens at eight.", metadata={"source": "hours.md"}),
        Document("Visitors ring at the side door.", metadata={"source": "visitors.md"}),
    ]
    second = [
        Document("The office opens at nine.", metadata={"source": "hours.md"}),
        Document("Visitors ring at the side door.", metadata={"source": "visitors.md"}),
    ]
    with Memory(":memory:") as memory:
        store = GenomeVectorStore(memory)
        manager = GenomeRecordManager("handbook", memory)
        for documents in (first, second):
            print(index(documents, manager, store, cleanup="full", source_id_key="source", key_encoder="sha256"))
        for document, score in store.similarity_search_with_score("When can I come in?", k=1):
            print(f"{score:.2f}  {document.metadata['source']}: {document.page_content}")


if __name__ == "__main__":
    main()
