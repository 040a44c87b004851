"use strict";

// What is shown stands in the address behind #, so that a view, a trial or a step can be linked.
page.state = (() => {
  function read() {
    return Object.fromEntries(new URLSearchParams(location.hash.slice(1)));
  }

  function link(values) {
    const kept = Object.entries(values).filter(([, value]) => value !== "" && value !== null && value !== undefined);
    return `#${new URLSearchParams(kept)}`;
  }

  function go(values) {
    location.hash = link(values);
  }

  // Change the address without a new entry in the history, and without drawing the view again.
  function note(values) {
    history.replaceState(null, "", link({ ...read(), ...values }));
  }

  return { read, link, go, note };
})();
