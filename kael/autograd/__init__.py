"""Define-by-run reverse-mode differentiation: nodes recorded while operations run, walked by dependency count."""

from kael.autograd.engine import backward, check_gradient, count_dependencies, grad, seed_gradient
from kael.autograd.function import Function
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
from kael.autograd.gradcheck import gradcheck
from kael.autograd.hooks import register_hook, retain_grad
from kael.autograd.leaf import deepcopy, detach_, get_grad, reduce, requires_grad_, set_grad
from kael.autograd.meta import AutogradMeta
from kael.autograd.node import AccumulateGrad, FunctionNode, Node, NodeInput, gradient_edge
from kael.autograd.recording import SavedTensor, record, set_history, should_record

__all__ = [
    "AccumulateGrad",
    "AutogradMeta",
    "EnableGradGuard",
    "Function",
    "FunctionNode",
    "GradMode",
    "NoGradGuard",
    "Node",
    "NodeInput",
    "SavedTensor",
    "backward",
    "check_gradient",
    "count_dependencies",
    "deepcopy",
    "detach_",
    "enable_grad",
    "get_grad",
    "grad",
    "gradcheck",
    "gradient_edge",
    "is_grad_enabled",
    "no_grad",
    "record",
    "reduce",
    "register_hook",
    "requires_grad_",
    "retain_grad",
    "set_grad",
    "seed_gradient",
    "set_grad_enabled",
    "set_history",
    "should_record",
    "without_grad",
]
