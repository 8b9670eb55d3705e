"""What a family, a search and a criterion do, in the words of the summary."""

FAMILIES = {
    "partial": "fields and couplings were chosen in competition",
    "zero-field": "no fields; every variable is taken for a fair coin",
    "outer-planar": "a field on every variable; the graph is outer-planar",
}
MOST_EDGES = {
    "partial": "with n variables there is room for 3n-3 couplings and fields together (3n-6 couplings)",
    "zero-field": "with n variables that is 3n-6 edges",
    "outer-planar": "with n variables that is 2n-3 edges",
}
SEARCHES = {
    "forward-backward": "forward-backward: edges are added, removed and swapped by their exact effect",
    "greedy": "greedy, as in the paper: an edge once added stays",
    "none": "none: the graph was given",
    "independent": "none: no edges",
    "chow-liu": "Chow-Liu: the best tree",
    "tmfg": "TMFG: triangulated maximally filtered graph of the moments",
    "pmfg": "PMFG: planar maximally filtered graph of the moments",
}
CRITERIA = {
    "bic": "BIC: an edge must gain at least log(N)/(2N) nats per row",
    "ebic": "EBIC, gamma {gamma:g}: an edge must gain at least (log(N) + 4 gamma log(n))/(2N) nats per row",
    "aic": "AIC: an edge must gain at least 1/N nats per row",
    "none": "none",
    "maximal": "maximal: it always adds edges as long as the plane has room, needed or not;",
}
CONVENTION = (
    "P(x) = exp(sum h_i x_i + sum J_ij x_i x_j) / Z with every x_i -1 or +1. Coupling J > 0: the two tend to "
    "agree, all others held fixed; J < 0: to disagree. Field h > 0: leans to +1. Log-likelihoods, gains and "
    "entropies are in nats."
)
