"""Folders of results whose names would run in a page, and a browser to open the page in."""

import os
import shutil
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

from hostile_names import GROUPS as LABELS_OF_GROUPS
from hostile_names import NAMES
from isingmap import PlanarIsing, compare
from isingmap.files.csv_file import read_csv, write_csv
from isingmap.report.comparison_results import write_comparison
from isingmap.report.page.page import write_page
from isingmap.report.results import write_results

GROUPS = ("<i>one</i>", "two", "two", "<i>one</i>", "", "two")


def rows(n_samples=240, flip=0.2):
    """Copies of one coin, each of the six wrong now and then; the last two are each other's opposite."""
    rng = np.random.default_rng(5)
    coin = rng.integers(0, 2, (n_samples, 1))
    found = np.where(rng.random((n_samples, len(NAMES))) < flip, 1 - coin, coin)
    found[:, -1] = np.where(rng.random(n_samples) < 0.1, found[:, -2], 1 - found[:, -2])
    return pd.DataFrame(found, columns=list(NAMES))


@pytest.fixture(scope="session")
def hostile(tmp_path_factory):
    """A folder of a map with stability, groups, and names that are code elsewhere."""
    fit = PlanarIsing(n_restarts=0)
    fit.stability(rows(), n_resamples=4)
    folder = tmp_path_factory.mktemp("hostile") / "map"
    return write_results(fit.learned_, folder, title="<script>alert(4)</script>", groups=GROUPS)


@pytest.fixture(scope="session")
def compared(tmp_path_factory):
    """A folder of a comparison whose variables and groups have names that are code elsewhere."""
    one, other = rows(), rows(200)
    other[NAMES[-1]] = other[NAMES[-2]]  # where they were opposites
    other.loc[::5, NAMES[-1]] = 1 - other.loc[::5, NAMES[-2]]
    found = compare(one, other, PlanarIsing(search="greedy"), labels=LABELS_OF_GROUPS, n_permutations=19)
    folder = tmp_path_factory.mktemp("compared") / "both"
    warned = replace(found.maps[0], warnings=("<i>beware</i>",))
    found = replace(found, maps=(warned, found.maps[1]))
    return write_comparison(found, folder, title="<script>alert(6)</script>")


@pytest.fixture(scope="session")
def judged(compared, tmp_path_factory):
    """The same with p-values of every kind: sure, sure until corrected, at the level and above it."""
    folder = shutil.copytree(compared, tmp_path_factory.mktemp("judged") / "both")
    columns, rows = read_csv(folder / "differences.csv")
    places = [columns.index(name) for name in ("p_value", "p_holm")]
    for row, p_values in zip(
        rows, (("0.01", "0.02"), ("0.03", "0.05"), ("0.05", "0.3"), ("0.02", "0.04")), strict=False
    ):
        for k, p_value in zip(places, p_values, strict=True):
            row[k] = p_value
    write_csv(folder / "differences.csv", columns, rows)
    write_page(folder, folder / "report.html")
    return folder


@pytest.fixture(scope="session")
def wide(tmp_path_factory):
    """A folder of a tree on sixty variables: more names than fit into the picture."""
    rng = np.random.default_rng(2)
    turns = rng.choice([0, 1], p=[0.8, 0.2], size=(400, 60))
    turns[:, 0] = rng.integers(0, 2, 400)
    spins = np.cumsum(turns, axis=1) % 2
    names = [f"a rather long name {k}" for k in range(60)]
    fit = PlanarIsing(search="chow-liu", family="zero-field").fit(pd.DataFrame(spins, columns=names))
    return write_results(fit.learned_, tmp_path_factory.mktemp("wide") / "map")


@pytest.fixture(scope="session")
def browser(tmp_path_factory):
    """Chromium without a window; files that are saved go to its `downloads`."""
    webdriver = pytest.importorskip("selenium.webdriver", reason="the browser tests need selenium")
    chromium, driver = (shutil.which(name) for name in ("chromium", "chromedriver"))
    if not chromium or not driver:
        pytest.skip("no browser: the tests of the page need chromium and chromium-driver (apt-get install both)")
    options = webdriver.ChromeOptions()
    options.binary_location = chromium
    quiet = ["no-first-run", "disable-background-networking", "disable-component-update", "disable-sync"]
    for argument in ("headless=new", "disable-gpu", "window-size=1280,800", *quiet):
        options.add_argument(f"--{argument}")
    if os.geteuid() == 0:
        options.add_argument("--no-sandbox")
    downloads = tmp_path_factory.mktemp("downloads")
    preferences = {
        "download.default_directory": str(downloads),
        "profile.default_content_setting_values.automatic_downloads": 1,
    }
    options.add_experimental_option("prefs", preferences)
    options.set_capability("goog:loggingPrefs", {"browser": "ALL"})
    found = webdriver.Chrome(options=options, service=webdriver.ChromeService(driver))
    found.downloads = downloads
    yield found
    found.quit()
