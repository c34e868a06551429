"""Slack: a manager answers by a button, in a modal, by an emoji, or in plain words typed under the question.

May import ``actors``, ``decisions`` and the interpreters' view of text; nothing of another channel. What renders and reads is pure
functions; what calls and listens stands at the end.

How a question flows: ``questions`` makes the message of an ``Ask`` of the arguments that ``arguments`` lays out and the buttons
that ``choices`` finds in its form; ``carried`` is what buttons, modals and metadata take along, so that a click is understood
by a process that never saw the question. ``reading.read_event`` turns whatever Slack sends into a value of ``events``, its text
into what the person said (``wording``); ``modals`` are opened by buttons, and ``submissions`` makes decisions of clicks and of
what is sent from modals, field by field (``fields``). ``notes`` are the small messages around a question. ``signatures`` tells
Slack's own requests from forged and replayed ones.

``client`` calls Slack: typed methods that say in our two errors what Slack refused (``refusals``), come to Slack no more often than
it allows (``pacing``), and let no token into an error or a log (``redacting``); ``objects`` are what it says of people and places.

``declared`` is what an author writes: where a role is asked, and by whom it is answered. At each answer ``authority`` finds out
whether its giver is one of these, with what the ``directory`` asks Slack.

``connection`` is the whole of it for one app. Out: ``asking`` posts, edits and closes questions in the threads that ``threads``
finds or makes; ``telling`` says what asks nothing. In: ``receiving`` takes what people do, by signed requests or over the
WebSocket that ``listening`` keeps open, ``catching_up`` looks for what was missed in threads, ``unheard`` for what was missed
outside them, and ``intake`` gives all of it to ``pressing`` (buttons, modals, emoji), ``replying`` (words under a question, kept
as ``heard``, which may name it by ``naming``) and ``conversing`` (talking with a bot); ``answers`` records.
What is known of Slack's messages stands in anchors, whose forms are in ``places``.

What is committed before what. A click, a modal and an emoji are acknowledged when the answer is recorded; words when they are
kept as a note to ourselves, which is dealt with after that, for a model may read for longer than Slack waits. A question is posted
when it is written down that it will be; whoever comes after a crash looks for it before posting it again.

Edits and deletions of an answer: as long as no answer has been taken from a message, an edit of it is read as a new reply, to the
questions that stood there when it was first written. Once one was taken the decision stays, and the thread is told so.

Two rules over all. What a bot, a model or a customer wrote is never put where Slack looks for markup: it stands in plain text
or in rich text elements, and where only mrkdwn will do it is escaped (``escaping``). And no message is larger than Slack takes
(``limits``), whatever was asked; what does not fit is cut in the middle, marked, and one click away in full.
"""
