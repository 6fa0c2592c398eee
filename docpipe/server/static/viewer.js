// The pages of a document. Only pages near the view hold an image: a thousand pages stay smooth.

import { api } from "./api.js";
import { $, h, replace, showPane, toast } from "./dom.js";
import { LAYERS, drawLayers, drawMarks } from "./layers.js";

const RESOLUTIONS = [36, 72, 108, 144, 216, 288];
const STEP = 1.25;
const FORMS = { markdown: "Markdown", html: "HTML", text: "Plain text", json: "JSON" };
const SETTLED = 120; // ms that a page stays in view before it is loaded

export class Viewer {
  constructor({ opened }) {
    this.opened = opened;
    this.document = null;
    this.on = new Set();
    this.zoom = null; // null: fit the width
    this.marks = new Map();
    this.shown = new Map();
    this.fields = new Map(); // by document, where they were extracted on this page
    this.wanted = null;
    this.turn = 0;
    this.near = new IntersectionObserver((entries) => this.scrolled(entries), { root: $("pages"), rootMargin: "400px" });
    this.listen();
  }

  listen() {
    replace($("layers"), LAYERS.map((layer, at) => h("button", {
      type: "button", "data-layer": layer.name, title: `${layer.title} (${at + 1})`,
      "aria-pressed": String(this.on.has(layer.name)), onclick: () => this.toggle(layer.name),
    }, layer.title)));
    for (const button of $("layers").children) {
      button.style.setProperty("--dot", LAYERS.find(({ name }) => name === button.dataset.layer).color);
    }
    $("previous").addEventListener("click", () => this.go(this.number - 1));
    $("next").addEventListener("click", () => this.go(this.number + 1));
    $("page").addEventListener("change", (event) => this.goTo(event.target.value.trim()));
    $("smaller").addEventListener("click", () => this.resize(1 / STEP));
    $("larger").addEventListener("click", () => this.resize(STEP));
    $("fit").addEventListener("click", () => this.fit());
    $("pages").addEventListener("scroll", () => this.located(), { passive: true });
    for (const moved of ["wheel", "touchmove", "pointerdown", "keydown"]) {
      $("pages").addEventListener(moved, () => { this.wanted = null; }, { passive: true });
    }
    new ResizeObserver(() => { if (this.zoom === null) this.layOut(); }).observe($("pages"));
  }

  /** Show a document at a page, with places on it marked: `regions` of `{page, box}`. */
  async open(id, number = 1, regions = []) {
    showPane("viewer");
    const turn = ++this.turn; // an answer to an earlier click comes too late
    if (this.document?.id !== id) {
      let document;
      try {
        document = await api.document(id);
      } catch (problem) {
        if (turn === this.turn) toast(problem.message);
        return;
      }
      if (turn !== this.turn) return;
      this.document = document;
      this.build();
      this.opened(this.document);
    }
    this.mark(regions);
    this.go(number, regions.find((region) => region.page === number));
  }

  close() {
    this.turn += 1;
    this.document = null;
    this.forget();
    replace($("pages"));
    $("bar").hidden = true;
    $("welcome").hidden = false;
    $("inspector").hidden = true;
  }

  /** End what is under way for the pages of a document. */
  forget() {
    this.near.disconnect();
    for (const { stop } of this.shown.values()) stop.abort();
    this.shown.clear();
  }

  build() {
    const { id, name, pages } = this.document;
    this.forget();
    $("inspector").hidden = true;
    $("welcome").hidden = true;
    $("bar").hidden = false;
    $("title").textContent = name;
    $("of").textContent = `of ${pages.length}`;
    replace($("exports"), Object.entries(FORMS).map(([form, title]) =>
      h("a", { href: api.exportPath(id, form), download: true }, title)));
    this.pages = pages.map((page) => {
      const label = page.label && page.label !== String(page.number) ? `${page.number} (${page.label})` : page.number;
      const element = h("section", { class: "page", "aria-label": `Page ${label}` },
        h("span", { class: "number" }, String(label)));
      return { ...page, element };
    });
    this.widest = Math.max(...this.pages.map((page) => page.width));
    replace($("pages"), this.pages.map(({ element }) => element));
    this.layOut();
    for (const { element } of this.pages) this.near.observe(element);
  }

  /** The page that was gone to, as long as nobody scrolls away from it, or else the one in view:
      short pages may stand in view together. */
  get number() {
    if (this.wanted) return this.wanted;
    const top = $("pages").scrollTop + $("pages").clientHeight / 3;
    let [low, high] = [0, this.pages.length - 1];
    while (low < high) {
      const middle = Math.ceil((low + high) / 2);
      if (this.pages[middle].element.offsetTop - $("pages").offsetTop <= top) low = middle;
      else high = middle - 1;
    }
    return low + 1;
  }

  get scale() {
    return this.zoom ?? Math.min(2.2, Math.max(0.2, ($("pages").clientWidth - 34) / this.widest));
  }

  layOut() {
    if (!this.document) return;
    const scale = this.scale;
    for (const { element, width, height } of this.pages) {
      element.style.width = `${width * scale}px`;
      element.style.height = `${height * scale}px`;
    }
    for (const number of this.shown.keys()) {
      this.showImage(this.pages[number - 1]);
      this.draw(this.pages[number - 1]);
    }
  }

  resize(factor) {
    if (!this.document) return;
    const { number } = this;
    this.zoom = Math.min(6, Math.max(0.15, this.scale * factor));
    this.layOut();
    this.go(number);
  }

  fit() {
    if (!this.document) return;
    const { number } = this;
    this.zoom = null;
    this.layOut();
    this.go(number);
  }

  /** Scroll to a page, or to a place on it. */
  go(number, region = null) {
    if (!this.document) return;
    const page = this.pages[Math.min(Math.max(number, 1), this.pages.length) - 1];
    this.wanted = page.number;
    const down = region ? Math.max(0, region.box[1] * this.scale - $("pages").clientHeight / 3) : -12;
    $("pages").scrollTop = page.element.offsetTop - $("pages").offsetTop + down;
    if (region) $("pages").scrollLeft = Math.max(0, region.box[0] * this.scale - 80);
    this.located();
  }

  /** A page by its number or printed label. */
  goTo(text) {
    const page = this.pages.find(({ number, label }) => String(number) === text || label === text);
    if (page) this.go(page.number);
    else this.located();
  }

  located() {
    if (document.activeElement !== $("page") && this.document) $("page").value = this.number;
  }

  scrolled(entries) {
    for (const entry of entries) {
      const page = this.pages.find(({ element }) => element === entry.target);
      if (!page) continue;
      if (entry.isIntersecting) this.show(page);
      else this.hide(page);
    }
  }

  show(page) {
    if (this.shown.has(page.number)) return;
    const stop = new AbortController();
    this.shown.set(page.number, { stop, layers: null });
    setTimeout(() => { // not for pages that only fly by
      if (stop.signal.aborted) return;
      this.showImage(page);
      this.load(page, stop.signal);
    }, SETTLED);
  }

  hide(page) {
    const held = this.shown.get(page.number);
    if (!held) return;
    held.stop.abort();
    this.shown.delete(page.number);
    for (const part of page.element.querySelectorAll("img, svg, .verdict, .failed")) {
      if (part.tagName === "IMG") part.src = ""; // ends the request
      part.remove();
    }
  }

  showImage(page) {
    const wanted = this.scale * 72 * (window.devicePixelRatio || 1);
    const dpi = RESOLUTIONS.find((resolution) => resolution >= wanted * 0.95) || RESOLUTIONS.at(-1);
    const before = page.element.querySelector("img");
    if (before?.dataset.dpi === String(dpi)) return;
    const image = h("img", {
      alt: `Page ${page.number} of ${this.document.name}`, "data-dpi": dpi, decoding: "async",
      onload: () => before?.remove(),
      onerror: () => {
        if (this.shown.has(page.number) && image.isConnected) {
          image.replaceWith(h("p", { class: "failed" }, "The picture of this page could not be made; its text may be here all the same."));
        }
      },
    });
    page.element.prepend(image);
    if (before) page.element.prepend(before);
    image.src = api.imagePath(this.document.id, page.number, dpi);
  }

  async load(page, signal) {
    try {
      const layers = await api.page(this.document.id, page.number, signal);
      const held = this.shown.get(page.number);
      if (signal.aborted || held?.stop.signal !== signal) return;
      held.layers = layers;
      this.draw(page);
      if (layers.verdict !== "ok") {
        const reasons = layers.reasons.map((reason) => reason.replaceAll("_", " ")).join(", ");
        page.element.append(h("p", { class: "verdict" }, `text ${layers.verdict}: ${reasons}`));
      }
    } catch (problem) {
      if (!signal.aborted) toast(problem.message);
    }
  }

  toggle(layer) {
    if (!this.on.delete(layer)) this.on.add(layer);
    for (const button of $("layers").children) {
      button.setAttribute("aria-pressed", String(this.on.has(button.dataset.layer)));
    }
    for (const number of this.shown.keys()) this.draw(this.pages[number - 1]);
  }

  /** Show the fields that were extracted. */
  found(results) {
    for (const { document, fields } of results) this.fields.set(document, fields);
    if (!this.document) return;
    if (this.on.has("fields")) for (const number of this.shown.keys()) this.draw(this.pages[number - 1]);
    else this.toggle("fields");
  }

  /** Mark places and nothing else, until others are marked. */
  mark(regions) {
    this.marks.clear();
    for (const { page, box } of regions) {
      this.marks.set(page, [...(this.marks.get(page) || []), box]);
    }
    for (const number of this.shown.keys()) this.draw(this.pages[number - 1]);
  }

  draw(page) {
    for (const old of page.element.querySelectorAll("svg")) old.remove();
    const layers = this.shown.get(page.number)?.layers;
    const marks = this.marks.get(page.number);
    page.element.classList.toggle("marked", Boolean(marks));
    const fields = this.fields.get(this.document.id) ?? layers?.fields;
    if (layers) page.element.append(drawLayers({ ...layers, fields }, this.on, this.scale, (what) => this.inspect(what)));
    if (marks) page.element.append(drawMarks(page, marks));
  }

  inspect({ kind, text, table }) {
    const place = $("inspector");
    replace(place,
      h("header", {}, h("strong", {}, kind), h("div", { class: "grow" }),
        h("button", { type: "button", onclick: () => navigator.clipboard?.writeText(text) }, "Copy"),
        h("button", { type: "button", class: "plain", "aria-label": "Close", onclick: () => { place.hidden = true; } }, "✕")),
      h("pre", {}, text),
      table ? h("div", { class: "scroll" }, asTable(table)) : null);
    place.hidden = false;
  }
}

function asTable(table) {
  const rows = Array.from({ length: table.rows }, () => h("tr"));
  for (const cell of table.cells) {
    rows[cell.row].append(h(cell.header ? "th" : "td",
      { rowspan: cell.row_span, colspan: cell.column_span }, cell.text));
  }
  return h("table", {}, h("tbody", {}, rows));
}
