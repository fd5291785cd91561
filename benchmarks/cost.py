"""What it costs to remember with a language model and without: calls, tokens and money, as arithmetic that you can change.

    python benchmarks/cost.py [--turns 1000000] [--turn-tokens 30] [--system-tokens 8400] [--written-tokens 60] ...

Nothing is measured here. A memory that extracts with a model makes one call a turn; it sends its instructions, the last
messages, the memories that it has on the matter, and the turn, and reads back what to keep. The default for the instructions is the
length of mem0ai 2.2.1's extraction prompt (33,661 characters, four to a token); the last ten messages and ten memories are what
it adds. Prices are dollars for a million tokens, public list prices of March to June 2026, without and with the discount for
instructions that the provider has cached. GENOME makes no call; its cost is the processor's time.
"""

from __future__ import annotations

import argparse
from dataclasses import dataclass

from tables import Table


@dataclass(frozen=True)
class Price:
    """Dollars for a million tokens."""

    sent: float
    cached: float
    written: float


PRICES = {
    "GPT-4o mini": Price(0.15, 0.075, 0.60),
    "GPT-5 mini": Price(0.25, 0.125, 2.00),
    "GPT-4.1": Price(2.00, 0.50, 8.00),
}


def dollars(price: Price, turns: int, instructions: int, rest: int, written: int, *, cached: bool) -> float:
    """What the model's provider charges for so many turns."""
    each = instructions * (price.cached if cached else price.sent) + rest * price.sent + written * price.written
    return turns * each / 1e6


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--turns", type=int, default=1_000_000)
    parser.add_argument("--turn-tokens", type=int, default=30, help="of a turn, a message or a memory")
    parser.add_argument("--system-tokens", type=int, default=8_400, help="instructions of the extracting model")
    parser.add_argument("--context", type=int, default=20, help="messages and memories sent beside the turn")
    parser.add_argument("--written-tokens", type=int, default=60, help="what the model writes for a turn")
    parser.add_argument("--cpu-ms", type=float, default=12, help="of a write of GENOME, embedding included")
    parser.add_argument("--core-hour", type=float, default=0.05, help="dollars for an hour of one core")
    given = parser.parse_args()
    rest = given.turn_tokens * (1 + given.context)
    sent = given.turns * (given.system_tokens + rest)
    written = given.turns * given.written_tokens
    table = Table(
        f"Remembering {given.turns:,} turns", ["calls", "tokens sent", "tokens written", "dollars", "dollars, cached"]
    )
    for name, price in PRICES.items():
        costs = [
            dollars(price, given.turns, given.system_tokens, rest, given.written_tokens, cached=cached)
            for cached in (False, True)
        ]
        table.row(f"extraction by {name}", given.turns, sent, written, *costs)
    hours = given.turns * given.cpu_ms / 3.6e6
    table.row(f"GENOME, {hours:.1f} hours of one core", 0, 0, 0, hours * given.core_hour, hours * given.core_hour)


if __name__ == "__main__":
    main()
