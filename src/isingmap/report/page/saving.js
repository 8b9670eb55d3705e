/* The picture as a file of its own: as it is on the screen, on white, with the legend beside it. */
"use strict";
const pageSaving = (() => {
  const SVG = "http://www.w3.org/2000/svg";
  const INK = "#1c1f24", ROW = 20, LEGEND_FONT = 11, SWATCH = [32, 18], MARGIN = 14;

  function element(name, attributes) {
    const made = document.createElementNS(SVG, name);
    Object.entries(attributes).forEach(([key, value]) => made.setAttribute(key, value));
    return made;
  }

  /** What is shown of the legend: swatch and words of each row. */
  function legendRows() {
    const shown = [...document.querySelectorAll("aside .legend:not([hidden]) li, aside #groups label")]
      .filter((row) => row.querySelector("input")?.checked ?? true);
    return shown.map((row) => ({ swatch: row.querySelector("svg"), words: row.querySelector("span").textContent }));
  }

  function legendOf(rows, left) {
    const legend = element("g", { class: "legend", color: INK });
    rows.forEach(({ swatch, words }, k) => {
      const copy = swatch.cloneNode(true), y = MARGIN + k * ROW;
      Object.entries({ x: left, y, width: SWATCH[0], height: SWATCH[1] }).forEach(([key, value]) => copy.setAttribute(key, value));
      const text = element("text", { x: left + SWATCH[0] + 8, y: y + SWATCH[1] / 2, class: "words" });
      text.textContent = words;
      legend.append(copy, text);
    });
    return legend;
  }

  function widest(rows) {
    const canvas = document.createElement("canvas").getContext("2d");
    canvas.font = `${LEGEND_FONT}px sans-serif`;
    return d3.max(rows, ({ words }) => canvas.measureText(words).width) ?? 0;
  }

  /** [text of the SVG, width, height]. */
  function standalone(picture, [width, height], font) {
    const rows = legendRows(), copy = picture.cloneNode(true);
    const wide = width + (rows.length ? SWATCH[0] + 8 + 1.1 * widest(rows) + 2 * MARGIN : 0);
    const high = Math.max(height, rows.length * ROW + 2 * MARGIN);
    copy.querySelectorAll(".out").forEach((each) => each.remove());
    [...copy.attributes].filter(({ name }) => name !== "id" && !name.startsWith("xmlns")).forEach(({ name }) => copy.removeAttribute(name));
    Object.entries({ width: wide, height: high, viewBox: `0 0 ${wide} ${high}` }).forEach(([key, value]) => copy.setAttribute(key, value));
    const style = element("style", {});
    style.textContent = `text{font:${font}px sans-serif;fill:${INK};text-anchor:middle;dominant-baseline:central;paint-order:stroke;stroke:#fff;stroke-width:3px}` +
      `.words{font:${LEGEND_FONT}px sans-serif;text-anchor:start}` +
      ".node{stroke:#fff;stroke-width:.6}.under{fill:#fff}.track{fill:none;stroke:#bbb;stroke-width:.5}.faint{opacity:.12}" +
      `.star{fill:${INK};stroke:#fff;stroke-width:.8}` +
      ".gone{stroke:#777;stroke-width:1.2;stroke-dasharray:1 3}text.chosen{font-weight:700}.strong{stroke-width:5}" +
      `.chosen .node,.near .node{stroke:${INK};stroke-width:1.4}`;
    copy.prepend(style, element("rect", { width: "100%", height: "100%", fill: "#fff" }));
    copy.append(legendOf(rows, width + MARGIN));
    return [new XMLSerializer().serializeToString(copy), wide, high];
  }

  function save(blob, name) {
    const address = URL.createObjectURL(blob);
    Object.assign(document.createElement("a"), { href: address, download: name }).click();
    setTimeout(() => URL.revokeObjectURL(address), 10000);
  }

  function saveSvg(picture, size, font, name) {
    save(new Blob([standalone(picture, size, font)[0]], { type: "image/svg+xml" }), name);
  }

  function savePng(picture, size, font, name) {
    const [text, width, height] = standalone(picture, size, font);
    const image = new Image(), sheet = document.createElement("canvas");
    Object.assign(sheet, { width: 2 * width, height: 2 * height });
    image.onload = () => {
      sheet.getContext("2d").drawImage(image, 0, 0, sheet.width, sheet.height);
      sheet.toBlob((blob) => save(blob, name));
    };
    image.src = `data:image/svg+xml;charset=utf-8,${encodeURIComponent(text)}`;
  }

  return { saveSvg, savePng };
})();
