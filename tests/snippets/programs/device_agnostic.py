"""Code that asks for a graphics card and does without."""

import torch
from torch import nn

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
model = nn.Linear(2, 2).to(device)
with torch.no_grad():
    model.weight.copy_(torch.eye(2, device=device))
    model.bias.zero_()
x = torch.ones(3, 2, device=device)
y = model(x).to("cpu")
print(device, y.detach(), x.device.type)
print(torch.zeros(2, dtype=torch.long), torch.tensor([1, 2]).to(torch.float).dtype == torch.float32)
