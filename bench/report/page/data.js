"use strict";

// The data of the report: unpacked from the file when it is asked for, or fetched from `bench view`.
page.data = (() => {
  const MOST_PIECES = 12;
  const parts = new Map();
  const pieces = new Map();
  const live = document.querySelector("meta[name=report-source]")?.content === "live";

  async function unpack(text) {
    const bytes = Uint8Array.from(atob(text), (letter) => letter.charCodeAt(0));
    const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate"));
    return JSON.parse(await new Response(stream).text());
  }

  function whenRead() {
    if (document.readyState !== "loading") return Promise.resolve();
    return new Promise((resolve) => document.addEventListener("DOMContentLoaded", resolve, { once: true }));
  }

  async function readBlock(name) {
    if (!document.getElementById(name)) await whenRead(); // the end of a large file is still on its way
    const block = document.getElementById(name);
    if (!block) throw new Error(`the report has no part named ${name}`);
    return unpack(block.textContent);
  }

  async function ask(path) {
    const response = await fetch(path, { cache: "no-store" });
    const body = await response.json();
    if (!response.ok) throw new Error(body.error?.message ?? `the server answered ${response.status}`);
    return body;
  }

  function load(name) {
    if (!parts.has(name)) {
      const found = live && !document.getElementById(name) ? ask(`/part/${name}`).then((body) => body.part) : readBlock(name);
      parts.set(name, found);
      found.catch(() => parts.delete(name));
    }
    return parts.get(name);
  }

  // Return the trial of that id, null if it has not ended.
  async function loadTrial(id) {
    if (live) return expand((await ask(`/trial/${encodeURIComponent(id)}`)).trial);
    const place = (await load("places"))[id];
    if (place === undefined) return null;
    const found = (await loadPiece(place)).find((trial) => trial.id === id);
    return expand(found);
  }

  function loadPiece(number) {
    const found = pieces.get(number) ?? readBlock(`trials-${number}`);
    pieces.delete(number);
    pieces.set(number, found); // the last used stands last
    if (pieces.size > MOST_PIECES) pieces.delete(pieces.keys().next().value);
    return found;
  }

  // A context is stored as the number of first lines that it shares with the one before, and the rest.
  function expand(trial) {
    if (!trial || trial.expanded) return trial;
    let before = [];
    for (const step of trial.steps ?? []) {
      const [same, rest] = step.context;
      before = before.slice(0, same);
      if (rest !== undefined) before.push(...rest.split("\n"));
      step.contextText = before.join("\n");
    }
    trial.expanded = true;
    return trial;
  }

  // Put the parts of a newer state in the place of those that are known.
  function renew(changed) {
    for (const [name, part] of Object.entries(changed)) parts.set(name, Promise.resolve(part));
  }

  return { live, ask, load, loadTrial, renew };
})();
