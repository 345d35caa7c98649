"""Each name of decision 0005 and of the chapters exists where the book's tables say."""

import pytest

from kael.autograd import grad_mode
from tests.names import CHAPTERS, DECISION_0005, DECISIONS, ROOT, Name, found, table

TABLES = {**DECISIONS, "chapters": CHAPTERS}
NAMES = sorted({name for names in TABLES.values() for name in names})


@pytest.mark.parametrize("name", NAMES, ids=lambda name: name.name)
def test_can_be_imported_from_the_module_that_defines_it(name):
    assert found(name) is not None


@pytest.mark.parametrize("name", NAMES, ids=lambda name: name.name)
def test_stands_at_its_line(name):
    text = name.file.read_text(encoding="utf-8").splitlines()[name.line - 1]
    assert name.name.split(".")[-1] in text


@pytest.mark.parametrize("names", TABLES.values(), ids=TABLES)
def test_no_table_lists_a_name_twice(names):
    assert len({(name.module, name.name) for name in names}) == len(names)


def test_each_decision_has_its_names():
    pages = (ROOT / "book" / "decisions").glob("*.md")
    assert sorted(page.name[:4] for page in pages) == sorted(DECISIONS)


def test_a_name_that_moved_is_reported_with_its_file():
    with pytest.raises(LookupError, match=r"kael/autograd/node\.py does not define Tape"):
        table((Name("kael.autograd.node", "Tape", ""),), "listings")


def test_a_guard_has_two_names():
    assert grad_mode.NoGradGuard is grad_mode.no_grad
    assert grad_mode.EnableGradGuard is grad_mode.enable_grad


def test_the_table_leads_to_the_line_of_each_name():
    printed = table(DECISION_0005, "../listings")
    assert f'href="../listings/kael/autograd/meta.py.html#L{DECISION_0005[0].line}"' in printed
    assert printed.count("<a ") == len(DECISION_0005)
