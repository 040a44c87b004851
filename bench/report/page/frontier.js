"use strict";

// The frontier: each strategy on the plane of a cost and a score. A click, or a link of the list below, leads to it.
page.frontier = (() => {
  const { make, select, shorten } = page.dom;
  const { table, percent, chooseBlock, nameChart, notes } = page.widgets;

  const SIDES = [{ x: 1, y: -1 }, { x: -1, y: -1 }, { x: 1, y: 1 }, { x: -1, y: 1 }];

  async function show(host, overview, state) {
    const planes = await page.data.load("planes");
    const titles = [...new Set(planes.map((plane) => plane.title))];
    if (!titles.length) {
      page.dom.replace(host, make("p", { class: "quiet" }, "No trial has a score and a cost yet: there is nothing to draw."));
      return;
    }
    const block = Math.min(Number(state.block ?? 0), titles.length - 1);
    const here = planes.filter((plane) => plane.title === titles[block]);
    const plane = here.find((one) => one.x === state.x && one.y === state.y) ?? here.find((one) => one.y === state.y) ?? here[0];
    const log = state.scale ? state.scale === "log" : spans(plane);
    const go = (change) => page.state.go({ view: "frontier", block, x: plane.x, y: plane.y, scale: state.scale, ...change });
    const names = (axis) => [...new Set(here.map((one) => one[axis]))].map((name) => [name, label(overview, plane, name)]);
    const bar = make(
      "div", { class: "controls" },
      chooseBlock(titles, block, (value) => page.state.go({ view: "frontier", block: value })),
      select("Across", names("x"), plane.x, (x) => go({ x })),
      select("Up", names("y"), plane.y, (y) => go({ y })),
      select("Scale across", [["log", "logarithmic"], ["linear", "linear"]], log ? "log" : "linear", (scale) => go({ scale })),
    );
    const place = overview.sections.findIndex((section) => section.title === plane.title);
    const figure = make("figure", { class: "chart" });
    page.dom.replace(host, bar, figure, list(overview, plane, place), notes(explain(plane)));
    draw(figure, overview, plane, place, log);
  }

  function label(overview, plane, name) {
    const metric = overview.metrics[name];
    const text = (metric?.axis || name).replace("{item}", plane.item).replace(", log scale", "");
    return metric?.unit === "share" ? `${text} (%)` : text;
  }

  function spans(plane) {
    const costs = plane.spots.map((spot) => spot.cost).filter((cost) => cost !== null);
    return Math.min(...costs) > 0 && Math.max(...costs) / Math.min(...costs) > 5;
  }

  function draw(figure, overview, plane, place, log) {
    const scale = overview.metrics[plane.y]?.unit === "share" ? 100 : 1;
    const spots = plane.spots
      .filter((spot) => spot.cost !== null && spot.value !== null)
      .map((spot) => ({
        ...spot,
        solid: spot.membership !== null,
        y: scale * spot.value,
        yLow: spot.value_low === null ? null : scale * spot.value_low,
        yHigh: spot.value_high === null ? null : scale * spot.value_high,
      }));
    const edge = spots.filter((spot) => spot.on_frontier).sort((a, b) => a.cost - b.cost);
    const width = Math.min(960, Math.max(320, figure.clientWidth || 720));
    const narrow = width < 560;
    const build = (labels) => Plot.plot({
      width,
      height: narrow ? 380 : 460,
      marginLeft: 52,
      marginRight: narrow ? 16 : 90,
      marginBottom: 44,
      marginTop: 26,
      style: { background: "transparent", color: "var(--ink)", fontFamily: "inherit", fontSize: "12px" },
      x: { type: log ? "log" : "linear", label: label(overview, plane, plane.x), tickFormat: d3.format("~s"), ticks: narrow ? 4 : 7, grid: true, nice: !log, insetLeft: 8, insetRight: 8 },
      y: { label: label(overview, plane, plane.y), grid: true, nice: true, zero: true, insetTop: 8, insetBottom: 6 },
      marks: [
        Plot.ruleX(spots.filter((spot) => spot.yLow !== null), { x: "cost", y1: "yLow", y2: "yHigh", stroke: "var(--soft)", strokeOpacity: 0.55 }),
        Plot.ruleY(spots.filter((spot) => spot.cost_low !== null && (!log || spot.cost_low > 0)), { y: "y", x1: "cost_low", x2: "cost_high", stroke: "var(--soft)", strokeOpacity: 0.55 }),
        Plot.line(edge, { x: "cost", y: "y", curve: overview.metrics[plane.x]?.better === "higher" ? "step-before" : "step-after", stroke: "var(--accent)", strokeWidth: 1.8 }),
        Plot.dot(spots, { x: "cost", y: "y", r: 5.5, fill: (spot) => (!spot.solid ? "var(--paper)" : spot.on_frontier ? "var(--accent)" : "var(--soft)"), stroke: (spot) => (spot.on_frontier ? "var(--accent)" : "var(--soft)"), strokeWidth: 1.6 }),
        ...SIDES.map((side) => Plot.text(labels.filter((one) => one.side === side), { x: "cost", y: "y", text: "label", dx: 9 * side.x, dy: side.y < 0 ? -8 : 9, textAnchor: side.x > 0 ? "start" : "end", fill: (spot) => (spot.on_frontier ? "var(--ink)" : "var(--soft)"), stroke: "var(--paper)", strokeWidth: 3 })),
        Plot.tip(spots, Plot.pointer({ x: "cost", y: "y", maxRadius: 40, lineHeight: 1.3, lineWidth: 26, fill: "var(--paper)", stroke: "var(--line)", title: (spot) => tell(overview, plane, spot) })),
      ],
    });
    const first = build([]);
    const chart = build(chooseLabels(first, [...edge, ...spots.filter((spot) => !spot.on_frontier)], spots, narrow ? 16 : 28));
    nameChart(chart, `${label(overview, plane, plane.y)} against ${label(overview, plane, plane.x)}; the same numbers stand in the table below`);
    chart.style.cursor = "pointer";
    chart.addEventListener("click", () => {
      if (chart.value) page.state.go({ view: "strategy", block: place, strategy: chart.value.strategy });
    });
    page.dom.replace(figure, chart, make("figcaption", {}, "Line: the frontier, which no other row beats on both axes. Bars: 95 % bootstrap intervals. Hollow: not complete, or given the evidence."));
  }

  // The names that fit without covering a point or another name, each on the first side of its point that is free; those
  // on the frontier come first.
  function chooseLabels(chart, wanted, spots, most) {
    const [x, y] = ["x", "y"].map((axis) => chart.scale(axis).apply);
    const edge = chart.width.baseVal.value;
    const taken = spots.map((spot) => ({ left: x(spot.cost) - 6, right: x(spot.cost) + 6, top: y(spot.y) - 6, bottom: y(spot.y) + 6, spot }));
    const place = (spot, label, side) => {
      const near = x(spot.cost) + 9 * side.x;
      const far = near + 6.6 * label.length * side.x;
      const middle = y(spot.y) + (side.y < 0 ? -8 : 9);
      return { left: Math.min(near, far), right: Math.max(near, far), top: middle - 7, bottom: middle + 7 };
    };
    const labels = [];
    for (const spot of wanted) {
      const label = shorten(spot.strategy, most);
      const side = SIDES.find((one) => {
        const box = place(spot, label, one);
        return box.left > 0 && box.right < edge && !taken.some((other) => other.spot !== spot && covers(other, box));
      });
      if (!side) continue;
      taken.push(place(spot, label, side));
      labels.push({ ...spot, label, side });
    }
    return labels;
  }

  function covers(one, other) {
    return one.left < other.right && other.left < one.right && one.top < other.bottom && other.top < one.bottom;
  }

  function tell(overview, plane, spot) {
    return [
      shorten(spot.strategy, 60),
      `${label(overview, plane, plane.y)}: ${write(overview, plane.y, spot.value)}`,
      `${label(overview, plane, plane.x)}: ${write(overview, plane.x, spot.cost)}`,
      spot.membership === null ? "" : `on the frontier in ${percent(spot.membership)} % of resamples`,
    ].filter(Boolean).join("\n");
  }

  function write(overview, name, value) {
    const metric = overview.metrics[name];
    if (value === null) return "–";
    if (metric?.unit === "share") return percent(value);
    const most = metric?.digits || (Math.abs(value) < 10 ? 3 : 0);
    return value.toLocaleString("en", { maximumFractionDigits: most });
  }

  function list(overview, plane, place) {
    const interval = (name, low, high) => (low === null ? "" : ` [${write(overview, name, low)}, ${write(overview, name, high)}]`);
    const columns = [
      { field: "strategy", title: "strategy", describe: (name) => make("a", { href: page.state.link({ view: "strategy", block: place, strategy: name }) }, shorten(name, 60)) },
      { field: "value", title: label(overview, plane, plane.y), hozAlign: "right", headerHozAlign: "right", describe: (value, spot) => make("span", {}, write(overview, plane.y, value), make("span", { class: "interval" }, interval(plane.y, spot.value_low, spot.value_high))) },
      { field: "cost", title: label(overview, plane, plane.x), hozAlign: "right", headerHozAlign: "right", describe: (value, spot) => make("span", {}, write(overview, plane.x, value), make("span", { class: "interval" }, interval(plane.x, spot.cost_low, spot.cost_high))) },
      { field: "on_frontier", title: "on frontier", describe: (on) => make("span", {}, on ? "yes" : "") },
      { field: "membership", title: "membership %", note: "Share of bootstrap resamples in which the row is on the frontier.", hozAlign: "right", headerHozAlign: "right", describe: (share) => make("span", {}, percent(share)) },
      { field: "n", title: "n", hozAlign: "right", headerHozAlign: "right", describe: (n, spot) => make("span", {}, `${n}/${spot.n_total}`) },
    ];
    return table("The numbers of the frontier", columns, plane.spots).box;
  }

  function explain(plane) {
    return [
      `Means, intervals and memberships of complete rows rest on the ${plane.n_shared} ${plane.item}s scored for all of them; ${plane.n_units} ${plane.unit}s were resampled.`,
      ...plane.notes,
    ];
  }

  return { show };
})();
