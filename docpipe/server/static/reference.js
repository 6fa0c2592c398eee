// The API's description, from its OpenAPI document.

import { $, h, problemCard, replace } from "./dom.js";

const METHODS = ["get", "post", "put", "delete"];

function named(schema) {
  if (!schema) return "";
  if (schema.$ref) return schema.$ref.split("/").at(-1);
  if (schema.anyOf) return schema.anyOf.map(named).join(" or ");
  if (schema.type === "array") return `list of ${named(schema.items)}`;
  if (schema.enum) return schema.enum.map((value) => JSON.stringify(value)).join(", ");
  return schema.const !== undefined ? JSON.stringify(schema.const) : schema.format || schema.type || "any";
}

function table(heads, rows) {
  return rows.length
    ? h("div", { class: "scroll" }, h("table", {},
      h("thead", {}, h("tr", {}, heads.map((head) => h("th", { scope: "col" }, head)))),
      h("tbody", {}, rows.map((row) => h("tr", {}, row.map((cell) => h("td", {}, cell)))))))
    : null;
}

function operation(path, method, found) {
  const given = (found.parameters || []).map(({ name, in: place, required, schema, description }) =>
    [h("code", {}, name), place, named(schema), required ? "yes" : "", description || schema?.description || ""]);
  const bodies = Object.entries(found.requestBody?.content || {}).map(([kind, { schema }]) => `${kind}: ${named(schema)}`);
  const answers = Object.entries(found.responses).map(([status, { description, content }]) =>
    [status, description, Object.entries(content || {}).map(([kind, { schema }]) => `${kind} ${named(schema)}`).join("; ")]);
  return h("details", { class: "card" },
    h("summary", {}, h("span", { class: "method" }, method.toUpperCase()), h("code", {}, path)),
    h("p", {}, found.description || ""),
    table(["parameter", "in", "type", "needed", ""], given),
    bodies.length ? h("p", {}, "Body: ", bodies.join("; ")) : null,
    table(["status", "", "content"], answers));
}

function model(name, schema) {
  const rows = Object.entries(schema.properties || {}).map(([key, property]) =>
    [h("code", {}, key), named(property), property.description || ""]);
  return h("details", { class: "card" }, h("summary", {}, h("code", {}, name)),
    schema.description ? h("p", {}, schema.description) : null, table(["field", "type", ""], rows));
}

async function start() {
  const response = await fetch("/api/openapi.json");
  const described = await response.json();
  if (!response.ok) {
    replace($("reference"), problemCard(described));
    return;
  }
  const groups = new Map();
  for (const [path, operations] of Object.entries(described.paths)) {
    for (const method of METHODS.filter((each) => operations[each])) {
      const group = operations[method].tags?.[0] || "other";
      groups.set(group, [...(groups.get(group) || []), operation(path, method, operations[method])]);
    }
  }
  replace($("reference"), h("p", {}, described.info.description),
    [...groups].flatMap(([group, items]) => [h("h2", {}, group), ...items]),
    h("h2", {}, "models"),
    Object.entries(described.components.schemas).map(([name, schema]) => model(name, schema)));
}

start();
