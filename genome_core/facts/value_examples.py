"""Short examples of what can be a value of each attribute, for the likeness of a phrase to them by an embedder."""

from __future__ import annotations

from collections.abc import Mapping


def _split(text: str) -> tuple[str, ...]:
    return tuple(part.strip() for part in text.split("|"))


_PLACES = "Oslo|Lisbon|Manchester|Chicago|a small town|a village by the sea|Portugal|Brittany|the suburbs|Cape Town|Hanoi|Leicester"
VALUE_EXAMPLES: Mapping[str, tuple[str, ...]] = {
    name: _split(text)
    for name, text in {
        "home": _PLACES,
        "hometown": _PLACES,
        "employer": "IBM|a bank|an insurance company|the town hall|the railway|a bakery|a hotel|a start-up|the hospital|a publishing house|the airline|Siemens|a theatre|a farm|the tax office|a charity|Boots|Carrefour|a nursing home",
        "role": "nurse|carpenter|history teacher|project manager|bus driver|a chef|electrician|tax adviser|shop assistant|a violin maker|translator|head of sales|a dog trainer|head nurse",
        "school": "Lincoln High|St Mary's Primary|the University of Leeds|MIT|a nursery|a business school|Hillside Academy|the technical college",
        "studies": "chemistry|computer science|medieval history|a master's in law|nursing|economics",
        "relationship_status": "married|single|engaged|divorced|widowed|separated|dating|in a relationship",
        "partner": "Peter|Maria|a girl from work|a dentist called Tom|Aisha",
        "manager": "Peter|Maria|Mrs Brown|Mr Singh|Tomasz",
        "owner": "Peter|Maria|Mrs Brown|Mr Singh|the platform team",
        "doctor": "Dr Brown|Dr Singh|Doctor Weber|Dr. Lopez",
        "pet": "a cat|a beagle|two rabbits|a parrot|a goldfish|a puppy called Max|a tortoise",
        "car": "a Ford Focus|a Toyota|an old Volvo|a van|a Tesla|a Renault Clio|a hatchback|a pickup|a BMW|a Hyundai",
        "bike": "a mountain bike|a Brompton|a road bike|an e-bike|a Trek",
        "phone": "an iPhone|a Samsung Galaxy|a Pixel|a Nokia|a Fairphone|an old flip phone",
        "computer": "a MacBook|a ThinkPad|a Dell laptop|a desktop PC|a Chromebook",
        "provider": "AWS|Netflix|T-Mobile|Orange|Barclays|Comcast|Verizon|Dropbox|Digital Ocean|Google Cloud",
        "diet": "vegan|vegetarian|a keto diet|pescatarian|gluten-free|halal",
        "allergy": "nuts|shellfish|pollen|penicillin|cats|lactose|wasps",
        "health": "asthma|a broken leg|diabetes|migraines|a bad back|high blood pressure",
        "hobby": "pottery|chess|climbing|gardening|photography|running|knitting|salsa dancing|stamp collecting|woodworking|astronomy|kayaking|fencing",
        "instrument": "the guitar|the piano|the violin|a trumpet|the flute|the harp|a keyboard",
        "gym": "Fitness First|a yoga studio|a swimming pool|a tennis club|Gold's Gym|a karate school|the leisure centre|a crossfit box|a running club|the ice rink|a martial arts dojo",
        "membership": "a choir|the rugby club|a book club|the union|the parish council|a brass band",
        "language": "Spanish|Mandarin|Arabic|Welsh|sign language|Finnish|Portuguese",
        "nationality": "Canadian|Irish|a German citizen|Brazilian",
        "favorite food": "pizza|sushi|lasagne|chicken curry|tacos|dumplings|a bowl of noodles|apple pie|fish and chips|hummus|borscht|kimchi|roast lamb|couscous|cheese fondue",
        "supports": "Arsenal|the Lakers|Real Madrid|the Giants",
        "": "the morning|a while|last summer|the holidays|good news|a lot of fun|the weather|the kitchen table|her mother|money|the first time|the whole street|his life|a big smile|the door|the moment|a reason|"
        "her evenings|the truth|three nights|a surprise|the bus|his old things|rain|a photo|everyone|the paperwork|her hands|his keys|a letter|the price|the boss|breakfast|his sister's wedding|a party|coffee|the rent|"
        "the news|the kids|the traffic|the badge|nothing else|a bargain|the habit|her obsession|the season|number one|the throne|religion|the neighbour|signal|the waiting list|fees|the invoice|wages|the job|the sauna|the quiet",
    }.items()
}
"""The attribute to its examples; those under the empty name can be no value of any."""
