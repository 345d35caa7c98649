"""Two spirals, told apart by a small network with cross entropy and SGD."""

import math
import random

import torch
import torch.nn as nn

rng = random.Random(0)


class MLP(nn.Module):
    def __init__(self, inputs, hidden, classes):
        super().__init__()
        self.layers = nn.Sequential(
            nn.Linear(inputs, hidden),
            nn.ReLU(),
            nn.Linear(hidden, hidden),
            nn.Tanh(),
            nn.Linear(hidden, classes),
        )

    def forward(self, x):
        return self.layers(x)


points, labels = [], []
for k in range(100):
    for label in (0, 1):
        radius, angle = k / 100, 3 * k / 100 + label * math.pi
        points.append([radius * math.cos(angle), radius * math.sin(angle)])
        labels.append(label)
X = torch.tensor(points)
y = torch.tensor(labels)

model = MLP(2, 16, 2)
with torch.no_grad():
    for p in model.parameters():
        p.copy_(torch.tensor([rng.gauss(0, 0.5) for _ in range(p.numel())]).view(p.shape))

criterion = nn.CrossEntropyLoss()
optimizer = torch.optim.SGD(model.parameters(), lr=0.05, momentum=0.9)
model.train()
for epoch in range(60):
    for start in range(0, len(X), 50):
        optimizer.zero_grad()
        loss = criterion(model(X[start : start + 50]), y[start : start + 50])
        loss.backward()
        optimizer.step()
    if epoch % 20 == 0:
        print(f"epoch {epoch}: {loss.item():.3f}")

model.eval()
with torch.no_grad():
    predicted = model(X).argmax(dim=1)
accuracy = (predicted == y).float().mean()
print(f"accuracy {accuracy:.2f}, parameters {sum(p.numel() for p in model.parameters())}")
print(model)
