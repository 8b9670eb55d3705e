/* Tables of a page: read, sorted by their headings, and gone through by keyboard. */
"use strict";
const pageTables = (() => {
  function valueOf(cell) {
    const text = cell.dataset.value ?? cell.textContent;
    return text === "" ? NaN : Number(text);
  }

  /** In full, also where a long text is cut. */
  const wordsOf = (cell) => cell.title || cell.textContent;

  /** A table of the page: its rows in the order of the data, and the cells of each by the name of the column. */
  function read(kind) {
    const box = document.querySelector(`.table[data-kind=${kind}]`);
    if (!box) return null;
    const columns = [...box.querySelectorAll("th")].map((head) => head.dataset.column);
    const rows = [...box.querySelectorAll("tbody tr")];
    const cell = (row, column) => rows[row].cells[columns.indexOf(column)];
    return {
      box, rows,
      text: (row, column) => (columns.includes(column) ? wordsOf(cell(row, column)) : ""),
      value: (row, column) => (columns.includes(column) ? valueOf(cell(row, column)) : NaN),
    };
  }

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
    const key = (row) => (isNumber ? valueOf(row.cells[k]) : wordsOf(row.cells[k]));
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
        if (event.ctrlKey || event.metaKey || event.altKey) return;
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

  /** Hide the rows of what is not shown; the row in the order of Tab must be one that is. */
  function show(table, isShown) {
    table.rows.forEach((row, k) => { row.hidden = !isShown[k]; });
    const body = table.box.querySelector("tbody"), first = [...body.rows].find((row) => !row.hidden);
    const current = body.querySelector("tr[tabindex='0']");
    if (first && current?.hidden) { current.tabIndex = -1; first.tabIndex = 0; }
  }

  /** Mark rows, and scroll the table to the first of them. */
  function mark(table, isMarked) {
    table.rows.forEach((row, k) => row.classList.toggle("marked", Boolean(isMarked(k))));
    const row = table.box.querySelector("tr.marked:not([hidden])");
    if (row) table.box.scrollTop = row.offsetTop - 60;
  }

  /** Paper has no folds: what the columns mean is printed. */
  let unfolded = [];
  addEventListener("beforeprint", () => {
    unfolded = [...document.querySelectorAll("details.meanings:not([open])")];
    unfolded.forEach((each) => { each.open = true; });
  });
  addEventListener("afterprint", () => { unfolded.forEach((each) => { each.open = false; }); });

  return { read, makeSortable, makeChoosable, show, mark };
})();
