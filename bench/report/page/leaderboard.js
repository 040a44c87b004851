"use strict";

// The leaderboards: a table for each suite, split and model; sorted by a click, filtered, with the columns one chooses.
page.leaderboard = (() => {
  const { make, button, select } = page.dom;
  const { table, completeColumn, filterBox, filterBy, groupHeader, notes, whenBuilt } = page.widgets;
  const RANKED = "Ranked";
  const APART = "Apart: checks, controls and rows that are not complete";

  function show(host, overview, state) {
    const bar = make("div", { class: "controls" });
    const boxes = overview.sections.map((section, place) => board(overview, section, place, state));
    bar.append(filterBox("Filter strategies", (text) => boxes.forEach((one) => one.filter(text))));
    const groups = [...new Set(overview.sections.flatMap((section) => section.groups))].sort();
    if (groups.length > 1) {
      const options = [["", "all tasks"], ...groups.map((group) => [group, group])];
      bar.append(select("Task type", options, state.group ?? "", (group) => page.state.go({ ...page.state.read(), group })));
    }
    bar.append(chooser(overview, boxes, state));
    page.dom.replace(host, bar, ...boxes.map((one) => one.box));
  }

  function board(overview, section, place, state) {
    const chosen = state.columns ? state.columns.split(",") : section.columns;
    const rows = section.rows.filter((row) => row.group === (state.group || "all"));
    const best = findBest(overview, rows);
    const fields = listFields(overview, section, rows);
    const describe = (field) => describeColumn(overview, section, place, field, best);
    const shown = fields.filter((field) => chosen.includes(field) || ["#", "strategy"].includes(field));
    const data = rows.map((row) => ({ ...row.cells, "of row": row, kind: row.apart ? APART : RANKED }));
    const hasKinds = rows.some((row) => row.apart) && rows.some((row) => !row.apart);
    const kinds = {
      groupBy: "kind",
      groupValues: [[RANKED, APART]],
      groupHeader: groupHeader((kind) => kind),
      groupToggleElement: false,
    };
    const { box, grid } = table(`Leaderboard of ${section.title}`, shown.map(describe), data, { ...(hasKinds ? kinds : {}), ...readSort(state, shown) });
    grid.on("dataSorted", ([first]) => first && page.state.note({ sort: `${first.field} ${first.dir}` }));
    const view = make(
      "section", { class: "board" },
      make("h2", {}, section.title),
      rows.length ? box : make("p", { class: "quiet" }, "No rows of this task type."),
      notes(section.notes),
    );
    return {
      box: view,
      fields,
      filter: filterBy(grid, (row) => row["of row"].strategy),
      toggle: (field, on) => {
        if (fields.includes(field)) whenBuilt(grid, () => toggle(grid, fields, field, on && completeColumn(describe(field))));
      },
      shown: new Set(chosen),
    };
  }

  // Take a column away, or put it where it belongs in the order of all. Columns that nobody chose are never built: a run
  // has scores by the dozen, and a table of all of them opens slowly.
  function toggle(grid, fields, field, column) {
    const there = grid.getColumns().map((one) => one.getField());
    if (!column) return there.includes(field) && grid.deleteColumn(field);
    const before = fields.slice(0, fields.indexOf(field)).filter((one) => there.includes(one));
    return there.includes(field) || grid.addColumn(column, false, before[before.length - 1]);
  }

  function readSort(state, shown) {
    const [dir, ...rest] = (state.sort ?? "").split(" ").reverse();
    const column = rest.reverse().join(" ");
    return shown.includes(column) ? { initialSort: [{ column, dir }] } : {};
  }

  // The columns that a table shows first, in its order; then every other metric that some row has.
  function listFields(overview, section, rows) {
    const known = Object.keys(overview.metrics).filter((name) => rows.some((row) => row.cells[name]));
    const shown = section.columns.filter((field) => field !== "group");
    return [...shown, ...known.filter((name) => !shown.includes(name))];
  }

  function describeColumn(overview, section, place, field, best) {
    const metric = overview.metrics[field];
    const isName = field === "strategy";
    return {
      field,
      title: metric?.header ?? field,
      note: metric ? metric.definition : section.own[field],
      frozen: (isName || field === "#") && window.innerWidth > 720,
      minWidth: isName ? 150 : 48,
      hozAlign: isName || field === "ends" ? "left" : "right",
      headerHozAlign: isName || field === "ends" ? "left" : "right",
      headerSortStartingDir: metric && metric.better !== "lower" ? "desc" : "asc",
      describe: (cell, data) => (isName ? describeName(data["of row"], place) : describeCell(cell, best.get(field))),
    };
  }

  function describeName(row, place) {
    const href = page.state.link({ view: "strategy", block: place, strategy: row.strategy });
    return make(
      "span", { class: row.rank === 1 ? "first" : "" },
      make("a", { href, title: row.strategy.slice(0, 300) }, page.dom.shorten(row.strategy, 60)),
      row.apart && make("span", { class: "why" }, row.apart),
    );
  }

  function describeCell(cell, best) {
    if (!cell) return make("span", { class: "none" }, "–");
    const [text, value, low, high] = cell;
    return make(
      "span", { class: best !== undefined && value === best ? "best" : "" },
      text,
      low !== undefined && make("span", { class: "interval" }, ` [${low}, ${high}]`),
    );
  }

  // The best value of each column among the ranked rows, where a direction is better and they differ.
  function findBest(overview, rows) {
    const best = new Map();
    for (const [name, metric] of Object.entries(overview.metrics)) {
      const values = rows.filter((row) => !row.apart && row.cells[name]).map((row) => row.cells[name][1]);
      if (metric.better === "neither" || new Set(values).size < 2) continue;
      best.set(name, metric.better === "lower" ? Math.min(...values) : Math.max(...values));
    }
    return best;
  }

  function chooser(overview, boxes, state) {
    const fields = [...new Set(boxes.flatMap((one) => one.fields))].filter((field) => !["#", "strategy", "group"].includes(field));
    const shown = new Set(boxes.flatMap((one) => [...one.shown]));
    const topics = new Map();
    for (const field of fields) {
      const topic = overview.metrics[field]?.topic ?? "Table";
      topics.set(topic, [...(topics.get(topic) ?? []), field]);
    }
    const change = (field, on) => {
      if (on) shown.add(field);
      else shown.delete(field);
      boxes.forEach((one) => one.toggle(field, on));
      page.state.note({ columns: [...shown].join(",") });
    };
    const lists = [...topics].map(([topic, names]) =>
      make("fieldset", {}, make("legend", {}, topic), names.map((field) => choice(overview, field, shown.has(field), change))));
    const reset = button("As in bench table", () => page.state.go({ ...page.state.read(), columns: "" }));
    reset.hidden = !state.columns;
    return make("details", { class: "chooser" }, make("summary", {}, "Columns"), make("div", { class: "choices" }, reset, lists));
  }

  function choice(overview, field, checked, change) {
    const input = make("input", { type: "checkbox", onchange: (event) => change(field, event.target.checked) });
    input.checked = checked;
    const metric = overview.metrics[field];
    return make("label", { title: metric?.definition ?? "" }, input, metric ? page.dom.shorten(metric.header, 40) : field);
  }

  return { show };
})();
