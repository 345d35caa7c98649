"""A picture of memory shows each index at the cell that it reads, and says so in words."""

from __future__ import annotations

import re
from typing import Any
from xml.etree import ElementTree

import numpy as np
import pytest

import kael
from kael.book.memory_pictures import Mapping, bytes_picture, storage_picture

X = kael.tensor([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]])
A = np.arange(12).reshape(3, 4)

VIEWS = {
    "whole": X,
    "transposed": X.T,
    "row": X[1],
    "column": X[:, 1],
    "every second": X[:, ::2],
    "repeated": X[0].expand(2, 3),
    "number": X[1, 2],
    "numpy": A,
    "numpy reversed": A[::-1, ::-2],
    "numpy Fortran": np.asfortranarray(A),
    "numpy repeated": np.broadcast_to(A[0], (2, 4)),
    "numpy blocks": A.reshape(2, 3, 2),
    "numpy nothing": A[:0],
}


@pytest.mark.parametrize("tensor", VIEWS.values(), ids=VIEWS)
def test_every_index_is_laid_to_the_cell_that_holds_its_element(tensor: Any) -> None:
    mapped = Mapping(tensor)
    assert mapped.memory[mapped.offsets].tolist() == mapped.view.ravel().tolist()


@pytest.mark.parametrize("tensor", VIEWS.values(), ids=VIEWS)
def test_the_picture_is_well_formed_and_has_a_line_for_every_element(tensor: Any) -> None:
    picture = storage_picture(v=tensor)
    root = ElementTree.fromstring(picture.svg)
    assert len(root.findall("path")) == Mapping(tensor).view.size
    assert root.attrib["aria-label"] == picture.words == repr(picture)


def test_strides_offset_and_version_are_those_of_the_tensor() -> None:
    written = kael.zeros(2, 3)
    written[1].add_(1)
    assert storage_picture(row=written[1]).words == (
        "row has shape (3,), strides (1,), offset 3; its elements in order read cells 3, 4, 5. "
        "Storage of 6 float32, version 1: 0, 0, 0, 1, 1, 1. Not read: cells 0, 1, 2."
    )


def test_two_views_stand_above_and_below_one_storage() -> None:
    picture = storage_picture(x=X, t=X.T)
    assert "x has shape (2, 3)" in picture.words
    assert "t has shape (3, 2), strides (1, 3), offset 0; its elements in order read cells 0, 3, 1, 4, 2, 5." in (
        picture.words
    )
    assert picture.words.count("Storage of 6 float32") == 1
    assert len(re.findall("<rect", picture.svg)) == 6 + 6 + 6


def test_cells_that_nobody_reads_are_dashed() -> None:
    assert storage_picture(column=X[:, 1]).svg.count("stroke-dasharray") == 4


def test_the_html_scrolls_by_keyboard_and_names_itself() -> None:
    html = storage_picture(x=X)._repr_html_()
    assert 'tabindex="0"' in html
    assert 'role="group" aria-label="Picture of memory"' in html


def test_tensors_without_shared_memory_are_refused() -> None:
    with pytest.raises(ValueError, match="^storage_picture: x and y do not share their memory; draw them apart$"):
        storage_picture(x=X, y=X.clone())


def test_too_much_for_a_picture_is_refused() -> None:
    with pytest.raises(ValueError, match="^storage_picture: big needs 40 cells; a picture has room for 36$"):
        storage_picture(big=np.zeros(40))
    with pytest.raises(ValueError, match="^storage_picture: 0 tensors were given; a picture shows one or two$"):
        storage_picture()
    with pytest.raises(ValueError, match="^bytes_picture: 40 bytes were given; a picture has room for 36$"):
        bytes_picture(np.zeros(5))


def test_a_storage_in_pieces_is_refused() -> None:
    with pytest.raises(ValueError, match="the storage is not one piece of memory"):
        storage_picture(x=kael.from_numpy(np.arange(12)[::2]))


def test_bytes_are_those_in_memory() -> None:
    picture = bytes_picture(kael.tensor([1.0, -2.0]))
    assert picture.words == "2 elements of float32, 4 bytes each: 1 is 00 00 80 3f; -2 is 00 00 00 c0."
    root = ElementTree.fromstring(picture.svg)
    assert len(root.findall("rect")) == 2 + 8


@pytest.mark.parametrize("view", [np.arange(4)[1:].view(np.int32), np.zeros(3, [("a", "f4"), ("b", "i2")])["a"]])
def test_elements_of_another_type_than_the_storage_are_refused(view: Any) -> None:
    with pytest.raises(ValueError, match="the elements are .* but those of the storage .*; draw the array"):
        storage_picture(view=view)


def test_memory_that_is_no_array_is_drawn_through_the_array_on_it() -> None:
    view = np.frombuffer(bytes(range(4)), np.uint8)[1:3]
    assert "Storage of 4 uint8: 0, 1, 2, 3." in storage_picture(view=view).words
