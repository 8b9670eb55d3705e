"""Tables of another shape than rows of answers: long ones, rasters, variables in rows; each message leads on."""

import re
import shlex
import subprocess

import numpy as np
import pandas as pd
import pytest

from isingmap import IsingModel, PlanarIsing
from isingmap.errors import DataError, FileFormatError
from isingmap.io.csv_table import read_table


def same_map(folder, table):
    model, right = IsingModel.load(folder / "model.json"), PlanarIsing().fit(pd.read_csv(table)).model_
    np.testing.assert_array_equal(model.edges, right.edges)
    np.testing.assert_array_equal(model.couplings, right.couplings)


@pytest.mark.parametrize("names", [("who", "what", "said"), ("who, where", "what's up", "said")])
@pytest.mark.parametrize("with_index", [True, False])
def test_a_long_table_is_told_how_it_is_read(run, table, tmp_path, names, with_index):
    wide = pd.read_csv(table).rename_axis(names[0]).reset_index()
    path = tmp_path / "long.csv"
    wide.melt(names[0], var_name=names[1], value_name=names[2]).to_csv(path, index=with_index)
    code, _, err = run("fit", path, "-o", tmp_path / "m")
    assert code == 2 and "looks like a long table" in err
    advice = shlex.split(re.search(r"read it with (--long .*?); if", err)[1])
    assert run("fit", path, *advice, "-o", tmp_path / "m")[0] == 0
    same_map(tmp_path / "m", table)


def test_commands_without_the_option_say_so(run, table, tmp_path):
    pd.read_csv(table).rename_axis("who").reset_index().melt("who").to_csv(tmp_path / "long.csv", index=False)
    IsingModel([("a", "b")], [1.0], names=["a", "b"]).save(tmp_path / "m.json")
    code, _, err = run("predict", tmp_path / "m.json", tmp_path / "long.csv", "-o", tmp_path / "p.csv")
    assert code == 2 and "read_long_table(columns='who,variable,value') (in Python)" in err


@pytest.mark.parametrize(
    "rows",
    [
        [["g1", 0, 1], ["g1", 0, 1], ["g2", 1, 1], ["g2", 0, 1]],  # a group and two variables
        [[f"id{k}", k % 2, k // 2 % 2] for k in range(9)],  # an id and two variables
    ],
)
def test_other_tables_of_three_columns_are_not_called_long(tmp_path, rows):
    (tmp_path / "t.csv").write_text("a,b,c\n" + "\n".join(",".join(map(str, row)) for row in rows))
    with pytest.raises(DataError, match="1 column cannot be read as two values"):
        read_table(tmp_path / "t.csv")


SCALES = [(0, 1, 1), (2, 0, 1), (1, 2, 0), (0, 2, 2), (2, 1, 1), (1, 0, 2), (0, 0, 0)]  # every pair of two at most once


def test_short_scales_in_three_columns_are_not_called_long(run, tmp_path):
    text = "sleep,mood,pain\n" + "\n".join(",".join(map(str, row)) for row in SCALES) + "\n"
    (tmp_path / "t.csv").write_text(text)
    assert read_table(tmp_path / "t.csv", threshold=1).n_samples == 7
    code, _, err = run("fit", tmp_path / "t.csv", "-o", tmp_path / "m")
    assert code == 2 and "long table" not in err and "cannot be read as two values" in err
    grid = [f"{row},{column},{(row + column) % 2}" for row in range(4) for column in range(3)]
    (tmp_path / "grid.csv").write_text("\n".join(["row,column,value", *grid]) + "\n")
    code, _, err = run("fit", tmp_path / "grid.csv", "-o", tmp_path / "m")  # numbers for names, and every cell
    assert code == 2 and "looks like a long table" in err and "set it aside with --id-column NAME" in err
    with_ids = [f"{k},{line}" for k, line in enumerate(grid)]
    (tmp_path / "grid.csv").write_text("\n".join(["id,row,column,value", *with_ids]) + "\n")
    assert read_table(tmp_path / "grid.csv", id_column="id", threshold=1).n_samples == 12


@pytest.mark.parametrize("digits", [1, 2, 6])
def test_a_column_of_means_is_told_like_one_of_sums(run, tmp_path, digits):
    counts = np.random.default_rng(0).poisson(1.0, (30, 4))
    lines = [f"s{k},{','.join(map(str, row))},{row.mean():.{digits}f}" for k, row in enumerate(counts)]
    (tmp_path / "t.csv").write_text("\n".join(["species,a,b,c,d,Mean", *lines]) + "\n")
    for options in (("--transpose",), ()):
        command = (
            "fit",
            tmp_path / "t.csv",
            "--id-column",
            "species",
            "--threshold",
            "1",
            *options,
            "--constant",
            "drop",
        )
        code, _, err = run(*command, "-o", tmp_path / "m")
        assert code == 2 and "column 'Mean' is the mean of the other columns" in err
        assert "--drop-column Mean" in err
    left_out = read_table(tmp_path / "t.csv", id_column="species", threshold=1, drop_column="Mean")
    assert left_out.names == ("a", "b", "c", "d")
    halves = "a,b,c\n0,1,0.5\n1,1,1\n0,0,1\n"
    (tmp_path / "h.csv").write_text(halves)
    assert read_table(tmp_path / "h.csv", threshold=0.6).n_spins == 3  # not in the last row


def raster(table, zero="0", one="1"):
    cells = pd.read_csv(table).to_numpy()
    return "\n".join("".join(one if cell else zero for cell in row) for row in cells) + "\n"


def test_a_raster_without_separators_has_a_column_for_each_character(run, table, tmp_path):
    (tmp_path / "raster.txt").write_text(raster(table))
    code, out, err = run("fit", tmp_path / "raster.txt", "-o", tmp_path / "m")
    assert (code, err) == (0, "") and "the variables are called x1 to x4" in " ".join(out.split())
    same_map(tmp_path / "m", table)


def test_a_large_raster(tmp_path):
    cells = np.random.default_rng(0).integers(0, 2, (60_000, 20))
    (tmp_path / "raster.txt").write_text("\n".join("".join(map(str, row)) for row in cells.tolist()))
    table = read_table(tmp_path / "raster.txt")
    np.testing.assert_array_equal(table.spins, 2 * cells - 1)
    table = read_table(tmp_path / "raster.txt", transpose=True)
    np.testing.assert_array_equal(table.spins, 2 * cells.T - 1)


@pytest.mark.parametrize("characters", [".#", "ab", "-+", "\\/"])
def test_a_raster_of_other_characters_leads_to_zeros_and_ones(run, table, tmp_path, characters):
    (tmp_path / "raster.txt").write_text(raster(table, *characters))
    code, _, err = run("fit", tmp_path / "raster.txt", "-o", tmp_path / "m")
    assert code == 2 and "every line is equally long and made of" in err
    command = re.search(r"with: (tr .*)", err)[1].replace("FILE", "raster.txt").replace("NEW", "new.txt")
    subprocess.run(command, shell=True, cwd=tmp_path, check=True)
    assert run("fit", tmp_path / "new.txt", "-o", tmp_path / "m", "--quiet")[0] == 0
    assert (tmp_path / "m" / "model.json").exists()


def test_a_raster_with_missing_cells_leads_to_a_table(run, table, tmp_path):
    text = raster(table)
    (tmp_path / "raster.txt").write_text(text[:7] + "x" + text[8:])
    code, _, err = run("fit", tmp_path / "raster.txt", "-o", tmp_path / "m")
    assert code == 2 and "0, 1 and 'x'" in err
    command = re.search(r": (sed .*)", err)[1].replace("FILE", "raster.txt").replace("NEW", "new.txt")
    subprocess.run(command, shell=True, cwd=tmp_path, check=True)
    options = ("--missing-label", "x", "--missing", "drop")
    code, out, _ = run("fit", tmp_path / "new.txt", *options, "-o", tmp_path / "m")
    assert code == 0 and "1 row with a missing cell dropped" in out


def test_a_torn_raster_is_refused(tmp_path):
    (tmp_path / "raster.txt").write_text("0110\n011\n0101\n")
    with pytest.raises(
        FileFormatError, match=r"line 2 has 3 characters, expected 4 as in the first row \(1 such line\)"
    ):
        read_table(tmp_path / "raster.txt")


def test_rows_of_one_name_are_counted(run, tmp_path):
    (tmp_path / "t.csv").write_text("Species,s1,s2,s3\nPoa,0,1,1\nFoo,1,1,0\nPoa,1,0,0\nFoo,0,0,1\nPoa,1,1,0\n")
    code, _, err = run("fit", tmp_path / "t.csv", "--transpose", "--id-column", "Species", "-o", tmp_path / "m")
    assert code == 2 and "'Poa' is the name of 3 rows (lines 2, 4, 6), and 1 more name so" in err
    assert "tells them apart by --id-column" in err


def test_groups_of_names_that_are_no_columns_are_noted(run, table, tmp_path):
    (tmp_path / "groups.csv").write_text("name,group\na,x\nb,x\nc,y\nd,y\nA,z\nq,z\n")
    code, out, _ = run("fit", table, "--node-groups", tmp_path / "groups.csv", "-o", tmp_path / "m")
    assert code == 0 and "groups.csvhas2namesthatthetabledoesnothave:A,q." in "".join(out.split())
