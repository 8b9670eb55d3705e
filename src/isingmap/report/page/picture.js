/* The picture of a page: zoom, names, what is under the pointer and what is kept, search, links to the tables.
   Numbers come from the tables of the page and places from the block of data; text goes in as text, never as HTML. */
"use strict";
/** `page` tells what differs from page to page: edgeWords(e), nodeWords(v), tieWords(e) for the card, and count(hidden
    names) for the line above the map. `data.pairs` begin with the edges of the tables, one for each of `data.weights`. */
function pictureOf(data, tables, page) {
  const get = (id) => document.getElementById(id);
  const svg = d3.select("#picture");
  const nEdges = data.weights.length, n = data.names.length;
  const SIDE_MARGIN = 60, END_MARGIN = 28, LARGEST_SCALE = 2.5, NARROW = 820;
  const FONT = n <= 30 ? 13 : 11, NODE_REACH = 12, EDGE_REACH = 7, MOST_TIES = 8, HINT = 1600;
  const SPACE = 60;  // pixels between nodes at which they are drawn half as large again as in print

  /* --- what there is ------------------------------------------------------------------------------------ */

  svg.select(".edges").selectAll("line").datum(function () { return Number(this.dataset.edge); });
  svg.select(".edges").selectAll("line.gone")  // edges that a search took back
    .data(d3.range(nEdges, data.pairs.length)).enter().insert("line", ":first-child").attr("class", "gone");
  const links = svg.select(".edges").selectAll("line");
  const stars = svg.selectAll(".stars > path").datum(function () { return Number(this.dataset.star); });
  const dots = svg.selectAll(".nodes > g").datum(function () { return Number(this.dataset.node); });
  const texts = svg.selectAll(".labels > text").datum(function () { return Number(this.dataset.label); });

  const strength = (e) => Math.abs(data.weights[e] ?? 0);
  const neighbours = d3.range(n).map(() => []);  // [other, number of the edge], of the edges of the tables
  data.pairs.slice(0, nEdges).forEach(([i, j], e) => { neighbours[i].push([j, e]); neighbours[j].push([i, e]); });
  neighbours.forEach((ties) => ties.sort((a, b) => strength(b[1]) - strength(a[1])));
  const weight = neighbours.map((ties) => d3.sum(ties, ([, e]) => strength(e)));
  const ranking = d3.range(n).sort((a, b) => weight[b] - weight[a] || a - b);

  const shown = {
    node: data.names.map(() => true), edge: data.pairs.map((_, e) => e < nEdges), hiddenNames: 0,
    kept: null, under: null,  // {node: v} or {edge: e}: chosen, and under the pointer
    chosenNodes() {
      return [this.under, this.kept].flatMap((it) => (!it ? [] : "node" in it ? [it.node] : data.pairs[it.edge]));
    },
  };
  const ties = (v) => neighbours[v].filter(([, e]) => shown.edge[e]);  // those that are shown, the strongest first

  /* --- where it is -------------------------------------------------------------------------------------- */

  let places = data.layouts[0].map((place) => [...place]);
  let view = d3.zoomIdentity, width = 1, height = 1, reach = data.radius;
  const at = (v) => view.apply(places[v]);
  const offsets = data.names.map(() => [0, 0]);
  const widths = pageNames.widthsOf(data.shown, FONT);

  /* The wheel and a single finger scroll the page; with Ctrl, and two fingers, they are for the map. */
  const isForMap = (event) => {
    if (event.type === "wheel") return event.ctrlKey || event.metaKey;
    return event.touches ? event.touches.length > 1 : !event.button && !event.ctrlKey;
  };
  const zoom = d3.zoom().filter(isForMap)
    .on("zoom", (event) => { view = event.transform; draw(); })
    .on("end", placeLabels);

  let hinted = 0;
  function hint(words) {
    get("hint").textContent = words;
    get("hint").hidden = false;
    clearTimeout(hinted);
    hinted = setTimeout(() => { get("hint").hidden = true; }, HINT);
  }

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
    const moved = (x, y) => `translate(${x.toFixed(1)},${y.toFixed(1)})`;
    stars.attr("transform", (e) => {
      const [[x0, y0], [x1, y1]] = data.pairs[e].map((v) => screen[v]);
      return moved((x0 + x1) / 2, (y0 + y1) / 2);
    });
    dots.attr("transform", (v) => moved(...screen[v]));
    texts.each(function (v) {
      this.setAttribute("x", (screen[v][0] + offsets[v][0]).toFixed(1));
      this.setAttribute("y", (screen[v][1] + offsets[v][1]).toFixed(1));
    });
  }

  /** Names of what is chosen first, then those with the strongest edges. */
  function placeLabels() {
    const first = shown.chosenNodes().filter((v) => shown.node[v]);
    const order = [...new Set([...first, ...ranking.filter((v) => shown.node[v])])];
    const found = pageNames.place({
      order, first, spots: d3.range(n).map(at), others: (v) => ties(v).map(([other]) => other), widths,
      lineHeight: 1.2 * FONT, reach, sheet: [width, height],
    });
    found.offsets.forEach((offset, v) => { offsets[v] = offset; });
    texts.classed("out", (v) => !found.offsets.has(v));
    shown.hiddenNames = found.hidden;
    draw();
    tellCount();
  }

  function tellCount() {
    const names = shown.hiddenNames ? ` ${shown.hiddenNames === 1 ? "1 name has" : `${shown.hiddenNames} names have`} no room here; zoom in to read ${shown.hiddenNames === 1 ? "it" : "them"}.` : "";
    get("count").textContent = page.count() + names;
  }

  /** After `shown` was changed: picture, tables and words. */
  function refresh() {
    links.classed("out", (e) => !shown.edge[e]);
    stars.classed("out", (e) => !shown.edge[e]);
    dots.classed("out", (v) => !shown.node[v]);
    pageTables.show(tables.edges, shown.edge);
    pageTables.show(tables.nodes, shown.node);
    highlight();
    placeLabels();
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

  function clear() {
    shown.kept = shown.under = null;
    highlight();
    markRows();
    placeLabels();
  }

  /** What a filter hides is kept, and stands out when it is shown again: until then nothing is dimmed for it. */
  function highlight() {
    const isShown = (what) => what && ("node" in what ? shown.node[what.node] : shown.edge[what.edge]);
    const it = [shown.under, shown.kept].find(isShown) ?? null;
    const near = new Set(!it ? [] : "node" in it ? ties(it.node).map(([v]) => v) : data.pairs[it.edge]);
    const isChosen = (v) => it?.node === v;
    const touches = (e) => !it || it.edge === e || ("node" in it && data.pairs[e].includes(it.node));
    links.classed("faint", (e) => !touches(e)).classed("strong", (e) => it?.edge === e);
    stars.classed("faint", (e) => !touches(e));
    dots.classed("faint", (v) => it && !near.has(v) && !isChosen(v)).classed("chosen", isChosen).classed("near", (v) => near.has(v));
    texts.classed("faint", (v) => it && !near.has(v) && !isChosen(v)).classed("chosen", isChosen);
    showCard(it);
  }

  function markRows() {
    const it = shown.kept;
    pageTables.mark(tables.edges, (e) => it && (it.edge === e || ("node" in it && data.pairs[e].includes(it.node))));
    pageTables.mark(tables.nodes, (v) => it && (it.node === v || ("edge" in it && data.pairs[it.edge].includes(v))));
  }

  function showCard(it) {
    const card = get("card");
    card.hidden = !it;
    if (!it) { card.replaceChildren(); return; }
    const [heading, ...lines] = ("node" in it ? page.nodeWords(it.node) : page.edgeWords(it.edge)).filter(Boolean);
    const title = document.createElement("h3");
    title.textContent = heading;
    card.replaceChildren(title, ...lines.map((line) => Object.assign(document.createElement("p"), { textContent: line })));
    if ("node" in it) card.append(tieTable(it.node));
  }

  function tieTable(v) {
    const table = document.createElement("table");
    for (const [other, e] of ties(v).slice(0, MOST_TIES)) {
      const row = table.insertRow();
      row.insertCell().textContent = data.names[other];
      Object.assign(row.insertCell(), { className: "number", textContent: page.tieWords(e) });
    }
    return table;
  }

  /* --- pointer and keyboard ----------------------------------------------------------------------------- */

  /** What is nearest to a place of the picture, within reach. */
  function nearest(event) {
    const spot = d3.pointer(event), slack = event.pointerType === "touch" ? 2 : 1;
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

  function goOver(v) {
    bringIntoView(v);
    hover({ node: v });
  }

  /** The arrow keys go to the nearest variable in that direction. */
  function step(dx, dy) {
    const from = shown.under?.node ?? shown.kept?.node;
    const those = d3.range(n).filter((v) => shown.node[v] && v !== from);
    if (!those.length) return;
    if (from === undefined) { goOver(ranking.find((v) => shown.node[v])); return; }
    const here = at(from);
    const cost = (v) => {
      const d = [at(v)[0] - here[0], at(v)[1] - here[1]], along = d[0] * dx + d[1] * dy, across = Math.abs(d[0] * dy - d[1] * dx);
      return along > 0.3 * across ? along + 2 * across : Infinity;
    };
    const next = d3.least(those, cost);
    if (next !== undefined && cost(next) < Infinity) goOver(next);
  }

  function onKey(event) {
    const arrows = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] };
    if (event.ctrlKey || event.metaKey || event.altKey) return;  // those are the browser's: zoom of the page, history
    if (arrows[event.key]) step(...arrows[event.key]);
    else if (event.key === "Enter" || event.key === " ") { if (shown.under) keep(shown.under); }
    else if (event.key === "Escape") clear();
    else if (event.key === "+" || event.key === "=") svg.call(zoom.scaleBy, 1.4);
    else if (event.key === "-") svg.call(zoom.scaleBy, 1 / 1.4);
    else if (event.key === "0") showWhole();
    else return;
    event.preventDefault();
  }

  /** As people type: accents, case and the width of letters do not count. */
  const folded = (text) => text.normalize("NFKD").replace(/\p{Mn}/gu, "").toLowerCase().trim();

  function find() {
    const typed = get("find").value.trim(), wanted = folded(typed);
    if (!typed) { tellCount(); return; }
    const names = data.names.map(folded), those = names.flatMap((name, v) => (name.includes(wanted) ? [v] : []));
    const exact = data.names.indexOf(typed), alike = names.flatMap((name, v) => (name === wanted ? [v] : []));
    const v = exact >= 0 ? exact : alike.length === 1 ? alike[0] : those.length === 1 ? those[0] : -1;
    if (v >= 0 && !shown.node[v]) get("count").textContent = `${data.names[v]} is hidden by the filters.`;
    else if (v >= 0) { goTo(v); svg.node().scrollIntoView({ block: "nearest" }); }
    if (v >= 0) return;
    if (shown.kept) clear();  // it is not what was asked for
    get("count").textContent = those.length ? `${those.length} names contain this; go on typing.` : "No name contains this.";
  }

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

  /* --- start -------------------------------------------------------------------------------------------- */

  /** Some programs tell of a choice by one event alone, browsers by both: the second says nothing new. */
  function onChoice(control, act) {
    let last = null;
    ["input", "change"].forEach((kind) => control.addEventListener(kind, () => {
      const now = `${control.value} ${control.checked}`;
      if (kind === "input" || now !== last) act();
      last = now;
    }));
  }

  function listen() {
    svg.call(zoom).on("dblclick.zoom", null)
      .on("wheel.hint", (event) => { if (!isForMap(event)) hint("Ctrl and scroll zooms the map."); }, { passive: true })
      .on("touchmove.hint", (event) => { if (!isForMap(event)) hint("Two fingers move the map."); }, { passive: true })
      .on("pointermove", (event) => { if (!event.buttons) hover(nearest(event)); })
      .on("pointerleave", () => hover(null))
      .on("click", (event) => keep(nearest(event)))
      .on("keydown", onKey)
      .on("blur", () => hover(null));
    if (get("layout")) onChoice(get("layout"), () => moveTo(data.layouts[get("layout").selectedIndex]));
    onChoice(get("find"), find);
    get("closer").addEventListener("click", () => svg.call(zoom.scaleBy, 1.4));
    get("farther").addEventListener("click", () => svg.call(zoom.scaleBy, 1 / 1.4));
    get("whole").addEventListener("click", showWhole);
    get("save-svg").addEventListener("click", () => pageSaving.saveSvg(svg.node(), [width, height], FONT, `${data.picture}.svg`));
    get("save-png").addEventListener("click", () => pageSaving.savePng(svg.node(), [width, height], FONT, `${data.picture}.png`));
    let widthBefore = innerWidth;  // on phones the height changes with every scroll
    addEventListener("resize", () => { if (innerWidth !== widthBefore) { widthBefore = innerWidth; showWhole(); } });
    addEventListener("beforeprint", showWhole);
  }

  /** Filters of the page, by the names of their controls; `filter` sets what is shown, and calls `refresh`. */
  function start(controls, filter) {
    document.querySelectorAll(".table").forEach(pageTables.makeSortable);
    pageTables.makeChoosable(tables.edges, (e) => keep({ edge: e }));
    pageTables.makeChoosable(tables.nodes, goTo);
    document.querySelectorAll("#tools[hidden], #keys, #pictures, #groups input").forEach((each) => { each.hidden = false; });
    document.querySelector(".filters").open = innerWidth > NARROW;
    svg.classed("live", true).style("font-size", `${FONT}px`).attr("tabindex", 0).attr("role", "application")
      .attr("aria-label", `Map of ${n} variables and ${nEdges} edges`).attr("aria-describedby", "keys");
    links.selectAll("title").remove();  // the card says more
    dots.selectAll("title").remove();
    listen();
    get("tools").addEventListener("submit", (event) => event.preventDefault());
    controls.forEach((control) => onChoice(control, filter));
    get("clear").addEventListener("click", () => {
      const layout = get("layout")?.selectedIndex;
      get("tools").reset();
      document.querySelectorAll("#groups input").forEach((input) => { input.checked = true; });
      if (layout) moveTo(data.layouts[0]);
      clear();
      filter();
    });
    showWhole();
    filter();
  }

  return { shown, links, ties, neighbours, strength, refresh, start };
}
