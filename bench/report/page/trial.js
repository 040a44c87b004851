"use strict";

// One trial, step by step. j and k move between steps; the address holds the step.
page.trial = (() => {
  const { make, select, button, shorten } = page.dom;
  const SLICE = 200;
  const PARTS = ["context", "reply", "calls"];

  async function show(host, overview, state) {
    const [{ trials }, trial] = await Promise.all([page.data.load("tasks"), page.data.loadTrial(state.trial)]);
    const entry = trials.find((one) => one[0] === state.trial);
    if (!trial) {
      page.dom.replace(host, make("p", { class: "quiet" }, entry ? `${entry[1]} on ${shorten(entry[2])}: this trial has not ended yet.` : "There is no such trial in this report."));
      return;
    }
    const open = new Set((state.open ?? "").split(",").filter(Boolean));
    const list = make("div", { class: "steps" });
    page.dom.replace(host, head(trial, entry, trials), bar(trial, trials, open, list, state), before(trial), list, files(trial));
    fill(list, trial, open, Number(state.step) || 1);
    if (state.step) focusStep(list, Number(state.step));
  }

  function head(trial, entry, trials) {
    const scores = (trial.items ?? []).length === 1 ? trial.items[0].scores ?? [] : [];
    const brief = scores.filter(([name, value]) => value !== null && ["success", "progress", "steps", "f1", "judge_accuracy"].includes(name));
    const same = trials.filter((one) => entry && one[1] === entry[1] && one[2] === entry[2] && one[8] === entry[8]);
    return make(
      "section", { class: "card" },
      make("h2", {}, shorten(trial.strategy, 120)),
      make("p", { class: "long" }, trial.task),
      make("p", { class: "quiet" }, `${trial.suite} ${trial.split} · ${trial.model} · seed ${trial.seed}${trial.attempt > 1 ? ` · attempt ${trial.attempt}` : ""} · ${trial.status}, ${trial.end} · ${(trial.steps ?? []).length} ${trial.items?.length > 1 ? "questions" : "steps"}`),
      brief.length ? make("p", {}, brief.map(([name, value]) => make("span", { class: "stat" }, `${name} `, make("b", {}, Number.isInteger(value) ? String(value) : value.toPrecision(3))))) : null,
      trial.error && make("p", { class: "error pre" }, trial.error),
      same.length > 1 && make("p", {}, "Seeds and attempts: ", same.map((one) => make("a", { class: "chip", href: page.state.link({ view: "trial", trial: one[0] }), "aria-current": one[0] === trial.id && "true" }, `${one[3]}:${one[4]}`))),
    );
  }

  function bar(trial, trials, open, list, state) {
    const others = trials.filter((one) => one[2] === trial.task && one[0] !== trial.id && one[5] !== "planned");
    const options = [["", "choose …"], ...others.map((one) => [one[0], `${one[1]}${one[3] ? ` seed ${one[3]}` : ""}${one[4] > 1 ? ` attempt ${one[4]}` : ""}`])];
    return make(
      "div", { class: "controls sticky" },
      make("a", { class: "plain", href: page.state.link({ view: "tasks" }) }, "← Tasks"),
      others.length ? select("Side by side with", options, "", (id) => id && page.state.go({ view: "pair", a: trial.id, b: id, step: page.state.read().step })) : null,
      PARTS.map((part) => {
        const toggle = button(part, () => {
          if (open.has(part)) open.delete(part);
          else open.add(part);
          toggle.setAttribute("aria-pressed", open.has(part));
          list.querySelectorAll(`details[data-part=${part}]`).forEach((box) => (box.open = open.has(part)));
          page.state.note({ open: [...open].join(",") });
        }, { "aria-pressed": String(open.has(part)), class: "toggle" });
        return toggle;
      }),
    );
  }

  function before(trial) {
    return make(
      "section", {},
      trial.opening && make("p", { class: "opening pre" }, trial.opening),
      (trial.feedback ?? []).map((text, place) => make("p", { class: "note pre" }, `after attempt ${place + 1}: ${text}`)),
      trial.calls?.length ? page.steps.fold("before", `${trial.calls.length} model calls before the first step`, new Set(), () => page.steps.calls(trial.calls)) : null,
    );
  }

  // The files of the memory, as they were at the end.
  function files(trial) {
    if (!trial.workspace?.length) return null;
    return make(
      "section", { class: "files" },
      make("h3", {}, `Files of the memory at the end: ${trial.workspace.length}`),
      page.sources.tree(trial.workspace),
    );
  }

  function fill(list, trial, open, wanted) {
    const steps = trial.steps ?? [];
    let shown = 0;
    const more = button("", () => add(shown + SLICE), { class: "more" });
    const add = (upto) => {
      more.before(...steps.slice(shown, upto).map((step) => page.steps.describe(trial, step, open)));
      shown = Math.min(upto, steps.length);
      more.textContent = `Show more steps (${steps.length - shown} left)`;
      more.hidden = shown >= steps.length;
    };
    list.append(more);
    add(Math.max(SLICE, wanted + 20));
    if (!steps.length) list.append(make("p", { class: "quiet" }, "No step was recorded."));
  }

  function focusStep(list, index) {
    const step = list.querySelector(`[data-step="${index}"]`);
    if (!step) return;
    step.scrollIntoView({ block: "center" });
    step.focus({ preventScroll: true });
  }

  // j and k: the next and the last step.
  function move(by) {
    const host = document.getElementById("content");
    const current = document.activeElement?.closest?.("[data-step]");
    const now = Number(current?.dataset.step ?? page.state.read().step ?? 0) || (by > 0 ? 0 : 1);
    const next = host.querySelector(`[data-step="${now + by}"]`);
    if (!next) return;
    next.scrollIntoView({ block: "center" });
    next.focus({ preventScroll: true });
    page.state.note({ step: now + by });
  }

  return { show, move };
})();
