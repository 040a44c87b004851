"use strict";

// What was spent: calls, tokens and dollars by strategy, phase and role.
page.ledger = (() => {
  const { make, shorten } = page.dom;
  const { table, filterBox, filterBy, nameChart, number, dollars, chooseBlock } = page.widgets;
  const PHASES = ["gather", "learn", "write", "read", "act", "judge"];

  async function show(host, _overview, state) {
    const ledger = await page.data.load("ledger");
    const title = (row) => `${row.suite} · ${row.split} · ${row.model}`;
    const titles = [...new Set(ledger.map(title))];
    if (!titles.length) {
      page.dom.replace(host, make("p", { class: "quiet" }, "No model was called."));
      return;
    }
    const block = Math.min(Number(state.block ?? 0), titles.length - 1);
    const rows = ledger.filter((row) => title(row) === titles[block]);
    const figure = make("figure", { class: "chart" });
    const { box, grid } = list(rows);
    const bar = make(
      "div", { class: "controls" },
      chooseBlock(titles, block, (value) => page.state.go({ view: "ledger", block: value })),
      filterBox("Filter the ledger", filterBy(grid, (row) => [row.strategy, row.phase, row.role, row.called].join(" "))),
    );
    page.dom.replace(host, bar, figure, box, page.widgets.notes([
      "Sums over all trials, replayed calls included; tokens that no provider and no tokenizer counted are –, never 0.",
      "Judge tokens belong to no strategy's total. Calls that failed, were asked again or belong to a trial that was started again count as spend only.",
    ]));
    draw(figure, rows);
  }

  function list(rows) {
    const text = (value) => make("span", {}, String(value ?? ""));
    const count = (value) => make("span", {}, number(value));
    const columns = [
      { field: "strategy", title: "strategy", minWidth: 140, describe: (name) => make("span", { title: name.slice(0, 300) }, shorten(name, 50)) },
      { field: "phase", title: "phase", describe: text },
      { field: "role", title: "role", describe: text },
      { field: "called", title: "model", describe: text },
      { field: "calls", title: "calls", hozAlign: "right", headerHozAlign: "right", describe: count },
      { field: "prompt", title: "prompt tokens", hozAlign: "right", headerHozAlign: "right", describe: count },
      { field: "cached", title: "cached", hozAlign: "right", headerHozAlign: "right", describe: count },
      { field: "completion", title: "completion tokens", hozAlign: "right", headerHozAlign: "right", describe: count },
      { field: "usd", title: "US$", hozAlign: "right", headerHozAlign: "right", describe: (value) => make("span", {}, dollars(value)) },
      { field: "wasted", title: "", headerSort: false, describe: (wasted) => make("span", { class: "quiet" }, wasted ? "spend only" : "") },
    ];
    return table("Ledger", columns, rows, { maxHeight: "60vh" });
  }

  function draw(figure, rows) {
    const width = Math.min(960, Math.max(320, figure.clientWidth || 720));
    const most = width < 560 ? 18 : 34;
    const bars = rows
      .filter((row) => !row.wasted && row.role !== "embed" && row.prompt !== null && row.completion !== null)
      .map((row) => ({ strategy: shorten(row.strategy, most), phase: row.phase, tokens: row.prompt + row.completion }));
    if (!bars.length) return;
    const names = [...new Set(bars.map((bar) => bar.strategy))];
    const chart = Plot.plot({
      width,
      height: 76 + 22 * names.length,
      marginBottom: 44,
      marginLeft: Math.min(width * 0.4, 8 + 7 * Math.max(...names.map((name) => name.length))),
      style: { background: "transparent", color: "var(--ink)", fontFamily: "inherit", fontSize: "12px" },
      x: { label: "prompt and completion tokens", tickFormat: d3.format("~s"), grid: true, ticks: width < 560 ? 4 : 7 },
      y: { label: null },
      color: { domain: PHASES, range: PHASES.map((phase) => `var(--phase-${phase})`), legend: false },
      marks: [Plot.barX(bars, Plot.groupY({ x: "sum" }, { x: "tokens", y: "strategy", fill: "phase", order: PHASES, sort: { y: "-x" }, insetTop: 2, insetBottom: 2 }))],
    });
    nameChart(chart, "Tokens of each strategy by phase; the same numbers stand in the table below");
    const shown = PHASES.filter((phase) => bars.some((bar) => bar.phase === phase));
    const keys = make("figcaption", {}, shown.map((phase) => make("span", { class: "key-colour" }, make("i", { style: `background: var(--phase-${phase})` }), phase)));
    page.dom.replace(figure, keys, chart);
  }

  return { show };
})();
