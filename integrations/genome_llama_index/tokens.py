"""How many tokens a chat message takes in a prompt."""

from __future__ import annotations

from collections.abc import Callable

from llama_index.core.base.llms.types import ChatMessage, DocumentBlock, TextBlock, ThinkingBlock, ToolCallBlock

_MEDIA_TOKENS, _DOCUMENT_TOKENS = 256, 2048
"""What LlamaIndex's own memory assumes of pictures, sounds and films, and of documents."""


def message_tokens(message: ChatMessage, count_tokens: Callable[[str], int]) -> int:
    """The words, the calls of tools and what else the message carries along."""
    total = count_tokens(str(message.additional_kwargs)) if message.additional_kwargs else 0
    for block in message.blocks:
        if isinstance(block, TextBlock):
            total += count_tokens(block.text)
        elif isinstance(block, ThinkingBlock):
            total += count_tokens(block.content or "")
        elif isinstance(block, ToolCallBlock):
            total += count_tokens(f"{block.tool_name} {block.tool_kwargs}")
        else:
            total += _DOCUMENT_TOKENS if isinstance(block, DocumentBlock) else _MEDIA_TOKENS
    return total
