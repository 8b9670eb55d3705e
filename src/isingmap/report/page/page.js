/* What the page does beyond showing: zoom, search, filters, the path, links between picture and tables.
   It reads numbers from the tables of the page and places from the block of data; text goes in as text, never as HTML. */
"use strict";
(() => {
  const data = JSON.parse(document.getElementById("data").textContent);
  const get = (id) => document.getElementById(id);
  const svg = d3.select("#picture");
  const nModelEdges = data.couplings.length, n = data.names.length;
  const SIDE_MARGIN = 60, END_MARGIN = 28, LARGEST_SCALE = 2.5, NARROW = 820;
  const FONT = n <= 30 ? 13 : 11, LABEL_GAP = 3, LABEL_HEIGHT = 1.2 * FONT, NODE_REACH = 12, EDGE_REACH = 7;
  const SPACE = 60;  // pixels between nodes at which they are drawn half as large again as in print

  /* --- tables ------------------------------------------------------------------------------------------- */

  /** A table of the page: its rows in the order of the model, and the cells of each by the name of the column. */
  function readTable(kind) {
    const box = document.querySelector(`.table[data-kind=${kind}]`);
    if (!box) return null;
    const columns = [...box.querySelectorAll("th")].map((head) => head.dataset.column);
    const rows = [...box.querySelectorAll("tbody tr")];
    const cell = (row, column) => rows[row].cells[columns.indexOf(column)];
    return {
      box, rows, columns,
      has: (column) => columns.includes(column),
      text: (row, column) => (columns.includes(column) ? cell(row, column).textContent : ""),
      value: (row, column) => (columns.includes(column) ? valueOf(cell(row, column)) : NaN),
    };
  }

  function valueOf(cell) {
    const text = cell.dataset.value ?? cell.textContent;
    return text === "" ? NaN : Number(text);
  }

  const edges = readTable("edges"), nodes = readTable("nodes"), path = readTable("path");

  /** Headings become buttons that sort; empty cells stay at the end either way. */
  function makeSortable(box) {
    const body = box.querySelector("tbody");
    box.querySelectorAll("th").forEach((head, k) => {
      const button = document.createElement("button");
      button.type = "button";
      button.textContent = head.textContent;
      head.replaceChildren(button);
      button.addEventListener("click", () => sortBy(box, body, head, k));
    });
  }

  function sortBy(box, body, head, k) {
    const down = head.getAttribute("aria-sort") === "ascending";
    box.querySelectorAll("th").forEach((other) => other.removeAttribute("aria-sort"));
    head.setAttribute("aria-sort", down ? "descending" : "ascending");
    const isNumber = head.classList.contains("number"), sign = down ? -1 : 1;
    const key = (row) => (isNumber ? valueOf(row.cells[k]) : row.cells[k].textContent);
    const order = (a, b) => (isNumber ? a - b : a.localeCompare(b));
    const isEmpty = (x) => x === "" || Number.isNaN(x);
    body.append(...[...body.rows].sort((a, b) => {
      const x = key(a), y = key(b);
      return isEmpty(x) || isEmpty(y) ? isEmpty(x) - isEmpty(y) : sign * order(x, y);
    }));
  }

  /** Rows are chosen by click, or by arrows and Enter; one row of a table is in the order of Tab. */
  function makeChoosable(table, choose) {
    const body = table.box.querySelector("tbody");
    table.rows.forEach((row, k) => {
      row.tabIndex = k ? -1 : 0;
      row.addEventListener("click", () => choose(k));
      row.addEventListener("keydown", (event) => {
        const there = [...body.rows].filter((other) => !other.hidden), at = there.indexOf(row);
        const next = { ArrowDown: there[at + 1], ArrowUp: there[at - 1], Home: there[0], End: there.at(-1) }[event.key];
        if (event.key === "Enter") choose(k);
        else if (next) focusRow(next, row);
        else return;
        event.preventDefault();
      });
    });
  }

  function focusRow(row, before) {
    before.tabIndex = -1;
    row.tabIndex = 0;
    row.focus();
  }

  /** After a filter: the row in the order of Tab must be one that is shown. */
  function keepReachable(table) {
    const body = table.box.querySelector("tbody"), first = [...body.rows].find((row) => !row.hidden);
    const current = body.querySelector("tr[tabindex='0']");
    if (first && current?.hidden) { current.tabIndex = -1; first.tabIndex = 0; }
  }

  /* --- the picture -------------------------------------------------------------------------------------- */

  const link = svg.select(".edges").selectAll("line")
    .datum(function () { return Number(this.dataset.edge); });
  svg.select(".edges").selectAll("line.gone")  // edges that the search took back
    .data(d3.range(nModelEdges, data.pairs.length)).enter().insert("line", ":first-child").attr("class", "gone");
  const links = svg.select(".edges").selectAll("line");
  const dots = svg.selectAll(".nodes > g").datum(function () { return Number(this.dataset.node); });
  const texts = svg.selectAll(".labels > text").datum(function () { return Number(this.dataset.label); });

  const neighbours = d3.range(n).map(() => []);  // [other, number of the edge], of the edges of the model
  data.pairs.slice(0, nModelEdges).forEach(([i, j], e) => { neighbours[i].push([j, e]); neighbours[j].push([i, e]); });
  neighbours.forEach((ties) => ties.sort((a, b) => strength(b[1]) - strength(a[1])));
  function strength(e) { return Math.abs(data.couplings[e] ?? 0); }

  let places = data.layouts[0].map((place) => [...place]);
  let view = d3.zoomIdentity, width = 1, height = 1, reach = data.radius;
  const at = (v) => view.apply(places[v]);

  const zoom = d3.zoom().on("zoom", (event) => { view = event.transform; draw(); })
    .on("end", placeLabels);

  /** The whole map on the sheet, which is as high as the map needs and the window has room for. */
  function fit() {
    const place = svg.node().getBoundingClientRect(), top = place.top + scrollY;
    width = Math.max(place.width, 50);
    const [x0 = 0, x1 = 0] = d3.extent(places, (p) => p[0]), [y0 = 0, y1 = 0] = d3.extent(places, (p) => p[1]);
    const wide = Math.max(x1 - x0, 1), high = Math.max(y1 - y0, 1);
    const inner = width - 2 * Math.min(SIDE_MARGIN, 0.1 * width);
    const least = Math.min(0.45 * width, 320), most = Math.max(innerHeight - top - 16, 320);
    const k = n < 2 ? 1 : Math.min(inner / wide, (most - 2 * END_MARGIN) / high, LARGEST_SCALE);
    height = Math.max(k * high + 2 * END_MARGIN, least);
    svg.attr("viewBox", `0 0 ${width} ${height}`).style("height", `${height}px`);
    const middle = [(x0 + x1) / 2, (y0 + y1) / 2];
    const size = Math.min(1.5, Math.max(0.6, 1.5 * Math.sqrt(width * height / Math.max(n, 1)) / SPACE));
    dots.selectChildren(":not(title)").attr("transform", `scale(${size})`);
    reach = data.radius * size;
    zoom.scaleExtent([0.5 * k, 60 * k]).extent([[0, 0], [width, height]]);
    return d3.zoomIdentity.translate(width / 2 - k * middle[0], height / 2 - k * middle[1]).scale(k);
  }

  function showWhole() { svg.call(zoom.transform, fit()); }

  function draw() {
    const screen = places.map((place) => view.apply(place));
    links.each(function (e) {
      const [i, j] = data.pairs[e];
      this.setAttribute("x1", screen[i][0].toFixed(1));
      this.setAttribute("y1", screen[i][1].toFixed(1));
      this.setAttribute("x2", screen[j][0].toFixed(1));
      this.setAttribute("y2", screen[j][1].toFixed(1));
    });
    dots.each(function (v) {
      this.setAttribute("transform", `translate(${screen[v][0].toFixed(1)},${screen[v][1].toFixed(1)})`);
    });
    texts.each(function (v) {
      const [dx, dy] = offsets[v];
      this.setAttribute("x", (screen[v][0] + dx).toFixed(1));
      this.setAttribute("y", (screen[v][1] + dy).toFixed(1));
    });
  }

  /* Names keep their size. Where they would cover each other, those with the strongest edges are shown. */
  const offsets = data.names.map(() => [0, 0]);
  const canvas = document.createElement("canvas").getContext("2d");
  canvas.font = `${FONT}px ${getComputedStyle(document.body).fontFamily}`;
  const widths = data.shown.map((name) => 1.06 * canvas.measureText(name).width + 2);
  const weight = neighbours.map((ties) => d3.sum(ties, ([, e]) => strength(e)));
  const ranking = d3.range(n).sort((a, b) => weight[b] - weight[a] || a - b);

  function placeLabels() {
    const first = shown.chosenNodes();
    const order = [...first, ...ranking.filter((v) => !first.includes(v))];
    const taken = data.names.map((_, v) => v).filter((v) => shown.node[v]).map((v) => box(at(v), [0, 0], 2 * reach, 2 * reach));
    let hidden = 0;
    const written = new Set();
    for (const v of order) {
      if (!shown.node[v]) continue;
      const spot = at(v);
      if (spot[0] < 0 || spot[1] < 0 || spot[0] > width || spot[1] > height) continue;
      const free = d3.least(sides(v).filter((offset) => {
        const own = box(spot, offset, widths[v], LABEL_HEIGHT);
        return isInside(own) && !taken.some((other) => overlap(own, other));
      }), (offset) => nCovered(v, box(spot, offset, widths[v], LABEL_HEIGHT)));
      if (free || first.includes(v)) {
        offsets[v] = free ?? sides(v)[0];
        taken.push(box(spot, offsets[v], widths[v], LABEL_HEIGHT));
        written.add(v);
      } else hidden += 1;
    }
    texts.classed("out", (v) => !written.has(v));
    draw();
    shown.hiddenNames = hidden;
    tellCount();
  }

  /** How many edges of a node run under a box beside it. */
  function nCovered(v, own) {
    const [x, y] = at(v);
    const isUnder = ([other]) => {
      const [dx, dy] = [at(other)[0] - x, at(other)[1] - y], length = Math.max(Math.hypot(dx, dy), 1);
      const reachesTo = Math.min(length, reach + LABEL_GAP + own[2]);
      return d3.range(reach, reachesTo, 4).some((t) => {
        const [px, py] = [x + t * dx / length, y + t * dy / length];
        return px > own[0] && px < own[0] + own[2] && py > own[1] && py < own[1] + own[3];
      });
    };
    return ties(v).filter(isUnder).length;
  }

  function sides(v) {
    const x = reach + LABEL_GAP + widths[v] / 2, y = reach + LABEL_GAP + LABEL_HEIGHT / 2, d = 0.75 * reach;
    return [[x, 0], [-x, 0], [0, -y], [0, y], [x - 2, -d], [x - 2, d], [2 - x, -d], [2 - x, d]];
  }
  const box = (spot, offset, w, h) => [spot[0] + offset[0] - w / 2, spot[1] + offset[1] - h / 2, w, h];
  const overlap = (a, b) => a[0] < b[0] + b[2] && b[0] < a[0] + a[2] && a[1] < b[1] + b[3] && b[1] < a[1] + a[3];
  const isInside = (b) => b[0] >= 0 && b[1] >= 0 && b[0] + b[2] <= width && b[1] + b[3] <= height;

  /* --- what is shown ------------------------------------------------------------------------------------ */

  const largest = d3.max(data.couplings, Math.abs) ?? 0;
  const nSteps = data.changes.length;
  const shown = {
    node: data.names.map(() => true), edge: data.pairs.map((_, e) => e < nModelEdges), hiddenNames: 0,
    kept: null, under: null,  // {node: v} or {edge: e}: chosen, and under the pointer
    chosenNodes() {
      return [this.under, this.kept].flatMap((it) => (!it ? [] : "node" in it ? [it.node] : data.pairs[it.edge]));
    },
  };

  function edgesAtStep(step) {
    const there = new Set(data.first);
    data.changes.slice(0, step + 1).flat().forEach((change) => {
      if (change > 0) there.add(change - 1); else there.delete(-change - 1);
    });
    return there;
  }

  const isEarly = () => Boolean(get("step")) && Number(get("step").value) < nSteps - 1;

  function filter() {
    const set = (id) => Number(get(id)?.value ?? 0);  // a control that is not on the page asks for nothing
    const sign = set("sign"), least = largest * set("strength") / 100, often = set("frequency") / 100;
    const step = get("step") ? set("step") : null;
    const there = step === null || step === nSteps - 1 ? null : edgesAtStep(step);
    const groups = new Set([...document.querySelectorAll("#groups input:checked")].map((input) => Number(input.value)));
    shown.node = data.names.map((_, v) => !data.groups || groups.has(data.groups[v]));
    shown.edge = data.pairs.map(([i, j], e) => {
      if (!shown.node[i] || !shown.node[j]) return false;
      if (there ? !there.has(e) : e >= nModelEdges) return false;
      if (e >= nModelEdges) return !sign && !least && !often;  // taken back later: nothing is known of its coupling
      if (sign && Math.sign(data.couplings[e]) !== sign) return false;
      return strength(e) >= (1 - 1e-9) * least && !(often && !(edges.value(e, "frequency") >= often));
    });
    links.classed("out", (e) => !shown.edge[e]);
    dots.classed("out", (v) => !shown.node[v]);
    edges.rows.forEach((row, e) => { row.hidden = !shown.edge[e]; });
    nodes.rows.forEach((row, v) => { row.hidden = !shown.node[v]; });
    [edges, nodes].forEach(keepReachable);
    tellControls(least, often, step);
    highlight();
    placeLabels();
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

  function tellCount() {
    const those = shown.edge.filter(Boolean).length, points = shown.node.filter(Boolean).length;
    const names = shown.hiddenNames ? ` ${shown.hiddenNames} names have no room here; zoom in to read them.` : "";
    const passing = shown.edge.filter((is, e) => is && e >= nModelEdges).length;
    const early = isEarly() ? ` Widths are those of the final map${passing ? `; ${passing} dotted edges were taken back later` : ""}.` : "";
    get("count").textContent = `${those - passing} of ${nModelEdges} edges and ${points} of ${n} variables shown.${early}${names}`;
  }

  /* --- choosing ----------------------------------------------------------------------------------------- */

  function keep(what) {
    const same = what && shown.kept && what.node === shown.kept.node && what.edge === shown.kept.edge;
    shown.kept = same ? null : what;
    shown.under = null;
    highlight();
    placeLabels();
    markRows();
  }

  function hover(what) {
    if (what?.node === shown.under?.node && what?.edge === shown.under?.edge) return;
    shown.under = what;
    highlight();
  }

  function highlight() {
    const it = shown.under ?? shown.kept;
    const near = new Set(!it ? [] : "node" in it ? ties(it.node).map(([v]) => v) : data.pairs[it.edge]);
    const isChosen = (v) => it?.node === v;
    const touches = (e) => !it || it.edge === e || ("node" in it && data.pairs[e].includes(it.node));
    links.classed("faint", (e) => !touches(e)).classed("strong", (e) => it?.edge === e);
    dots.classed("faint", (v) => it && !near.has(v) && !isChosen(v)).classed("chosen", isChosen).classed("near", (v) => near.has(v));
    texts.classed("faint", (v) => it && !near.has(v) && !isChosen(v)).classed("chosen", isChosen);
    showCard(it);
  }

  function markRows() {
    const it = shown.kept;
    const isMarked = (e) => it && (it.edge === e || ("node" in it && data.pairs[e].includes(it.node)));
    edges.rows.forEach((row, e) => row.classList.toggle("marked", Boolean(isMarked(e))));
    nodes.rows.forEach((row, v) => row.classList.toggle("marked", it?.node === v || Boolean(it && "edge" in it && data.pairs[it.edge].includes(v))));
    [edges, nodes].forEach((table) => {
      const row = table.box.querySelector("tr.marked:not([hidden])");
      if (row) table.box.scrollTop = row.offsetTop - 60;
    });
  }

  /** A row of the table as words; columns that the table does not have are left out. */
  const between = (table, row, low, high) =>
    table.text(row, low) || table.text(row, high) ? ` (95 % ${table.text(row, low) || "−∞"} to ${table.text(row, high) || "∞"})` : "";

  function edgeWords(e) {
    const [i, j] = data.pairs[e];
    if (e >= nModelEdges) return [`${data.names[i]} – ${data.names[j]}`, "The search added this edge and took it back later."];
    const j0 = data.couplings[e], test = edges.text(e, "p_value");
    return [
      `${data.names[i]} – ${data.names[j]}`,
      `Coupling ${edges.text(e, "coupling")}${between(edges, e, "lower", "upper")}: ${j0 > 0 ? "they tend to agree" : j0 < 0 ? "they tend to differ" : "no tendency"}, all others held fixed.`,
      edges.text(e, "correlation") && `P(alike) − P(different): ${edges.text(e, "correlation")} in the model${edges.text(e, "empirical") && `, ${edges.text(e, "empirical")} in the data`}${edges.text(e, "rows") && ` (${edges.text(e, "rows")} rows)`}.`,
      test && `Without this edge: likelihood ratio ${edges.text(e, "lr")}, p ${test.startsWith("<") ? test : `= ${test}`}.`,
      edges.text(e, "frequency") && `An edge in ${Math.round(100 * edges.value(e, "frequency"))} % of the refits.`,
    ].filter(Boolean);
  }

  function nodeWords(v) {
    const mean = nodes.value(v, "model_mean"), seen = nodes.value(v, "mean"), label = data.labels[v]?.[1];
    const share = (m) => `${(50 * (1 + m)).toFixed(1)} %`;
    return [
      data.names[v],
      !Number.isNaN(mean) && `${label === undefined ? "+1" : `+1 (“${label}”)`} in ${share(mean)} by the model${Number.isNaN(seen) ? "" : `, ${share(seen)} in the data`}.`,
      nodes.text(v, "field") && Number(nodes.value(v, "field")) !== 0 && `Field ${nodes.text(v, "field")}${between(nodes, v, "field_lower", "field_upper")}.`,
      nodes.text(v, "group") && `Group ${nodes.text(v, "group")}.`,
      ties(v).length ? "Strongest edges:" : neighbours[v].length ? "Its edges are hidden by the filters." : "No edge.",
    ].filter(Boolean);
  }

  function showCard(it) {
    const card = get("card");
    card.hidden = !it;
    if (!it) { card.replaceChildren(); return; }
    const [heading, ...lines] = "node" in it ? nodeWords(it.node) : edgeWords(it.edge);
    const title = document.createElement("h3");
    title.textContent = heading;
    card.replaceChildren(title, ...lines.map((line) => Object.assign(document.createElement("p"), { textContent: line })));
    if ("node" in it) card.append(tieTable(it.node));
  }

  const ties = (v) => neighbours[v].filter(([, e]) => shown.edge[e]);  // those that are shown, the strongest first

  function tieTable(v) {
    const table = document.createElement("table");
    for (const [other, e] of ties(v).slice(0, 8)) {
      const row = table.insertRow();
      row.insertCell().textContent = data.names[other];
      Object.assign(row.insertCell(), { className: "number", textContent: edges.text(e, "coupling") });
    }
    return table;
  }

  /** What is nearest to a place of the picture, within reach. */
  function nearest(spot, coarse) {
    const slack = coarse ? 2 : 1;
    const v = d3.least(d3.range(n).filter((k) => shown.node[k]), (k) => distance(at(k), spot));
    if (v !== undefined && distance(at(v), spot) < Math.max(NODE_REACH, reach) * slack) return { node: v };
    const those = d3.range(data.pairs.length).filter((e) => shown.edge[e]);
    const e = d3.least(those, (k) => fromEdge(k, spot));
    return e !== undefined && fromEdge(e, spot) < EDGE_REACH * slack ? { edge: e } : null;
  }
  const distance = (a, b) => Math.hypot(a[0] - b[0], a[1] - b[1]);

  function fromEdge(e, spot) {
    const [a, b] = data.pairs[e].map(at), d = [b[0] - a[0], b[1] - a[1]];
    const t = ((spot[0] - a[0]) * d[0] + (spot[1] - a[1]) * d[1]) / Math.max(d[0] ** 2 + d[1] ** 2, 1e-9);
    const s = Math.min(Math.max(t, 0), 1);
    return distance([a[0] + s * d[0], a[1] + s * d[1]], spot);
  }

  function bringIntoView(v) {
    const [x, y] = at(v);
    if (x < 0 || y < 0 || x > width || y > height) svg.call(zoom.translateTo, ...places[v]);
  }

  function goTo(v) {
    bringIntoView(v);
    keep(null);
    keep({ node: v });
  }

  /** The arrow keys go to the nearest variable in that direction. */
  function step(dx, dy) {
    const from = shown.under?.node ?? shown.kept?.node;
    const those = d3.range(n).filter((v) => shown.node[v] && v !== from);
    if (from === undefined) { goOver(ranking.find((v) => shown.node[v]) ?? 0); return; }
    const here = at(from);
    const cost = (v) => {
      const d = [at(v)[0] - here[0], at(v)[1] - here[1]], along = d[0] * dx + d[1] * dy, across = Math.abs(d[0] * dy - d[1] * dx);
      return along > 0.3 * across ? along + 2 * across : Infinity;
    };
    const next = d3.least(those, cost);
    if (next !== undefined && cost(next) < Infinity) goOver(next);
  }

  function goOver(v) {
    bringIntoView(v);
    hover({ node: v });
  }

  function onKey(event) {
    const arrows = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] };
    if (arrows[event.key]) { if (n) step(...arrows[event.key]); }
    else if (event.key === "Enter" || event.key === " ") { if (shown.under) keep(shown.under); }
    else if (event.key === "Escape") clear();
    else if (event.key === "+" || event.key === "=") svg.call(zoom.scaleBy, 1.4);
    else if (event.key === "-") svg.call(zoom.scaleBy, 1 / 1.4);
    else if (event.key === "0") showWhole();
    else return;
    event.preventDefault();
  }

  function clear() {
    shown.kept = shown.under = null;
    highlight();
    markRows();
    placeLabels();
  }

  /* --- layouts, saving ---------------------------------------------------------------------------------- */

  function moveTo(target) {
    const start = places.map((place) => [...place]);
    const still = matchMedia("(prefers-reduced-motion: reduce)").matches;
    const arrive = () => { places = target.map((place) => [...place]); showWhole(); };
    if (still) { arrive(); return; }
    d3.transition().duration(500).tween("places", () => (t) => {
      places = start.map((p, v) => [p[0] + t * (target[v][0] - p[0]), p[1] + t * (target[v][1] - p[1])]);
      draw();
    }).on("end", arrive);
  }

  /** The picture as it is on the screen, in the colours of paper, on its own. */
  function standalone() {
    const copy = svg.node().cloneNode(true);
    copy.querySelectorAll(".out").forEach((element) => element.remove());
    copy.setAttribute("width", width);
    copy.setAttribute("height", height);
    const style = document.createElementNS("http://www.w3.org/2000/svg", "style");
    style.textContent = "text{font:" + FONT + "px sans-serif;fill:#1c1f24;text-anchor:middle;dominant-baseline:central;paint-order:stroke;stroke:#fff;stroke-width:3px}" +
      ".node{stroke:#fff;stroke-width:.6}.under{fill:#fff}.track{fill:none;stroke:#bbb;stroke-width:.5}.faint{opacity:.12}" +
      ".gone{stroke:#777;stroke-width:1.2;stroke-dasharray:1 3}text.chosen{font-weight:700}";
    const paper = document.createElementNS("http://www.w3.org/2000/svg", "rect");
    Object.entries({ width: "100%", height: "100%", fill: "#fff" }).forEach(([name, value]) => paper.setAttribute(name, value));
    copy.prepend(style, paper);
    return new XMLSerializer().serializeToString(copy);
  }

  function save(blob, name) {
    const address = URL.createObjectURL(blob);
    Object.assign(document.createElement("a"), { href: address, download: name }).click();
    setTimeout(() => URL.revokeObjectURL(address), 10000);
  }

  function savePng() {
    const image = new Image(), sheet = document.createElement("canvas");
    Object.assign(sheet, { width: 2 * width, height: 2 * height });
    image.onload = () => {
      sheet.getContext("2d").drawImage(image, 0, 0, sheet.width, sheet.height);
      sheet.toBlob((blob) => save(blob, "map.png"));
    };
    image.src = `data:image/svg+xml;charset=utf-8,${encodeURIComponent(standalone())}`;
  }

  /* --- start -------------------------------------------------------------------------------------------- */

  document.querySelectorAll(".table").forEach(makeSortable);
  makeChoosable(edges, (e) => keep({ edge: e }));
  makeChoosable(nodes, goTo);
  if (path && get("step")) makeChoosable(path, (k) => { get("step").value = k; filter(); });
  document.querySelectorAll("#tools[hidden], #keys, #pictures, #groups input").forEach((element) => { element.hidden = false; });
  document.querySelector(".filters").open = innerWidth > NARROW;
  svg.classed("live", true).style("font-size", `${FONT}px`).attr("tabindex", 0).attr("role", "application")
    .attr("aria-label", `Map of ${n} variables and ${nModelEdges} edges`).attr("aria-describedby", "keys");
  links.selectAll("title").remove();  // the card says more
  dots.selectAll("title").remove();
  svg.call(zoom).on("dblclick.zoom", null)
    .on("pointermove", (event) => { if (!event.buttons) hover(nearest(d3.pointer(event), event.pointerType === "touch")); })
    .on("pointerleave", () => hover(null))
    .on("click", (event) => keep(nearest(d3.pointer(event), event.pointerType === "touch")))
    .on("keydown", onKey)
    .on("blur", () => hover(null));
  get("tools").addEventListener("submit", (event) => event.preventDefault());
  ["sign", "strength", "frequency", "step"].forEach((id) => get(id)?.addEventListener("input", filter));
  document.querySelectorAll("#groups input").forEach((input) => input.addEventListener("input", filter));
  get("layout")?.addEventListener("input", (event) => moveTo(data.layouts[event.target.selectedIndex]));
  get("find").addEventListener("input", find);
  get("find").addEventListener("change", find);
  get("closer").addEventListener("click", () => svg.call(zoom.scaleBy, 1.4));
  get("farther").addEventListener("click", () => svg.call(zoom.scaleBy, 1 / 1.4));
  get("whole").addEventListener("click", showWhole);
  get("clear").addEventListener("click", () => {
    const layout = get("layout")?.selectedIndex;
    get("tools").reset();
    document.querySelectorAll("#groups input").forEach((input) => { input.checked = true; });
    if (layout) moveTo(data.layouts[0]);
    clear();
    filter();
  });
  get("save-svg").addEventListener("click", () => save(new Blob([standalone()], { type: "image/svg+xml" }), "map.svg"));
  get("save-png").addEventListener("click", savePng);
  let widthBefore = innerWidth;  // on phones the height changes with every scroll
  addEventListener("resize", () => { if (innerWidth !== widthBefore) { widthBefore = innerWidth; showWhole(); } });
  addEventListener("beforeprint", showWhole);

  function find() {
    const wanted = get("find").value.trim().toLocaleLowerCase();
    if (!wanted) { tellCount(); return; }
    const lower = data.names.map((name) => name.toLocaleLowerCase());
    const exact = lower.indexOf(wanted), those = lower.flatMap((name, v) => (name.includes(wanted) ? [v] : []));
    const v = exact >= 0 ? exact : those.length === 1 ? those[0] : -1;
    if (v >= 0 && !shown.node[v]) get("count").textContent = `${data.names[v]} is hidden by the filters.`;
    else if (v >= 0) { goTo(v); svg.node().scrollIntoView({ block: "nearest" }); }
    else get("count").textContent = those.length ? `${those.length} names contain this; go on typing.` : "No name contains this.";
  }

  showWhole();
  filter();
})();
