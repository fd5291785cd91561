"""Likeness of sentences to attributes: by an embedder and short example sentences ("prototypes").

It finds what no list of words foresees ("she put down roots in Oslo" is about a home). A sentence is compared with names and
times masked, so that what it says decides and not of whom.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cached_property

import numpy as np

from genome_core.facts.attributes import AttributeTable
from genome_core.protocols import Vectors

Embed = Callable[[Sequence[str]], Vectors]
"""``Embedder.embed``, or the same behind a cache. Rows of norm 1."""

OTHER = ""
"""The name under which ``Prototypes`` scores what is about no lasting attribute: small talk, trips, visits."""

_OTHER_SENTENCES = (
    "We talked for a while.",
    "She went on a trip for a few days.",
    "She was busy this week.",
    "She watched a film.",
    "The weather was bad.",
    "She visited a friend.",
    "They had dinner at a restaurant.",
    "She went to a conference.",
    "She ran into an old friend.",
    "She complained about the traffic.",
    "She is tired and wants to sleep.",
    "She watched the game with us.",
    "She cooked dinner for everyone.",
    "The trains were late.",
    "She told a funny story.",
    "It was a long day.",
)

_SENTENCES: dict[str, str] = {
    "home": "She lives in a city.|She moved to another town.|Her home is in the countryside.|She has a new address.|She settled in a new country.|She found a flat in town.|The city is her home now.|She resides in the capital.|She moved in with a friend.|We got the keys to our new house.|She left the city for good.|She packed her boxes and went north.|She rents a room downtown.|She is back with her parents.|The whole family relocated abroad.|She has a place near the sea.",
    "hometown": "She grew up in a small town.|She was born in that city.|She comes from a village originally.",
    "employer": "She works for a company.|She started a new job at a firm.|A bank hired her.|She is employed by a startup.|She joined a company.|Her employer is a tech company.|She left her company.|She is on the staff of an organization.|She got laid off.|She handed in her notice.|They offered her a contract and she signed.|Her first day at the office was on Monday.|She commutes to the plant every day.|Her boss and her colleagues there are nice.|The company took her on.|She went over to a competitor.",
    "role": "She works as a nurse.|She became a teacher.|She is a lawyer by profession.|Her occupation is cook.|She was promoted to manager.|She retrained as an electrician.|She makes her living as a painter.|She got her licence as a driver.|They made her head of the department.|She gave up the law and writes now.|She drives a taxi for a living.|She teaches maths at a school.",
    "school": "She studies at a university.|She goes to a new school.|She graduated from college.|She is in her last year at primary school.|She started secondary school in autumn.|We took him out of his old school.|She dropped out of college.",
    "studies": "She studies biology.|She is doing a degree in history.|She changed her major to law.",
    "relationship_status": "She got married.|She is single.|She is dating someone.|They got engaged.|She is divorced.|They broke up.|Her relationship status changed.|They went their separate ways.|He proposed and she said yes.|She wears a ring now.|They are back together.|The wedding was beautiful.",
    "partner": "Her boyfriend is called Tim.|She is dating Tim.|Tim is her husband.|She and Tim have been together for a year.|She is seeing a guy named Tim.|There is someone new in her life.|She and Tim split up.",
    "children": "She has two sons.|Her daughter was born.|She gave birth to a boy.",
    "siblings": "Her brother is called Tim.",
    "pet": "She adopted a dog.|She has a cat.|Her dog died.|We brought a puppy home.|She took in a stray from the shelter.|Her rabbit ran away.|We got a kitten and named her Luna.",
    "car": "She bought a car.|She drives a van.|Her car is a sedan.|She sold her car.|She got a new vehicle.|She owns a truck.|She picked up her new wheels at the dealer.|Her old car broke down for good.|She gets around on a scooter.|There is a station wagon in her driveway.|She traded her car in.",
    "bike": "She rides a bicycle.|She goes to work on her new bike.",
    "phone": "She uses a new phone.|She bought a smartphone.|Her phone broke and she got another.",
    "computer": "She bought a laptop.|She works on a new computer.",
    "provider": "She switched to another phone provider.|She opened an account with a new bank.|She cancelled her subscription.",
    "diet": "She is a vegetarian.|She went vegan.|She follows a strict diet.|She stopped eating meat.|She eats fish again.|She is off dairy.",
    "allergy": "She is allergic to nuts.|She gets a rash from shellfish.|She outgrew her allergy.",
    "health": "She was diagnosed with an illness.|Her knee needs surgery.|She has been suffering from headaches.",
    "hobby": "She took up rowing.|She plays chess.|Her hobby is painting.|She started dancing lessons.|She goes climbing every week.|She spends her evenings knitting.|She gave up tennis.",
    "instrument": "She plays the piano.|She is learning the guitar.",
    "gym": "She joined a gym.|She works out at a fitness studio.|She trains at a gym.|She is a member of a fitness club.|Her gym is downtown.|She signed up for a gym membership.|She lifts weights there three times a week.|She cancelled her gym membership.|She goes to exercise classes at the studio.|She bought an annual pass for the gym.|She sweats on the treadmill there.",
    "membership": "She joined a choir.|She is a member of a club.|She plays for a team.|She left the band.|She volunteers for a society.",
    "language": "She speaks a foreign language.|She is learning a language.|She grew up bilingual.",
    "favorite food": "Her favorite food is soup.|She loves eating this dish.|Her favorite meal is pasta.|She really got into this food.|It is the dish she likes most.|She can not stop eating it.|She orders it every time we go out.|She could live on noodles.|It is her number one dish.|She is hooked on it and eats it every day.|She had her first bowl and nothing else comes close.",
    "name": "Her name is Robin.|She changed her surname.",
    "age": "She is ten years old.|She turned thirty.",
    "birthday": "Her birthday is in May.",
    "project": "She works on a project.|She was assigned to a new project.",
    "owner": "She took over the project.|She is responsible for it.|She handed the project over to a colleague.",
    "manager": "She has a new manager.|She reports to a new boss.",
    "doctor": "Her doctor is called Smith.|She sees a new dentist.",
    "status": "The project is on hold.|The product went live.|It is paused until further notice.|The project was cancelled.|It is active again.|It is in beta.",
    "version": "The new version was released.|We rolled back to the old version.",
    "price": "It costs ten dollars a month.|The price goes up.",
    "deadline": "The deadline is the end of May.|The deadline was pushed back.",
}
"""Plain ways to state each attribute, beside the prototypes that the table of attributes brings along."""


class Prototypes:
    """The example sentences of a table of attributes as vectors, embedded once when first needed."""

    def __init__(self, table: AttributeTable, embed: Embed) -> None:
        self._embed = embed
        self._examples: list[tuple[str, str]] = [(OTHER, sentence) for sentence in _OTHER_SENTENCES]
        for attribute in table.attributes:
            own = filter(None, _SENTENCES.get(attribute.name, "").split("|"))
            self._examples += [(attribute.name, s) for s in dict.fromkeys((*own, *attribute.prototypes))]

    @cached_property
    def _vectors(self) -> Vectors:
        return self._embed([sentence for _, sentence in self._examples])

    def scores(self, texts: Sequence[str]) -> list[dict[str, float]]:
        """For each text the cosine to the nearest prototype of every attribute, and of ``OTHER``; rounded, so that
        results are the same on every machine."""
        if not texts:
            return []
        cosines = np.round(self._embed(texts) @ self._vectors.T, 3)
        result = []
        for row in cosines:
            best: dict[str, float] = {}
            for (name, _), cosine in zip(self._examples, row.tolist(), strict=True):
                best[name] = max(best.get(name, -1.0), cosine)
            result.append(best)
        return result

    def likeness(self, text: str) -> dict[str, float]:
        """The same for one text, without ``OTHER``."""
        (scores,) = self.scores([text])
        return {name: score for name, score in scores.items() if name != OTHER}
