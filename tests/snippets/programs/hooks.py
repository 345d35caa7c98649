"""Watch and change gradients with hooks."""

import torch

seen = {}


def save(name):
    def hook(grad):
        seen[name] = grad.clone()

    return hook


x = torch.tensor([1.0, 2.0, 3.0], requires_grad=True)
h = x * 2
h.register_hook(save("h"))
y = h.pow(2)
y.register_hook(save("y"))
handle = x.register_hook(lambda grad: grad.clamp(max=20.0))
y.sum().backward()
print(seen["y"], seen["h"], x.grad)

handle.remove()
x.grad.zero_()
(x * 100).sum().backward()
print(x.grad)

w = torch.ones(2, requires_grad=True)
w.register_post_accumulate_grad_hook(lambda p: print("ready:", p.grad))
(w * torch.tensor([3.0, 4.0])).sum().backward()
