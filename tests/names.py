"""The names by which decision 0005 and the chapters under it are found in the code; a page prints them as a table."""

from __future__ import annotations

import ast
import html
import importlib
import re
from functools import lru_cache
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).resolve().parents[1]


class Name(NamedTuple):
    """One name: the module that defines it, the name in it (dotted for what stands in a class), and its job."""

    module: str
    name: str
    job: str

    @property
    def file(self) -> Path:
        """The source that defines it, also where a compiled module is what gets imported."""
        path = ROOT.joinpath(*self.module.split("."))
        return path / "__init__.py" if path.is_dir() else path.with_suffix(".py")

    @property
    def line(self) -> int:
        """The line of its definition.

        Raises
        ------
        LookupError
            When the source does not define it.
        """
        lines = definitions(self.file)
        if self.name not in lines:
            raise LookupError(f"{self.file.relative_to(ROOT).as_posix()} does not define {self.name}")
        return lines[self.name]


@lru_cache
def definitions(file: Path) -> dict[str, int]:
    """The line of each class, function, method and assigned name of a source, those in a class dotted."""
    lines: dict[str, int] = {}

    def note(body: list[ast.stmt], prefix: str) -> None:
        for statement in body:
            if isinstance(statement, ast.ClassDef):
                lines[prefix + statement.name] = statement.lineno
                note(statement.body, prefix + statement.name + ".")
            elif isinstance(statement, ast.FunctionDef):
                lines[prefix + statement.name] = statement.lineno
            elif isinstance(statement, (ast.Assign, ast.AnnAssign)):
                targets = statement.targets if isinstance(statement, ast.Assign) else [statement.target]
                lines.update(
                    {prefix + target.id: statement.lineno for target in targets if isinstance(target, ast.Name)}
                )

    note(ast.parse(file.read_text(encoding="utf-8")).body, "")
    return lines


def found(name: Name) -> object:
    """What the name stands for, imported."""
    value: object = importlib.import_module(name.module)
    for part in name.name.split("."):
        value = getattr(value, part)
    return value


DECISION_0005 = (
    Name("kael.autograd.meta", "AutogradMeta", "the state that a tensor carries once it takes part"),
    Name("kael.autograd.node", "Node", "a recorded operation: a tuple of inputs, `next_functions`, a name"),
    Name("kael.autograd.meta", "NodeInput", "one edge: target, shape, dtype, number of the output"),
    Name("kael.autograd.node", "FunctionNode", "the node of an operation, with what it saved"),
    Name("kael.autograd.node", "FunctionNode.apply", "the vector-Jacobian product, one gradient per input"),
    Name("kael.autograd.node", "FunctionNode.release_variables", "drops gradient functions and saved tensors"),
    Name("kael.autograd.node", "AccumulateGrad", "the node of a leaf"),
    Name("kael.autograd.node", "AccumulateGrad.accumulate", "puts the complete gradient into the leaf's `grad`"),
    Name("kael.autograd.node", "accumulate", "adds two gradients into a fresh buffer"),
    Name("kael.autograd.node", "gradient_edge", "the node that a tensor's gradient goes to"),
    Name("kael.autograd.op", "Op", "a row of the op table: gradient function, what is saved, kinks, dtypes"),
    Name("kael.autograd.op", "registry", "the op table itself"),
    Name("kael.autograd.grad_mode", "GradMode", "the thread's recording flag"),
    Name("kael.autograd.grad_mode", "no_grad", "recording off inside a block or a decorated function"),
    Name("kael.autograd.grad_mode", "NoGradGuard", "`no_grad` under the name of the guard"),
    Name("kael.autograd.grad_mode", "enable_grad", "recording on inside a block or a decorated function"),
    Name("kael.autograd.grad_mode", "EnableGradGuard", "`enable_grad` under the name of the guard"),
    Name("kael.autograd.grad_mode", "without_grad", "a function with recording off while it runs"),
    Name("kael.autograd.recording", "should_record", "the three conditions of recording"),
    Name("kael.autograd.recording", "set_history", "makes the node: edges, saved tensors, attributes"),
    Name(
        "kael.autograd.recording", "record", "the last step of an operation; `record_unary`, `record_binary` beside it"
    ),
    Name("kael.autograd.recording", "SavedTensor", "a forward value with the version it had"),
    Name("kael.autograd.engine", "seed_gradient", "the gradient that the pass begins with"),
    Name("kael.autograd.engine", "GraphTask", "one pass: what it knows of each node"),
    Name("kael.autograd.engine", "count_dependencies", "how many edges point to each node"),
    Name("kael.autograd.engine", "check_gradient", "compares a returned gradient with its edge"),
    Name("kael.autograd.engine", "process", "one visit per node, from a stack of ready nodes"),
    Name("kael.autograd.engine", "backward", "seed, count, process"),
    Name("kael.autograd.engine", "grad", "the same, with the gradients returned"),
    Name("kael.autograd.leaf", "requires_grad_", "turns differentiation of a leaf on or off"),
    Name("kael.autograd.leaf", "detach_", "makes a non-leaf a leaf"),
    Name("kael.autograd.hooks", "retain_grad", "keeps the gradient of a non-leaf"),
    Name("kael.autograd.gradcheck", "gradcheck", "compares gradients with central differences"),
    Name("kael.tensors", "Tensor.backward", "`backward` as a method"),
    Name("kael.tensors", "Tensor.version", "the version of the tensor's storage"),
    Name("kael.ops.inplace", "check_grad_rules", "the three refusals of in-place operations"),
    Name("tests.autograd.test_engine", "TestAutogradEngine", "seeds, counts, order, release"),
    Name("tests.autograd.test_engine", "TestAutogradEngine.test_diamond_waits_for_both_paths", "the worked example"),
    Name("tests.autograd.test_engine", "TestAutogradEngine.test_repeated_input_accumulates", "two edges to one leaf"),
    Name(
        "tests.autograd.test_engine",
        "TestAutogradEngine.test_second_backward_without_retain_throws",
        "a graph is used once",
    ),
    Name(
        "tests.autograd.test_engine",
        "TestAutogradEngine.test_retain_graph_accumulates_in_leaves",
        "and twice when it was kept",
    ),
    Name(
        "tests.autograd.test_engine",
        "TestAutogradEngine.test_deep_chain_destruction_without_backward",
        "a long chain goes without a deep stack",
    ),
    Name(
        "tests.autograd.test_engine",
        "TestAutogradEngine.test_deep_chain_backward_and_destruction",
        "and is walked without one",
    ),
    Name("tests.autograd.test_detach", "TestAutogradDetach", "cutting a tensor from its history"),
    Name("tests.autograd.test_inplace", "TestAutogradVersion", "what counts as a write, and who sees it"),
    Name("tests.autograd.test_grad_mode", "TestGradMode", "the flag, its guards, its threads"),
    Name("tests.autograd.test_grad_mode", "TestGradMode.test_exception_restores_state", "a guard cleans up"),
    Name("tests.autograd.test_gradcheck", "TestGradcheck", "the checker checked"),
    Name("tests.autograd.test_formulas", "TestAutogradFormulas", "every gradient against finite differences"),
)

DECISIONS = {
    "0001": (
        Name("chapters.flat", "Buffer", "the array of a definition: a list, a shape, a type; no import of the library"),
        Name("kael.kernels", "chapters", "the folders that hold kernels"),
        Name("kael.kernels", "chapters_folder", "where the package is, in a clone and in an install"),
        Name("kael.book.browser_sources", "imported", "what a source imports, read without running it"),
        Name(
            "tests.architecture.test_imports", "TestPythonSources", "the direction of imports; violations are planted"
        ),
        Name("tests.architecture.test_imports", "TestCythonSources", "the same for twins and declarations"),
    ),
    "0002": (
        Name("kael.storage", "Storage", "the bytes and the version"),
        Name("kael.tensors", "Tensor", "a storage and a view on it"),
        Name("kael.tensors", "Tensor.version", "the version of the storage, seen through any view"),
        Name("kael.tensors", "Tensor.detach", "another tensor on the same storage, without history"),
        Name("kael.autograd.recording", "SavedTensor", "a forward value with the version it had"),
        Name("kael.ops.inplace", "check_grad_rules", "what a write in place may not touch"),
        Name("tests.autograd.test_inplace", "TestAutogradVersion", "what counts as a write, and who sees it"),
    ),
    "0003": (
        Name("kael.kernels", "load", "the module of a chapter's rung"),
        Name("kael.kernels", "use", "one chapter on another rung, inside a block"),
        Name("kael.kernels", "available", "the rungs that are there"),
        Name("kael.table", "table", "the kernels that the library calls"),
        Name("chapters.ieee", "div", "IEEE 754 where Python would raise: division, and its neighbours below it"),
        Name("tests.kernels.rungs", "load_rungs", "a chapter's rungs, side by side for a test"),
        Name("tests.kernels.parity", "same_bits", "what two rungs are held to"),
        Name("tests.kernels.parity", "ulps", "and, where rounding may differ, the distance that is bounded"),
    ),
    "0004": (
        Name("kael._source_first", "find_spec", "finds the plain source beside a compiled module"),
        Name("kael.config", "engine_modules", "which modules of the engine are compiled here"),
        Name("kael.config", "show_config", "prints it"),
        Name("tests.architecture.test_forms", "test_both_forms_give_the_same_outcome", "one list of calls, both forms"),
    ),
    "0005": DECISION_0005,
    "0006": (
        Name("kael.book.pages", "DIRECTIVES", "the subset: directives"),
        Name("kael.book.pages", "ROLES", "the subset: roles"),
        Name("kael.book.pages", "parse", "reads a page and refuses the rest"),
        Name("kael.book.lint", "findings", "what is wrong with the pages before they are built"),
        Name("kael.book.site", "check", "what is wrong with the site after"),
        Name("kael.book.notebooks", "Converter", "a page as a notebook in plain Markdown"),
        Name("kael.book.build", "build", "assembles, builds, checks"),
    ),
    "0007": (
        Name("kael.kernels", "instruction_sets", "what the processor has"),
        Name("kael.kernels", "instruction_set", "what a twin was compiled for"),
        Name("kael.config", "chapter_states", "the file in use for each chapter"),
    ),
    "0008": (
        Name("chapters.ch13_reductions.reference", "sum", "reduces to the shape of `out`"),
        Name("chapters.ch17_engine.engine", "unbroadcast_gradient", "the teaching engine's way back, axis by axis"),
        Name("kael.ops.dispatch", "sum_to", "the library's way back: one call of `sum`"),
    ),
    "0009": (
        Name("kael.exercises.runner", "Workers", "starts the processes; `isolated` parts checks and answer"),
        Name("kael.exercises.isolation.checking", "Checking", "the side of the checks asks"),
        Name("kael.exercises.isolation.answering", "Answering", "the side that imports the answer does what is asked"),
        Name("kael.exercises.isolation.values", "Shared", "what crosses, and what is kept alike on both sides"),
        Name("kael.exercises.isolation.proxies", "Remote", "stands for an object of the answer's own"),
        Name("kael.exercises.kept", "Guarded", "what is looked after where both run in one process"),
    ),
    "0010": (
        Name("kael.autograd.meta", "NodeInput", "an input of a node"),
        Name("kael.autograd.meta", "AutogradMeta", "the state of a tensor that takes part"),
        Name("kael.autograd.node", "Node", "both, and what a pass notes"),
        Name("kael.autograd.node", "AccumulateGrad.variable", "the leaf of a node"),
        Name("kael.autograd.node", "link_to", "how a node refers to an operand"),
        Name("kael.autograd.engine", "GraphTask", "a pass; makes a stand-in for a node that another one is using"),
    ),
    "0012": (
        Name("kael.allocator", "CacheInfo", "what is held, in use, and how often it served"),
        Name("kael.allocator", "cache_info", "asks chapter 11's kernel"),
        Name("kael.allocator", "empty_cache", "gives the memory back to the system"),
        Name("kael.allocator", "limit", "the limit that the environment sets"),
        Name("chapters.ch11_memory.reference", "limit_cache", "the switch, as a kernel that each rung has"),
        Name("tests.kernels.test_block_cache", "requests_at_random", "requests, views and frees; nothing is shared"),
    ),
    "0013": (
        Name("kael.threads", "set_num_threads", "puts a door in front of each kernel, or takes it away"),
        Name("kael.dividing", "Divided", "the door"),
        Name("kael.cuts", "FAMILIES", "where each kernel can be cut, and from which size on that pays"),
        Name("kael.cuts", "parts_of", "cuts the operands"),
        Name("kael.workers", "Job", "the parts of a call that nobody has taken yet"),
        Name("kael.workers", "run", "asks helpers, and takes parts as well"),
        Name("kael.blas", "CROSSOVER", "from which size on products go to BLAS"),
        Name("tests.kernels.test_threads", "check", "one thread and several write the same bits"),
    ),
}

CHAPTERS = (
    Name("chapters.ch07_broadcasting.spec", "BroadcastSpec", "which axes of an operand repeat"),
    Name("chapters.ch11_memory.reference", "Arena", "a bump pointer, its peak and its reset"),
    Name("chapters.ch12_elementwise.reference", "elementwise_add", "a sum in a fresh buffer"),
    Name("chapters.ch12_elementwise.reference", "broadcast_add_kernel", "a sum of operands that broadcast"),
    Name("chapters.ch15_graph.graph", "GraphNode", "one entry of the teaching engine's list"),
    Name("chapters.ch15_graph.graph", "ComputationGraph", "the list, and the operations that append to it"),
    Name("chapters.ch15_graph.graph", "topological_backward_order", "the list, from its end to its beginning"),
    Name("chapters.ch16_rules.rules", "AddOp", "the rule of a sum"),
    Name("chapters.ch16_rules.rules", "MulOp", "the rule of a product"),
    Name("chapters.ch16_rules.rules", "ExpOp", "the rule of the exponential"),
    Name("chapters.ch16_rules.rules", "MatMulOp", "the rule of a matrix product"),
    Name("chapters.ch16_rules.registry", "chain_rule_step", "looks up a rule by name and applies it"),
    Name("chapters.ch16_rules.registry", "gradient_check", "what a rule passes before it is registered"),
    Name("chapters.ch17_engine.engine", "backward", "the teaching engine's pass"),
    Name("chapters.ch17_engine.engine", "accumulate_gradient", "assigns the first gradient, adds the later ones"),
    Name("chapters.ch17_engine.engine", "zero_grad", "writes zeros of each parameter's shape"),
    Name("chapters.ch17_engine.engine", "reduce_sum_axis", "sums one axis away"),
    Name("chapters.ch17_engine.engine", "unbroadcast_gradient", "brings a gradient back to its operand's shape"),
    Name("chapters.ch17_engine.engine", "needs_input_for_backward", "whether a rule reads its inputs"),
)


def table(names: tuple[Name, ...], listings: str) -> str:
    """The names by file as an HTML table; each leads to its line, computed from the source.

    Parameters
    ----------
    names : tuple of Name
        What to list.
    listings : str
        Where the site keeps the sources, seen from the page.
    """
    files: dict[str, list[str]] = {}
    for name in names:
        path = name.file.relative_to(ROOT).as_posix()
        job = re.sub(r"`(.+?)`", r"<code>\1</code>", html.escape(name.job))
        shown = name.name.replace("_", "_<wbr>").replace(".", ".<wbr>")
        link = f'<a href="{listings}/{path}.html#L{name.line}"><code>{shown}</code></a>'
        files.setdefault(path, []).append(f"{link}, line {name.line}: {job}")
    rows = [
        f"<tr><td><code>{path.replace('/', '/<wbr>')}</code></td><td>{'<br>'.join(entries)}</td></tr>"
        for path, entries in files.items()
    ]
    head = "<thead><tr><th>file</th><th>what to look for</th></tr></thead>"
    return f'<table class="table">{head}<tbody>{"".join(rows)}</tbody></table>'
