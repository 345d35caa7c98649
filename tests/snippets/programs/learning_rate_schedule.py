"""Warm up and then follow a cosine, setting each group's rate by hand."""

import math

import torch

w = torch.tensor([5.0, -3.0], requires_grad=True)
slow = torch.tensor([2.0], requires_grad=True)
optimizer = torch.optim.SGD([{"params": [w]}, {"params": [slow], "lr": 0.01}], lr=0.1)


def rate(step, base, warmup=5, total=30):
    if step < warmup:
        return base * (step + 1) / warmup
    progress = (step - warmup) / (total - warmup)
    return base * 0.5 * (1 + math.cos(math.pi * progress))


for step in range(30):
    for group, base in zip(optimizer.param_groups, (0.1, 0.01)):
        group["lr"] = rate(step, base)
    loss = (w**2).sum() + (slow**2).sum()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    if step % 10 == 0:
        print(f"{step:2d} lr {optimizer.param_groups[0]['lr']:.4f} loss {loss.item():.4f}")
print(w.detach().numpy().round(4).tolist(), round(slow.item(), 4))
