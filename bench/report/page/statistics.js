"use strict";

// The paired tests of each table and the sentences that say how they were made.
page.statistics = (() => {
  const { make, shorten } = page.dom;
  const { table, notes, percent } = page.widgets;

  function show(host, overview) {
    page.dom.replace(host, ...overview.sections.map((section, place) => board(section, place)));
  }

  function board(section, place) {
    const tested = section.rows.filter((row) => row.test && row.test.n_pairs !== null);
    const reference = section.rows.find((row) => row.test)?.test.reference;
    return make(
      "section", { class: "board" },
      make("h2", {}, section.title),
      reference ? make("p", { class: "quiet" }, `Each row against ${reference}, task by task.`) : make("p", { class: "quiet" }, "No reference row is here to test against: name one with --reference."),
      tested.length ? list(tested, section, place) : null,
      notes(section.notes, "How these numbers were made"),
    );
  }

  function list(rows, section, place) {
    const p = (value) => make("span", { class: value !== null && value < 0.05 ? "best" : "" }, value === null ? "–" : value < 0.001 ? "<0.001" : value.toFixed(3));
    const text = (value) => make("span", {}, value === null || value === undefined ? "–" : String(value));
    const data = rows.map((row) => ({ strategy: row.strategy, group: row.group, ...row.test, wtl: `${row.test.wins ?? "–"} / ${row.test.ties ?? "–"} / ${row.test.losses ?? "–"}` }));
    const right = { hozAlign: "right", headerHozAlign: "right" };
    const columns = [
      { field: "strategy", title: "strategy", minWidth: 150, describe: (name) => make("a", { href: page.state.link({ view: "strategy", block: place, strategy: name }) }, shorten(name, 60)) },
      ...(section.groups.length ? [{ field: "group", title: "tasks", describe: (group) => make("span", {}, shorten(group, 40)) }] : []),
      { field: "metric", title: "metric", describe: text },
      { field: "method", title: "method", note: "How the p-value was found.", describe: text },
      { field: "n_pairs", title: "pairs", ...right, note: "Tasks scored for both.", describe: text },
      { field: "n_nonzero", title: "non-zero", ...right, note: "Pairs that differ; zero differences are dropped.", describe: text },
      { field: "wtl", title: "better / same / worse", ...right, headerSort: false, describe: text },
      { field: "effect_size", title: "effect r", ...right, note: "Matched-pairs rank-biserial; positive = better than the reference.", describe: (value) => text(value === null ? null : (value > 0 ? "+" : "") + value.toFixed(2)) },
      { field: "p_value", title: "p", ...right, describe: p },
      { field: "p_adjusted", title: "p adj.", ...right, note: "Holm-adjusted over the family.", describe: p },
      { field: "mde", title: "detectable", ...right, note: "Smallest paired difference in success detectable at 80 % power, from the observed discordance, in points.", describe: (value) => text(value === null ? null : percent(value)) },
    ];
    return table(`Tests of ${section.title}`, columns, data, { maxHeight: "60vh" }).box;
  }

  return { show };
})();
