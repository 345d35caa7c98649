"""Traces: records of a backward pass, and the views that show them.

``recording.record`` (that is ``kael.record``) watches kael's engine and ``command.run`` a whole script; the other
modules are plain Python on the standard library and each other, so that a page can run them.
"""
