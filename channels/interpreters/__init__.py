"""Interpreters: how a person's own words become a decision, or a question asked again.

May import ``actors`` and the files of ``channels`` that import no adapter (``decisions.py``, ``privacy.py``); nothing here
knows Slack, mail or the web. Everything but ``code.py``, ``model.py``, ``probability.py`` and ``chain.py`` is pure. The files,
bottom up; each may import those before it::

    text              one form of each letter, nothing invisible, clauses and tokens
    lexicon           kinds of words; a language
    words_germanic, words_romance, words_eastern
    languages         all of them
    words_choosing    words around a choice
    questions         whether a prompt asks for approval
    names             names below a sign-off
    amounts           amounts as people write them
    amount_slots      which argument of a call is its amount
    subject           what a question names
    clauses           what one clause says in one language
    stance            yes, no, or neither: a whole reply
    limits            "only half": an approval of less
    dates             days
    choices           one of a few words
    fields            the fields of a schema
    answers           data in a reply
    rules             RulesInterpreter over all of these
    open_questions    one reply where several questions wait
    code              CodeInterpreter: the author's function
    asking            a reply put before a model
    answer_tool       what it may call, and its call taken apart
    vetoes            what it says, held against the reply
    model             ModelInterpreter
    probability       ProbabilityInterpreter: one token's chances
    chain             Chain: the first that understands

A reply flows down ``text -> stance | choices | answers -> rules``. The one rule over all: a wrong approval is the worst that
can happen here, and asking again is cheap. So an approval needs every word of a reply to be accounted for, and anything
else asks again.
"""
