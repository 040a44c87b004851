"use strict";

// Two trials of one task, step beside step, with the first step at which they part.
page.pair = (() => {
  const { make, shorten, button } = page.dom;
  const SLICE = 100;

  async function show(host, _overview, state) {
    const [a, b] = await Promise.all([state.a, state.b].map((id) => page.data.loadTrial(id)));
    if (!a || !b) {
      page.dom.replace(host, make("p", { class: "quiet" }, "One of the two trials is not in this report, or has not ended yet."));
      return;
    }
    const parted = findParting(a, b);
    const count = Math.max(a.steps?.length ?? 0, b.steps?.length ?? 0);
    const list = make("div", { class: "pairs" });
    const swap = page.state.link({ view: "pair", a: b.id, b: a.id });
    const bar = make(
      "div", { class: "controls sticky" },
      make("a", { class: "plain", href: page.state.link({ view: "trial", trial: a.id }) }, "← Trial"),
      make("a", { class: "plain", href: swap }, "Swap"),
      parted && parted <= count ? button(`First difference: step ${parted}`, () => jump(list, parted)) : make("span", { class: "quiet" }, "The same decisions throughout."),
    );
    const heads = make("div", { class: "pair heads" }, head(a), head(b));
    page.dom.replace(host, make("p", { class: "long" }, a.task), bar, heads, list);
    fill(list, a, b, count, parted, Number(state.step) || 1);
    if (state.step) jump(list, Number(state.step));
  }

  function head(trial) {
    const success = trial.items?.length === 1 ? trial.items[0].scores?.find(([name]) => name === "success")?.[1] : null;
    return make(
      "section", { class: "card" },
      make("h2", {}, make("a", { href: page.state.link({ view: "trial", trial: trial.id }) }, shorten(trial.strategy, 80))),
      make("p", { class: "quiet" }, `${trial.status}, ${trial.end} · ${(trial.steps ?? []).length} steps${success === null || success === undefined ? "" : ` · success ${success}`}`),
    );
  }

  // The first step at which the decisions differ; 0 = none.
  function findParting(a, b) {
    const [left, right] = [a.steps ?? [], b.steps ?? []];
    for (let place = 0; place < Math.max(left.length, right.length); place += 1) {
      if (left[place]?.decision !== right[place]?.decision) return place + 1;
    }
    return 0;
  }

  function fill(list, a, b, count, parted, wanted) {
    let shown = 0;
    const more = button("", () => add(shown + SLICE), { class: "more" });
    const add = (upto) => {
      for (let place = shown; place < Math.min(upto, count); place += 1) {
        const sides = [a, b].map((trial) => {
          const step = trial.steps?.[place];
          const side = step ? page.steps.describe(trial, step) : make("p", { class: "quiet ended" }, "ended");
          if (step) side.removeAttribute("id");
          side.dataset.side = shorten(trial.strategy, 40);
          return side;
        });
        const row = make("div", { class: `pair ${place + 1 === parted ? "parting" : ""}`, "data-step": place + 1, tabindex: "-1" }, sides);
        sides.forEach((side) => side.removeAttribute("data-step"));
        row.addEventListener("toggle", (event) => openBoth(sides, event.target), true);
        more.before(row);
      }
      shown = Math.min(upto, count);
      more.textContent = `Show more steps (${count - shown} left)`;
      more.hidden = shown >= count;
    };
    list.append(more);
    add(Math.max(SLICE, wanted + 20));
  }

  // What is unfolded on one side is unfolded on the other.
  function openBoth(sides, box) {
    for (const side of sides) {
      const other = side.querySelector(`details[data-part="${box.dataset.part}"]`);
      if (other && box.dataset.part) other.open = box.open;
    }
  }

  function jump(list, index) {
    const row = list.querySelector(`[data-step="${index}"]`);
    row?.scrollIntoView({ block: "center" });
    row?.focus({ preventScroll: true });
    page.state.note({ step: index });
  }

  return { show };
})();
