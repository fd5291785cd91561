"""What is worth storing of a run: its task or input and its result, without what memory itself put into the prompt."""

from __future__ import annotations

import re
import warnings

from crewai.agents.constants import FINAL_ANSWER_ACTION
from crewai.utilities.i18n import I18N_DEFAULT

from genome_core.inputs import clean_text
from genome_core.search.context import strip_context

_TASK = re.compile(
    r"Task: (?P<said>.*?)\nAgent: (?P<agent>[^\n]*)\nExpected result: (?P<expected>.*?)\nResult: (?P<result>.*)",
    re.DOTALL,
)
_CONVERSATION = re.compile(r"Input: (?P<said>.*?)\nAgent: (?P<agent>[^\n]*)\nResult: (?P<result>.*)", re.DOTALL)
_INJECTED_START, _INJECTED_END = I18N_DEFAULT.slice("memory").strip().split("{memory}")
_INJECTED = re.compile(rf"\s*{re.escape(_INJECTED_START)}.*?(?:{re.escape(_INJECTED_END)}\s*|\Z)", re.DOTALL)


class Statement(str):
    """A text that knows who said it. CrewAI hands on what ``extract_memories`` returns, and takes strings only."""

    role: str
    name: str | None
    task: str | None
    """What the text is the result of."""

    def __new__(cls, text: str, role: str = "user", name: str | None = None, task: str | None = None) -> Statement:
        self = super().__new__(cls, text)
        self.role, self.name, self.task = role, name, task
        return self


def statements(content: str) -> list[Statement]:
    """What a text says, by whom.

    CrewAI's account of a task gives the result, which remembers its task; that of a conversation gives the input and the
    answer, each as its speaker's. Any other text is one statement.
    """
    if task := _TASK.fullmatch(content):
        result = task["result"].split(FINAL_ANSWER_ACTION)[-1]  # before it stands what the model thought
        found = [Statement(kept(result), "assistant", task["agent"].strip() or None, kept(task["said"]))]
    elif talk := _CONVERSATION.fullmatch(content):
        found = [
            Statement(kept(talk["said"])),
            Statement(kept(talk["result"]), "assistant", talk["agent"].strip() or None),
        ]
    else:
        found = [Statement(kept(content))]
    return [statement for statement in found if statement]


def kept(text: str) -> str:
    """The text without recalled memories, and without what no database keeps."""
    clean = clean_text(text)
    if clean != text:
        warnings.warn("a memory held NUL or half a surrogate pair, stored as U+FFFD", UserWarning, stacklevel=2)
    return _INJECTED.sub("\n", strip_context(clean)).strip()
