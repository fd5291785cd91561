"""The rule extractor: facts from a turn, written only where the words are clear."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace

from genome_core.facts.attributes import AttributeTable
from genome_core.facts.continuing import Reading
from genome_core.facts.corrections import corrections
from genome_core.facts.mentions import Referents
from genome_core.facts.reader import VERSION, Reader
from genome_core.facts.replies import completed
from genome_core.facts.sentences import Parsed, parse
from genome_core.types import Fact, Record


@dataclass(frozen=True)
class RuleExtractor:
    """Reads facts by rules: deterministic, no model, about a millisecond a turn.

    It writes a fact only where it is sure of subject, attribute, value and tense: plans, questions, conditions, rumours and
    trips give none. ``table`` says which names an attribute has and whether it can hold several values.
    """

    table: AttributeTable = field(default_factory=AttributeTable)

    @property
    def version(self) -> str:
        return VERSION

    def extract(self, turn: Record, context: Callable[[], Sequence[Record]]) -> list[Fact]:
        """The facts of ``turn``, in the order of its words. ``turn.at`` must be set."""
        whole = completed(turn, context)
        readings, parsed = self._read(whole.turn, context)
        found = [reading.fact for reading in readings if not (reading.planned or reading.vague)]
        facts = corrections(parsed, whole.turn, context, self._read_alone, found)
        return [whole.restored(fact) for fact in facts]

    def read(self, turn: Record, context: Callable[[], Sequence[Record]]) -> list[Reading]:
        """All that ``turn`` says, with what it only plans or supposes."""
        whole = completed(turn, context)
        readings = self._read(whole.turn, context)[0]
        return [replace(reading, fact=whole.restored(reading.fact)) for reading in readings]

    def _read(self, turn: Record, context: Callable[[], Sequence[Record]]) -> tuple[list[Reading], list[Parsed]]:
        reader = Reader(turn, Referents(turn.speaker, context), self.table, self._read_alone)
        parsed = parse(turn)
        reader.referents.see(mention for sentence in parsed for mention in sentence.mentioned)
        for sentence in parsed:
            reader.read(sentence)
        return reader.found, parsed

    def _read_alone(self, turn: Record) -> list[Fact]:
        return [reading.fact for reading in self.read(turn, tuple) if not (reading.planned or reading.vague)]
