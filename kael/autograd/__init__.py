"""Define-by-run reverse-mode differentiation: nodes recorded while operations run, walked by dependency count."""

from kael.autograd.engine import backward, count_dependencies, grad
from kael.autograd.grad_mode import (
    EnableGradGuard,
    GradMode,
    NoGradGuard,
    enable_grad,
    is_grad_enabled,
    no_grad,
    set_grad_enabled,
    without_grad,
)
from kael.autograd.hooks import register_hook, retain_grad
from kael.autograd.leaf import deepcopy, detach_, get_grad, reduce, requires_grad_, set_grad
from kael.autograd.meta import AutogradMeta
from kael.autograd.node import AccumulateGrad, FunctionNode, Node, NodeInput, gradient_edge
from kael.autograd.printing import describe
from kael.autograd.recording import SavedTensor

__all__ = [
    "AccumulateGrad",
    "AutogradMeta",
    "EnableGradGuard",
    "FunctionNode",
    "GradMode",
    "NoGradGuard",
    "Node",
    "NodeInput",
    "SavedTensor",
    "backward",
    "count_dependencies",
    "deepcopy",
    "describe",
    "detach_",
    "enable_grad",
    "get_grad",
    "grad",
    "gradient_edge",
    "is_grad_enabled",
    "no_grad",
    "reduce",
    "register_hook",
    "requires_grad_",
    "retain_grad",
    "set_grad",
    "set_grad_enabled",
    "without_grad",
]
