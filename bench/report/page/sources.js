"use strict";

// Where the numbers come from: fingerprints, versions, the configuration of each run, and what was learned.
page.sources = (() => {
  const { make, shorten } = page.dom;

  async function show(host, overview) {
    const about = await page.data.load("about");
    page.dom.replace(
      host,
      make("p", { class: "quiet" }, `Made by memfrontier ${overview.version}.`),
      about.artifacts.length ? make("section", {}, make("h2", {}, "What was learned"), about.artifacts.map(artifact)) : null,
      make("section", {}, make("h2", {}, "Fingerprints"), make("p", { class: "quiet" }, "What a trial was played with. Rows of one table share every env. field."), about.fingerprints.map(fingerprint)),
      make("section", {}, make("h2", {}, "Runs"), about.runs.map((run) => make("details", { class: "fold" }, make("summary", {}, run.name), make("pre", {}, run.config || "This run has no run.toml.")))),
    );
  }

  function fingerprint(block) {
    return make(
      "div", {},
      make("h3", {}, block.title),
      make("details", { class: "fold", open: true }, make("summary", {}, "the same for all rows"), fields(block.shared)),
      Object.entries(block.own).filter(([, own]) => Object.keys(own).length).map(([name, own]) => make("details", { class: "fold" }, make("summary", {}, shorten(name, 100)), fields(own))),
    );
  }

  function fields(values) {
    return make("dl", { class: "fields" }, Object.entries(values).map(([name, value]) => [make("dt", {}, name), make("dd", { class: "pre" }, value)]));
  }

  function artifact(one) {
    return make(
      "div", { class: "card" },
      make("h3", {}, one.label),
      make("p", { class: "quiet" }, `${one.suite} ${one.split} · ${one.policy} · ${one.gathered} · digest ${one.digest}, pool ${one.pool}, model ${one.model}`),
      tree(one.files),
    );
  }

  // Files by folder; the text of one is built when it is unfolded.
  function tree(files) {
    const folders = new Map();
    for (const [path, text] of files) {
      const cut = path.lastIndexOf("/") + 1;
      const folder = path.slice(0, cut);
      folders.set(folder, [...(folders.get(folder) ?? []), [path.slice(cut), text]]);
    }
    const list = ([name, text]) => page.steps.fold("file", `${shorten(name, 120)}  ${text.split("\n").length - 1} lines`, new Set(), () => make("pre", {}, text));
    return make("div", { class: "tree" }, [...folders].sort(([a], [b]) => (a < b ? -1 : 1)).map(([folder, found]) =>
      folder ? page.steps.fold("folder", `${folder}  ${found.length} files`, new Set(), () => make("div", { class: "tree" }, found.map(list))) : found.map(list)));
  }

  return { show, tree };
})();
