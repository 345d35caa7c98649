"""A character-level bigram model: counts, a table of logits trained by gradient descent, and a sample."""

import torch
import torch.nn.functional as F

names = ["emma", "olivia", "ava", "isabella", "sophia", "charlotte", "mia", "amelia", "harper", "evelyn"]
chars = ["."] + sorted(set("".join(names)))
stoi = {c: i for i, c in enumerate(chars)}

xs, ys = [], []
for name in names:
    text = "." + name + "."
    for a, b in zip(text, text[1:]):
        xs.append(stoi[a])
        ys.append(stoi[b])
xs, ys = torch.tensor(xs), torch.tensor(ys)

N = torch.zeros((len(chars), len(chars)), dtype=torch.int32)
for a, b in zip(xs, ys):
    N[a, b] += 1
P = (N + 1).float()
P /= P.sum(1, keepdim=True)
print(f"by counting: {-P[xs, ys].log().mean():.4f}")

W = torch.zeros(len(chars), len(chars), requires_grad=True)
for k in range(100):
    logits = F.one_hot(xs, num_classes=len(chars)).float() @ W
    counts = logits.exp()
    probs = counts / counts.sum(1, keepdim=True)
    loss = -probs[torch.arange(len(xs)), ys].log().mean() + 0.01 * (W**2).mean()
    W.grad = None
    loss.backward()
    W.data += -10 * W.grad
print(f"by gradient: {loss.item():.4f}")
print(f"cross entropy: {F.cross_entropy(W[xs], ys):.4f}")

ix, word = 0, ""
for _ in range(8):
    ix = torch.softmax(W[ix], dim=0).argmax().item()
    word += chars[ix]
    if ix == 0:
        break
print(word)
