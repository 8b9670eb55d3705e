"""Labels that nobody has checked become names of folders: inside the folder they belong to, plain, and different."""

import pytest

from isingmap.files.safe_name import folder_names


@pytest.mark.parametrize(
    ("label", "name"),
    [
        ("women", "women"),
        ("../../etc/passwd", "_.._etc_passwd"),
        ("..", "_"),
        ("", "_"),
        ("-rf", "rf"),
        (".hidden", "hidden"),
        ("a b\n\x1b[31m", "a_b___31m"),
        ("C:\\x", "C__x"),
        ("CON", "_CON"),
        ("nul.txt", "_nul.txt"),
        ("Zürich 東京", "Zürich_東京"),
        ("x" * 300, "x" * 40),
        ("\u202eabc", "_abc"),
        ("end.", "end"),
    ],
)
def test_a_plain_name(label, name):
    assert folder_names([label]) == [name]


def test_names_are_different_even_where_case_does_not_count():
    assert folder_names(["a/b", "a:b", "A_B", "a_b-2"]) == ["a_b", "a_b-2", "A_B-3", "a_b-2-2"]
    assert folder_names(["Summary.txt"], taken=["summary.txt"]) == ["Summary.txt-2"]
