"""Checks in one process, the answer in another: what an answer does to its own process does nothing to its checks.

The worker of the safe runner imports pytest and the checks. Where a plan asks for it, the `answer` of a check is a
stand-in: every attribute, call and item is asked of a second process, which alone imports the answer. Between the two
go lines of JSON that name values by tags; nothing that comes from the answering process is ever run, unpickled or
imported, and a reply that is no such line fails its check.

``values``
    What crosses, and how things that can change are kept alike on both sides.
``entries``, ``arrays``
    The kinds of things that can change.
``library``, ``wire``
    What both sides know by name, and how text and bytes are written.
``proxies``
    What stands for an object that cannot cross.
``errors``
    How an exception crosses.
``peer``
    Asking and being asked.
``answering``
    The process that imports the answer.
``checking``
    The side of the checks: starts answering processes, ends them, and reports what became of them.
"""
