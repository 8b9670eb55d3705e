"""What every column of every CSV file among the results means, in one line: files, documentation and page read it here.

The columns of a file stand in the order in which they are written.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

NATS, NATS_PER_ROW, MEAN, SHARE, ROWS = "nats", "nats per row", "-1 to 1", "0 to 1", "rows (weight)"


class Column(NamedTuple):
    """A heading, what stands below it, and in which unit; no unit where it is a name, a word, a number or a ratio.

    `is_text` says that names or words stand there, which are no numbers even where they look like some.
    """

    name: str
    meaning: str
    unit: str = ""
    is_text: bool = False


_SOURCE = Column("source", "one variable of the pair", is_text=True)
_TARGET = Column("target", "the other variable of the pair", is_text=True)
_OR_FIELD = Column("target", "the other variable; (field) means a field of the first", is_text=True)

COLUMNS = {
    "edges.csv": (
        Column("source", "one variable, the first of the two in the table", is_text=True),
        Column("target", "the other variable", is_text=True),
        Column("coupling", "J; above 0 the two tend to agree, all others held fixed; 4J is a change of log odds", NATS),
        Column("se", "standard error of the coupling, for this graph", NATS),
        Column("lower", "lower end of the 95 % interval of the coupling, for this graph", NATS),
        Column("upper", "upper end of the 95 % interval of the coupling, for this graph", NATS),
        Column(
            "interval",
            "wald (coupling -+ 1.96 se; with clusters Student's t) or profile (likelihood-ratio test)",
            is_text=True,
        ),
        Column("correlation", "E[x_i x_j] in the model: P(agree) - P(differ)", MEAN),
        Column("empirical", "E[x_i x_j] in the data", MEAN),
        Column("rows", "rows in which both variables are known", ROWS),
        Column("loss", "log-likelihood lost when this edge goes and all others are refitted", NATS),
        Column("lr", "likelihood-ratio statistic of the coupling, 2 loss; scaled where errors are robust"),
        Column("p_value", "of the likelihood-ratio test that the coupling is 0, the rest of the graph as it is", SHARE),
        Column("step", "step of a greedy search in which the edge was added, 0 for required ones"),
        Column("weight", "4J, the coupling for x = 0 or 1, as R's IsingFit gives it: a change of log odds", NATS),
        Column("weight_se", "standard error of the weight, for this graph", NATS),
        Column("frequency", "only of isingmap stability: share of the refits that have this edge", SHARE),
    ),
    "nodes.csv": (
        Column("name", "the variable", is_text=True),
        Column("field", "h; above 0 it leans to +1; 0 where the model has none", NATS),
        Column("field_se", "standard error of the field, for this graph", NATS),
        Column("field_lower", "lower end of the 95 % interval of the field, for this graph", NATS),
        Column("field_upper", "upper end of the 95 % interval of the field, for this graph", NATS),
        Column("field_interval", "how the interval was found: wald or profile", is_text=True),
        Column("mean", "average of x in the data: P(+1) - P(-1)", MEAN),
        Column("model_mean", "average of x in the model; as in the data where there is a field", MEAN),
        Column("degree", "number of edges at the variable"),
        Column("group", "group as given; the colour in the picture", is_text=True),
        Column("negative_label", "what -1 stands for in the table", is_text=True),
        Column("positive_label", "what +1 stands for in the table", is_text=True),
        Column("threshold", "log odds of +1 when all others are 0, for x = 0 or 1, as IsingFit: 2h - 2 sum of J", NATS),
        Column("threshold_se", "standard error of the threshold, for this graph", NATS),
        Column("strength", "sum of |coupling| over the edges of the variable", NATS),
        Column("betweenness", "pairs of others whose shortest path leads through it; lengths are 1/|coupling|"),
        Column("bloc", "bloc by greedy modularity of the couplings above 0; 1 is the largest"),
        Column("icpsr", "only of isingmap voteview: numbers of the member at Voteview", is_text=True),
        Column("bioname", "only of isingmap voteview: full name of the member", is_text=True),
    ),
    "path.csv": (
        Column("step", "number of the step; 0 is the start"),
        Column("source", "a variable of the pair that was added or removed", is_text=True),
        _OR_FIELD,
        Column("gain", "guaranteed gain before the refit; of a removal, the loss", NATS_PER_ROW),
        Column("log_likelihood", "of all rows, after the refit", NATS),
        Column("aic", "AIC after the step; smaller is better", NATS),
        Column("bic", "BIC after the step; smaller is better", NATS),
        Column("ebic", "EBIC of the gamma of the search, after the step; smaller is better", NATS),
        Column("n_parameters", "couplings and fields so far"),
        Column("n_ties", "other pairs with the same gain; the first by name was taken"),
        Column("action", "add or remove; start in step 0", is_text=True),
        Column("n_edges", "couplings so far"),
        Column("ebic_0.25", "EBIC of gamma 0.25", NATS),
        Column("ebic_0.5", "EBIC of gamma 0.5", NATS),
        Column("ebic_1", "EBIC of gamma 1", NATS),
        Column("held_out", "mean log-likelihood of a held-out row, of greedy graphs as large", NATS_PER_ROW),
        Column("held_out_se", "standard error of held_out over the folds", NATS_PER_ROW),
    ),
    "excluded.csv": (
        _SOURCE,
        _OR_FIELD,
        Column("gain", "guaranteed gain of the pair, which would have paid", NATS_PER_ROW),
        Column("reason", "why it was left out", is_text=True),
    ),
    "misses.csv": (
        Column("source", "the variable, or one of a pair", is_text=True),
        Column("target", "the other variable of the pair; (mean) means the mean of the first", is_text=True),
        Column(
            "fitted",
            "yes where there is an edge or a field, so that model and data agree, but for a prior or EM",
            is_text=True,
        ),
        Column("data", "E[x_i x_j], or E[x_i], in the data", MEAN),
        Column("model", "the same in the model", MEAN),
        Column("difference", "data - model"),
        Column("se", "standard error of data if the model were true, given the means it was fitted to"),
        Column("z", "difference / se"),
        Column("rows", "rows in which both variables are known", ROWS),
    ),
    "missing.csv": (
        Column("column", "a column with missing cells", is_text=True),
        Column("missing", "how many of them", ROWS),
        Column("share", "missing cells as a share of the rows", SHARE),
        Column("other", "the column that is compared", is_text=True),
        Column("rows_missing", "rows that lack the cell and know the other column", ROWS),
        Column("rows_known", "rows that have the cell and know the other column", ROWS),
        Column("mean_missing", "mean of the other column where the cell is missing", MEAN),
        Column("mean_known", "mean of the other column where the cell is known", MEAN),
        Column("difference", "mean_missing - mean_known"),
        Column("p_value", "of equal means: chi-square, or Fisher's exact test where rows are few", SHARE),
        Column("p_adjusted", "p_value for all comparisons made (Holm)", SHARE),
    ),
    "blocked.csv": (
        _SOURCE,
        _OR_FIELD,
        Column("gain", "guaranteed: what it gains alone, all else fixed", NATS_PER_ROW),
        Column("exact_gain", "the gain after a refit of everything, on the graph that is not planar", NATS_PER_ROW),
        Column("price", "what it would have to gain", NATS_PER_ROW),
    ),
    "selection.csv": (
        Column("family", "family of models that was tried", is_text=True),
        Column("criterion", "criterion that was tried", is_text=True),
        Column("gamma", "gamma of EBIC; empty for other criteria"),
        Column("held_out", "mean log-likelihood of rows that were held out", NATS_PER_ROW),
        Column("se", "standard error of held_out over the folds", NATS_PER_ROW),
        Column("behind", "how far behind the best", NATS_PER_ROW),
        Column("behind_se", "standard error of behind, fold by fold", NATS_PER_ROW),
        Column("n_edges", "edges, mean over the folds"),
        Column("n_parameters", "couplings and fields, mean over the folds"),
        Column("taken", "yes for the settings of the final fit, to all rows", is_text=True),
        Column("note", "why the settings could not be fitted to every fold", is_text=True),
    ),
    "stability.csv": (
        _SOURCE,
        _TARGET,
        Column("edge", "yes if the pair is an edge of the fit to all rows", is_text=True),
        Column("coupling", "J in the fit to all rows; 0 without an edge", NATS),
        Column("frequency", "share of the refits that have the edge", SHARE),
        Column("lower", "lower end of the 95 % interval over the refits; no edge counts as 0", NATS),
        Column("upper", "upper end of the 95 % interval over the refits; no edge counts as 0", NATS),
        Column("mean_if_chosen", "mean coupling of the refits that have the edge", NATS),
        Column("sign_stability", "share of these whose coupling has the sign of the fit", SHARE),
        Column("refits", "resamples that could be fitted"),
    ),
    "case_dropping.csv": (
        Column("dropped", "share of the rows that were dropped", SHARE),
        Column("refits", "resamples that could be fitted"),
        Column("couplings", "mean correlation of the refits' couplings with those of the fit", MEAN),
        Column("couplings_lower", "above which 97.5 % of these correlations are", MEAN),
        Column("couplings_upper", "below which 97.5 % of these correlations are", MEAN),
        Column("couplings_alike", "share of the refits with a correlation of at least 0.7", SHARE),
        Column("strengths", "mean correlation of the sums of |coupling| at each variable with those of the fit", MEAN),
        Column("strengths_lower", "above which 97.5 % of these correlations are", MEAN),
        Column("strengths_upper", "below which 97.5 % of these correlations are", MEAN),
        Column("strengths_alike", "share of the refits with a correlation of at least 0.7", SHARE),
    ),
    "counts.csv": (
        Column("n_positive", "number of variables that are +1 in a row"),
        Column("data", "share of the rows that have so many", SHARE),
        Column("simulated_mean", "mean share in tables simulated from the model", SHARE),
        Column("simulated_lower", "above which the share is in 97.5 % of the simulated tables", SHARE),
        Column("simulated_upper", "below which the share is in 97.5 % of the simulated tables", SHARE),
    ),
    "triples.csv": (
        Column("first", "a variable", is_text=True),
        Column("second", "a second variable", is_text=True),
        Column("third", "a third variable", is_text=True),
        Column("data", "third central moment of the three in the data"),
        Column("simulated_mean", "its mean in tables simulated from the model"),
        Column("z", "difference in standard deviations of the simulated tables"),
    ),
    "differences.csv": (
        _SOURCE,
        _TARGET,
        Column("coupling_first", "J in the map of the first group; 0 without an edge", NATS),
        Column("coupling_second", "J in the map of the second group; 0 without an edge", NATS),
        Column("difference", "coupling_second - coupling_first", NATS),
        Column("p_value", "(1 + permutations whose difference is as large) / (1 + permutations)", SHARE),
        Column("p_holm", "p_value for all pairs that were tested (Holm)", SHARE),
        Column("tested", "yes if the pair counts in Holm's correction", is_text=True),
        Column(
            "left_out_of", "groups whose search left the pair out, because its coupling would be infinite", is_text=True
        ),
    ),
    "variables.csv": (
        Column("name", "the variable", is_text=True),
        Column("mean_first", "average of x in the data of the first group: P(+1) - P(-1)", MEAN),
        Column("mean_second", "average of x in the data of the second group: P(+1) - P(-1)", MEAN),
        Column("field_first", "h in the map of the first group; 0 where it has none", NATS),
        Column("field_second", "h in the map of the second group; 0 where it has none", NATS),
        Column("strength_first", "sum of |coupling| over the edges of the variable in the first map", NATS),
        Column("strength_second", "sum of |coupling| over the edges of the variable in the second map", NATS),
        Column("negative_label", "what -1 stands for in the tables", is_text=True),
        Column("positive_label", "what +1 stands for in the tables", is_text=True),
    ),
    "groups.csv": (
        Column("group", "the group of rows", is_text=True),
        Column("folder", "where its map is", is_text=True),
        Column("rows", "rows of the group", ROWS),
        Column("edges", "number of edges of its map"),
        Column("fields", "number of fields of its map"),
        Column("strength", "global strength: sum of |coupling|", NATS),
        Column("log_likelihood", "of all rows of the group", NATS),
    ),
    "comparisons.csv": (
        Column("first", "one group", is_text=True),
        Column("second", "the other group", is_text=True),
        Column("folder", "where their comparison is", is_text=True),
        Column("permutations", "how often rows were dealt out to the groups again"),
        Column("structure", "largest difference of a coupling", NATS),
        Column("structure_p", "(1 + permutations with a difference as large) / (1 + permutations)", SHARE),
        Column("structure_p_holm", "structure_p for all comparisons (Holm)", SHARE),
        Column("strength", "difference of the sums of |coupling|", NATS),
        Column("strength_p", "(1 + permutations with a difference as large) / (1 + permutations)", SHARE),
        Column("strength_p_holm", "strength_p for all comparisons (Holm)", SHARE),
        Column("likelihood_ratio", "statistic of two models against one for all rows"),
        Column("likelihood_ratio_p", "(1 + permutations with a statistic as large) / (1 + permutations)", SHARE),
        Column("likelihood_ratio_p_holm", "likelihood_ratio_p for all comparisons (Holm)", SHARE),
    ),
}
_OF_ANY_TABLE = {
    "fitted": Column("fitted", "yes where there is an edge or a field: model and data agree in the table of the fit"),
    "se": Column("se", "standard error of data if the model were true; in the table of the fit, given its means"),
}
COLUMNS["pairs.csv"] = tuple(_OF_ANY_TABLE.get(column.name, column) for column in COLUMNS["misses.csv"])  # of a check


def column_of(file: str, name: str) -> Column | None:
    """What is known of a heading; None where columns of the data were added."""
    return next((each for each in COLUMNS.get(file, ()) if each.name == name), None)


def meaning_of(file: str, column: str) -> str:
    """What stands below a heading, with its unit; nothing where columns of the data were added."""
    found = column_of(file, column)
    if found is None:
        return ""
    return f"{found.meaning} ({found.unit})" if found.unit else found.meaning


def names_in(file: str, *, without: Sequence[str] = ()) -> tuple[str, ...]:
    """The headings of a file, in order."""
    return tuple(column.name for column in COLUMNS[file] if column.name not in without)
