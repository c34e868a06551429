"""Rows in, rows out: what is durable, on SQLite.

May import nothing of Overwinter. No clock and no ids are made here; both come in with what is written. No business words
beyond the rows' own: a column called ``*_json`` is never looked into.

How a change flows. A caller hands the store one of ``changes``. The writer collects the changes of all callers that are
waiting and opens one transaction; ``batch`` reads the rows that they may touch into a ``view``; each change is judged
against the view and applied to it by a pure function (``sessions``, ``advancing``, ``pauses``, ``deliveries``); then the rows
that came of it are written with one statement a table, the transaction is committed, and each caller gets its own
result. Reads go by a connection of their own, and revivals that wait together are loaded together.

Bottom up, each line importing only from those above it:

    errors, values, rows, trigger_rows   the words
    costs, blocks                   what counts model calls; what lets a blocked session go on
    resolutions, changes            what may be written: of answers and votes, of all else
    alone                           work with a guard of its own
    snapshots                       what is read of a session at one time
    freezing, schema, trigger_schema     how rows are made; the tables
    audit, drafts                   the chain of entries; rows that may be assigned
    view                            the rows of one transaction, in memory
    precedence                      which deliveries wait for which
    waking, closing                 what becomes of a session, of a pause
    sessions                        the verbs on a whole session
    advancing, pauses, deliveries, unblocking   the other verbs
    judging                         a change meets its verb
    known                           rows that need not be read again
    engine                          what differs between databases, as Protocols
    statements                      the statements that write, and those that read for them
    counting                        model calls against budgets
    anchors, notes, asked           what channels have out there, what they have to tell, what they have asked
    quarantine                      what arrived and led nowhere
    trigger_statements, farewells, triggers, fires   what happens in the world, and who waits for it
    batch, queries, listing         one transaction over many changes; the reads
    batching                        many callers, one job
    writer, reader, wakeups         the three that work
    sqlite_errors                   SQLite's errors in our words
    migrations, sqlite              how a file gets its tables; all else that is SQLite's own
    store                           the whole of it
"""
