/* The page of a comparison: four views of both maps, filters, and words for variables and edges. */
"use strict";
(() => {
  const data = JSON.parse(document.getElementById("data").textContent);
  const get = (id) => document.getElementById(id);
  const edges = pageTables.read("edges"), nodes = pageTables.read("nodes");
  const [first, second] = data.labels;
  const nEdges = data.weights.length, n = data.names.length;
  const largest = d3.max(data.weights, Math.abs) ?? 0;

  /* --- words -------------------------------------------------------------------------------------------- */

  function edgeWords(e) {
    const [i, j] = data.pairs[e], without = edges.text(e, "left_out_of");
    const coupling = (k) => data.couplings[e][k] ? edges.text(e, ["coupling_first", "coupling_second"][k]) : "no edge";
    return [
      `${data.names[i]} – ${data.names[j]}`,
      `${first}: ${coupling(0)}; ${second}: ${coupling(1)}.`,
      without && `Left out of ${without}, where it would be infinite or too strong: size and sign of the difference mean nothing.`,
      `Difference (${second} less ${first}): ${edges.text(e, "difference")}.`,
      `As much in ${percent(data.p_values[e])} of the permutations, this one counted with them (p = ${edges.text(e, "p_value")}); corrected for all pairs (Holm) p = ${edges.text(e, "p_holm")}.`,
    ];
  }

  function nodeWords(v) {
    const label = nodes.text(v, "positive_label");
    const share = (column) => `${(50 * (1 + nodes.value(v, column))).toFixed(1)} %`;
    const both = (name) => [nodes.text(v, `${name}_first`), nodes.text(v, `${name}_second`)];
    const fields = both("field"), strengths = both("strength");
    return [
      data.names[v],
      both("mean").every(Boolean) && `${label ? `+1 (“${label}”)` : "+1"} in ${share("mean_first")} of ${first}, ${share("mean_second")} of ${second}.`,
      fields.some(Boolean) && `Fields ${fields[0]} and ${fields[1]}.`,
      strengths.some(Boolean) && `Sums of |couplings| ${strengths[0]} and ${strengths[1]}.`,
      map.ties(v).length ? "Largest differences:" : map.neighbours[v].length ? "Its edges are hidden by the filters." : "No edge in either map.",
    ];
  }

  const tieWords = (e) => (data.owners[e] === data.no_estimate ? "left out: no difference" : edges.text(e, "difference"));
  const percent = (p) => `${Number((100 * p).toPrecision(3))} %`;

  function count() {
    const { edge } = map.shown, those = edge.filter(Boolean).length;
    return `${those} of ${nEdges} edges of either map and ${n} variables shown.`;
  }

  const map = pictureOf(data, { edges, nodes }, { edgeWords, nodeWords, tieWords, count });

  /* --- what is shown ------------------------------------------------------------------------------------ */

  function filter() {
    const set = (id) => get(id)?.value ?? "";  // a control that is not on the page asks for nothing
    const view = get("view")?.selectedIndex ?? 0, least = largest * Number(set("strength")) / 100;
    const owner = set("owner"), sure = set("sure");
    map.shown.edge = data.pairs.map((_, e) => {
      if (!data.views[view][e]) return false;
      if (owner !== "" && data.owners[e] !== Number(owner)) return false;
      if (sure && !(data[sure][e] < data.level)) return false;
      return map.strength(e) >= (1 - 1e-9) * least;
    });
    const output = document.querySelector("output[for=strength]");
    if (output) output.textContent = least ? least.toPrecision(3) : "0";
    look(view);
    map.refresh();
  }

  /** Colours, widths and dashes of a view, and its legend. */
  function look(view) {
    const looks = data.views[view], byChance = data.by_chance[view];
    data.picture = data.pictures[view];
    map.links.filter((e) => looks[e]).attr("stroke", (e) => looks[e][0]).attr("stroke-width", (e) => looks[e][1])
      .attr("stroke-dasharray", (e) => looks[e][2] || null)
      .attr("stroke-opacity", (e) => (byChance && data.p_values[e] >= data.level && data.owners[e] !== data.no_estimate ? data.faded : null));
    d3.select(".stars").classed("out", !byChance);
    document.querySelectorAll(".legend").forEach((legend) => { legend.hidden = Number(legend.dataset.view) !== view; });
  }

  map.start(["view", "owner", "strength", "sure"].map(get).filter(Boolean), filter);
})();
