"""Slack: a manager answers by a button, in a modal, or in plain words typed under the question.

What renders and reads is pure functions, without network and store: questions in, Block Kit out; Slack's payloads in, typed values
out. May import ``actors``, ``decisions`` and the interpreters' view of text; nothing of another channel.

How a question flows: ``questions`` makes the message of an ``Ask`` of the arguments that ``arguments`` lays out and the buttons
that ``choices`` finds in its form; ``carried`` is what buttons, modals and metadata take along, so that a click is understood
by a process that never saw the question. ``reading.read_event`` turns whatever Slack sends into a value of ``events``, its text
into what the person said (``wording``); ``modals`` are opened by buttons, and ``submissions`` makes decisions of clicks and of
what is sent from modals, field by field (``fields``). ``notes`` are the small messages around a question. ``signatures`` tells
Slack's own requests from forged and replayed ones.

``client`` calls Slack: typed methods that say in our two errors what Slack refused (``refusals``), come to Slack no more often than
it allows (``pacing``), and let no token into an error or a log (``redacting``); ``objects`` are what it says of people and places.

``declared`` is what an author writes: where a role is asked, and by whom it is answered. At each answer ``authority`` finds out
whether its giver is one of these, with what the ``directory`` asks Slack. ``receiving`` takes in what people do, by signed requests
or over the WebSocket that ``listening`` keeps open, and acknowledges it when it has been taken.

Two rules over all. What a bot, a model or a customer wrote is never put where Slack looks for markup: it stands in plain text
or in rich text elements, and where only mrkdwn will do it is escaped (``escaping``). And no message is larger than Slack takes
(``limits``), whatever was asked; what does not fit is cut in the middle, marked, and one click away in full.
"""
