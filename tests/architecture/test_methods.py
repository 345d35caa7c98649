"""No function hides a module, and Tensor's methods are in step with the operations."""

import ast
import inspect
from pathlib import Path

import pytest

import kael
from kael import ops
from kael.ops import methods


def test_no_public_function_has_the_name_of_a_module_beside_it():
    root = Path(kael.__file__).parent
    modules = {path.stem for path in root.glob("*.py")} | {path.parent.name for path in root.glob("*/__init__.py")}
    functions = {name for name in dir(kael) if callable(getattr(kael, name)) and not name.startswith("_")}
    assert not modules & functions


class TestMethods:
    def test_the_methods_of_tensor_are_in_step_with_the_operations(self):
        path = Path(kael.tensors.__file__).with_name("tensors.py")
        assert path.read_text(encoding="utf-8") == methods.source(), "run python -m kael.ops.methods"

    @pytest.mark.parametrize("function", ops.METHODS, ids=lambda function: function.__name__)
    def test_each_method_calls_its_operation(self, function):
        assert callable(getattr(kael.Tensor, function.__name__))
        assert inspect.getdoc(function)

    @pytest.mark.parametrize("function", ops.FUNCTIONS, ids=lambda function: function.__name__)
    def test_each_operation_is_a_function_of_kael(self, function):
        assert getattr(kael, function.__name__) is function
        assert inspect.getdoc(function)


def test_the_engine_stays_below_fifteen_hundred_lines_of_code():
    root = Path(kael.__file__).parent
    lines = 0
    for path in [root / "storage.py", root / "tensors.py", *(root / "autograd").glob("*.py")]:
        text = path.read_text(encoding="utf-8")
        if methods.BEGIN in text:  # written from the operations' own signatures, a call each
            text = text.split(methods.BEGIN)[0] + text.split(methods.END)[1]
        documented: set[int] = set()
        for node in ast.walk(ast.parse(text)):
            if isinstance(node, (ast.Module, ast.ClassDef, ast.FunctionDef)) and ast.get_docstring(node) is not None:
                documented.update(range(node.body[0].lineno, node.body[0].end_lineno + 1))
        for number, line in enumerate(text.splitlines(), start=1):
            lines += bool(line.strip()) and not line.strip().startswith("#") and number not in documented
    assert 0 < lines < 1500
