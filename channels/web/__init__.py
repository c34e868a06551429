"""The answer page: a link in a question's mail leads to it, and whoever bears the link may answer there.

May import ``actors`` and what any channel may show (``asked``, ``visible``); nothing of another channel. Who bears a link is
asked of ``bearers.Bearers``, which the channel that sent the link provides.

How an answer comes in: ``handlers`` take a request, ``links`` say whether its link is one of ours, ``bearers`` whose it is and
what it asks, ``allowance`` whether there were too many; ``forms`` turn what was filled in into an answer, ``tickets`` tie it to
the browser that is asked to confirm it, ``pages`` render all that is shown, with
``markup`` and its headers. ``connection`` serves it beside the supervisor.

What programs do with a link decides nothing. Mail servers, messengers and browsers fetch links; some run the scripts of a
page, press its buttons and submit its forms. So:

- ``GET``, ``HEAD`` and whatever else is no ``POST`` only look.
- There is no script, nothing that submits itself, and nothing chosen beforehand: a form that is sent as it stands says nothing.
- What a first form says is only shown again. A second one wants a number to be typed that stands in the text of the page and
  in no field of it, another one each time. Whoever fills in a form without reading the page hits it once in ten thousand tries,
  and has few.
- Where the operator wants it, that number is not shown but sent to whom the link was sent: then a link that was handed on, with
  the mail it stands in, answers nothing.
- Both forms hold a ticket that is bound to a cookie of the browser that was shown them, so that no other page can send them.
"""
