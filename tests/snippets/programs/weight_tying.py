"""An embedding and an output layer that share one matrix."""

import torch
import torch.nn as nn
import torch.nn.functional as F


class Tied(nn.Module):
    def __init__(self, vocabulary, width):
        super().__init__()
        self.embed = nn.Embedding(vocabulary, width)
        self.head = nn.Linear(width, vocabulary, bias=False)
        self.head.weight = self.embed.weight

    def forward(self, tokens):
        return self.head(self.embed(tokens).mean(dim=1))


model = Tied(5, 3)
with torch.no_grad():
    model.embed.weight.copy_(torch.sin(torch.arange(15.0)).view(5, 3))
print(len(list(model.parameters())), model.head.weight is model.embed.weight)

optimizer = torch.optim.SGD(model.parameters(), lr=0.5)
tokens = torch.tensor([[0, 1], [2, 3], [4, 4]])
targets = torch.tensor([1, 3, 0])
for _ in range(20):
    loss = F.cross_entropy(model(tokens), targets)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
print(f"{loss.item():.4f}", torch.equal(model.head.weight, model.embed.weight))
print(sorted(model.state_dict()))
