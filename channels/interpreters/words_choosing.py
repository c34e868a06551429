"""The words around a choice that say "this one" and no more, in many languages.

They are no part of what a yes or a no is read from: "I'd go with it" may be said of anything.
"""

from __future__ import annotations

from .text import normalised, tokens_of, words_in

_CHOOSING = """
    i'd go with | i would go with | i'll go with | we go with | we'll go with | let's go with | go with | let's go for | go for
    | let's take | i'll take | i'd take | i take | we take | take | let's use | please use | use | i prefer | i'd prefer
    | i would prefer | we prefer | i'd like | i would like | i'd choose | i choose | i pick | i'd pick | my vote is | my vote
    | my choice is | my choice | my pick | i vote for | it is | i can do | i can make | i would | i'd | let's | works
    | works for me | works best | is fine | is fine with me | is fine by me | is good | is ok | is okay | is best | suits me
    | suits me best | looks good | looks good to me | sounds good
    | ich nehme | wir nehmen | nehmen wir | nimm | ich bevorzuge | ich möchte | ich hätte gern | ich wäre für | ich bin für | mit
    | passt | passt mir | passt gut | geht | ist ok | ist gut
    | je prends | on prend | prenons | je préfère | je choisis | je voudrais | me convient | c'est bon | va pour
    | prefiero | elijo | tomamos | me quedo con | vamos con | me va bien | me viene bien
    | preferisco | scelgo | prendiamo | andiamo con | mi va bene
    | prefiro | escolho | vamos com | fico com
    | ik kies | ik neem | liever | doe maar | we nemen | ik heb liever
    | jag väljer | jag tar | vi tar | jag föredrar | jeg vælger | jeg tager | jeg velger | jeg tar
    | wybieram | biorę | wolę | выбираю | беру | olsun
    """

CHOOSING: tuple[tuple[str, ...], ...] = tuple(
    sorted(
        {tuple(token.text for token in tokens_of(normalised(phrase))) for phrase in _CHOOSING.split("|")},
        key=lambda words: (-len(words), words),
    )
)
"""Phrases, the longest first."""

AROUND = words_in(
    """the please pls plz thanks thank you thx hi hello hey for me bitte danke hallo die das der den dem für mich s'il te vous
    plaît plait svp stp merci bonjour le la les pour moi por favor gracias hola el los para mí per favore grazie ciao il lo per
    obrigado obrigada o alstublieft alsjeblieft aub graag dank bedankt de het voor mij tack tak takk hej hei det for meg mig
    för proszę dziękuję dzięki пожалуйста спасибо lütfen teşekkürler"""
)
"""Courtesies and articles: the only words that may stand beside an ordinal, a number or a part of a choice."""

PLACE_NOUNS = words_in(
    """one option choice number no nr nummer slot variant version alternative proposal answer möglichkeit variante vorschlag
    antwort numéro numero número opción propuesta opzione proposta opção optie keuze voorstel alternativ val valg opcja wariant
    вариант номер seçenek"""
)
"""What a place in a list is called: "the second option"."""

NUMBER_WORDS = {
    word: number
    for number, words in enumerate(
        (
            "one eins une uno um één ett",
            "two zwei deux dos due dois twee två to",
            "three drei trois tres tre três drie",
        ),
        start=1,
    )
    for word in words.split()
}
"""Read only behind a noun of a place: "option two"."""

OTHER_ONE = words_in("andra anden andet andre annen toinen drugi druga drugie второй вторая второе второму")
"""Ordinals that mean "the other one" as well, in Scandinavian and Slavic languages and in Finnish."""

CHOOSING_VERBS = words_in("choose choosing go make pick prefer say select take use vote want")
"""Verbs that name no choice by themselves, even where one of them stands in it: "pick one" is not "pick it up"."""
