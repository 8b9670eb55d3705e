/* Names beside nodes keep their size. Where they would cover each other, those that come first in the order are written. */
"use strict";
const pageNames = (() => {
  const GAP = 3;  // pixels between a node and its name
  const box = (spot, offset, w, h) => [spot[0] + offset[0] - w / 2, spot[1] + offset[1] - h / 2, w, h];
  const overlap = (a, b) => a[0] < b[0] + b[2] && b[0] < a[0] + a[2] && a[1] < b[1] + b[3] && b[1] < a[1] + a[3];

  function widthsOf(names, font) {
    const canvas = document.createElement("canvas").getContext("2d");
    canvas.font = `${font}px ${getComputedStyle(document.body).fontFamily}`;
    return names.map((name) => 1.06 * canvas.measureText(name).width + 2);
  }

  /** Middles of a name seen from its node, the easiest to read first. */
  function sides(reach, width, height) {
    const x = reach + GAP + width / 2, y = reach + GAP + height / 2, d = 0.75 * reach;
    return [[x, 0], [-x, 0], [0, -y], [0, y], [x - 2, -d], [x - 2, d], [2 - x, -d], [2 - x, d]];
  }

  /** How many lines from a node to others run under a box beside it. */
  function nCovered([x, y], own, others, reach) {
    return others.filter((other) => {
      const [dx, dy] = [other[0] - x, other[1] - y], length = Math.max(Math.hypot(dx, dy), 1);
      return d3.range(reach, Math.min(length, reach + GAP + own[2]), 4).some((t) => {
        const [px, py] = [x + t * dx / length, y + t * dy / length];
        return px > own[0] && px < own[0] + own[2] && py > own[1] && py < own[1] + own[3];
      });
    }).length;
  }

  /** Where names are written: `offsets` by node, and how many there is no room for. Those of `first` are in any case. */
  function place({ order, first, spots, others, widths, lineHeight, reach, sheet }) {
    const isInside = (b) => b[0] >= 0 && b[1] >= 0 && b[0] + b[2] <= sheet[0] && b[1] + b[3] <= sheet[1];
    const taken = order.map((v) => box(spots[v], [0, 0], 2 * reach, 2 * reach));
    const offsets = new Map();
    let hidden = 0;
    for (const v of order) {
      const spot = spots[v], there = sides(reach, widths[v], lineHeight);
      if (spot[0] < 0 || spot[1] < 0 || spot[0] > sheet[0] || spot[1] > sheet[1]) continue;
      const lines = others(v).map((k) => spots[k]), own = (offset) => box(spot, offset, widths[v], lineHeight);
      const free = d3.least(
        there.filter((offset) => isInside(own(offset)) && !taken.some((other) => overlap(own(offset), other))),
        (offset) => nCovered(spot, own(offset), lines, reach),
      );
      if (!free && !first.includes(v)) { hidden += 1; continue; }
      offsets.set(v, free ?? there[0]);
      taken.push(own(offsets.get(v)));
    }
    return { offsets, hidden };
  }

  return { widthsOf, place };
})();
