"use strict";

// One strategy: every number of its row with what it means, its test, and its trials.
page.strategy = (() => {
  const { make, shorten } = page.dom;
  const { table, number } = page.widgets;

  async function show(host, overview, state) {
    const place = Math.min(Number(state.block ?? 0), overview.sections.length - 1);
    const section = overview.sections[place];
    const rows = section.rows.filter((row) => row.strategy === state.strategy);
    const whole = rows.find((row) => row.group === "all");
    if (!whole) {
      page.dom.replace(host, make("p", { class: "quiet" }, "There is no such strategy in this table."));
      return;
    }
    const { trials, grids } = await page.data.load("tasks");
    const names = Object.entries(overview.metrics).filter(([name]) => whole.cells[name]);
    page.dom.replace(
      host,
      make(
        "section", { class: "card" },
        make("h2", {}, whole.strategy),
        make("p", { class: "quiet" }, section.title),
        make("p", {}, `n ${whole.cells.n[0]}${whole.rank ? ` · rank ${whole.rank}` : ""}${whole.apart ? ` · ${whole.apart}` : ""} · ends: ${Object.entries(whole.ends).map(([name, n]) => `${name} ${n}`).join(", ") || "none"}`),
        whole.learned && make("p", {}, `Learned from ${whole.learned}.`),
      ),
      make("h3", {}, "Trials"),
      listTrials(trials, grids[place], whole.strategy),
      make("h3", {}, "All numbers"),
      listNumbers(names, whole, rows.filter((row) => row !== whole)),
    );
  }

  function listTrials(trials, grid, strategy) {
    const column = grid.strategies.indexOf(strategy);
    const numbers = [...new Set(Object.values(grid.cells).flatMap((cells) => cells[column] ?? []))];
    const rows = numbers.map((place) => trials[place]).map(([id, , task, seed, attempt, status, end, steps]) => ({ id, task, seed, attempt, status, end, steps }));
    const text = (value) => make("span", {}, String(value ?? ""));
    const columns = [
      { field: "task", title: "task", minWidth: 160, widthGrow: 3, describe: (task, row) => make("a", { href: page.state.link({ view: "trial", trial: row.id }), title: task.slice(0, 300) }, shorten(task, 90)) },
      { field: "seed", title: "seed", hozAlign: "right", describe: text },
      { field: "attempt", title: "attempt", hozAlign: "right", describe: text },
      { field: "status", title: "status", describe: text },
      { field: "end", title: "end", describe: text },
      { field: "steps", title: "steps", hozAlign: "right", describe: (steps) => make("span", {}, number(steps)) },
    ];
    return table(`Trials of ${shorten(strategy, 60)}`, columns, rows, { maxHeight: "50vh" }).box;
  }

  function listNumbers(names, whole, groups) {
    const rows = names.map(([name, metric]) => ({ name, title: metric.header, definition: metric.definition, "all tasks": whole.cells[name], ...Object.fromEntries(groups.map((row) => [`of ${row.group}`, row.cells[name]])) }));
    const cell = (value) => make("span", {}, value ? value[0] : "–", value?.[2] !== undefined && make("span", { class: "interval" }, ` [${value[2]}, ${value[3]}]`));
    const columns = [
      { field: "title", title: "metric", minWidth: 120, describe: (title) => make("span", {}, title) },
      { field: "all tasks", title: "all tasks", hozAlign: "right", headerHozAlign: "right", describe: cell },
      ...groups.map((row) => ({ field: `of ${row.group}`, title: shorten(row.group, 24), note: row.group.slice(0, 300), hozAlign: "right", headerHozAlign: "right", describe: cell })),
      { field: "definition", title: "definition", headerSort: false, minWidth: 300, widthGrow: 4, describe: (text) => make("span", { class: "quiet" }, text) },
    ];
    return table("All numbers of the strategy", columns, rows).box;
  }

  return { show };
})();
