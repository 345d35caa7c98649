"""Fit a line with a loop that does everything by hand."""

import torch

x = torch.linspace(-1, 1, 50).unsqueeze(1)
y = 3 * x + 0.5 + 0.1 * torch.sin(20 * x)

w = torch.zeros(1, 1, requires_grad=True)
b = torch.zeros(1, requires_grad=True)
for step in range(200):
    loss = ((x @ w + b - y) ** 2).mean()
    loss.backward()
    with torch.no_grad():
        w -= 0.2 * w.grad
        b -= 0.2 * b.grad
    w.grad = None
    b.grad = None
    if step % 50 == 0:
        print(f"step {step}: loss {loss.item():.5f}")
print(f"w {w.item():.3f}, b {b.item():.3f}")
