"""A small, strict Slack on loopback, for tests: the real slack-sdk and slack-bolt run over it unmodified.

It holds to what Slack's documentation says; each limit and refusal links to where it is said. Where the documentation is
silent it takes the stricter reading, so that what passes here passes there. ``slack_server.py`` beside this folder is the
way in; here, from the bottom up:

    shapes, refusals, tasks          what everything is made of
    people, messages, blocks         what Slack keeps
    checks                           what it asks of messages and views
    workspace, events                the keeping, and what is told about it
    rates, faults, signatures        limits, scripted misfortunes, signed requests
    deliveries, sockets, endpoints   how the app is told: retries over Socket Mode or over HTTP
    views, entries, interactions     modals, what is entered, clicks and submissions
    responses                        response URLs
    crowd                            people, by what they do
    methods and ``*_methods``        the Web API, one file for each family
    web_api                          the Web API over HTTP
    screen                           what a person sees

``bolted.py`` is a small Bolt app for the tests beside these files, ``peers.py`` gives the fake and the emulator in
``emulator/`` one handle for the suite that runs over both, ``tests/contract/test_slack_contract.py``.
"""
