"""Store a conversation and recall from it. Run: python examples/quickstart.py"""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path
from tempfile import TemporaryDirectory

from genome_core import Memory


def main() -> None:
    """Two turns go in, one question comes, and the hit says when it was said and by whom."""
    with TemporaryDirectory() as folder, Memory(Path(folder) / "memory.db") as memory:
        memory.add(
            [
                {"role": "user", "content": "We moved to Bristol on Saturday, 2 March."},
                {"role": "assistant", "content": "Welcome to Bristol! Shall I update your address?"},
                {"role": "user", "content": "Yes, please. And remember that I'm allergic to peanuts."},
            ],
            user_id="tom",
            at=datetime(2024, 3, 5, 19, 15, tzinfo=UTC),
        )
        for hit in memory.search("What must Tom not eat?", user_id="tom", limit=1):
            print(f"{hit.score:.2f}  {hit.record.at:%Y-%m-%d}  {hit.record.speaker}: {hit.record.text}")


if __name__ == "__main__":
    main()
