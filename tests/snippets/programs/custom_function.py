"""A function with a gradient of its own: Legendre's third polynomial, and a straight-through rounding."""

import torch


class LegendrePolynomial3(torch.autograd.Function):
    @staticmethod
    def forward(ctx, input):
        ctx.save_for_backward(input)
        return 0.5 * (5 * input**3 - 3 * input)

    @staticmethod
    def backward(ctx, grad_output):
        (input,) = ctx.saved_tensors
        return grad_output * 1.5 * (5 * input**2 - 1)


class RoundSTE(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x, steps):
        ctx.steps = steps
        return torch.round(x * steps) / steps

    @staticmethod
    def backward(ctx, grad):
        return grad.clone(), None


x = torch.tensor([-0.5, 0.0, 0.25, 1.0], requires_grad=True)
y = LegendrePolynomial3.apply(x)
y.sum().backward()
print(y.detach(), x.grad)

z = torch.tensor([0.12, 0.57], requires_grad=True)
out = RoundSTE.apply(z, 10)
(out * torch.tensor([1.0, 2.0])).sum().backward()
print(out.tolist(), z.grad)

double = torch.tensor([0.3, -0.7], dtype=torch.double, requires_grad=True)
print(torch.autograd.gradcheck(LegendrePolynomial3.apply, (double,)))
