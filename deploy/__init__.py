"""What operators run: configuration, wiring, the service, the command line, the demonstration, the measurement.

May import ``bots``, ``channels``, ``actors`` and ``store``: it is the one place that reads the environment (``config``) and
builds the graph of objects (``wiring``).

How data flows: a command (``cli``) reads the configuration, loads the app it is told of (``loading``), has a runtime put
together over the database, and runs it (``service``), asks it for something, or reads what is there (``timeline``).

From the bottom up:

    loops, loop_watch                                  the event loop of what runs for long; what keeps it from going on
    errors, sections, mail_settings, slack_settings, settings, config_example,
    config_faults, config, logs                        what may be set, and reading it
    loading, paging, mailing, slacking, slack_needs, wiring, desk   from settings to objects
    service, timeline, following, interpreting, auditing, remedies   what commands do
    doctor, listening, domain_names, doctor_core, doctor_slack, doctor_mail                  looking whether everything is set up
    children, demo_worker, demo, demo_slack,
    bench_app, bench_load, bench_peer, bench_peers, bench       showing and measuring
    cli                                                commands, what they print, how they end
"""
