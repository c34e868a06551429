"""What a prompt asks: whether a bare yes to it is an approval, and whether it asks to do a thing or to hold one back.

Both are closed rules. A bare yes leans on the question, so it counts only where the question plainly asks for approval:
it begins with a word of approving or doing, perhaps after "may I". Any other question may be one to which yes means no.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

from .text import words_in

_SENTENCE_END = re.compile(r"(?<=[.!?？。؟])\s+(?!\d)|\n")
_END = re.compile(r"(?:\A|(?<=\w))\W*+\Z")
"""What stands after the last word; no place of a text is looked at twice."""
_QUESTION_MARK = re.compile("[?？؟]")
_PART_END = re.compile(r"[,;:–—)]\s+")

_NEGATIVE = re.compile(
    r"""\b(?:not|never|object|objections?|objecting|oppose[ds]?|against|mind|refuse|reject|deny|decline|disapprove|disallow
    |veto|or|no(?![.:]?\s*\d)|nicht|keine?n?|ablehnen|einwände|einwand|dagegen|oder|pas|refuser|ou|rechazar|rechaza
    |inconveniente|niet|bezwaar|weigeren|non|rifiutare|obiezioni|não|recusar|objeção|inte|eller|avslå|ikke|afvise
    |avvise|ei|tai|nie|odrzucić|lub|не|против|возражаете|возражения|отклонить|или|değil|itirazınız|reddet|yoksa)\b
    |n't\b|異議|却下|反対|이의|거부|반대|反对|拒绝""",
    re.IGNORECASE | re.VERBOSE,
)
_TROUBLE = re.compile(
    r"""\b(?:problems?|concern\w*|wrong|issues?|trouble\w*|doubts?|worr\w*|risk\w*|error\w*|mistake\w*|fault\w*|fraud\w*
    |bad|too|early|premature|missing|unless|instead|problem\w*|bedenken|zweifel|falsch|fehler\w*|stört|sorun\w*|проблем\w*|ошибк\w*|off)\b
    |問題|异议|有问题|問題|문제""",
    re.IGNORECASE | re.VERBOSE,
)
_OPPOSITION = re.compile(
    r"""\b(?:objec|objet|opon|oppos|obiez|oppon|contrari|inconv|sakınca|itiraz|bezwa|invändn|innvend|indvend|vastalaus|sprzeciw
    |przeciw|возраж)""",
    re.IGNORECASE | re.VERBOSE,
)
"""Makes a bare answer mean either; "approved" answers such a question all the same."""
_UNDOING = re.compile(
    r"""^(?:cancel|stop|block|hold|withh[eo]ld|revo[ck]|revers|void|reject|refus|den[yi]|declin|delet|undo|unwind|suspend
    |suspens|freez|froze|abort|remov|prevent|against|halt|paus|disput|recall|waiv|skip|terminat|end$|close|discard|drop$|avoid
    |disabl|deactiv|revert|roll-?back|retract|rescind|withdraw|dismiss|ignor|defer|delay|postpon|forgo|quit|kill|chargeback
    |clawback|contest|ban$|mute|reverse
    |storn|anhalt|sperr|widerruf|ablehn|lösch|aussetz|pausier|zurück(?:zieh|ruf|halt)|beend|kündig|abbrech|abbruch|verzicht
    |annul|anul|bloqu|bloc[ck]|blok|arr[eê]t|supprim|interromp|interrum|résili|renonc|report|deten|deteng|rechaz|rescind
    |ferm|rifiut|sospen|revoc|parar|pare|weiger|afwijz|intrek|opschort|stopz|avbry|stopp|avslå|avvis|afvis|uppskj|utsett
    |peru|hylä|keskeyt|lopet|odrzu|wstrzym|zatrzym|cofn|zawies
    |отмен|останов|заблок|отклон|приостан|прекра|отозва|удал|iptal|durdur|reddet|askıya|beklet
    |取消|中止|却下|停止|保留|취소|중단|거부|보류|拒绝|暂停)""",
    re.IGNORECASE | re.VERBOSE,
)

_APPROVING = r"""(?:approv(?:e|al)\b|authori[sz](?:e|ation)\b|confirm\b|accept\b|allow\b|permit\b|(?:go\s+ahead|proceed)\b
    |(?:ok|okay|fine)\s+to\s+\w+|genehmig\w*|freigeb\w*|freigabe\b|zustimm\w*|bestätig\w*|einverstanden\b|erlaub\w*
    |approuve\w*|valide[rz]?\b|autoris\w*|autoriz\w*|aprob\w*|aprueb\w*|approva\w*|aprova\w*|goedkeur\w*|akkoord\b
    |godkänn\w*|godkend\w*|godkjenn?\w*|hyväksy\w*|zatwierdz\w*|одобр\w*|утверд\w*|разреш\w*|onayl\w*|승인\w*|承認\w*|批准\w*)"""
_DOING = words_in("""refund pay repay reimburse send transfer wire ship deliver order buy purchase book deploy release publish
    mail email call tell notify inform create add open start run issue grant give charge credit approve update upgrade
    change move copy submit sign post invite hire renew extend schedule erstatten überweisen zahlen auszahlen senden
    rembourser payer envoyer reembolsar pagar enviar rimborsare inviare reembolse terugbetalen betalen återbetala
    tilbagebetale tilbakebetale
    """)
_OPENING = r"""(?:please|pls|bitte|do\s+you|can\s+you|can\s+we|can\s+i|could\s+you|will\s+you|would\s+you|may\s+i|may\s+we
    |shall\s+i|shall\s+we|should\s+i|should\s+we|ok(?:ay)?\s+to|ready\s+to|kannst\s+du|können\s+sie|darf\s+ich|soll\s+ich
    |sollen\s+wir|dürfen\s+wir|puis-je|peux-tu|pouvez-vous|dois-je|puedo|puedes|posso|può|pode|mag\s+ik|kan\s+ik
    |får\s+jag|ska\s+jag|må\s+jeg|skal\s+jeg|мне|можно|the|die|den|das|le|la|el|l')"""
_ASKS_FOR_APPROVAL = re.compile(
    rf"""\W*(?:{_OPENING}\s+)*(?:{_APPROVING}|(?:{"|".join(sorted(_DOING))})(?!\w))""", re.IGNORECASE | re.VERBOSE
)

_NAMES_APPROVING = re.compile(
    r"""^(?:approv|authori|autori|grant|confirm|genehm|freigeb|freigab|frei$|bestätig|approuv|valid|aprob|aprueb|aprov|confirm
    |goedgek|goedkeu|keur|akkoord|godkän|godken|godkj|hyväks|zatwierd|akcept|zaakcept|aprob|одобр|утвер|разреш|подтвер
    |onay|承認|許可|승인|허가|批准|我批准|已批准|同意批准|予以批准|请批准|核准|可以批准)""",
    re.VERBOSE,
)


def takes_bare_answer(prompt: str) -> bool:
    """Whether a bare yes or no to this prompt is plain: each of its questions asks for approval, and for nothing bad."""
    return is_even(prompt) and all(
        any(_ASKS_FOR_APPROVAL.match(part) for part in _parts(each)) for each in _questions(prompt)
    )


def is_even(prompt: str) -> bool:
    """Whether the prompt asks something, and none of its questions is put in the negative or asks for trouble."""
    asked = _questions(prompt)
    doubtful = (_NEGATIVE, _TROUBLE, _OPPOSITION)
    return bool(asked) and not any(pattern.search(each) for each in asked for pattern in doubtful)


def is_adverse(prompt: str) -> bool:
    """Whether the prompt asks for trouble, or about holding back, so that even "approved" may be meant for that."""
    return any(
        _TROUBLE.search(each) or any(is_undoing_word(word) for word in re.findall(r"\w+", each))
        for each in _questions(prompt)
    )


def is_undoing_word(word: str) -> bool:
    """Whether a word names stopping, withholding or taking back, in any language."""
    return _UNDOING.match(word) is not None


def is_doing(words: Iterable[str]) -> bool:
    """Whether one of these words is a known one for doing a thing."""
    return not _DOING.isdisjoint(words)


def names_approving(words: Iterable[str]) -> bool:
    """Whether a phrase of agreement names the approving itself, as "approved" does and "no problem" does not."""
    return any(_NAMES_APPROVING.match(word) for word in words)


def _questions(prompt: str) -> list[str]:
    """The sentences of a prompt that ask; all of it if none does."""
    sentences = [each.strip() for each in _SENTENCE_END.split(prompt) if each.strip()]
    return [each for each in sentences if _is_question(each)] or ([prompt] if prompt.strip() else [])


def _is_question(sentence: str) -> bool:
    end = _END.search(sentence)
    return end is not None and _QUESTION_MARK.search(end.group()) is not None


def _parts(question: str) -> tuple[str, str]:
    parts = _PART_END.split(question)
    return parts[0], parts[-1]
