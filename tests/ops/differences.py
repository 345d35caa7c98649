"""What kael does otherwise than PyTorch on purpose: programs with both outcomes, tested and printed by the book."""

from __future__ import annotations

import warnings
from typing import Any, NamedTuple


class Difference(NamedTuple):
    """One program and what becomes of it; `k` in it is the library, its last line the value that is shown."""

    about: str
    program: str
    torch: str
    kael: str
    why: str

    def shown(self, library: Any) -> str:
        """The value of the last line, or the error that the program ends with."""
        names = {"k": library}
        *body, last = self.program.split("\n")
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            try:
                exec("\n".join(body), names)
                return repr(eval(last, names))
            except Exception as error:
                return f"{type(error).__name__}: {error}"


DIFFERENCES = (
    Difference(
        "a used graph is gone also where nothing was saved",
        "x = k.ones(2, requires_grad=True)\nc = x + 1\nc.sum().backward()\nc.mean().backward()\nx.grad.tolist()",
        "[1.5, 1.5]",
        "RuntimeError: Trying to backward through the graph a second time (AddBackward has released its saved "
        "tensors); specify retain_graph=True. kael frees a graph when backward has used it, also where nothing was "
        "saved; pass retain_graph=True to the first call, or add the losses",
        "one rule for all operations: what a node happens to save is no part of what you may do",
    ),
    Difference(
        "in-place operations do not rewrite history",
        "x = k.ones(2, requires_grad=True)\ny = x * 2\ny.add_(1)\ny.sum().backward()\nx.grad.tolist()",
        "[2.0, 2.0]",
        "RuntimeError: add_ is not supported on a tensor with gradient history; use the out-of-place op",
        "a recorded node never changes",
    ),
    Difference(
        "nor does an assignment to an item",
        "x = k.ones(2, requires_grad=True)\ny = x * 2\ny[0] = 7.0\ny.sum().backward()\nx.grad.tolist()",
        "[0.0, 2.0]",
        "RuntimeError: __setitem__ is not supported on a tensor with gradient history; use the out-of-place op",
        "a recorded node never changes",
    ),
    Difference(
        "a graph refuses a leaf that was given data of another shape since",
        "x = k.ones(3, requires_grad=True)\ny = (x * x).sum()\nx.data = k.ones(1)\ny.backward()\nx.grad.tolist()",
        "[2.0, 2.0, 2.0]",
        "RuntimeError: backward: a leaf was read as float32 of shape (3,) and given data that are float32 of shape "
        "(1,) since; run the forward pass again",
        "the gradient would be of a tensor that is gone, in a shape that `x` has not",
    ),
    Difference(
        "and adds no gradient to one from before of another shape",
        "x = k.ones(3, requires_grad=True)\n(x * 2).sum().backward()\nx.data = k.ones(1)\n(x * 2).sum().backward()\n"
        "x.grad.tolist()",
        "[4.0, 4.0, 4.0]",
        "RuntimeError: backward: a leaf is float32 of shape (1,) and its grad is from before, float32 of shape (3,); "
        "set .grad to None after setting .data",
        "broadcasting would count one gradient three times",
    ),
    Difference(
        "there is no out=",
        "x = k.ones(2)\nk.add(x, x, out=x)",
        "tensor([2., 2.])",
        "TypeError: add() got an unexpected keyword argument 'out'",
        "a function returns a fresh tensor; to write into one that is there, `x.add_(x)` and `y.copy_(x + x)` say so",
    ),
    Difference(
        "the operator // has a gradient, 0",
        "x = k.ones(1, requires_grad=True)\n(x // 2).sum().backward()\nx.grad",
        "RuntimeError: derivative for aten::floor_divide is not implemented",
        "tensor([0.])",
        "it is `div(..., rounding_mode='floor')`, for which PyTorch has this gradient too",
    ),
    Difference(
        "a source that requires grad is not written into a tensor without history",
        "w = k.ones(1, requires_grad=True)\nc = k.zeros(2)\nc[0:1] = w * 2\nc.sum().backward()\nw.grad.tolist()",
        "[2.0]",
        "RuntimeError: __setitem__ is not supported with a source that requires grad",
        "the written tensor would get a history after the fact; `cat`, `stack` and `where` build it from the start",
    ),
    Difference(
        "a view of a leaf is refused as what it is, a tensor with history",
        "x = k.ones(2, requires_grad=True)\nx[0:1].add_(1)",
        "RuntimeError: a view of a leaf Variable that requires grad is being used in an in-place operation.",
        "RuntimeError: add_ is not supported on a tensor with gradient history; use the out-of-place op",
        "both refuse; kael has three texts for three rules and needs no fourth",
    ),
    Difference(
        "the text for a leaf names the operation",
        "x = k.ones(2, requires_grad=True)\nx.add_(1)",
        "RuntimeError: a leaf Variable that requires grad is being used in an in-place operation.",
        "RuntimeError: a leaf tensor that requires grad is being used in the in-place operation add_",
        "`x += 1` reports `add_`, so the line is found",
    ),
    Difference(
        "writes through data are counted",
        "x = k.ones(2, requires_grad=True)\ny = (x * x).sum()\nx.data.zero_()\ny.backward()\nx.grad.tolist()",
        "[0.0, 0.0]",
        "RuntimeError: one of the variables needed for gradient computation has been modified by an inplace operation: "
        "expected version 0, got 1",
        "a gradient of a function that nobody ran is worse than an error",
    ),
    Difference(
        "a second gradient goes into a fresh buffer",
        "x = k.ones(1, requires_grad=True)\n(x * 2).backward()\nfirst = x.grad\n(x * 3).backward()\n"
        "first.tolist(), x.grad.tolist()",
        "([5.0], [5.0])",
        "([2.0], [5.0])",
        "whoever kept the first gradient keeps its value",
    ),
    Difference(
        "first-order gradients only",
        "x = k.ones(1, requires_grad=True)\n(x * x).backward(create_graph=True)\nx.grad.requires_grad",
        "True",
        "NotImplementedError: create_graph=True: kael computes first-order gradients only; the backward pass records "
        "nothing (decision 0005, define-by-run autograd graph)",
        "[](decisions/0005-define-by-run-autograd-graph.md) weighs it",
    ),
    Difference(
        "integers that require grad: the text names the dtype",
        "k.tensor([1], requires_grad=True)",
        "RuntimeError: Only Tensors of floating point and complex dtype can require gradients",
        "RuntimeError: only floating point tensors can require gradients, got dtype int64",
        "there are no complex tensors, and the dtype is what you have to change",
    ),
    Difference(
        "sizes that do not fit are named",
        "k.ones(2, 3) @ k.ones(2, 3)",
        "RuntimeError: mat1 and mat2 shapes cannot be multiplied (2x3 and 2x3)",
        "RuntimeError: mat1 and mat2 shapes cannot be multiplied (2x3 and 2x3): inner sizes 3 and 2 differ",
        "the two numbers to compare stand in the text",
    ),
    Difference(
        "of several values written to one place the last one gets the gradient",
        "x = k.zeros(1)\ny = k.ones(2, requires_grad=True)\nx.scatter(0, k.tensor([0, 0]), y).sum().backward()\n"
        "y.grad.tolist()",
        "[1.0, 1.0]",
        "[0.0, 1.0]",
        "the other value is nowhere in the result",
    ),
    Difference(
        "a source longer than its index is differentiated",
        "x = k.zeros(2)\ny = k.ones(3, requires_grad=True)\nx.scatter_add(0, k.tensor([0, 1]), y).sum().backward()\n"
        "y.grad.tolist()",
        "RuntimeError: Function ScatterAddBackward0 returned an invalid gradient at index 1 - got [2] but expected "
        "shape compatible with [3]",
        "[1.0, 1.0, 0.0]",
        "what was not read has gradient 0",
    ),
    Difference(
        "a nested list is one index, as in NumPy",
        "k.arange(6).reshape(2, 3)[[[0, 1], [1, 0]]].shape == (2, 2, 3)",
        "False",
        "True",
        "PyTorch reads a list of lists as a tuple of lists, as NumPy did long ago; write a tuple to mean one",
    ),
    Difference(
        "an index of uint8 is refused",
        "k.arange(3)[k.tensor([1, 0, 1], dtype=k.uint8)].tolist()",
        "[0, 2]",
        "IndexError: an index of uint8 is a mask in PyTorch and a list of places in NumPy; cast it to bool or int64 to "
        "say which",
        "PyTorch warns that it takes it for a mask",
    ),
    Difference(
        "a place out of bounds is refused also where nothing is selected",
        "k.zeros(3, 0)[[5]].tolist()",
        "[[]]",
        "IndexError: index 5 is out of bounds for dimension 0 with size 3",
        "whether an index is right does not depend on the other sizes",
    ),
    Difference(
        "lists are written to items",
        "x = k.zeros(3)\nx[1:] = [1, 2]\nx.tolist()",
        "TypeError: can't assign a list to a torch.FloatTensor",
        "[0.0, 1.0, 2.0]",
        "as in NumPy",
    ),
    Difference(
        "nodes have kael's names",
        "k.ones(1, requires_grad=True) * 2",
        "tensor([2.], grad_fn=<MulBackward0>)",
        "tensor([2.], grad_fn=<MulBackward>)",
        "a node is named for its operation; there is no numbering of variants",
    ),
    Difference(
        "dtypes have kael's names, short ones in messages",
        "k.ones(2).dtype",
        "torch.float32",
        "kael.float32",
        "what is printed can be typed back",
    ),
    Difference(
        "sizes are tuples",
        "k.ones(2, 3).shape",
        "torch.Size([2, 3])",
        "(2, 3)",
        "NumPy and Python code can use them as they are",
    ),
    Difference(
        "the count of nonzero elements has a gradient, 0",
        "x = k.tensor([1.0, 2.0], requires_grad=True)\nx.norm(0).backward()\nx.grad.tolist()",
        "AttributeError: 'NoneType' object has no attribute 'tolist'",
        "[0.0, 0.0]",
        "a tensor with history passes a gradient to its leaves, as `floor` and `sign` do",
    ),
    Difference(
        "what `unique` and `bincount` count has no history",
        "x = k.tensor([2.0, 1.0], requires_grad=True)\nx.unique().requires_grad",
        "True",
        "False",
        "there is no gradient to pass on; PyTorch finds that out in the backward pass",
    ),
    Difference(
        "what is drawn has no history",
        "p = k.full((2,), 1.0, requires_grad=True)\nk.bernoulli(p).requires_grad",
        "True",
        "False",
        "PyTorch sends back zeros, which hides that nothing can be learned through a draw",
    ),
    Difference(
        "the mean of nothing but nan has the gradient 0",
        "x = k.tensor([float('nan')], requires_grad=True)\nx.nanmean().backward()\nx.grad.tolist()",
        "[nan]",
        "[0.0]",
        "no element was counted, so none has a share; PyTorch multiplies this 0 by the inf of 1 / 0",
    ),
    Difference(
        "`aminmax` sends the gradient to a nan that won",
        "x = k.tensor([float('nan'), 1.0], requires_grad=True)\nk.aminmax(x).max.backward()\nx.grad.tolist()",
        "[nan, nan]",
        "[1.0, 0.0]",
        "as `amax` and `max` do in both libraries",
    ),
    Difference(
        "the gradient of a running product does not divide",
        "x = k.tensor([float('nan'), 0.0, 1.0], requires_grad=True)\nx.cumprod(0)[2].backward()\nx.grad.tolist()",
        "[nan, nan, 0.0]",
        "[0.0, nan, nan]",
        "a product of the other factors is nan only where one of them is",
    ),
    Difference(
        "the slope of softsign at infinity is its limit",
        "x = k.tensor([float('inf')], requires_grad=True)\nk.nn.functional.softsign(x).backward()\nx.grad.tolist()",
        "[nan]",
        "[0.0]",
        "one kernel computes 1 / (1 + |x|)**2; PyTorch records a quotient, whose gradient is inf / inf",
    ),
    Difference(
        "hardsigmoid's slope has all digits in float64",
        "x = k.zeros(1, dtype=k.float64, requires_grad=True)\nk.nn.functional.hardsigmoid(x).backward()\n"
        "x.grad.item() == 1 / 6",
        "False",
        "True",
        "PyTorch rounds 1/6 to float32, and in the gradient of celu 1/alpha",
    ),
    Difference(
        "celu wants a positive alpha",
        "k.nn.functional.celu(k.tensor([-1.0]), -1.0)",
        "tensor([-1.7183])",
        "RuntimeError: celu: alpha is -1.0; it must be positive, for e**(x/alpha) would grow below 0",
        "its kernel is right where it cannot overflow, and no network wants the other half",
    ),
    Difference(
        "a loss of two dtypes has a gradient",
        "x = k.ones(1, requires_grad=True)\nk.nn.functional.huber_loss(x, k.zeros(1, dtype=k.float64)).backward()\n"
        "x.grad.tolist()",
        "RuntimeError: Found dtype Double but expected Float",
        "[1.0]",
        "the operands are promoted first, as everywhere, and a cast has a gradient",
    ),
    Difference(
        "a loss keeps a copy of the right classes",
        "x = k.zeros(1, 2, requires_grad=True)\nt = k.tensor([1])\nloss = k.nn.functional.cross_entropy(x, t)\n"
        "t[0] = 0\nloss.backward()\nx.grad.tolist()",
        "RuntimeError: one of the variables needed for gradient computation has been modified by an inplace operation: "
        "[torch.LongTensor [1]] is at version 1; expected version 0 instead. Hint: enable anomaly detection to find "
        "the operation that failed to compute its gradient, with torch.autograd.set_detect_anomaly(True, "
        "check_nan=False).",
        "[[0.5, -0.5]]",
        "ignored rows are marked in the copy; a batch's buffer of targets may be filled again before the backward pass",
    ),
    Difference(
        "requires_grad = True on a tensor with history is no error",
        "y = k.ones(2, requires_grad=True) * 2\ny.requires_grad = True\ny.requires_grad",
        "RuntimeError: you can only change requires_grad flags of leaf variables.",
        "True",
        "it asks for what is so already; `requires_grad_()` is no error in PyTorch either",
    ),
    Difference(
        "backward of no tensors at all is refused",
        "k.autograd.backward([])",
        "None",
        "RuntimeError: backward: there are no tensors to differentiate; pass at least one",
        "an empty list of losses is a mistake somewhere above",
    ),
    Difference(
        "a gradient of a shape that could be summed to fit is refused",
        "class F(k.autograd.Function):\n    @staticmethod\n    def forward(ctx, x):\n        return x * 2\n\n"
        "    @staticmethod\n    def backward(ctx, g):\n        return g.expand(3, 2)\n\n\n"
        "x = k.ones(1, 2, requires_grad=True)\nF.apply(x).sum().backward()\nx.grad.tolist()",
        "[[3.0, 3.0]]",
        "RuntimeError: Function FBackward returned an invalid gradient at index 0 - got (3, 2) but expected shape "
        "compatible with (1, 2)",
        "a function that broadcast in its forward pass says in its backward pass over what it sums",
    ),
    Difference(
        "a gradient of another dtype is refused, not cast",
        "class F(k.autograd.Function):\n    @staticmethod\n    def forward(ctx, x):\n        return x * 2\n\n"
        "    @staticmethod\n    def backward(ctx, g):\n        return g.float()\n\n\n"
        "x = k.ones(1, dtype=k.float64, requires_grad=True)\nF.apply(x).sum().backward()\nx.grad.dtype == k.float64",
        "True",
        "RuntimeError: Function FBackward returned an invalid gradient at index 0 - got dtype float32 but expected "
        "float64",
        "digits that went on the way do not come back by a cast",
    ),
    Difference(
        "what inference_mode made can be used in a recorded computation",
        "x = k.ones(1, requires_grad=True)\nwith k.inference_mode():\n    y = x * 3\n(x * y).backward()\n"
        "x.grad.tolist()",
        "RuntimeError: Inference tensors cannot be saved for backward. Please do not use Tensors created in inference "
        "mode in computation tracked by autograd. To work around this, you can make a clone to get a normal tensor and "
        "use it in autograd, or use `torch.no_grad()` instead of `torch.inference_mode()`.",
        "[3.0]",
        "kael's `inference_mode` is `no_grad`: there is no second kind of tensor",
    ),
    Difference(
        "tensors that share memory share it also after a pickle",
        "import pickle\nx = k.zeros(4)\na, b = pickle.loads(pickle.dumps([x, x[1:3]]))\na[1] = 5.0\nb.tolist()",
        "[0.0, 0.0]",
        "[5.0, 0.0]",
        "so it is after a deep copy in both libraries",
    ),
    Difference(
        "a node's name is no method",
        "callable((k.ones(1, requires_grad=True) * 2).grad_fn.name)",
        "True",
        "False",
        "it is a fact, as `requires_grad` is",
    ),
    Difference(
        "a tensor takes no attributes of its own",
        "x = k.ones(2)\ntry:\n    x.label = 3\nexcept AttributeError:\n    pass\nhasattr(x, 'label')",
        "True",
        "False",
        "a misspelt `x.gard = None` raises; keep notes in a dictionary by tensor",
    ),
    Difference(
        "pixels of uint8 are not mixed",
        "k.nn.functional.interpolate(k.zeros(1, 1, 2, 2, dtype=k.uint8), 3, mode='bilinear').dtype",
        "torch.uint8",
        'NotImplementedError: "interpolate" not implemented for uint8; cast it to floating point first',
        "a mixture is no whole number; how it is rounded is for the caller to say",
    ),
    Difference(
        "dtypes that PyTorch has no loop for",
        "k.tensor([True, False]).floor().tolist()",
        "NotImplementedError: \"floor_vml_cpu\" not implemented for 'Bool'",
        "[True, False]",
        "the value is known: a whole number is its own floor",
    ),
    Difference(
        "a write may read the memory that it writes",
        "x = k.tensor([[1.0, 2.0], [3.0, 4.0]])\nx.mul_(x[0])\nx.tolist()",
        "RuntimeError: unsupported operation: some elements of the input tensor and the written-to tensor refer to a "
        "single memory location. Please clone() the tensor before performing the operation.",
        "[[1.0, 4.0], [3.0, 8.0]]",
        "the operands are read as they were before the write",
    ),
    Difference(
        "parts of a split are views like others",
        "x = k.ones(4, requires_grad=True)\ny = x.split(2)[0]\nwith k.no_grad():\n    x.mul_(3)\n"
        "y.sum().backward()\nx.grad.tolist()",
        "RuntimeError: Output 0 of Split is a view and its base or another view of its base has been modified "
        "inplace. This view is the output of a function that returns multiple views. Such functions do not allow the "
        "output views to be modified inplace. You should replace the inplace operation by an out-of-place one.",
        "[1.0, 1.0, 0.0, 0.0]",
        "the sum saves nothing, so nothing that it needs has changed",
    ),
    Difference(
        "einsum does not mix dtypes",
        "k.einsum('i,j->ij', k.ones(2), k.ones(1, dtype=k.float64)).tolist()",
        "[[1.0], [1.0]]",
        "RuntimeError: expected scalar type float32 but found float64",
        "`matmul` refuses as well, in both libraries; PyTorch's einsum does or does not, by the path that it takes",
    ),
    Difference(
        "what is checked does not depend on how many elements there are",
        "k.softmax(k.zeros(0, 3, dtype=k.int64), 0).shape == (0, 3)",
        "True",
        "NotImplementedError: softmax: not implemented for 'int64'; cast it to a floating point dtype first",
        "a program that works on an empty batch works on a full one",
    ),
    Difference(
        "an expanded tensor is not written through a mask",
        "x = k.ones(2).expand(2, 2)\nx[x > 0] = 0.0\nx.tolist()",
        "[[0.0, 0.0], [0.0, 0.0]]",
        "RuntimeError: unsupported operation: more than one element of the written-to tensor refers to a single memory "
        "location. Please clone() the tensor before performing the operation __setitem__.",
        "each of its elements stands for several, and a mask may choose one of them and not the other",
    ),
    Difference(
        "what no gradient reads is not saved",
        "x = k.ones(2, requires_grad=True)\ny = k.div(x, x, rounding_mode='trunc')\nwith k.no_grad():\n"
        "    z = x.mul_(2)\ny.sum().backward()\nx.grad.tolist()",
        "RuntimeError: one of the variables needed for gradient computation has been modified by an inplace operation: "
        "[torch.FloatTensor [2]] is at version 1; expected version 0 instead. Hint: enable anomaly detection to find "
        "the operation that failed to compute its gradient, with torch.autograd.set_detect_anomaly(True, "
        "check_nan=False).",
        "[0.0, 0.0]",
        "the gradient of a quotient rounded to a whole number is 0, whatever the operands hold now",
    ),
    Difference(
        "cross_entropy keeps its logits",
        "x = k.ones(1, 2, requires_grad=True)\nloss = k.nn.functional.cross_entropy(x, k.tensor([1]))\n"
        "with k.no_grad():\n    z = x.zero_()\nloss.backward()\nx.grad.tolist()",
        "[[0.5, -0.5]]",
        "RuntimeError: one of the variables needed for gradient computation has been modified by an inplace operation: "
        "expected version 0, got 1",
        "one pass over the logits gives the loss, another the gradient: their logarithms are never stored",
    ),
    Difference(
        "embedding does not shorten the rows it reads",
        "k.nn.functional.embedding(k.tensor([0]), k.ones(1, 4), max_norm=4.0).tolist()",
        "[[1.0, 1.0, 1.0, 1.0]]",
        "NotImplementedError: embedding: max_norm=4.0 is not in kael; leave it out",
        "it writes to the table while it is read; clip the rows after the optimizer's step instead",
    ),
    Difference(
        "elu, celu, selu and hardswish have the slope nan at nan",
        "x = k.full((101,), float('nan'), requires_grad=True)\nk.nn.functional.elu(x).sum().backward()\n"
        "sorted({str(g) for g in x.grad.tolist()})",
        "['1.0', 'nan']",
        "['nan']",
        "in PyTorch the slope is nan in whole vectors and 1 in what is left over; a gradient depends on no place",
    ),
    Difference(
        "equal huge elements share the gradient of logsumexp",
        "x = k.full((4,), 1e9, requires_grad=True)\nk.logsumexp(x, 0).backward()\nx.grad.tolist()",
        "[1.0, 1.0, 1.0, 1.0]",
        "[0.25, 0.25, 0.25, 0.25]",
        "beside 1e9 a float32 has no digits left for log 4, so e**(x - y) is 1 for each; kael divides by their sum",
    ),
    Difference(
        "attention does not repeat heads by itself",
        "q, x = k.ones(1, 2, 1, 1), k.ones(1, 1, 1, 1)\n"
        "k.nn.functional.scaled_dot_product_attention(q, x, x, enable_gqa=True).tolist()",
        "[[[[1.0]], [[1.0]]]]",
        "NotImplementedError: scaled_dot_product_attention: enable_gqa is not in kael; repeat the heads of key and "
        "value with repeat_interleave",
        "the call that repeats them says which head serves which",
    ),
    Difference(
        "there is no sum of products of bool",
        "k.einsum('i,j->ij', k.tensor([True]), k.tensor([True])).tolist()",
        "[[True]]",
        'NotImplementedError: "bmm" not implemented for bool; cast the operands to a type of numbers first',
        "`matmul` and `dot` refuse as well, in both libraries",
    ),
    Difference(
        "a pass towards given inputs fills no other tensor",
        "x = k.ones(2, requires_grad=True)\ny = x * 2\ny.retain_grad()\nk.autograd.grad((y * 3).sum(), x)\n"
        "y.grad is None",
        "False",
        "True",
        "`grad` returns gradients and stores none; `backward(inputs=...)` fills what it was given, so pass y as well",
    ),
    Difference(
        "detach_ takes the kept gradient with the history",
        "x = k.ones(2, requires_grad=True)\ny = x * 2\ny.retain_grad()\nz = (y * 3).sum()\ny.detach_()\n"
        "z.backward()\ny.grad is None",
        "False",
        "True",
        "the node keeps the gradient, and a tensor that was cut off has no node; `detach` leaves y as it is",
    ),
    Difference(
        "a gradient that you set is replaced, not added to in place",
        "x = k.ones(2, requires_grad=True)\ng = k.ones(2)\nx.grad = g\n(x * 2).sum().backward()\n"
        "g.tolist(), x.grad.tolist()",
        "([3.0, 3.0], [3.0, 3.0])",
        "([1.0, 1.0], [3.0, 3.0])",
        "what you hold is yours; a buffer for all gradients is filled by `buffer.copy_(x.grad)` after the pass",
    ),
    Difference(
        "a tensor with history has no copy and no pickle",
        "import copy\ny = k.ones(2, requires_grad=True) * 2\nc = copy.copy(y)\nc.is_leaf, c.requires_grad",
        "(True, True)",
        "RuntimeError: copy and pickle: only leaf tensors are copied; call detach() first",
        "the copy would require grad and yet lead nowhere; a deep copy is refused by both libraries",
    ),
    Difference(
        "what was recorded before `x.data = ...` has the gradient of what ran",
        "x = k.ones(2, requires_grad=True)\ny = (x * x).sum()\nx.data = k.tensor([5.0, 5.0])\ny.backward()\n"
        "x.grad.tolist()",
        "[10.0, 10.0]",
        "[2.0, 2.0]",
        "the operation saved the memory that it read; the tensor looks at other memory now",
    ),
    Difference(
        "a shallow copy counts writes together with its original",
        "import copy\nx = k.ones(2)\nc = copy.copy(x)\nc.add_(1)\nx._version == c._version",
        "False",
        "True",
        "they share the memory, so a write through one of them is found by a graph that saved the other",
    ),
    Difference(
        "the count of writes begins at 0 in a deep copy",
        "import copy\ncopy.deepcopy(k.ones(2))._version",
        "1",
        "0",
        "nobody has written to the new memory since it can be seen; PyTorch counts the copying",
    ),
    Difference(
        "a view taken before requires_grad_ stays without history",
        "x = k.ones(2)\ny = x.view(2)\nx.requires_grad_()\ny.requires_grad",
        "True",
        "False",
        "what was computed before x took part is not part of the graph; take the view afterwards",
    ),
    Difference(
        "a view taken under no_grad is refused as the leaf that it shows",
        "x = k.ones(2, requires_grad=True)\nwith k.no_grad():\n    y = x[0:1]\ny.add_(1)",
        "RuntimeError: A view was created in no_grad mode and is being modified inplace with grad mode enabled. Given "
        "that this use case is ambiguous and error-prone, it is forbidden. You can clarify your code by moving both "
        "the view and the inplace either both inside the no_grad block (if you don't want the inplace to be tracked) "
        "or both outside (if you want the inplace to be tracked).",
        "RuntimeError: a leaf tensor that requires grad is being used in the in-place operation add_",
        "both refuse; write under `no_grad` as well",
    ),
    Difference(
        "enable_grad records also inside inference_mode",
        "x = k.ones(1, requires_grad=True)\nwith k.inference_mode(), k.enable_grad():\n    y = x * 2\ny.requires_grad",
        "False",
        "True",
        "the inner block decides; kael's `inference_mode` is `no_grad`",
    ),
    Difference(
        "one no_grad object can be entered twice",
        "block = k.no_grad()\nwith block, block:\n    pass\non = k.is_grad_enabled()\nk.set_grad_enabled(True)\non",
        "False",
        "True",
        "each exit goes back to what its own entry found; PyTorch's object remembers one entry",
    ),
    Difference(
        "a hook may write into the gradient that it gets",
        "x = k.ones(2, requires_grad=True)\nx.register_hook(lambda g: g.mul_(5))\nx.sum().backward()\nx.grad.tolist()",
        "RuntimeError: unsupported operation: more than one element of the written-to tensor refers to a single memory "
        "location. Please clone() the tensor before performing the operation.",
        "[5.0, 5.0]",
        "the gradient of a sum is written out; in PyTorch it is an expanded number, and the hook works or not by what "
        "follows x",
    ),
    Difference(
        "a deep copy of a parameter has its gradient",
        "import copy\np = k.nn.Parameter(k.ones(1))\np.sum().backward()\ncopy.deepcopy(p).grad",
        "None",
        "tensor([1.])",
        "as the copy of any other leaf, in both libraries",
    ),
    Difference(
        "the node of a Function is not its context",
        "class F(k.autograd.Function):\n    @staticmethod\n    def forward(ctx, x):\n        ctx.scale = 2\n"
        "        return x * 2\n\n    @staticmethod\n    def backward(ctx, g):\n        return g * ctx.scale\n\n\n"
        "hasattr(F.apply(k.ones(1, requires_grad=True)).grad_fn, 'scale')",
        "True",
        "False",
        "what forward leaves for backward is between these two",
    ),
    Difference(
        "a Function does not write into its operands",
        "class F(k.autograd.Function):\n    @staticmethod\n    def forward(ctx, x):\n        ctx.mark_dirty(x)\n"
        "        return x.add_(1)\n\n    @staticmethod\n    def backward(ctx, g):\n        return g\n\n\n"
        "F.apply(k.ones(1, requires_grad=True) * 1).tolist()",
        "[2.0]",
        "AttributeError: 'Context' object has no attribute 'mark_dirty'",
        "a recorded node never changes; return a fresh tensor",
    ),
    Difference(
        "an index is kept as a copy",
        "x = k.ones(3, requires_grad=True)\ni = k.tensor([0, 1])\ny = x[i]\ni[0] = 2\ny.sum().backward()\n"
        "x.grad.tolist()",
        "RuntimeError: one of the variables needed for gradient computation has been modified by an inplace operation: "
        "[torch.LongTensor [2]] is at version 1; expected version 0 instead. Hint: enable anomaly detection to find "
        "the operation that failed to compute its gradient, with torch.autograd.set_detect_anomaly(True, "
        "check_nan=False).",
        "[1.0, 1.0, 0.0]",
        "indices in brackets are turned into places first; `index_select` and `gather` save the tensor and refuse",
    ),
    Difference(
        "memory given by `x.data = ...` brings its count of writes",
        "x, y = k.ones(2, requires_grad=True), k.zeros(2)\nx.data = y\nz = (x * x).sum()\nw = y.add_(1)\nz.backward()\n"
        "x.grad.tolist()",
        "[2.0, 2.0]",
        "RuntimeError: one of the variables needed for gradient computation has been modified by an inplace operation: "
        "expected version 0, got 1",
        "the values that the gradient needs are gone, whichever tensor they were overwritten through",
    ),
    Difference(
        "bytes are not read as another dtype",
        "k.ones(1).view(k.int32).tolist()",
        "[1065353216]",
        "NotImplementedError: view: the bytes of a tensor are not read as another dtype; .to(kael.int32) converts the "
        "values",
        "`kael.from_numpy(x.numpy().view(...))` does it where it is meant",
    ),
    Difference(
        "an array that is read-only is not shared",
        "import numpy\na = numpy.ones(1, dtype='float32')\na.flags.writeable = False\nx = k.from_numpy(a)\n"
        "x[0] = 3.0\na.tolist()",
        "[3.0]",
        "ValueError: from_numpy: the array is read-only; use kael.tensor, which copies",
        "PyTorch warns once and then lets the array be written",
    ),
    Difference(
        "an array that runs backwards is shared",
        "import numpy\nk.from_numpy(numpy.arange(3)[::-1]).tolist()",
        "ValueError: At least one stride in the given numpy array is negative, and tensors with negative strides are "
        "not currently supported. (You can probably work around this by making a copy of your array  with "
        "array.copy().) ",
        "[2, 1, 0]",
        "kernels take any strides",
    ),
    Difference(
        "a NumPy array is no operand",
        "import numpy\n(k.ones(2) * numpy.ones(2)).tolist()",
        "[1.0, 1.0]",
        "TypeError: mul: an operand is a NumPy array; make it a tensor with kael.tensor(array)",
        "with the array on the left PyTorch raises as well; whether the memory is copied or shared is for you to say",
    ),
    Difference(
        "functions of NumPy take no tensors",
        "import numpy\ntry:\n    y = numpy.exp(k.zeros(2)).tolist()\nexcept TypeError as error:\n    y = 'refused'\ny",
        "[1.0, 1.0]",
        "'refused'",
        "their result would have no history; `numpy.exp(x.numpy())` says so",
    ),
    Difference(
        "no gradient, no call of a hook",
        "class F(k.autograd.Function):\n    @staticmethod\n    def forward(ctx, x):\n        return x * 2\n\n"
        "    @staticmethod\n    def backward(ctx, g):\n        return None\n\n\n"
        "x, seen = k.ones(1, requires_grad=True), []\ny = x * 1\ny.register_hook(lambda g: seen.append(g))\n"
        "F.apply(y).sum().backward()\nseen",
        "[None]",
        "[]",
        "a hook can count on a tensor; PyTorch passes on the None that a Function returned",
    ),
    Difference(
        "a gradient that is asked for is the one behind the hooks",
        "x = k.ones(1, requires_grad=True)\ny = x * 2\ny.register_hook(lambda g: g * 10)\n"
        "[g.item() for g in k.autograd.grad(y.sum(), (y, x))]",
        "[1.0, 20.0]",
        "[10.0, 20.0]",
        "PyTorch gives 10 as well when y is asked for alone; what stands beside it makes no difference here",
    ),
    Difference(
        "the outputs of a Function are of one dtype",
        "class F(k.autograd.Function):\n    @staticmethod\n    def forward(ctx, x):\n        return x * 2, x.double()\n"
        "\n    @staticmethod\n    def backward(ctx, g, h):\n        return g + h.float()\n\n\n"
        "x = k.ones(1, requires_grad=True)\ny, z = F.apply(x)\n(y + z).sum().backward()\nx.grad.tolist()",
        "[2.0]",
        "TypeError: F.forward returned float32 and float64; its outputs must agree",
        "their gradients travel to its one node as one tensor; cast what it returns",
    ),
    Difference(
        "a Function returns a tensor",
        "class F(k.autograd.Function):\n    @staticmethod\n    def forward(ctx, x):\n        return 3\n\n"
        "    @staticmethod\n    def backward(ctx, g):\n        return g\n\n\n"
        "F.apply(k.ones(1, requires_grad=True))",
        "3",
        "TypeError: F.forward returned int; return a tensor",
        "there is nothing to differentiate; a plain function does it",
    ),
    Difference(
        "a saved tensor comes back as another object",
        "class F(k.autograd.Function):\n    @staticmethod\n    def forward(ctx, x):\n        ctx.save_for_backward(x)\n"
        "        return x * 2\n\n    @staticmethod\n    def backward(ctx, g):\n        kept.extend(ctx.saved_tensors)\n"
        "        return g * 2\n\n\nx, kept = k.ones(1, requires_grad=True), []\nF.apply(x).sum().backward()\n"
        "kept[0] is x",
        "True",
        "False",
        "it is a handle on the same memory without history, so that an output can be saved as well",
    ),
    Difference(
        "attention keeps what it reads",
        "q, v = k.ones(1, 2), k.ones(1, 2, requires_grad=True)\n"
        "y = k.nn.functional.scaled_dot_product_attention(q, q, v)\nwith k.no_grad():\n    z = v.add_(1)\n"
        "y.sum().backward()\nv.grad.tolist()",
        "[[1.0, 1.0]]",
        "RuntimeError: one of the variables needed for gradient computation has been modified by an inplace operation: "
        "expected version 0, got 1",
        "backward makes the weights again from the operands; PyTorch does so or not by the path that it takes",
    ),
    Difference(
        "a graph does not keep the leaf that you deleted",
        "import weakref\nx = k.ones(1, requires_grad=True)\ny = x * 2\nleaf = weakref.ref(x)\ndel x\nleaf() is None",
        "False",
        "True",
        "the node keeps its memory, hooks and gradient, and `variable` gives a new tensor with them: "
        "[](decisions/0010-the-node-is-the-state.md)",
    ),
    Difference(
        "gradients share no memory with each other",
        "x = k.ones(2, requires_grad=True)\ny = k.ones(2, requires_grad=True)\n"
        "g, h = k.autograd.grad((x + y).sum(), (x, y))\ng.data_ptr() == h.data_ptr()",
        "True",
        "False",
        "each of them may be written; PyTorch gives the same expanded number twice and refuses the write",
    ),
    Difference(
        "the arguments of a Function are known by place",
        "class F(k.autograd.Function):\n    @staticmethod\n    def forward(ctx, x):\n        return x * 2\n\n"
        "    @staticmethod\n    def backward(ctx, g):\n        return g * 2\n\n\n"
        "F.apply(x=k.ones(1, requires_grad=True)).tolist()",
        "[2.0]",
        "TypeError: Function.apply() got an unexpected keyword argument 'x'",
        "`backward` returns its gradients by place, and so does `needs_input_grad` tell which are wanted",
    ),
    Difference(
        "zeros for an output of integers are of the dtype of the others",
        "class F(k.autograd.Function):\n    @staticmethod\n    def forward(ctx, x):\n"
        "        return x * 2, k.arange(2)\n\n"
        "    @staticmethod\n    def backward(ctx, g, h):\n        seen.append(h)\n        return g * 2\n\n\n"
        "x, seen = k.ones(2, requires_grad=True), []\nF.apply(x)[0].sum().backward()\nseen",
        "[tensor([0, 0])]",
        "[tensor([0., 0.])]",
        "the gradients of all outputs travel as one flat tensor, and a gradient is a floating point number",
    ),
    Difference(
        "a Function that no gradient reaches does not run",
        "class F(k.autograd.Function):\n    @staticmethod\n    def forward(ctx, x):\n        return x * 2\n\n"
        "    @staticmethod\n    def backward(ctx, g):\n        return g * 2\n\n\n"
        "class Stop(F):\n    @staticmethod\n    def backward(ctx, g):\n        return None\n\n\n"
        "x = k.ones(1, requires_grad=True)\nStop.apply(F.apply(x)).backward()\nx.grad",
        "tensor([0.])",
        "None",
        "None stays None on its way to the leaf, as it does in both libraries with `x * 2` in the place of F",
    ),
    Difference(
        "a hook after accumulation returns nothing at all",
        "x = k.ones(1, requires_grad=True)\nx.register_post_accumulate_grad_hook(lambda leaf: leaf)\n"
        "(x * 2).backward()\nx.grad.tolist()",
        "[2.0]",
        "RuntimeError: Tensor post accumulate grad hooks should return None.",
        "both refuse any other tensor; PyTorch lets the leaf itself pass",
    ),
    Difference(
        "hooks are on tensors, not on nodes",
        "node = (k.ones(1, requires_grad=True) * 2).grad_fn\n"
        "hasattr(node, 'register_hook'), hasattr(node, 'register_prehook')",
        "(True, True)",
        "(False, False)",
        "the hook of a tensor sees and changes what reaches the node that made it; `kael.record` shows what leaves it",
    ),
    Difference(
        "detect_anomaly does not warn that it is slow",
        "import warnings\nwith warnings.catch_warnings(record=True) as told:\n    warnings.simplefilter('always')\n"
        "    with k.autograd.detect_anomaly():\n        pass\nlen(told)",
        "1",
        "0",
        "its documentation says so; a warning that the right use always gives is one that people learn to ignore",
    ),
    Difference(
        "a tensor is not made by its class",
        "k.Tensor([1.0, 2.0])",
        "tensor([1., 2.])",
        "TypeError: Tensor(...): make tensors with kael.tensor(values), kael.empty(2, 3) and their kind",
        "`Tensor(3)` is three numbers that nobody set, `Tensor([3])` is the number 3; a function does one of the two",
    ),
    Difference(
        "a deep copy of a parameter has the attributes of its class",
        "import copy\n\n\nclass P(k.nn.Parameter):\n    pass\n\n\np = P(k.ones(1))\np.label = 'bias'\n"
        "hasattr(copy.deepcopy(p), 'label')",
        "False",
        "True",
        "as the copy of any other object",
    ),
    Difference(
        "sizes beside a 0 are counted too",
        "k.zeros(0, 2**62).shape == (0, 2**62)",
        "True",
        "ValueError: array is too big; `arr.size * arr.dtype.itemsize` is larger than the maximum possible size.",
        "NumPy keeps the memory, and its strides would be larger than a place in memory can be",
    ),
    Difference(
        "an optimizer's step in float16 is rounded once",
        "x = k.ones(1, dtype=k.float16, requires_grad=True)\n"
        "optimizer = k.optim.SGD([x], lr=0.1, momentum=0.9)\nfor step in range(3):\n"
        "    optimizer.zero_grad()\n    (x * x).sum().backward()\n    optimizer.step()\nx.tolist()",
        "[0.062255859375]",
        "[0.061920166015625]",
        "a step is computed in float32 and the result rounded; PyTorch rounds after each of its operations. In float64 "
        "it is 0.062",
    ),
    Difference(
        "so that Adam's eps does not vanish",
        "x = k.ones(1, dtype=k.float16, requires_grad=True)\nx.grad = k.zeros(1, dtype=k.float16)\n"
        "k.optim.Adam([x]).step()\nx.tolist()",
        "[nan]",
        "[1.0]",
        "1e-8 is 0 in float16, so that a gradient of 0 moves the parameter by 0 / 0 there",
    ),
    Difference(
        "a batch of tuples is a tuple",
        "k.utils.data.default_collate([(1, 2), (3, 4)])",
        "[tensor([1, 3]), tensor([2, 4])]",
        "(tensor([1, 3]), tensor([2, 4]))",
        "what a sample is, its batch is; both unpack alike",
    ),
    Difference(
        "an order of no samples has no samples",
        "list(k.utils.data.DataLoader([], shuffle=True))",
        "ValueError: num_samples should be a positive integer value, but got num_samples=0",
        "[]",
        "so it is without shuffle in both",
    ),
    Difference(
        "what save writes is a safetensors file",
        "import io\nfile = io.BytesIO()\nk.save({'w': k.ones(1)}, file)\nfile.getvalue()[:2] == b'PK'",
        "True",
        "False",
        "a pickle runs whatever it says; such a file holds tensors, numbers and strings, and PyTorch reads its tensors",
    ),
)
