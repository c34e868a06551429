"""The process in which policies in Rego are evaluated; it is run by its path, and knows nothing of the rest.

It reads one JSON object a line and answers each with one:

    {"sources": [[name, text], ...], "data": text}   ->  {"done": true}
    {"rule": path, "input": text}                    ->  {"found": value} or, for what is no JSON, {"odd": text}

and whatever goes wrong with ``{"fault": text}``. It ends when its input does.
"""

from __future__ import annotations

import json
import signal
import sys
from typing import Any


def _answer(engine: Any, asked: dict[str, Any]) -> tuple[Any, dict[str, Any]]:
    """The engine to go on with, and what is answered."""
    doing = ""
    try:
        if "sources" in asked:
            engine = _new_engine()
            doing = "it does not compile: "
            for name, text in asked["sources"]:
                engine.add_policy(name, text)
            doing = "its data cannot be used: "
            engine.add_data_json(asked["data"])
            return engine, {"done": True}
        engine.set_input_json(asked["input"])
        found = engine.eval_rule(asked["rule"])
    except Exception as error:
        return engine, {"fault": doing + str(error).partition("\n\nStack backtrace")[0].strip()}
    try:
        return engine, {"found": json.loads(json.dumps(found))}
    except (TypeError, ValueError):
        return engine, {"odd": repr(found)[:200]}


def _new_engine() -> Any:
    import regorus  # noqa: PLC0415  # pyright: ignore[reportMissingTypeStubs]  after the path is that of the parent

    return regorus.Engine()  # pyright: ignore[reportAttributeAccessIssue, reportUnknownMemberType, reportUnknownVariableType]


def main() -> None:
    sys.path[:] = json.loads(sys.argv[1])
    # A service that is told to stop still judges what it has begun; its end is the end of the input.
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    engine: Any = None
    for line in sys.stdin.buffer:
        engine, answer = _answer(engine, json.loads(line))
        sys.stdout.write(json.dumps(answer) + "\n")
        sys.stdout.flush()


if __name__ == "__main__":
    main()
