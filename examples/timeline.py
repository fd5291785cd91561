"""A life over two years, told out of order, and what was known of it when. Run: python examples/timeline.py"""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path
from tempfile import TemporaryDirectory

from genome_core import Memory
from genome_core.timeline_page import timeline_page

TOLD = [
    ("2023-01-15", "I live in Porto and I work at Belmonte as a baker."),
    ("2023-03-02", "I have a cat called Bica."),
    ("2023-06-10", "Next year I might move to Madrid, we will see."),
    ("2023-08-20", "I quit my job at Belmonte last week."),
    ("2024-02-20", "I never told you: I moved to Lyon in October 2023."),
    ("2024-02-20", "I joined Maison Arnaud in January."),
    ("2024-04-03", "We adopted a dog, Pixel, at the weekend."),
    ("2024-05-18", "If Madrid paid better, I would move there."),
    ("2024-07-01", "Before Maison Arnaud I worked at Quai Nord, from September to December 2023."),
    ("2024-11-11", "Actually, I moved to Lyon in September 2023, not in October."),
]
"""When Ines said what. News comes late, and one date was wrong."""

TODAY = datetime(2025, 1, 1, tzinfo=UTC)


class Clock:
    """Says that it is the day of the turn which is being stored, as if the store had been there."""

    now = TODAY

    def __call__(self) -> datetime:
        return self.now


def remember(memory: Memory, clock: Clock) -> None:
    """Each turn is stored on the day on which it was said. No model reads it but the embedder."""
    for day, text in TOLD:
        clock.now = date(day)
        memory.add({"role": "user", "name": "Ines", "content": text, "at": clock.now}, user_id="ines")
    clock.now = TODAY


def date(day: str) -> datetime:
    return datetime.fromisoformat(f"{day}T12:00:00+00:00")


def main() -> None:
    """Three times of asking, three answers; a plan that never becomes a fact; and the whole as a page."""
    clock = Clock()
    with TemporaryDirectory() as folder, Memory(Path(folder) / "memory.db", clock=clock) as memory:
        remember(memory, clock)

        print("When did Ines move to Lyon?")
        for known_at in (date("2023-12-31"), date("2024-03-01"), TODAY):
            answer = memory.ask("When did Ines move to Lyon?", known_at=known_at, user_id="ines")
            print(f"  as known on {known_at:%Y-%m-%d}: {answer.value or 'unknown'}")

        print("Where did Ines live in December 2023?")
        for known_at in (date("2023-12-31"), TODAY):
            answer = memory.ask("Where did Ines live in December 2023?", known_at=known_at, user_id="ines")
            print(f"  as known on {known_at:%Y-%m-%d}: {answer.value}, because of: {answer.evidence[0].text}")

        print("Does Ines live in Madrid?")
        print(f"  {memory.ask('Does Ines live in Madrid?', user_id='ines').value}")

        windows = memory.timeline(user_id="ines")
        assert "Madrid" not in [window.value for window in windows]
        words = {(turn.namespace, turn.id): turn.text for turn in memory.get_all(user_id="ines").records}
        page = Path("timeline.html")
        page.write_text(timeline_page(windows, now=TODAY, words=words, title="Ines"), encoding="utf-8")
        print(f"Open {page.absolute()} to see the {len(windows)} things that held, and when.")


if __name__ == "__main__":
    main()
