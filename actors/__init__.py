"""The runtime: durable coroutines, sessions, pauses, leases, deliveries, deadlines, the supervisor.

May import ``store`` and nothing above it: a channel, a model, an agent are Protocols here (``ports``, ``program``).

How data flows: a message or an answer comes in (``sessions``, ``answering``) and is committed; the ``supervisor`` claims the
session and starts a pass (``session``); ``recall`` turns its ledger into what a ``driver`` replays; what is new is noted in a
``journal`` and committed; ``effects`` runs steps; ``delivering`` carries questions to channels.

From the bottom up:

    errors, events, clock, ids, jsontext      words, time, ids
    asks, messages, ports, roles              what crosses to people and models
    shapes, sameness, lossless, payloads      typed values as JSON and back
    joins, operations, branches, driver, run  durable coroutines
    program, opening, recall, draft           between coroutines and rows
    surroundings, journal, effects, session   one pass
    answering, sessions, delivering           the ways in and out
    supervisor_settings, supervisor
"""
