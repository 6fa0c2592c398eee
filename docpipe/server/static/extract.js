// Fields of documents as a table; each value shows where it stands.

import { api } from "./api.js";
import { $, h, problemCard, replace, toast } from "./dom.js";

const BATCH = 20; // documents asked for at once, so that it can be seen how far it is
const LARGEST = 500; // documents the server takes at once

/** The tab for fields; `open(document, page, regions)` shows a place, `current()` the open one, and
    `found(results)` is told what was found. */
export class Extract {
  constructor({ open, current, found }) {
    this.open = open;
    this.found = found;
    this.current = current;
    this.items = [];
    this.turn = 0;
    $("extract-form").addEventListener("submit", (event) => {
      event.preventDefault();
      this.extract();
    });
  }

  offer(items) {
    this.items = items.filter((item) => item.status === "ok" || item.status === "partial");
  }

  choices(schemas) {
    replace($("schema"), schemas.map(({ name, title, ready }) =>
      h("option", { value: name }, ready ? title : `${title} (no model installed)`)));
    const ready = schemas.find((schema) => schema.ready);
    if (ready) $("schema").value = ready.name;
  }

  async extract() {
    const one = $("extract-scope").value === "one";
    const documents = one ? [this.current()].filter(Boolean) : this.items.map((item) => item.id);
    const place = $("extracted");
    if (!documents.length) {
      replace(place, h("p", { class: "quiet" }, one ? "Open a document first." : "There are no documents yet."));
      return;
    }
    const turn = ++this.turn; // an answer to an earlier click comes too late
    const asked = { schema: $("schema").value, documents };
    const state = h("span", { class: "spin" });
    const stop = h("button", { type: "button", onclick: () => { this.turn += 1; replace(place); } }, "Stop");
    replace(place, h("p", { class: "quiet" }, state, " ", stop));
    try {
      const found = { columns: [], row_columns: [], results: [] };
      for (const some of batches(documents, BATCH)) {
        state.textContent = `Looking for the fields… ${found.results.length} of ${documents.length}`;
        const next = await api.extract({ ...asked, documents: some });
        if (turn !== this.turn) return;
        Object.assign(found, next, { results: [...found.results, ...next.results] });
      }
      this.found(found.results);
      replace(place, this.tools(asked, found), this.failures(found), this.table(found), this.rows(found));
    } catch (problem) {
      if (turn === this.turn) replace(place, problemCard(problem));
    }
  }

  /** Documents that could not be looked at, each with the reason. */
  failures({ results }) {
    const failed = results.filter((result) => result.status === "failed");
    if (!failed.length) return null;
    return h("div", { class: "card bad", role: "alert" }, failed.map((result) =>
      h("p", {}, h("strong", {}, result.name), ` ${result.message}`)));
  }

  tools(asked, found) {
    const json = new Blob([JSON.stringify(found.results, null, 1)], { type: "application/json" });
    const saved = async (format, name) => {
      try {
        const parts = [];
        for (const some of batches(asked.documents, LARGEST)) {
          const text = await (await api.extractTable({ ...asked, documents: some, format })).text();
          parts.push(parts.length ? text.slice(text.indexOf("\n") + 1) : text); // one line of names
        }
        save(new Blob(parts, { type: "text/csv" }), name);
      } catch (problem) {
        toast(problem.message);
      }
    };
    return h("div", { class: "row" },
      h("button", { type: "button", onclick: () => saved("csv", "fields.csv") }, "Save CSV"),
      found.row_columns.length
        ? h("button", { type: "button", onclick: () => saved("rows", "items.csv") }, "Items CSV") : null,
      h("button", { type: "button", onclick: () => save(json, "fields.json") }, "Save JSON"));
  }

  table({ columns, results }) {
    const single = results.map((result) => result.fields.filter((field) => field.row === null));
    const named = columns.filter((column) => single.some((fields) => fields.some((field) => field.name === column)));
    if (!single.some((fields) => fields.length)) return h("p", { class: "quiet" }, "No fields were found.");
    if (results.length === 1 || !named.length) return this.upright(results, single);
    return h("div", { class: "scroll" }, h("table", {},
      h("thead", {}, h("tr", {}, ["document", ...named].map((name) => h("th", { scope: "col" }, spoken(name))))),
      h("tbody", {}, results.map((result, at) => h("tr", {},
        h("th", { scope: "row" }, result.name),
        named.map((name) => h("td", {}, single[at].filter((field) => field.name === name)
          .map((field) => this.value(result, field)))))))));
  }

  /** A line for each field: for one document, and for forms, whose fields differ. */
  upright(results, single) {
    return h("div", { class: "scroll" }, h("table", {}, h("tbody", {},
      results.flatMap((result, at) => single[at].map((field) => h("tr", {},
        results.length > 1 ? h("td", {}, result.name) : null,
        h("th", { scope: "row" }, spoken(field.name)),
        h("td", {}, this.value(result, field))))))));
  }

  rows({ row_columns: columns, results }) {
    const lines = results.flatMap((result) => {
      const numbers = [...new Set(result.fields.filter((field) => field.row !== null).map((field) => field.row))];
      return numbers.map((row) => h("tr", {}, columns.map((name) => h("td", {},
        result.fields.filter((field) => field.row === row && field.name === name)
          .map((field) => this.value(result, field))))));
    });
    if (!lines.length) return null;
    const heads = columns.map((name) => h("th", { scope: "col" }, spoken(name.split(".").at(-1))));
    return h("div", { class: "scroll" }, h("table", {}, h("thead", {}, h("tr", {}, heads)), h("tbody", {}, lines)));
  }

  value(result, field) {
    const text = field.value === null ? field.raw || "?" : shown(field);
    const region = field.regions[0];
    return h("span", {},
      region
        ? h("button", {
          type: "button", title: `“${field.raw}”, ${Math.round(field.score * 100)} %`,
          onclick: () => this.open(result.document, region.page, field.regions),
        }, text)
        : text,
      field.notes.map((note) => h("span", { class: "note" }, note.replaceAll("_", " "))));
  }
}

function* batches(all, size) {
  for (let at = 0; at < all.length; at += size) yield all.slice(at, at + size);
}

const spoken = (name) => name.replaceAll("_", " ");

/** A value as people write it: amounts have two decimals. */
function shown({ value, unit }) {
  if (unit === null) return String(value);
  return `${typeof value === "number" ? value.toFixed(2) : value} ${unit}`;
}

function save(blob, name) {
  const link = h("a", { href: URL.createObjectURL(blob), download: name });
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 10_000);
}
