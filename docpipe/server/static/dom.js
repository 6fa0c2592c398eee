// Building the page. Text of documents only ever becomes a text node: nothing is parsed as HTML.

const SVG = "http://www.w3.org/2000/svg";

export const $ = (id) => document.getElementById(id);

/** An element with attributes (`on…` are listeners) and children: nodes, texts, or nothing. */
export function h(tag, attributes = {}, ...children) {
  return fill(document.createElement(tag), attributes, children);
}

/** The same for SVG. */
export function s(tag, attributes = {}, ...children) {
  return fill(document.createElementNS(SVG, tag), attributes, children);
}

function fill(element, attributes, children) {
  for (const [name, value] of Object.entries(attributes)) {
    if (name.startsWith("on")) element.addEventListener(name.slice(2), value);
    else if (value === true) element.setAttribute(name, "");
    else if (value !== false && value !== null && value !== undefined) element.setAttribute(name, value);
  }
  element.append(...children.flat().filter((child) => child !== null && child !== undefined && child !== false));
  return element;
}

export function replace(element, ...children) {
  element.replaceChildren(...children.flat().filter(Boolean));
}

let fading = 0;

/** A short message that goes away by itself. */
export function toast(text) {
  const place = $("toast");
  place.textContent = text;
  place.hidden = false;
  clearTimeout(fading);
  fading = setTimeout(() => { place.hidden = true; }, 6000);
}

/** A card for what went wrong, and what to do. */
export function problemCard(problem) {
  return h("div", { class: "card bad", role: "alert" },
    h("p", {}, h("strong", {}, problem.message)),
    problem.hint ? h("p", { class: "quiet" }, problem.hint) : null);
}

/** Ask before something is lost; resolves to whether it was meant. */
export function confirmed(text) {
  const dialog = $("confirm");
  $("confirm-text").textContent = text;
  dialog.returnValue = "no";
  dialog.showModal();
  return new Promise((resolve) => {
    dialog.addEventListener("close", () => resolve(dialog.returnValue === "yes"), { once: true });
  });
}

/** Show a part of the page where there is room for one only. */
export function showPane(name) {
  document.body.dataset.pane = name;
  for (const button of document.querySelectorAll(".bottom button")) {
    if (button.dataset.pane === name) button.setAttribute("aria-current", "true");
    else button.removeAttribute("aria-current");
  }
}

export const plural = (count, word) => `${count.toLocaleString("en")} ${word}${count === 1 ? "" : "s"}`;
