"""Clip gradients by norm and by value."""

import torch
import torch.nn as nn
from torch.nn.utils import clip_grad_norm_

layer = nn.Linear(3, 2)
with torch.no_grad():
    layer.weight.copy_(torch.arange(6.0).reshape(2, 3))
    layer.bias.zero_()

x = torch.tensor([[1.0, -2.0, 3.0], [0.5, 0.5, 0.5]])
layer(x).pow(2).sum().backward()
before = torch.linalg.vector_norm(torch.cat([p.grad.flatten() for p in layer.parameters()]))
total = clip_grad_norm_(layer.parameters(), max_norm=1.0)
after = torch.sqrt(sum((p.grad**2).sum() for p in layer.parameters()))
print(f"{before:.3f} {total:.3f} {after:.3f}")

total = torch.nn.utils.clip_grad_norm_(layer.parameters(), 0.5, norm_type=float("inf"))
print(f"{total:.3f}", layer.weight.grad)

layer.zero_grad()
layer(x).sum().backward()
torch.nn.utils.clip_grad_value_(layer.parameters(), clip_value=1.25)
print(layer.weight.grad, layer.bias.grad)
print(clip_grad_norm_([], 1.0))
