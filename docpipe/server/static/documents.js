// The list of documents: adding, progress, reasons, removing.

import { api, follow, upload } from "./api.js";
import { $, confirmed, h, plural, replace, toast } from "./dom.js";

const AT_ONCE = 2;
const INPUTS = /\.(pdf|png|jpe?g|tiff?)$/i;
const ROUTES = { text_layer: "text", ocr: "read from pictures", none: "unreadable" };

/** The documents panel; `open(id)` is called for the document to show, `changed(list)` for news. */
export class Documents {
  constructor({ open, changed }) {
    this.open = open;
    this.changed = changed;
    this.items = [];
    this.current = null;
    this.sending = new Map();
    this.waiting = [];
    this.reading = null;
    this.listen();
  }

  start() {
    follow((reading) => this.progressed(reading));
  }

  listen() {
    $("choose").addEventListener("click", () => $("files").click());
    $("choose-folder").addEventListener("click", () => $("folder").click());
    for (const id of ["files", "folder"]) {
      $(id).addEventListener("change", (event) => {
        this.add([...event.target.files]);
        event.target.value = "";
      });
    }
    $("filter").addEventListener("input", () => this.draw());
    const body = document.body;
    body.addEventListener("dragover", (event) => {
      event.preventDefault();
      body.classList.add("dragging");
    });
    body.addEventListener("dragleave", (event) => {
      if (!event.relatedTarget) body.classList.remove("dragging");
    });
    body.addEventListener("drop", async (event) => {
      event.preventDefault();
      body.classList.remove("dragging");
      this.add(await dropped(event.dataTransfer));
    });
  }

  add(files) {
    const good = files.filter((file) => INPUTS.test(file.name) || file.type === "application/pdf" || !file.name.includes("."));
    if (good.length < files.length) {
      toast(`${plural(files.length - good.length, "file")} left out: only PDF, PNG, JPEG and TIFF are read.`);
    }
    this.waiting.push(...good);
    for (let n = this.sending.size; n < AT_ONCE; n += 1) this.sendNext();
  }

  async sendNext() {
    const file = this.waiting.shift();
    if (!file) return;
    this.sending.set(file, 0);
    this.drawProgress();
    try {
      const { status } = await upload(file, (share) => {
        this.sending.set(file, share);
        this.drawProgress();
      });
      if (status === "known") toast(`${file.name} is in the library already.`);
    } catch (problem) {
      toast(`${file.name}: ${problem.message} ${problem.hint}`);
    }
    this.sending.delete(file);
    this.drawProgress();
    this.sendNext();
  }

  async progressed(reading) {
    this.reading = reading;
    this.drawProgress();
    if (this.loading) {
      this.again = true;
      return;
    }
    this.loading = true;
    do {
      this.again = false;
      try {
        this.items = (await api.documents()).documents;
        this.draw();
        this.changed(this.items);
      } catch (problem) {
        toast(problem.message);
      }
    } while (this.again);
    this.loading = false;
  }

  drawProgress() {
    const reading = this.reading;
    const left = this.sending.size + this.waiting.length;
    $("progress").hidden = !left && !reading?.waiting;
    const bar = $("progress-bar");
    if (left) {
      const sent = [...this.sending.values()].reduce((sum, share) => sum + share, 0);
      $("progress-text").textContent = `Adding ${plural(left, "file")}…`;
      bar.max = left;
      bar.value = sent;
    } else if (reading?.waiting) {
      const pages = reading.pages ? `, ${plural(reading.pages, "page")} read` : "";
      $("progress-text").textContent = `Reading ${plural(reading.waiting, "file")}${pages}…`;
      if (reading.total) {
        bar.max = reading.total;
        bar.value = reading.done;
      } else bar.removeAttribute("value");
    }
    const trouble = $("trouble");
    trouble.hidden = !reading?.problem;
    if (reading?.problem) {
      replace(trouble, h("strong", {}, reading.problem.message), h("p", { class: "quiet" }, reading.problem.hint));
    }
  }

  show(id) {
    this.current = id;
    this.draw();
  }

  draw() {
    const wanted = $("filter").value.trim().toLowerCase();
    $("filter").hidden = this.items.length < 8 && !wanted;
    const items = this.items.filter((item) => item.name.toLowerCase().includes(wanted));
    replace($("list"), items.map((item) => this.drawItem(item)));
  }

  drawItem(item) {
    const opens = item.status === "ok" || item.status === "partial";
    return h("li", { class: item.id === this.current ? "open" : "" },
      h("button", {
        class: "open-button", type: "button", disabled: !opens, "data-document": item.id,
        "aria-current": item.id === this.current ? "true" : null, onclick: () => this.open(item.id),
      },
      h("span", { class: "name" }, item.name),
      h("span", { class: `state ${item.status} ${item.status === "reading" ? "spin" : ""}` }, stateOf(item))),
      h("button", {
        class: "plain remove", type: "button", "aria-label": `Remove ${item.name}`, title: "Remove",
        onclick: () => this.remove(item),
      }, "✕"),
      item.message ? h("p", { class: "why" }, `${item.message}. `, item.hint ? capital(item.hint) + "." : "") : null);
  }

  async remove(item) {
    if (!(await confirmed(`Remove ${item.name} from the library?`))) return;
    try {
      await api.remove(item.id);
    } catch (problem) {
      toast(`${problem.message} ${problem.hint}`);
    }
  }
}

function stateOf(item) {
  if (item.status === "queued") return "waiting";
  if (item.status === "reading") return "reading…";
  if (item.status === "failed") return "could not be read";
  const routes = Object.keys(item.routes).filter((route) => route !== "text_layer");
  const how = routes.length ? ` · ${routes.map((route) => ROUTES[route] || route).join(", ")}` : "";
  return `${plural(item.pages, "page")}${item.status === "partial" ? " · some could not be read" : ""}${how}`;
}

const capital = (text) => text.charAt(0).toUpperCase() + text.slice(1);

/** The files that were dropped, also those in folders. */
async function dropped(transfer) {
  const entries = [...transfer.items].map((item) => item.webkitGetAsEntry?.()).filter(Boolean);
  if (!entries.length) return [...transfer.files];
  return (await Promise.all(entries.map(filesOf))).flat();
}

async function filesOf(entry) {
  if (entry.isFile) return [await new Promise((resolve, reject) => entry.file(resolve, reject))];
  const reader = entry.createReader();
  const found = [];
  for (;;) {
    const part = await new Promise((resolve, reject) => reader.readEntries(resolve, reject));
    if (!part.length) break;
    found.push(...part);
  }
  return (await Promise.all(found.map(filesOf))).flat();
}
