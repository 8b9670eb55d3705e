"""Labels of a table to be predicted mean what they meant in the data that the model was learned from."""

import json

import numpy as np
import pytest


@pytest.fixture
def fitted(run, tmp_path):
    """1 = yes, 2 = no; the model file, and a writer of tables."""
    rng = np.random.default_rng(0)
    common = rng.random(300) < 0.3
    rows = np.where(np.where(rng.random((300, 3)) < 0.85, common[:, None], ~common[:, None]), "1", "2")
    lines = ["a,b,c", *(",".join(row) for row in rows.tolist())]
    (tmp_path / "survey.csv").write_text("\n".join(lines) + "\n")
    assert run("fit", tmp_path / "survey.csv", "--positive", "1", "-o", tmp_path / "map", "--quiet")[0] == 0

    def predict(text, *options):
        (tmp_path / "new.csv").write_text(text)
        out = tmp_path / "chances.csv"
        code, said, err = run(
            "predict", tmp_path / "map" / "model.json", tmp_path / "new.csv", *options, "-o", out, "--force"
        )
        rows = out.read_text().splitlines() if code == 0 else []
        return code, [[float(cell) for cell in row.split(",")] for row in rows[1:]], said + err

    return tmp_path, predict


def test_a_row_means_the_same_whatever_else_is_in_the_file(fitted):
    _, predict = fitted
    first = predict("a,b,c\n1,1,\n1,1,1\n")[1][0]
    assert predict("a,b,c\n1,1,\n2,2,2\n")[1][0] == first == predict("a,b,c\n1,1,\n", "--positive", "1")[1][0]
    assert first[2] > 0.5 > predict("a,b,c\n2,2,\n")[1][0][2]


@pytest.mark.parametrize("label", ["0", "yes", "9"])
def test_other_labels_are_refused(fitted, label):
    _, predict = fitted
    code, _, said = predict(f"a,b,c\n{label},1,1\n1,2,2\n")
    assert code == 2 and f"{label!r}" in said
    assert predict(f"a,b,c\n{label},1,1\n1,2,2\n", "--missing-label", label)[0] == 0


def test_the_opposite_coding_is_refused(fitted):
    _, predict = fitted
    code, _, said = predict("a,b,c\n1,1,\n2,2,2\n", "--positive", "2")
    assert code == 2 and "the model was learned from '2' (-1) and '1' (+1). Leave --positive out" in said
    assert predict("a,b,c\n1,1,\n2,2,2\n")[0] == 0


def test_labels_that_the_fit_did_not_have_are_to_be_written_as_there(fitted):
    _, predict = fitted
    code, _, said = predict("a,b,c\nyes,no,no\nno,no,yes\n")
    assert code == 2 and "column 'a' has the label 'yes'; the model was learned from '2' (-1) and '1' (+1)." in said
    assert "Write these labels in the table or, if 'yes' stands for a missing answer, use --missing-label yes" in said
    assert "--positive" not in said and predict("a,b,c\n1,2,2\n2,2,1\n")[0] == 0


def test_a_model_of_counts_asks_for_its_threshold(run, tmp_path):
    rng = np.random.default_rng(1)
    rows = rng.poisson(1.0, (200, 3)).astype(str).tolist()
    (tmp_path / "counts.csv").write_text("a,b,c\n" + "\n".join(",".join(row) for row in rows) + "\n")
    assert run("fit", tmp_path / "counts.csv", "--threshold", "2", "-o", tmp_path / "map", "--quiet")[0] == 0
    predict = ("predict", tmp_path / "map" / "model.json", tmp_path / "counts.csv", "-o", tmp_path / "p.csv")
    code, _, err = run(*predict)
    assert code == 2 and "--threshold 2" in err
    assert run(*predict, "--threshold", "2")[0] == 0
    assert run(*predict, "--threshold", "1", "--force")[0] == 2


@pytest.mark.parametrize("labels", [5, [["1"]], [["1"], ["1"], ["1"]], [[0, 1]] * 3, [["1"], 7, None]])
def test_damaged_labels_are_refused(fitted, run, labels):
    folder, _ = fitted
    document = json.loads((folder / "map" / "model.json").read_text())
    document["fit"]["labels"] = labels
    (folder / "damaged.json").write_text(json.dumps(document))
    code, _, err = run("predict", folder / "damaged.json", folder / "survey.csv", "-o", folder / "chances.csv")
    assert code == 2 and '"labels" of "fit" of the model file is damaged' in err


def test_a_model_that_does_not_tell_its_labels_is_said_to(fitted, run):
    folder, _ = fitted
    document = json.loads((folder / "map" / "model.json").read_text())
    del document["fit"]
    (folder / "bare.json").write_text(json.dumps(document))
    predict = ("predict", folder / "bare.json", folder / "survey.csv", "--positive", "1", "-o", folder / "chances.csv")
    code, out, _ = run(*predict)
    assert code == 0 and "the model does not say which labels were -1 and +1" in out


def test_what_is_read_is_not_written_over(fitted, run):
    folder, _ = fitted
    model, table = folder / "map" / "model.json", folder / "survey.csv"
    before = model.read_bytes(), table.read_bytes()
    (folder / "link.csv").symlink_to(table)
    for command in (
        ("predict", model, table, "-o", table),
        ("predict", model, table, "-o", folder / "link.csv"),
        ("predict", model, table, "-o", model),
        ("sample", model, "-n", "3", "-o", model),
        ("infer", model, "-o", model),
    ):
        code, _, err = run(*command, "--force")
        assert code == 2 and "is read by this command, and would be lost" in err
    assert (model.read_bytes(), table.read_bytes()) == before
