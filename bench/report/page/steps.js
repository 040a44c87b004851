"use strict";

// One step of an episode, or one question of a conversation: what the memory recalled, what was said, read and done.
page.steps = (() => {
  const { make } = page.dom;
  const { number, dollars } = page.widgets;

  // ``open``: names of the parts that are unfolded at first.
  function describe(trial, step, open = new Set()) {
    const item = findItem(trial, step);
    return make(
      "article", { class: "step", id: `step-${step.index}`, "data-step": step.index, tabindex: "-1", "aria-label": `Step ${step.index}` },
      make("div", { class: "step-head" }, make("span", { class: "index" }, String(step.index)), marks(step), tokens(step)),
      isQuestion(step) && make("p", { class: "question" }, step.stimulus),
      step.goal && make("p", { class: "quiet pre" }, step.goal),
      make("p", { class: "action" }, make("span", { class: "prompt", "aria-hidden": "true" }, isQuestion(step) ? "answer" : ">"), make("span", { class: "pre" }, step.decision || "(nothing)")),
      step.executed && line("executed as", step.executed),
      item?.reference && line("reference", item.reference, item.rubric && `  rubric: ${item.rubric}`),
      step.observation && make("p", { class: "observation pre" }, step.observation),
      (step.notes ?? []).map((note) => make("p", { class: "note pre" }, note)),
      step.evidence && line("evidence", step.evidence),
      make("div", { class: "folds" },
      item && scores(item),
      fold("context", contextTitle(step), open, () => context(step)),
      step.reply && fold("reply", "reply as written", open, () => make("pre", {}, step.reply)),
      step.calls?.length && fold("calls", `${step.calls.length} model call${step.calls.length > 1 ? "s" : ""}${step.embeds ? `, ${step.embeds} embeddings` : ""}`, open, () => calls(step.calls, step)),
      ),
    );
  }

  function isQuestion(step) {
    return Boolean(step.stimulus) && !step.observation;
  }

  function findItem(trial, step) {
    const items = trial.items ?? [];
    return items.some((one) => one.id !== trial.task) ? items[step.index - 1] : null;
  }

  function line(title, text, more = null) {
    return make("p", { class: "line" }, make("span", { class: "key" }, title), make("span", { class: "pre" }, text), more && make("span", { class: "quiet" }, more));
  }

  function marks(step) {
    const reading = step.reading ?? {};
    const found = [
      step.invalid && ["warn", step.invalid],
      reading.thought && ["", reading.thought === "free" ? "thought, free" : "thought, a step"],
      reading.asked_again && ["warn", `asked again ${reading.asked_again}×`],
      reading.unreadable && ["warn", "unreadable"],
      reading.cut && ["warn", "cut at the reply limit"],
      reading.repairs && ["", `repaired: ${reading.repairs.join(", ")}`],
      reading.dialect && ["", `own format: ${reading.dialect.join(", ")}`],
      step.repairs && ["", `action repaired: ${step.repairs.join(", ")}`],
      step.helper && ["", "helper"],
      step.truncated && ["warn", "context cut at its budget"],
      step.won && ["good", "won"],
    ].filter(Boolean);
    return make("span", { class: "marks" }, found.map(([kind, text]) => make("span", { class: `mark ${kind}` }, text)));
  }

  function tokens(step) {
    const [context, prompt] = step.tokens;
    const progress = step.observation ? ` · progress ${Math.round(100 * (step.progress ?? 0))} %` : "";
    return make("span", { class: "tokens" }, `context ${number(context)} · prompt ${number(prompt)} tokens${progress}`);
  }

  function contextTitle(step) {
    const refs = step.refs?.length ?? 0;
    return step.contextText || refs ? `context: ${number(step.tokens[0])} tokens, from ${refs} event${refs === 1 ? "" : "s"}` : "context: empty";
  }

  function context(step) {
    return make(
      "div", {},
      make("pre", {}, step.contextText || "(empty)"),
      step.refs?.length ? line("cites", step.refs.join(", ")) : null,
      step.ranking?.length ? line("ranking", step.ranking.join(", ")) : null,
    );
  }

  function scores(item) {
    const known = (item.scores ?? []).filter(([, value]) => value !== null);
    const left = (item.scores ?? []).filter(([, value, reason]) => value === null && reason);
    return make(
      "details", { class: "fold" },
      make("summary", {}, `${item.id} (${item.group}): ${known.slice(0, 3).map(([name, value]) => `${name} ${round(value)}`).join(", ")}`),
      make("dl", { class: "scores" }, known.map(([name, value]) => [make("dt", {}, name), make("dd", {}, round(value))])),
      left.map(([name, , reason]) => line(name, reason)),
    );
  }

  function round(value) {
    return Number.isInteger(value) ? String(value) : value.toPrecision(3);
  }

  // A part that is built when it is first unfolded.
  function fold(name, title, open, build) {
    const box = make("details", { class: "fold", "data-part": name }, make("summary", {}, title));
    const fill = () => box.open && box.childElementCount === 1 && box.append(build());
    box.addEventListener("toggle", fill);
    if (open.has(name)) {
      box.open = true;
      fill();
    }
    return box;
  }

  function calls(list, step = null) {
    return make("ol", { class: "calls" }, list.map((call) => {
      const [prompt, cached, completion] = call.tokens;
      const head = [
        call.role, call.phase !== call.role && call.phase, call.model && `by ${call.model}`,
        `${prompt ?? "?"} + ${completion ?? "?"} tokens`, cached && `${cached} cached`, call.source === "tokenizer" && "estimated",
        call.usd && `US$ ${dollars(call.usd)}`, call.finish && `finish ${call.finish}`, call.status,
      ].filter(Boolean).join(", ");
      const same = step && (call.reply ?? "") === (step.reply ?? step.decision);
      return make("li", {}, make("p", { class: "line" }, head), same ? make("p", { class: "quiet" }, "the reply above") : make("pre", {}, call.reply ?? ""));
    }));
  }

  return { describe, calls, fold, isQuestion };
})();
