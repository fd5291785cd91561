"""Which of the newest turns of a conversation a prompt gets."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence

from genome_core import Record


def last_turns(newest_first: Iterable[Record], room: int, cost: Callable[[Record], int]) -> list[Record]:
    """The newest turns that fit into ``room`` tokens, oldest first.

    They begin with a user's turn, if there is one: models refuse answers without a question. A call of tools is not torn apart
    from the answers. The newest turn is given even if it does not fit, and if it took so many steps that they do not all fit,
    the question that it answers stays and the oldest steps make room. Reads no further back than it must.
    """
    units = _units(newest_first)
    chosen: list[list[Record]] = []
    for unit in units:
        price = sum(map(cost, unit))
        if chosen and price > room:
            if not any(map(_is_users, chosen)):
                chosen = _with_question([unit, *units], chosen, room, cost)
            break
        chosen.insert(0, unit)
        room -= price
    first = next((place for place, unit in enumerate(chosen) if _is_users(unit)), 0)
    return [record for unit in chosen[first:] for record in unit]


def last_question(turns: Sequence[Record]) -> str:
    """What the user said last; blank if nothing."""
    return next((record.text for record in reversed(turns) if record.role == "user"), "")


def _with_question(
    earlier: Iterable[list[Record]], chosen: list[list[Record]], room: int, cost: Callable[[Record], int]
) -> list[list[Record]]:
    question = next((unit for unit in earlier if _is_users(unit)), None)
    if question is None:
        return chosen
    room -= sum(map(cost, question))
    while room < 0 and len(chosen) > 1:
        room += sum(map(cost, chosen.pop(0)))
    return [question, *chosen]


def _units(newest_first: Iterable[Record]) -> Iterator[list[Record]]:
    """What must not be torn apart, newest first: a turn, or a call of tools with their answers."""
    answers: list[Record] = []
    for record in newest_first:
        if record.role == "tool":
            answers.insert(0, record)
        else:
            yield [record, *answers]
            answers = []
    if answers:
        yield answers


def _is_users(unit: Sequence[Record]) -> bool:
    return unit[0].role == "user"
