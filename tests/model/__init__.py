"""All pause semantics against a model of them: hypothesis state machines over random trees of branches.

    trees      what a workflow does, as a value that hypothesis draws: questions, steps, sleeps, joins, children
    program    one workflow that does whatever tree it is given, over the product
    semantics  the model: what a tree comes to, read off the tree and the facts in the order in which they happened
    history    one session and everything the model believes of it; two things at once are kept in each order they may have had
    office     the database, the clock and the processes, shared by all histories of a module
    closing    what must hold of a session's rows at any moment
    player     does one thing to a session, tells the model, and looks whether both agree
    replay     the same history once more, without restarts
    machine    the rules: answers right and wrong, time, cancels, restarts
    deaths     rules of one process that dies in a step, and of two of which one is cut off
    histories  many runs of a machine, and what must occur in them

The same histories are played in every run, from seeds that are printed. Ask for others, or for more:
``pytest tests/model --model-seed 7 --model-examples 1000``.
"""
