"""Databases that earlier versions wrote, each with a session asleep at an interesting point, gone on with by today's code.

``office`` is the app that was recorded and ``stories`` what happened before the recording and is to happen after it.
Neither is edited once recorded from, but for what they import: the code of a sleeping session does not change either. A new
point is a new story.

A folder holds what one version wrote: ``0.1/NAME.sql`` is a whole database as SQL text. It is made with that version's own
code, from a clean tree of it, and never made again::

    git archive COMMIT | tar -x -C /some/folder
    PYTHONPATH=/some/folder/.path .venv/bin/python -m tests.replay.record 0.1 [NAME ...]
"""
