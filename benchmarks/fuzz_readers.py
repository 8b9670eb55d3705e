"""Damaged files of every format: each ends in a model, a table or an explained error, quickly and in little memory.

python benchmarks/fuzz_readers.py --files 3000 --seed 5
"""

from __future__ import annotations

import argparse
import gzip
import random
import resource
import tempfile
import time
import warnings
from pathlib import Path

from isingmap import IsingModel
from isingmap.errors import IsingMapError
from isingmap.io.csv_table import read_table
from isingmap.io.formats import FORMATS
from isingmap.io.histogram import read_histogram
from isingmap.io.model_file import read_model_file, write_model_file

MOST_SECONDS, MOST_MEGABYTES, LARGEST_FILE = 2.0, 300, 99_000
PIECES = (
    b"NaN", b"Infinity", b"1e400", b"-1e400", b"9" * 400, b"9" * 5000, b"null", b"[[[[[[", b'{"a":', b"\x00",
    b"\xff\xfe",
    b"\xef\xbb\xbf", b"\\ud800", b'"', b"\n", b"\r", b"\t", b",", b";", b" ", b"#", b"%", b"sep=;\n", b"999999999",
    b"<!DOCTYPE a [<!ENTITY x 'y'>]>", b"</node>", b"=cmd|", b"MARKOV", b"p qubo 0 3 1 1\n", b"# vartype=SPIN\n",
    b"3 3\n",
)  # fmt: skip
TABLES = (
    b"id,a,b,c,w\n1,yes,1,0,2\n2,no,0,1,1\n3,yes,0,NA,3\n4,no,1,1,1\n",
    b'"id";"a,b";"c ""x"""\n1;TRUE;n\n2;F;y\n',
    b"3,1,-1,1\n2,-1,-1,1\n1,1,1,-1\n",
)


def damaged(data: bytes, rng: random.Random) -> bytes:
    """A file with a few bytes changed, left out, repeated or put in."""
    for _ in range(rng.choice((1, 1, 2, 3, 10))):
        place, length = rng.randrange(len(data) + 1), rng.choice((1, 2, 5, 20, 100))
        piece = data[place : place + length]
        change = rng.randrange(4)
        if change == 0:
            data = data[:place] + rng.choice(PIECES) + data[place:]
        elif change == 1:
            data = data[:place] + data[place + length :]
        elif change == 2:
            data = data[:place] + piece * rng.choice((2, 10, 1000)) + data[place:]
        else:
            data = data[:place] + bytes(rng.randrange(256) for _ in piece) + data[place + length :]
    data = data[:LARGEST_FILE]
    return gzip.compress(data) if rng.random() < 0.03 else data


def seeds(folder: Path) -> list[tuple[str, bytes]]:
    """Good files: (ending, content)."""
    model = IsingModel([(0, 1), (1, 2), (2, 3), (0, 3)], [0.5, -0.25, 1e-3, 2.0], [0.25, 0, 0, 0], names=list("abcd"))
    found = [(".csv", table) for table in TABLES]
    for name, format in FORMATS.items():
        path = folder / f"seed{format.endings[0]}"
        write_model_file(model, path, name)
        found.append((format.endings[0], path.read_bytes()))
    return found


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--files", type=int, default=1000)
    parser.add_argument("--seed", type=int, default=0)
    arguments = parser.parse_args()
    warnings.simplefilter("ignore")
    rng, n_read = random.Random(arguments.seed), 0
    with tempfile.TemporaryDirectory() as name:
        files = seeds(Path(name))
        for _ in range(arguments.files):
            ending, good = rng.choice(files)
            path = Path(name) / f"file{ending}"
            path.write_bytes(damaged(good, rng))
            for read in (read_model_file, read_table, read_histogram) if ending == ".csv" else (read_model_file,):
                n_read += accepted(read, path)
    print(f"{arguments.files} files, {n_read} accepted, no failure")


def accepted(read, path: Path) -> bool:
    """Whether a reader takes a file; stops with the file's content if it fails otherwise than by an explained error."""
    start, before = time.perf_counter(), resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    try:
        read(path)
        good = True
    except IsingMapError:
        good = False
    except Exception as error:
        raise SystemExit(f"{read.__name__}: {error!r} on {path.read_bytes()!r}") from error
    seconds = time.perf_counter() - start
    megabytes = (resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before) / 1024
    if seconds > MOST_SECONDS or megabytes > MOST_MEGABYTES:
        raise SystemExit(f"{read.__name__}: {seconds:.1f} s and {megabytes:.0f} MB on {path.read_bytes()!r}")
    return good


if __name__ == "__main__":
    main()
