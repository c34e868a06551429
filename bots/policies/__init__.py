"""Gates: what happens to a tool call before it runs.

A gate is given a call and says one of four things:

    verdict     the call                                            several gates
    ----------- --------------------------------------------------- ------------------------------------------------
    Allow       may run, as far as this gate is concerned           runs only if no gate says anything else
    Schedule    runs later, outside the step (``actors/actions``)   the latest time counts; kinds must agree
    Ask         runs only if a person of the gate's role approves   each role that is asked must approve
    Deny        never runs; the model reads why                     absolute

So the most restrictive verdict wins: one ``Deny`` denies; else people are asked; else the call is put off; else it runs. A call
may have to be approved and be put off: then it is approved first. ``@tool(asks=role)`` is a gate that always asks.

Whatever goes wrong with a gate (it raises, takes too long, says nothing or something else) counts as ``Ask``, with what went
wrong as the reason: a person decides then. A gate with ``shadow=True`` is judged and logged, and changes nothing.

Verdicts are a step: they are recorded with the digest of the call that was judged, and a replay does not judge again. Arguments
that a person has edited are judged anew, as edited; the person who edited them is not asked about them again.

    verdicts   what a gate is given and says
    beside     plain functions that may take their time
    gates      the port of a gate; those that always ask, and those that are Python
    rego_child, rego_process   a process for a policy in Rego
    rego       those that are such policies
    judge      those that ask a model whether a person must be asked
    judging    the verdicts of several gates on one call, what they come to, and as what they are recorded
"""
