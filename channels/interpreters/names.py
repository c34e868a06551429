"""Given names that may stand below a sign-off, as in "Thanks, / Mara Lind".

A name is the only unknown word that an approval may hold, so the list is closed: any other word below a sign-off may take
back what stands above it ("Thanks / Cancel"), and is asked about. Names that are also words of some language (Will, Grant,
Mark, Max) are left out.
"""

from __future__ import annotations

import re

from .languages import VOCABULARY
from .questions import is_undoing_word
from .text import folded, tokens_of, words_in

_GIVEN_NAMES = words_in("""
    aaron abdul abigail adam adrian agnes agnieszka ahmed aisha akira alan albert alejandro aleksandra alessandro alexander
    alexandra alexis alfred ali alice alicia alina amanda amelia amina amir amy ana anders andrea andreas andrei andrew
    andrzej angela angelina anita anja anna anne annika antoine anton antonio anya arjun arnaud arthur astrid åsa axel ayşe
    barbara bartosz beatrice beatriz benedikt benjamin bernd bernhard birgit bjarne björn bogdan brian bruno camille
    carlos carmen carolina caroline catherine cecilia charles charlotte chloe christian christina christine christoph
    christopher claudia clara clemens cristina daniel daniela david deborah denis diana diego dieter dimitri dmitri dominik
    dorothea edward ekaterina elena eleni elif elisabeth elizabeth emil emilia emily emma emre eric erik erika esther
    eva fabian fatima federico felix fernando filip florian francesca francesco francisco françois friedrich gabriel
    gabriela geoffrey georg george giovanni giulia giuseppe gonzalo greta guillaume gunnar gustav hanna hannah hans harald
    harry hassan heike heinrich helen helena helga helmut henrik henry hiroshi hugo ian ibrahim ines inga ingrid irina
    isabel isabella ivan jack jacob jacques jakob jakub james jan jane janine jason javier jean jeffrey jennifer jens
    jessica jin joan joana joão johan johanna johannes john jonas jonathan jorge josé josef joseph joshua juan juha julia
    julian julie jürgen justine kaito karin karl karolina katarina katarzyna katharina katherine kathrin katja kenji
    kenneth kevin klaus konrad kristina krzysztof lars laura lauren laurent lea leila lena leon leonardo lina linda lisa
    lorenzo louis louise luca lucas lucía luis luisa lukas maciej magdalena maja malik manuel manuela mara marc marcel
    marco marek margaret maria mariana marie marina mario marion marta martha martin martina mary mateusz mathias matteo
    matthew matthias maximilian mehmet melanie mercedes michael michał michel michelle miguel mikael mikhail mila milan
    miriam mohammed monika nadia nadine natalia natasha nathan niamh nicholas nicolas nicole nikolai nils nina noah nora
    norbert olaf oleg olga oliver olivia omar oscar otto pablo patricia patrick paula paulo pavel pawel pedro peter petra
    philip philipp pierre piotr priya rachel rafael rahul ralf raphael raquel rebecca regina renate ricardo richard robert
    roberto rodrigo roger roland roman ronald rosa ruth ryan sabine salma samantha samir samuel sandra santiago sarah
    sean sebastian sergei sergio sharon silvia simone sofia sofie sonja sophie stefan stefanie stephan stephanie stephen
    steven susan susanne sven svetlana sylvia tatiana teresa theodor theresa thomas thorsten timothy tobias tomás tomasz
    tomoko tuomas ulrich ulrike ursula valentina vanessa vera veronika victor victoria viktor vincent virginia vladimir
    walter werner wilhelm william wolfgang xavier yasmin yuki yusuf yvonne zofia zoe
    анастасия анна александр алексей андрей борис вадим виктор виктория владимир дмитрий евгений екатерина елена иван игорь
    ирина константин ксения максим мария михаил наталья николай ольга павел сергей татьяна юлия юрий
""")

_STOPS = re.compile(
    r"""cancel|stop|abort|rev[oe][ck]|halt|h[oa]ld|wait|fraud|susp|wrong|oops|mist|ignor|undo|undone|never|pend|scam|fake|void
    |reject|refus|den[iy]|declin|storn|abbr|wider|wid|falsch|fehl|betrug|betr[uü]g|ann?ul|arr[eê]t|suspen|fals|erre?[uo]r
    |bloc|blo[kq]|cass|sperr|fraude|frode|отмен|стоп|ошиб|мошен|назад|iptal|dur|hata|avbr|stopp|peru|keskeyt|odwo|cofn
    |anul|wstrzym|błąd|only|half|part|first|later|next|nope|kidding|joke|joking|urgent|alert|legal|finance|review""",
    re.IGNORECASE | re.VERBOSE,
)
"""What looks like taking something back, in a word that stands where a surname may."""

_CAPITALISED = re.compile(r"[^\W\d_]+(?:[-'.][^\W\d_]+)*\.?")


def is_name(line: str) -> bool:
    """Whether a line is a given name that is known, alone or with one more word that no language knows."""
    words = line.strip(" ,.-–—").split(" ")
    if not 1 <= len(words) <= 2 or not all(_CAPITALISED.fullmatch(word) and word[0].isupper() for word in words):
        return False
    if any(token.text in VOCABULARY for word in words for token in tokens_of(word)):
        return False
    given = re.split(r"[-']", folded(words[0]))
    return all(part in _GIVEN_NAMES for part in given) and not any(_takes_back(word) for word in words[1:])


def _takes_back(word: str) -> bool:
    return is_undoing_word(word) or _STOPS.match(folded(word)) is not None
