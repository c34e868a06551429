"""Where people are: roles, reply interpreters, and the adapters that put questions to people.

May import ``actors`` and ``store`` (the rows' words only); never a bot, never the database.

How data flows: the runtime hands an ``Ask`` to a channel's ``send``; a person's words come back through ``Answering``, which
gives them to the role's interpreter (``interpreters``) and has the decision checked (``decisions``); ``withdraw`` shows that a
question is closed.

From the bottom up:

    json_schemas              whether a value is valid, in a bounded time
    decisions, privacy        what fits a question; what a model is told of it
    interpreters              from a person's words to a decision
    roles                     who is asked, who may answer, how a reply is read
    visible, sentences, asked  texts and arguments as any channel may show them
    automatic, terminal       adapters
    webhooks                  calls from outside that set triggers off
    mail                      questions by mail, and the replies that answer them
    web                       the page on which a question can be answered by whoever bears its link
    slack                     questions in threads of Slack, and conversations there
"""
