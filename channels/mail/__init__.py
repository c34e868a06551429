"""Mail: a person presses Reply, types an answer above whatever their client quotes, and that is the decision.

Here is the reading half, as pure functions: bytes in, ``MailReadingResult`` out, no network and no store. May import
``actors`` and the interpreters' view of text; nothing of another channel.

How a mail flows: ``parts`` cuts it up within ``settings.Limits``; ``classes`` puts aside what programs send; ``questions``
finds the token that ``tokens`` made; ``people`` says who wrote it, by what ``authentication`` reads of our border server's
finding; ``bodies`` takes the text out of its parts as ``lines``, of HTML by way of ``markup``, ``styles`` and ``html``;
``quotes`` and ``signatures`` leave out what is not new; ``reading.read_mail`` is all of this in order. ``originals`` then
compares what was left out with what was sent, for whoever knows that.

What clients of many languages write stands in the ``words_`` files, as data.

One rule over all: a mail decides only if nothing about it is in doubt. Where something is, the text is still shown, and
the question is asked again.
"""
