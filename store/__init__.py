"""Rows in, rows out: what is durable, on SQLite.

May import nothing of Overwinter. No clock and no ids are made here; both come in with what is written. No business words
beyond the rows' own: a column called ``*_json`` is never looked into.

How a change flows. A caller hands the store one of ``changes``. The writer collects the changes of all callers that are
waiting and opens one transaction; ``batch`` reads the rows that they may touch into a ``view``; each change is judged
against the view and applied to it by a pure function (``sessions``, ``advancing``, ``pauses``, ``deliveries``); then the rows
that came of it are written with one statement a table, the transaction is committed, and each caller gets its own
result. Reads go by a connection of their own, and revivals that wait together are loaded together.

Bottom up, each line importing from those above it:

    errors, rows                                                     the words
    changes, freezing, schema, audit                                 what may be written; the tables; the chain of entries
    drafts, view, waking, closing                                    rows in memory while a transaction works on them
    sessions, advancing, pauses, deliveries, judging                 the verbs: pure functions of a view and a change
    engine, statements, batch, queries                               SQL, the same for every database
    batching, writer, reader, wakeups                                many callers, few transactions
    migrations, sqlite, store                                        a database file, and the whole of it
"""
