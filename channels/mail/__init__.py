"""Mail: a person presses Reply, types an answer above whatever their client quotes, and that is the decision.

May import ``actors``, the interpreters' view of text and what any channel may show; nothing of another channel.

How a question goes out: an author names a ``channel.MailChannel``; ``connection`` binds it to the servers of an operator as
``posting.MailPosts``; ``writing`` says what stands in the mail, as ``sheets`` that become text and HTML alike; ``letters`` makes
bytes of it; ``smtp`` hands them over; ``correspondence`` remembers, under the token in the reply address, who was asked what.

How an answer comes in: ``imap`` (over ``mailbox``) and ``lmtp`` hand a mail to ``receiving``, which has it read, puts it to the
common way in for answers, and leaves what people hear of it to ``replying``.

How a mail is read, as pure functions, bytes in, ``MailReadingResult`` out: ``parts`` cuts it up within ``settings.Limits``;
``classes`` puts aside what programs send; ``questions`` finds the token that ``tokens`` made; ``people`` says who wrote it, by
what ``authentication`` reads of our border server's finding; ``bodies`` takes the text out of its parts as ``lines``, of HTML
by way of ``markup``, ``colours``, ``styles`` and ``html``; ``quotes`` and ``signatures`` leave out what is not new, unless it
``turns`` what is; ``notices`` are automatic answers that only their words give away; ``reading.read_mail`` is all of this in
order, and ``bounded`` has it done beside an event loop. ``originals`` then compares what was left out with what was sent, and
``objections`` says to people why a mail decides nothing.

What clients of many languages write stands in the ``words_`` files, as data.

One rule over all: a mail decides only if nothing about it is in doubt. Where something is, the text is still shown, and
the question is asked again.
"""
