"""Cases of the operations in `kael.ops.einsum`."""

import numpy as np

from tests.ops.cases.case import Case, several

Shapes = tuple[int, ...]


DTYPES = "two dtypes, and bool, are refused and integers keep theirs, whatever path PyTorch takes"


def written(equation: str, *shapes: tuple[Shapes, ...], oracle: str = "") -> Case:
    """A case of one equation; NumPy reads it too, unless the oracle is spelled otherwise."""
    return several(
        "einsum", equation.replace(",", " "), lambda k, *operands: k.einsum(equation, *operands),
        lambda *operands: np.einsum(oracle or equation, *operands), *shapes, differs=DTYPES if "," in equation else "",
    )  # fmt: skip


DIFFERENTIABLE = [
    written("ij,jk->ik", ((2, 3), (3, 4)), ((2, 0), (0, 4)), ((0, 3), (3, 2))),
    written("ij,jk", ((2, 3), (3, 4))),
    written("ba,b", ((2, 3), (2,))),
    written("i,j->ij", ((2,), (3,)), ((0,), (3,))),
    written("i,i->", ((3,), (3,)), ((0,), (0,))),
    written("i,i", ((3,), (3,))),
    written("i,i->i", ((3,), (3,))),
    written("bij,bjk->bik", ((4, 2, 3), (4, 3, 2)), ((0, 2, 3), (0, 3, 2))),
    written("bhqd,bhkd->bhqk", ((2, 3, 4, 5), (2, 3, 2, 5))),
    written("bij,bij->b", ((4, 2, 3), (4, 2, 3))),
    written("ijk,kl->jli", ((2, 3, 4), (4, 5))),
    written("ij,kl->jk", ((2, 3), (4, 2))),
    written("ij,kj->ji", ((2, 3), (4, 3))),
    written("ii,ij->j", ((3, 3), (3, 2))),
    written("iji,jk->ik", ((3, 2, 3), (2, 2))),
    written("...ij,...jk->...ik", ((4, 2, 3), (4, 3, 2)), ((2, 1, 2, 3), (4, 3, 2)), ((2, 3), (4, 3, 2))),
    written("i...j,j...->i...", ((2, 5, 3), (3, 5))),
    written("...,...", ((2, 1), (3,)), ((), (2, 3))),
    written(",ij", ((), (2, 3))),
    written(" i j , j -> i ", ((2, 3), (3,))),
    written("ik,jkl,il->ij", ((2, 3), (4, 3, 2), (2, 2))),
    written("i,i,i->i", ((3,), (3,), (3,))),
    written("ij,jk,kl->il", ((2, 3), (3, 4), (4, 2))),
    written("ii->", ((3, 3),)),
    written("ii", ((3, 3),)),
    written("ii->i", ((3, 3),), ((0, 0),)),
    written("iij->ji", ((3, 3, 2),)),
    written("ij->", ((2, 3),), ((0, 3),)),
    written("ij->j", ((2, 3),)),
    written("ba", ((2, 3),)),
    written("ij->ji", ((2, 3),)),
    written("b...a->a...", ((2, 3, 4),), oracle="bca->ac"),
    written("...ij->ij", ((4, 2, 3),), oracle="kij->ij"),
    written("...ii->...i", ((4, 3, 3),)),
    written("", ((),), oracle="->"),
    several("einsum", "stretched and summed", lambda k, x, y: k.einsum("i,i->", x, y),
            lambda x, y: x.sum() * y.sum(), ((1,), (3,)), ((3,), (1,)), ((1,), (1,)),
            differs=DTYPES),
    several("einsum", "stretched", lambda k, x, y: k.einsum("bi,bi->bi", x, y), np.multiply,
            ((2, 1), (2, 3)), ((1, 3), (2, 1)),
            differs=DTYPES),
    several("einsum", "stretched of three", lambda k, x, y, z: k.einsum("i,i,ij->j", x, y, z),
            lambda x, y, z: np.einsum("i,ij->j", x * y, np.broadcast_to(z, (3, 2))),
            ((1,), (3,), (1, 2)), ((3,), (1,), (1, 2)), ((1,), (3,), (3, 2)),
            differs=DTYPES),
    several("einsum", "lists", lambda k, x, y: k.einsum(x, [0, 1], y, [1, 2], [2, 0]), lambda x, y: (x @ y).T,
            ((2, 3), (3, 4)),
            differs=DTYPES),
    several("einsum", "lists without output", lambda k, x, y: k.einsum(x, [..., 1], y, [1, 0]),
            lambda x, y: x @ y, ((2, 3), (3, 4)),
            differs=DTYPES),
    several("einsum", "one list of operands", lambda k, x, y: k.einsum("i,i->", [x, y]), np.dot, ((3,), (3,)),
            differs=DTYPES),
    several("einsum", "one operand twice", lambda k, x: k.einsum("ij,kj->ik", x, x), lambda x: x @ x.T, ((2, 3),),
            differs=DTYPES),
]  # fmt: skip
