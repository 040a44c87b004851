"use strict";

// The grid of tasks and strategies, coloured by score. A cell leads to its trial; two cells of a task are compared.
page.tasks = (() => {
  const { make, select, shorten, button } = page.dom;
  const { table, filterBox, filterBy, groupHeader, percent, chooseBlock } = page.widgets;
  let grid = null;
  let picked = null;

  async function show(host, overview, state) {
    const { trials, grids } = await page.data.load("tasks");
    const block = Math.min(Number(state.block ?? 0), grids.length - 1);
    const data = grids[block];
    const names = Object.keys(data.scores);
    const metric = names.includes(state.metric) ? state.metric : names[0];
    picked = null;
    const status = make("p", { class: "hint", role: "status" }, HINT);
    const { box, grid: made } = draw(data, trials, metric, block, status);
    grid = made;
    const bar = make(
      "div", { class: "controls" },
      chooseBlock(grids.map((one) => one.title), block, (value) => page.state.go({ view: "tasks", block: value })),
      names.length > 1 && select("Colour", names.map((name) => [name, overview.metrics[name]?.header ?? name]), metric, (value) => page.state.go({ view: "tasks", block, metric: value })),
      filterBox("Filter tasks", filterBy(made, (row) => `${row.name} ${row.group}`)),
      legend(),
    );
    page.dom.replace(host, bar, status, box);
  }

  const HINT = "Enter or a click opens the trial; arrow keys move; c picks two trials of a task to see side by side.";

  function legend() {
    const steps = [0, 0.25, 0.5, 0.75, 1].map((value) => make("span", { class: "swatch", style: `--score: ${value}` }, String(100 * value)));
    return make("span", { class: "legend", role: "img", "aria-label": "Colours from 0 to 100 %" }, steps);
  }

  function draw(data, trials, metric, block, status) {
    const wide = window.innerWidth > 720;
    const scores = data.scores[metric] ?? [];
    const rows = data.tasks.map(([task, item, group, step], place) => ({
      id: place, task, item, group: group || "tasks", step, name: item.startsWith(task) ? item : `${task} ${item}`, values: scores[place] ?? [], cells: data.cells[task],
    }));
    const columns = [
      { field: "name", title: "task", frozen: wide, width: wide ? 300 : 140, describe: (name, row) => make("span", { class: "task", title: name.slice(0, 300) }, shorten(leaveOutGroup(name, row.group), 120)) },
      ...data.strategies.map((strategy, place) => ({
        field: `s${place}`,
        title: shorten(strategy, 26),
        note: strategy.slice(0, 300),
        headerVertical: "flip",
        hozAlign: "center",
        width: 46,
        minWidth: 40,
        headerSortStartingDir: "desc",
        mutator: (_value, row) => row.values[place] ?? null,
        describe: (_value, row) => describeCell(row, place, trials, strategy),
        cellClick: (_event, cell) => open(cell.getRow().getData(), place, trials),
      })),
    ];
    const found = table("Tasks and strategies", columns, rows, {
      layout: "fitData",
      height: "72vh",
      groupBy: new Set(rows.map((row) => row.group)).size > 1 ? "group" : undefined,
      groupHeader: groupHeader((group, count) => [shorten(group, 80), make("span", { class: "interval" }, `  ${count}`)]),
      groupToggleElement: false,
      headerSortElement: () => make("span", {}),
    });
    found.box.style.maxWidth = `${(wide ? 300 : 140) + 46 * data.strategies.length + 18}px`;
    found.box.addEventListener("keydown", (event) => steer(event, found.grid, data, trials, status));
    found.box.addEventListener("focusin", (event) => event.target.closest(".cell") && keep(found.box, event.target));
    return found;
  }

  // The heading above a task says its group already.
  function leaveOutGroup(name, group) {
    return name.startsWith(`${group}-`) ? `…${name.slice(group.length)}` : name;
  }

  // One cell of the grid is in the tab order: the one that was visited last.
  function keep(box, cell) {
    box.querySelectorAll('.cell[tabindex="0"]').forEach((one) => one !== cell && one.setAttribute("tabindex", "-1"));
    cell.setAttribute("tabindex", "0");
  }

  function describeCell(row, place, trials, strategy) {
    const value = row.values[place] ?? null;
    const first = (row.cells[place] ?? []).map((number) => trials[number])[0];
    const state = value !== null ? "scored" : !first ? "absent" : first[5] === "planned" ? "planned" : "unscored";
    const text = { scored: value === null ? "" : String(Math.round(100 * value)), planned: "·", unscored: "!", absent: "" }[state];
    const label = `${shorten(row.name, 80)}, ${strategy}: ${state === "scored" ? `${percent(value)} %` : state === "unscored" ? first[5] : state}`;
    return make("span", {
      class: `cell ${state}`, style: value === null ? null : `--score: ${value}`, tabindex: row.id === 0 && place === 0 ? "0" : "-1",
      role: "link", "aria-label": label, "data-row": row.id, "data-column": place, title: state === "scored" ? null : label.slice(0, 300),
    }, text);
  }

  function open(row, place, trials) {
    const trial = trials[(row.cells[place] ?? [])[0]];
    if (trial) page.state.go({ view: "trial", trial: trial[0], step: row.step || "" });
  }

  function steer(event, made, data, trials, status) {
    const cell = event.target.closest(".cell");
    if (!cell) return;
    const move = { ArrowLeft: [0, -1], ArrowRight: [0, 1], ArrowUp: [-1, 0], ArrowDown: [1, 0] }[event.key];
    const row = made.getRow(Number(cell.dataset.row));
    const column = Number(cell.dataset.column);
    if (move) {
      event.preventDefault();
      const next = move[0] ? (move[0] > 0 ? row.getNextRow() : row.getPrevRow()) : row;
      focusCell(made, next || row, Math.max(0, Math.min(data.strategies.length - 1, column + move[1])));
    } else if (event.key === "Enter" || event.key === " ") {
      event.preventDefault();
      open(row.getData(), column, trials);
    } else if (event.key === "c") {
      event.preventDefault();
      pick(row.getData(), column, data, trials, status);
    }
  }

  async function focusCell(made, row, column) {
    const find = () => made.element.querySelector(`.cell[data-row="${row.getData().id}"][data-column="${column}"]`);
    if (!find()) await made.scrollToRow(row, "nearest", false).catch(() => null);
    const found = find();
    found?.scrollIntoView({ block: "nearest", inline: "nearest" });
    found?.focus({ preventScroll: true });
  }

  function pick(row, column, data, trials, status) {
    const trial = trials[(row.cells[column] ?? [])[0]];
    if (!trial) return;
    if (picked && picked.task === row.task && picked.id !== trial[0]) {
      page.state.go({ view: "pair", a: picked.id, b: trial[0], step: row.step || "" });
      return;
    }
    picked = { id: trial[0], task: row.task };
    page.dom.replace(status, make("span", {}, `Picked ${shorten(data.strategies[column], 50)} on ${shorten(row.name, 60)}; press c on another strategy of this task. `), button("Cancel", () => {
      picked = null;
      page.dom.replace(status, make("span", {}, HINT));
    }, { class: "plain" }));
  }

  return { show };
})();
