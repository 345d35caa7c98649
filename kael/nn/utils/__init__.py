"""What training loops do to all parameters at once."""

from kael.absent import absent
from kael.nn.utils.clipping import clip_grad_norm_, clip_grad_value_, clip_grads_with_norm_, get_total_norm
from kael.nn.utils.vectors import parameters_to_vector, vector_to_parameters

__all__ = [
    "clip_grad_norm_",
    "clip_grad_value_",
    "clip_grads_with_norm_",
    "get_total_norm",
    "parameters_to_vector",
    "vector_to_parameters",
]

__getattr__ = absent("kael.nn.utils")
