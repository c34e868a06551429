"""What authors write with: tools, agents, workflows, apps, models, and the test kit.

May import ``channels``, ``actors`` and ``store``; nothing here reads the environment or the clock.

How data flows: an ``app`` names agents, workflows and channels; ``runtime`` puts it together over a store; an agent's program
(``agents``) asks its model, and ``dispatch`` carries out each tool call: arguments (``tool_schemas``), gates and approvals
(``gating``), wait, body, result.

From the bottom up:

    errors, docstrings, compiled_patterns, tool_arguments,    a function's arguments
    tool_schemas
    policies, tools                                           gates; a function as a tool
    history, conversation                                     what a model is told
    chat_completions, openai_model, scripted_model            models
    budgets, privacy, revealing                               what models may cost, and what they are told
    soft_asking                                               asking a chat's owner without a question
    wording, gating, dispatch, agents, workflows              what runs
    answer_faults, interpreter_faults, gate_faults,           what an app says of its roles and gates, checked
    patience_faults
    toolsets, app, connecting, runtime, testing, examples     putting it together
"""
