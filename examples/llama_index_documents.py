"""Documents in a vector store with filters and hybrid search. Run: python examples/llama_index_documents.py"""

from __future__ import annotations

from genome_llama_index import GenomeEmbedding, GenomeVectorStore
from llama_index.core import Document, VectorStoreIndex
from llama_index.core.vector_stores import FilterCondition, FilterOperator, MetadataFilter, MetadataFilters

from genome_core import Memory


def main() -> None:
    """A small library: index it, ask it, replace a document."""
    documents = [
        Document(text="The office opens at nine.", doc_id="hours", metadata={"page": 3, "tags": ["office"]}),
        Document(text="Visitors ring at the side door.", doc_id="door", metadata={"page": 7, "tags": ["office"]}),
        Document(text="The canteen serves lunch from noon.", doc_id="lunch", metadata={"page": 9}),
    ]
    early_or_untagged = MetadataFilters(
        condition=FilterCondition.OR,
        filters=[
            MetadataFilter(key="page", value=5, operator=FilterOperator.LT),
            MetadataFilters(filters=[MetadataFilter(key="tags", value=None, operator=FilterOperator.IS_EMPTY)]),
        ],
    )
    with Memory(":memory:") as memory:
        embed_model = GenomeEmbedding(memory.embedder)
        index = VectorStoreIndex.from_vector_store(GenomeVectorStore(memory), embed_model=embed_model)
        for document in documents:
            index.insert(document)
        index.update_ref_doc(Document(text="The office opens at ten.", doc_id="hours", metadata={"page": 3}))
        for mode in ("default", "hybrid", "text_search"):
            retriever = index.as_retriever(similarity_top_k=1, filters=early_or_untagged, vector_store_query_mode=mode)
            [best] = retriever.retrieve("When does the office open?")
            print(f"{mode}: {best.node.get_content()} ({best.score:.2f}, {best.node.ref_doc_id})")


if __name__ == "__main__":
    main()
