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

For who writes checks
---------------------
A check needs no line for this, and runs the same in both ways, as long as it

* times with `kael.testing.speedup`, measures memory with `kael.testing.traced` and depth with
  `kael.testing.calls_waiting`, and rules functions out with `kael.exercises.forbidden`: what it patches or measures
  itself, it patches and measures in its own process. Two tables are carried over, ``FORWARD`` and ``RULES`` of the
  chapters;
* gives the answer data: numbers, text, tuples, lists, dictionaries, sets, arrays, Buffers, objects of the chapters,
  leaf tensors of kael, and functions or iterators to call back. A call costs about a tenth of a millisecond, and so
  does each call back;
* compares what comes back. An object of the answer's own class has attributes and methods here, equals itself alone and
  is neither true nor false;
* does not count on what a callback sees of more than 500 things that have crossed: their changes arrive when the call
  ends.

What it does not keep an answer from: forging the time and the memory that its process reports, and, where answers have
no account of their own on the machine, getting round the fence to files that the grader's account may read.
"""
