"""Four small batches make the step of one large one."""

import torch
from torch import nn

X = torch.cos(torch.arange(32.0)).reshape(8, 4)
Y = X.sum(dim=1, keepdim=True)


def make():
    model = nn.Sequential(nn.Linear(4, 3), nn.Sigmoid(), nn.Linear(3, 1))
    with torch.no_grad():
        for n, p in enumerate(model.parameters()):
            p.copy_(torch.sin(torch.arange(float(p.numel())) + n).view_as(p))
    return model, torch.optim.SGD(model.parameters(), lr=0.1)


def run(parts):
    model, optimizer = make()
    for _ in range(10):
        optimizer.zero_grad(set_to_none=True)
        for x, y in zip(X.chunk(parts), Y.chunk(parts)):
            loss = nn.functional.mse_loss(model(x), y) / parts
            loss.backward()
        optimizer.step()
    return torch.cat([p.detach().flatten() for p in model.parameters()])


whole, parts = run(1), run(4)
print(torch.allclose(whole, parts, atol=1e-5))
print(whole)
