"""Which texts are numbers."""

import time

import pytest

from isingmap.files.number_text import number


@pytest.mark.parametrize("text", ["", "1_0", "inf", "nan", "1e999", "0x10", "1,5", "٣", ".", "1e", "--1"])
def test_texts_that_are_no_numbers(text):
    assert number(text) is None


def test_texts_that_are():
    assert number(" -1.50e1 ") == -15.0 and number("+.5") == 0.5 and number("7.") == 7.0 and number("1E2") == 100.0


def test_long_texts_that_are_no_numbers_take_no_time():
    start = time.perf_counter()
    assert number("1" * 100_000 + "x") is None and number("1" * 100_000 + ".e") is None
    assert time.perf_counter() - start < 1.0
