"use strict";

// Which view is shown, keys, and the choice of light or dark.
(() => {
  const { make, button } = page.dom;
  const VIEWS = {
    leaderboard: { title: "Leaderboard", show: page.leaderboard.show },
    frontier: { title: "Frontier", show: page.frontier.show },
    tasks: { title: "Tasks", show: page.tasks.show },
    ledger: { title: "Ledger", show: page.ledger.show },
    statistics: { title: "Statistics", show: page.statistics.show },
    sources: { title: "Sources", show: page.sources.show },
    trial: { parent: "tasks", show: page.trial.show },
    pair: { parent: "tasks", show: page.pair.show },
    strategy: { parent: "leaderboard", show: page.strategy.show },
  };
  const KEYS = [
    ["/", "go to the filter"], ["j, k", "next and last step of a trial"], ["arrow keys", "move in the grid of tasks"],
    ["Enter", "open what is in focus"], ["c", "pick two cells of a task: side by side"], ["Esc", "close, or go back up"], ["?", "this list"],
  ];
  const host = document.getElementById("content");
  let drawn = 0;
  let shown = "";

  async function draw() {
    const state = page.state.read();
    const name = VIEWS[state.view] ? state.view : "leaderboard";
    const mine = (drawn += 1);
    markTab(VIEWS[name].parent ?? name);
    try {
      const overview = await page.data.load("overview");
      if (mine !== drawn) return;
      document.getElementById("title").textContent = overview.title;
      const place = `${name} ${state.block ?? ""} ${state.trial ?? ""} ${state.a ?? ""} ${state.b ?? ""}`;
      const height = place === shown ? window.scrollY : 0;
      shown = place;
      page.widgets.dropAll();
      const view = make("div", { class: `view of-${name}` });
      page.dom.replace(host, view); // before it is filled: tables and figures ask how wide they may be
      if (!state.step) window.scrollTo(0, height);
      await VIEWS[name].show(view, overview, state);
      if (height && !state.step) window.scrollTo(0, height);
    } catch (error) {
      if (mine === drawn) page.dom.replace(host, make("p", { class: "error", role: "alert" }, `This view cannot be shown: ${error.message}`));
      if (!page.data.live) throw error;
    }
    await page.widgets.whenAllBuilt();
    if (mine === drawn) host.dataset.drawn = String(mine);
  }

  function markTab(name) {
    const links = Object.entries(VIEWS).filter(([, view]) => view.title);
    page.dom.replace(document.getElementById("tabs"), ...links.map(([view, { title }]) =>
      make("a", { href: page.state.link({ view }), "aria-current": view === name && "page" }, title)));
  }

  function setTheme(theme) {
    document.documentElement.dataset.theme = theme;
    document.getElementById("theme").textContent = theme === "dark" ? "Light" : "Dark";
  }

  function startTheme() {
    const prefersDark = matchMedia("(prefers-color-scheme: dark)");
    let chosen = null;
    try {
      chosen = localStorage.getItem("memfrontier-theme");
    } catch {
      chosen = null; // a file may have no storage
    }
    setTheme(chosen ?? (prefersDark.matches ? "dark" : "light"));
    prefersDark.addEventListener("change", (event) => chosen ?? setTheme(event.matches ? "dark" : "light"));
    document.getElementById("theme").addEventListener("click", () => {
      chosen = document.documentElement.dataset.theme === "dark" ? "light" : "dark";
      setTheme(chosen);
      try {
        localStorage.setItem("memfrontier-theme", chosen);
      } catch {
        // then it is forgotten
      }
    });
  }

  function startKeys() {
    const dialog = document.getElementById("keys");
    dialog.append(
      make("h2", { id: "keys-title" }, "Keys"),
      make("dl", { class: "fields" }, KEYS.map(([key, text]) => [make("dt", {}, make("kbd", {}, key)), make("dd", {}, text)])),
      button("Close", () => dialog.close()),
    );
    document.getElementById("help").addEventListener("click", () => dialog.showModal());
    document.addEventListener("keydown", (event) => {
      const typing = event.target.closest?.("input, select, textarea");
      if (event.ctrlKey || event.metaKey || event.altKey || dialog.open) return;
      if (event.key === "Escape") leave(event, typing);
      else if (typing) return;
      else if (event.key === "/") {
        event.preventDefault();
        document.querySelector(".filter")?.focus();
      } else if (event.key === "?") dialog.showModal();
      else if (event.key === "j") page.trial.move(1);
      else if (event.key === "k") page.trial.move(-1);
    });
    document.getElementById("skip").addEventListener("click", (event) => {
      event.preventDefault();
      host.focus();
    });
  }

  function leave(event, typing) {
    const open = document.querySelector("details.chooser[open]");
    const { view } = page.state.read();
    if (open) {
      open.open = false;
      open.querySelector("summary").focus();
    } else if (typing) typing.blur();
    else if (VIEWS[view]?.parent) page.state.go({ view: VIEWS[view].parent });
  }

  startTheme();
  startKeys();
  window.addEventListener("hashchange", draw);
  draw().then(() => page.live.start(() => !["trial", "pair"].includes(page.state.read().view) && draw()));
})();
