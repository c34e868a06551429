"""Overwinter: durable bots that ask people.

The folders of this repository are installed as the subpackages ``overwinter.store``, ``overwinter.actors``,
``overwinter.channels``, ``overwinter.bots`` and ``overwinter.deploy``. Imports go one way only::

    deploy -> bots -> channels -> actors -> store
"""
