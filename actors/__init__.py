"""The runtime: durable coroutines, sessions, pauses, leases, deliveries, deadlines, the supervisor.

May import ``store`` and nothing above it: a channel, a model, an agent are Protocols here (``ports``, ``program``).

How data flows: a message or an answer comes in (``sessions``, ``answering``) and is committed; the ``supervisor`` claims the
session and starts a pass (``session``); ``recall`` turns its ledger into what a ``driver`` replays; what is new is noted in a
``journal`` and committed; ``effects`` runs steps; ``delivering`` carries questions to channels.

From the bottom up:

    errors, events, clock, moments, ids, retries, jsontext   words, time, ids
    patterns                                  others' regular expressions on strangers' texts, in a bounded time
    marks, needles, traces, redaction,        sensitive values: where, how found in texts, how hidden, from whom
    stand_ins, privacy, ledger_secrets
    asks, messages, notes, outlines,          what crosses to people and models
    ports, roles, budgets
    patience                                  when people are reminded, and when others are asked
    shapes, sameness, lossless, payloads      typed values as JSON and back
    keys, joins, operations, failures         what durable code may await, and how it is decided and fails
    confinement, workspaces, file_changes, file_hints, file_rests   files, and what becomes of them
    schedules, trigger_kinds, fire_outcomes,   what sets sessions off, and when; what became of it
    farewells, message_patterns, triggers, rounds, webhooks
    nesting, handlers, branches, comparing,   durable coroutines
    settlements, waits, joining, driver, run
    program, opening, recall, tickets, hook_notices, hooks, draft  between coroutines and rows
    surroundings, journal, effects, tree,     one pass over a root and its children
    stepping, session
    reading, notices, answering, sessions, delivering, waiting, accepting, questions, spoken, actions, settling  the ways in and out
    carrying, supervisor_settings, supervisor
    attempts, looking                         how one call of a channel went; looking again and again
    reception, telling                        ways to a vendor, and what is told without being asked
    firing, watching                          fires what is due, and tells those who wait for it, or for files
"""
