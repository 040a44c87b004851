"use strict";

// Everything that is shown is built here. A text is always a text node: nothing of a model, a world or a name is markup.
const page = {};

page.dom = (() => {
  // Libraries write constant pieces of markup; any other text that reaches innerHTML is escaped, so that it is shown.
  const CONSTANT = /^(|&nbsp;|&vellip;|<div class=['"]tabulator-[a-z-]+['"]><\/div>)$/;
  if (window.trustedTypes) {
    trustedTypes.createPolicy("default", {
      createHTML: (text) =>
        CONSTANT.test(text) ? text : text.replace(/[&<>"']/g, (letter) => `&#${letter.codePointAt(0)};`),
    });
  }

  // make("a", {href: "#x", class: "y", onclick: f}, "text", node, ...): false and null children are left out.
  function make(tag, attributes = {}, ...children) {
    const element = document.createElement(tag);
    for (const [name, value] of Object.entries(attributes)) {
      if (name.startsWith("on")) element.addEventListener(name.slice(2), value);
      else if (value === true) element.setAttribute(name, "");
      else if (value !== false && value !== null && value !== undefined) element.setAttribute(name, value);
    }
    element.append(...children.flat(Infinity).filter((child) => child !== null && child !== undefined && child !== false && child !== ""));
    return element;
  }

  function replace(host, ...children) {
    host.replaceChildren(...children.flat(Infinity).filter(Boolean));
    return host;
  }

  // A name may be thousands of letters long; where it only points to something, its middle is left out.
  function shorten(text, most = 80) {
    const head = Math.ceil(most * 0.55);
    return text.length <= most ? text : `${text.slice(0, head)}…${text.slice(text.length - (most - head - 1))}`;
  }

  function select(label, options, value, onchange) {
    const list = make("select", { onchange: (event) => onchange(event.target.value) });
    for (const [key, text] of options) {
      const option = make("option", { value: key }, shorten(text, 90));
      option.selected = key === value;
      list.append(option);
    }
    return make("label", { class: "field" }, make("span", {}, label), list);
  }

  function button(text, onclick, attributes = {}) {
    return make("button", { type: "button", onclick, ...attributes }, text);
  }

  return { make, replace, shorten, select, button };
})();
