// What was found on a page, drawn as SVG in the page's own points.

import { s } from "./dom.js";

export const LAYERS = [
  { name: "blocks", title: "Blocks", color: "#1565c0" },
  { name: "tables", title: "Tables", color: "#2e7d32" },
  { name: "order", title: "Reading order", color: "#78829a" },
  { name: "words", title: "Words", color: "#607d8b" },
  { name: "fields", title: "Fields", color: "#7b1fa2" },
  { name: "notes", title: "Links, notes", color: "#0277bd" },
  { name: "hidden", title: "Hidden text", color: "#d5003a" },
];
const KINDS = {
  title: "#b0003a", heading: "#d84a00", paragraph: "#1565c0", list_item: "#00767f", caption: "#7b1fa2",
  footnote: "#6d4c41", code: "#37474f", reference: "#6c6517", formula: "#b01680", table: "#2e7d32",
  figure: "#9a6f00", page_header: "#757575", page_footer: "#757575",
};
const FIELD = "#7b1fa2";
const HIDDEN = "#d5003a";

/** The SVG of a page with the layers that are on, at `scale` pixels a point; `inspect(what)` is called
    for a box clicked. */
export function drawLayers(page, on, scale, inspect) {
  size = Math.min(7, 10 / scale);
  const sheet = s("svg", { class: "layers", viewBox: `0 0 ${page.width} ${page.height}`, "aria-hidden": "true" });
  const drawers = { blocks, tables, order, words, fields, notes, hidden };
  for (const { name } of LAYERS) {
    if (on.has(name)) sheet.append(...drawers[name](page, inspect));
  }
  return sheet;
}

/** The marks of places on a page, as by a highlighter pen. */
export function drawMarks(page, boxes) {
  return s("svg", { class: "layers marks", viewBox: `0 0 ${page.width} ${page.height}`, "aria-hidden": "true" },
    boxes.map((box) => rectangle(grown(box), { class: "mark" })));
}

function rectangle([x0, y0, x1, y1], attributes, title) {
  const found = s("rect", { x: x0, y: y0, width: x1 - x0, height: y1 - y0, ...attributes });
  if (title) found.append(s("title", {}, title));
  return found;
}

function boxOf(box, color, what, inspect, kind = "") {
  return rectangle(box, {
    class: `box ${kind}`, fill: color, stroke: color, onclick: () => inspect(what),
  }, `${what.kind}: ${what.text.slice(0, 120)}`);
}

let size = 7; // of labels, in points: small enough for small pages that are shown large

/** A word in white on a colour, above the upper right corner of a box: there is less text. */
function tag([x0, y0, x1], text, color) {
  const width = size * (text.length * 0.64 + 0.8);
  const left = Math.max(x0, x1 - width);
  const top = Math.max(0, y0 - size * 1.25);
  return s("g", { class: "tag", "font-size": size },
    s("rect", { x: left, y: top, width, height: size * 1.25, fill: color }),
    s("text", { x: left + width / 2, y: top + size * 0.95, fill: "#fff", "text-anchor": "middle" }, text));
}

const grown = ([x0, y0, x1, y1]) => [x0 - 1.5, y0 - 1.5, x1 + 1.5, y1 + 1.5];
const area = ([x0, y0, x1, y1]) => (x1 - x0) * (y1 - y0);
const largest = (boxes) => boxes.reduce((best, box) => (area(box) > area(best) ? box : best));
const readable = (name) => name.replaceAll("_", " ");

function words(page, inspect) {
  return page.words.map(([text, ...box]) => boxOf(box, "#607d8b", { kind: "word", text }, inspect, "word"));
}

function blocks(page, inspect) {
  return page.blocks.flatMap((block) => {
    const color = KINDS[block.kind] || "#1565c0";
    const kind = readable(block.kind) + (block.level ? ` ${block.level}` : "");
    const boxes = block.boxes.map((box) => boxOf(box, color, { kind, text: block.text }, inspect));
    const named = boxes.length && !["paragraph", "list_item"].includes(block.kind);
    return named ? [...boxes, tag(largest(block.boxes), kind, color)] : boxes;
  });
}

function tables(page, inspect) {
  return page.tables.flatMap((table) => [
    ...table.boxes.map((box) => boxOf(box, KINDS.table, { kind: "table", text: table.caption || "", table }, inspect)),
    ...table.cells.filter((cell) => cell.box).map((cell) =>
      boxOf(cell.box, KINDS.table, { kind: cell.header ? "header cell" : "cell", text: cell.text, table }, inspect, cell.header ? "header" : "")),
  ]);
}

function order(page) {
  const stops = page.blocks.filter((block) => block.order !== null && block.boxes.length)
    .map((block) => {
      const [x0, y0, , y1] = largest(block.boxes);
      return { number: block.order, x: Math.max(x0 - size, size), y: y0 + Math.min(size, (y1 - y0) / 2) };
    });
  const lines = stops.slice(1).map((stop, at) =>
    s("path", { class: "arrow", d: `M${stops[at].x} ${stops[at].y}L${stop.x} ${stop.y}` }));
  const discs = stops.map(({ number, x, y }) => s("g", { class: "disc" },
    s("circle", { cx: x, cy: y, r: size * 0.85, fill: "#20242c", stroke: "#fff" }),
    s("text", { class: "tag", "font-size": size, x, y: y + size * 0.36, fill: "#fff", "text-anchor": "middle" }, String(number))));
  return [...lines, ...discs];
}

function fields(page, inspect) {
  const found = page.fields.flatMap((field) => field.regions
    .filter((region) => region.page === page.number)
    .flatMap(({ box }) => [
      boxOf(grown(box), FIELD, { kind: readable(field.name), text: field.raw }, inspect),
      field.row === null ? tag(box, readable(field.name), FIELD) : null, // in rows they would cover all
    ]).filter(Boolean));
  const form = page.form_fields.map((field) =>
    boxOf(field.box, "#5e35b1", { kind: `${field.kind} ${field.label || field.name}`, text: field.state || field.value }, inspect));
  return [...found, ...form];
}

function notes(page, inspect) {
  return page.notes.map((note) => boxOf(note.box, "#0277bd", note, inspect));
}

function hidden(page, inspect) {
  return page.hidden.flatMap((each) => [
    boxOf(each.box, HIDDEN, { kind: `hidden (${readable(each.reason)})`, text: each.text }, inspect, "header"),
    tag(each.box, `hidden: ${readable(each.reason)}`, HIDDEN),
  ]);
}
