"""Fit a cubic to the sine with Adam."""

import math

import torch
from torch import nn

x = torch.linspace(-math.pi, math.pi, 200)
y = torch.sin(x)
powers = torch.stack([x**k for k in range(4)], dim=-1)

model = nn.Linear(4, 1, bias=False)
nn.init.zeros_(model.weight)
optimizer = torch.optim.Adam(model.parameters(), lr=1e-2)
for step in range(300):
    prediction = model(powers).squeeze(-1)
    loss = nn.functional.mse_loss(prediction, y, reduction="sum")
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    if (step + 1) % 100 == 0:
        print(step + 1, f"{loss.item():.3f}")
print([round(c, 3) for c in model.weight.detach().flatten().tolist()])
