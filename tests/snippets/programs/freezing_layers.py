"""Train the head of a network and leave its body as it is."""

import torch
import torch.nn as nn

body = nn.Sequential(nn.Linear(3, 4), nn.ReLU())
head = nn.Linear(4, 2)
model = nn.Sequential(body, head)
with torch.no_grad():
    for n, p in enumerate(model.parameters()):
        p.copy_(torch.cos(torch.arange(float(p.numel())) * (n + 1)).reshape(p.shape))

for p in body.parameters():
    p.requires_grad = False
head.bias.requires_grad_(False)
print([(name, p.requires_grad) for name, p in model.named_parameters()])

frozen = [p.clone() for p in body.parameters()]
optimizer = torch.optim.AdamW(filter(lambda p: p.requires_grad, model.parameters()), lr=0.05)
x, target = torch.eye(3), torch.tensor([0, 1, 0])
loss_fn = nn.CrossEntropyLoss()
for _ in range(10):
    optimizer.zero_grad()
    loss = loss_fn(model(x), target)
    loss.backward()
    optimizer.step()
print(all(torch.equal(a, b) for a, b in zip(frozen, body.parameters())))
print([p.grad is None for p in model.parameters()])
print(f"{loss:.4f}")
print(head.weight)
