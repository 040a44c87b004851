"use strict";

// A page of `bench view` asks its server what changed since it last asked, and draws again what is shown.
page.live = (() => {
  const EVERY_MS = 2000;
  let version = "";

  function start(redraw) {
    if (!page.data.live) return;
    const light = document.getElementById("live");
    light.hidden = false;
    light.textContent = "live";
    const ask = async () => {
      try {
        const answer = await page.data.ask(`/changes/${version}`);
        if (version && answer.version !== version) {
          page.data.renew(answer.parts);
          redraw();
        }
        version = answer.version;
        light.textContent = answer.planned ? `live, ${answer.ended} of ${answer.ended + answer.planned} trials` : `complete, ${answer.ended} trials`;
      } catch {
        light.textContent = "not connected";
      }
      setTimeout(ask, EVERY_MS);
    };
    ask();
  }

  return { start };
})();
