"use strict";

// Tables and small pieces that several views use. Cells and titles are nodes: Tabulator is never given markup.
page.widgets = (() => {
  const { make, shorten } = page.dom;
  const made = new Map(); // each table that is shown, and a promise that it is built: Tabulator builds it a moment later

  const OPTIONS = {
    layout: "fitDataFill",
    nestedFieldSeparator: false, // a strategy's name may hold a dot
    columnHeaderSortMulti: false,
    keybindings: false,
    headerSortTristate: false,
    headerSortClickElement: "header",
    renderVerticalBuffer: 300,
  };

  // Return a box with a table in it. ``label`` is what a screen reader calls it.
  function table(label, columns, rows, options = {}) {
    const host = make("div", {});
    const box = make("div", { class: "table" }, host);
    const grid = new Tabulator(host, { ...OPTIONS, columns: columns.map(complete), data: rows, ...options });
    grid.on("tableBuilt", () => name(host, label));
    made.set(grid, new Promise((resolve) => grid.on("tableBuilt", () => setTimeout(resolve))));
    return { box, grid };
  }

  function complete(column) {
    const { title, describe, note, ...rest } = column;
    return {
      headerSort: true,
      sorter: compare,
      ...rest,
      title,
      titleFormatter: () => (rest.headerSort === false ? make("span", {}, title) : make("button", { type: "button", class: "title" }, title)),
      headerTooltip: note ? () => make("div", { class: "tip" }, note) : false,
      formatter: (cell) => describe(cell.getValue(), cell.getRow().getData(), cell),
    };
  }

  // Unknown values stand last, whichever way a column is sorted. A cell is [text, value, ...] or a value.
  function compare(a, b, _first, _second, _column, direction) {
    const [left, right] = [a, b].map((cell) => (Array.isArray(cell) ? cell[1] : cell) ?? null);
    if (left === null || right === null) {
      if (left === right) return 0;
      return (left === null) === (direction === "asc") ? 1 : -1;
    }
    return typeof left === "string" ? left.localeCompare(String(right)) : left - right;
  }

  // Tabulator's roles, mended where they do not nest as the standard asks.
  function name(host, label) {
    host.setAttribute("aria-label", label);
    host.querySelector(".tabulator-header-contents")?.setAttribute("role", "presentation");
    host.removeAttribute("aria-owns");
    host.querySelector(".tabulator-tableholder")?.setAttribute("role", "rowgroup");
    host.querySelector(".tabulator-table")?.setAttribute("role", "presentation");
  }

  // The heading of a group of rows: a row with one cell, not a group within a group as Tabulator has it.
  function groupHeader(describe) {
    return (value, count, _data, group) => {
      group.getElement().setAttribute("role", "row");
      return make("span", { role: "gridcell" }, describe(value, count));
    };
  }

  // A figure is one picture to a screen reader; Plot names the parts of it, which have no role that takes a name.
  function nameChart(chart, label) {
    chart.setAttribute("role", "img");
    chart.setAttribute("aria-label", label);
    for (const part of chart.querySelectorAll("g[aria-label]")) {
      part.dataset.part = part.getAttribute("aria-label");
      part.removeAttribute("aria-label");
    }
  }

  function dropAll() {
    for (const [grid, built] of made) built.then(() => grid.destroy());
    made.clear();
  }

  function whenBuilt(grid, action) {
    made.get(grid)?.then(() => made.has(grid) && action());
  }

  function whenAllBuilt() {
    return Promise.all(made.values());
  }

  function number(value) {
    return value === null || value === undefined ? "–" : value.toLocaleString("en", { maximumFractionDigits: 0 });
  }

  function dollars(value) {
    return value === null || value === undefined ? "–" : value === 0 ? "0" : value.toPrecision(3);
  }

  function percent(value) {
    return value === null || value === undefined ? "–" : `${(100 * value).toFixed(1)}`;
  }

  // A box that filters tables. What is typed stands in the address, too.
  function filterBox(label, oninput) {
    const value = page.state.read().filter ?? "";
    const input = make("input", { type: "search", class: "filter", placeholder: `${label}  /`, "aria-label": label, value });
    input.addEventListener("input", () => {
      page.state.note({ filter: input.value.trim() });
      oninput(input.value.trim().toLowerCase());
    });
    return input;
  }

  // Filter a table by a text: now, as soon as it is built, and whenever the text changes.
  function filterBy(grid, read) {
    const apply = (text) => whenBuilt(grid, () => grid.setFilter((row) => read(row).toLowerCase().includes(text)));
    const value = (page.state.read().filter ?? "").toLowerCase();
    if (value) apply(value);
    return apply;
  }

  function notes(lines, title = "Notes") {
    if (!lines?.length) return null;
    return make("section", { class: "notes" }, make("h3", {}, title), make("ul", {}, lines.map((line) => make("li", {}, line))));
  }

  // The sections of a report by title, as the choice of a view; none where there is one section only.
  function chooseBlock(titles, chosen, onchange) {
    if (titles.length < 2) return make("h2", { class: "block" }, titles[0] ?? "");
    return page.dom.select("Suite and model", titles.map((title, place) => [String(place), title]), String(chosen), onchange);
  }

  return { table, completeColumn: complete, dropAll, whenBuilt, whenAllBuilt, number, dollars, percent, filterBox, filterBy, groupHeader, nameChart, notes, chooseBlock, compare, shorten };
})();
