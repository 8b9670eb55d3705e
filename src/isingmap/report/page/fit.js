/* The page of a fit: filters, the path of the search, and words for variables and edges. */
"use strict";
(() => {
  const data = JSON.parse(document.getElementById("data").textContent);
  const get = (id) => document.getElementById(id);
  const edges = pageTables.read("edges"), nodes = pageTables.read("nodes"), path = pageTables.read("path");
  const nEdges = data.weights.length, n = data.names.length, nSteps = data.changes.length;
  const largest = d3.max(data.weights, Math.abs) ?? 0;

  /* --- words -------------------------------------------------------------------------------------------- */

  /** The interval in a row, where there is one; a search may have found one end alone. */
  const between = (table, row, low, high) =>
    table.text(row, low) || table.text(row, high) ? ` (95 % ${table.text(row, low) || "not found"} to ${table.text(row, high) || "not found"})` : "";

  function edgeWords(e) {
    const [i, j] = data.pairs[e], pair = `${data.names[i]} – ${data.names[j]}`;
    if (e >= nEdges) return [pair, "The search added this edge and took it back later."];
    const coupling = data.weights[e], test = edges.text(e, "p_value");
    return [
      pair,
      `Coupling ${edges.text(e, "coupling")}${between(edges, e, "lower", "upper")}: ${coupling > 0 ? "they tend to agree" : coupling < 0 ? "they tend to differ" : "no tendency"}, all others held fixed.`,
      edges.text(e, "correlation") && `P(alike) − P(different): ${edges.text(e, "correlation")} in the model${edges.text(e, "empirical") && `, ${edges.text(e, "empirical")} in the data`}${edges.text(e, "rows") && ` (${edges.text(e, "rows")} rows)`}.`,
      test && `Without this edge: likelihood ratio ${edges.text(e, "lr")}, p ${test.startsWith("<") ? test : `= ${test}`}.`,
      edges.text(e, "frequency") && `An edge in ${Math.round(100 * edges.value(e, "frequency"))} % of the refits.`,
    ];
  }

  function nodeWords(v) {
    const mean = nodes.value(v, "model_mean"), seen = nodes.value(v, "mean"), label = data.labels[v]?.[1];
    const share = (m) => `${(50 * (1 + m)).toFixed(1)} %`;
    return [
      data.names[v],
      !Number.isNaN(mean) && `${label === undefined ? "+1" : `+1 (“${label}”)`} in ${share(mean)} by the model${Number.isNaN(seen) ? "" : `, ${share(seen)} in the data`}.`,
      nodes.text(v, "field") && Number(nodes.value(v, "field")) !== 0 && `Field ${nodes.text(v, "field")}${between(nodes, v, "field_lower", "field_upper")}.`,
      nodes.text(v, "group") && `Group ${nodes.text(v, "group")}.`,
      map.ties(v).length ? "Strongest edges:" : map.neighbours[v].length ? "Its edges are hidden by the filters." : "No edge.",
    ];
  }

  const isEarly = () => Boolean(get("step")) && Number(get("step").value) < nSteps - 1;

  function count() {
    const { edge, node } = map.shown;
    const those = edge.filter(Boolean).length, points = node.filter(Boolean).length;
    const passing = edge.filter((is, e) => is && e >= nEdges).length;
    const early = isEarly() ? ` Widths are those of the final map${passing ? `; ${passing} dotted ${passing === 1 ? "edge was" : "edges were"} taken back later` : ""}.` : "";
    return `${those - passing} of ${nEdges} edges and ${points} of ${n} variables shown.${early}`;
  }

  const map = pictureOf(data, { edges, nodes }, { edgeWords, nodeWords, tieWords: (e) => edges.text(e, "coupling"), count });

  /* --- what is shown ------------------------------------------------------------------------------------ */

  function edgesAtStep(step) {
    const there = new Set(data.first);
    data.changes.slice(0, step + 1).flat().forEach((change) => {
      if (change > 0) there.add(change - 1); else there.delete(-change - 1);
    });
    return there;
  }

  function filter() {
    const set = (id) => Number(get(id)?.value ?? 0);  // a control that is not on the page asks for nothing
    const sign = set("sign"), least = largest * set("strength") / 100, often = set("frequency") / 100;
    const step = get("step") ? set("step") : null;
    const there = step === null || step === nSteps - 1 ? null : edgesAtStep(step);
    const groups = new Set([...document.querySelectorAll("#groups input:checked")].map((input) => Number(input.value)));
    const node = data.names.map((_, v) => !data.groups || groups.has(data.groups[v]));
    map.shown.node = node;
    map.shown.edge = data.pairs.map(([i, j], e) => {
      if (!node[i] || !node[j]) return false;
      if (there ? !there.has(e) : e >= nEdges) return false;
      if (e >= nEdges) return !sign && !least && !often;  // taken back later: nothing is known of its coupling
      if (sign && Math.sign(data.weights[e]) !== sign) return false;
      return map.strength(e) >= (1 - 1e-9) * least && !(often && !(edges.value(e, "frequency") >= often));
    });
    tellControls(least, often, step);
    map.refresh();
  }

  function tellControls(least, often, step) {
    tell("strength", least ? least.toPrecision(3) : "0");
    tell("frequency", `${Math.round(100 * often)} %`);
    if (step === null) return;
    tell("step", `${step} of ${nSteps - 1}: ${stepWords(step)}`);
    const points = document.querySelector("#curve .curve")?.points;
    if (points) d3.select("#curve .dot").attr("cx", points[step].x).attr("cy", points[step].y);
    path?.rows.forEach((row, k) => row.classList.toggle("marked", k === step));
  }

  function tell(id, words) {
    const output = document.querySelector(`output[for=${id}]`);
    if (output) output.textContent = words;
  }

  function stepWords(step) {
    const action = path.text(step, "action"), source = path.text(step, "source");
    if (action === "start") return "the graph at the start";
    return `${action === "add" ? "adds" : "removes"} ${source} – ${path.text(step, "target")}`;
  }

  if (path && get("step")) pageTables.makeChoosable(path, (k) => { get("step").value = k; filter(); });
  const controls = ["sign", "strength", "frequency", "step"].map(get).filter(Boolean);
  map.start([...controls, ...document.querySelectorAll("#groups input")], filter);
})();
