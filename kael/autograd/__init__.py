"""Define-by-run reverse-mode differentiation: nodes recorded while operations run, walked by dependency count."""

from kael.autograd.anomaly import detect_anomaly, is_anomaly_enabled, set_detect_anomaly
from kael.autograd.engine import backward, check_gradient, count_dependencies, grad, seed_gradient
from kael.autograd.function import Function
from kael.autograd.grad_mode import (
    EnableGradGuard,
    GradMode,
    NoGradGuard,
    enable_grad,
    inference_mode,
    is_grad_enabled,
    no_grad,
    set_grad_enabled,
    without_grad,
)
from kael.autograd.gradcheck import gradcheck
from kael.autograd.hooks import register_hook, register_post_accumulate_grad_hook, retain_grad
from kael.autograd.leaf import detach_, get_grad, requires_grad_, set_data, set_grad
from kael.autograd.meta import AutogradMeta, NodeInput
from kael.autograd.node import AccumulateGrad, FunctionNode, Node, gradient_edge
from kael.autograd.recording import SavedTensor, record, set_history, should_record

__all__ = [
    "AccumulateGrad", "AutogradMeta", "EnableGradGuard", "Function", "FunctionNode", "GradMode", "NoGradGuard",
    "Node", "NodeInput", "SavedTensor", "backward", "check_gradient", "count_dependencies", "detach_",
    "detect_anomaly", "enable_grad", "get_grad", "grad", "gradcheck", "gradient_edge", "inference_mode",
    "is_anomaly_enabled", "is_grad_enabled", "no_grad", "record", "register_hook",
    "register_post_accumulate_grad_hook", "requires_grad_", "retain_grad", "seed_gradient", "set_data",
    "set_detect_anomaly", "set_grad", "set_grad_enabled", "set_history", "should_record", "without_grad",
]  # fmt: skip
