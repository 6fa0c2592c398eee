// The list of documents: adding, progress, reasons, removing.

import { api, follow, upload } from "./api.js";
import { $, confirmed, h, plural, replace, toast } from "./dom.js";

const AT_ONCE = 2;
const NOT_SOONER = 500; // milliseconds from one list to the next
const INPUTS = /\.(pdf|png|jpe?g|tiff?)$/i;
const LOCKED = ["needs_password", "wrong_password"];
const ROUTES = { text_layer: "text", ocr: "read from pictures", none: "unreadable" };

/** The documents panel; `open(id)` is called for the document to show, `changed(list)` for news,
    `lost()` when the server does not tell of news any more. */
export class Documents {
  constructor({ open, changed, lost }) {
    this.open = open;
    this.changed = changed;
    this.lost = lost;
    this.largest = Infinity; // MiB a file may have
    this.seen = -1; // changes of the list that is shown
    this.items = [];
    this.current = null;
    this.sending = new Map();
    this.waiting = [];
    this.reading = null;
    this.listen();
  }

  start({ max_upload }) {
    this.largest = max_upload;
    this.reconnect = follow((reading) => this.progressed(reading), this.lost);
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
      const { files, failed } = await dropped(event.dataTransfer);
      if (failed) toast(`${plural(failed, "file")} could not be read by the browser.`);
      this.add(files);
    });
    $("unlock-cancel").addEventListener("click", () => $("unlock").close());
    $("unlock-form").addEventListener("submit", (event) => {
      event.preventDefault();
      this.unlock($("password").value);
    });
  }

  add(files) {
    const good = files.filter((file) => INPUTS.test(file.name) || file.type === "application/pdf" || !file.name.includes("."));
    if (good.length < files.length) {
      toast(`${plural(files.length - good.length, "file")} left out: only PDF, PNG, JPEG and TIFF are read.`);
    }
    const small = good.filter((file) => file.size <= this.largest * 2 ** 20);
    for (const file of good.filter((each) => !small.includes(each))) {
      toast(`${file.name} is too large: a file may have ${this.largest} MiB.`);
    }
    this.waiting.push(...small);
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
    if (this.loading) return;
    this.loading = true;
    while (this.seen !== this.reading.changes) {
      const { changes } = this.reading;
      try {
        this.items = (await api.documents()).documents;
        this.draw();
        this.changed(this.items);
      } catch (problem) {
        if (problem.code === "needs_token") this.lost();
        else toast(problem.message);
      }
      this.seen = changes;
      await new Promise((resolve) => setTimeout(resolve, NOT_SOONER));
    }
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
    const place = document.activeElement?.closest("#list button"); // it is drawn anew: keep the focus
    replace($("list"), items.map((item) => this.drawItem(item)));
    if (place) $("list").querySelector(`[data-key="${place.dataset.key}"]`)?.focus();
  }

  drawItem(item) {
    const opens = item.status === "ok" || item.status === "partial";
    return h("li", { class: item.id === this.current ? "open" : "" },
      h("button", {
        class: "open-button", type: "button", disabled: !opens, "data-document": item.id,
        "data-key": `open-${item.id}`,
        "aria-current": item.id === this.current ? "true" : null, onclick: () => this.open(item.id),
      },
      h("span", { class: "name" }, item.name),
      h("span", { class: `state ${item.status} ${item.status === "reading" ? "spin" : ""}` }, stateOf(item))),
      h("button", {
        class: "plain remove", type: "button", "aria-label": `Remove ${item.name}`, title: "Remove",
        "data-key": `remove-${item.id}`, onclick: () => this.remove(item),
      }, "✕"),
      item.message ? h("p", { class: "why" }, `${item.message}. `, item.hint ? capital(item.hint) + "." : "") : null,
      LOCKED.includes(item.reason)
        ? h("button", {
          type: "button", class: "password", "data-key": `password-${item.id}`, "aria-label": `Password of ${item.name}`,
          onclick: () => this.askPassword(item),
        }, "Password…")
        : null);
  }

  askPassword(item) {
    $("unlock-title").textContent = `Password of ${item.name}`;
    $("password").value = "";
    $("unlock").showModal();
  }

  async unlock(password) {
    $("unlock").close();
    $("password").value = "";
    try {
      await api.unlock(password);
    } catch (problem) {
      toast(`${problem.message} ${problem.hint}`);
    }
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

/** The files that were dropped, also those in folders, and how many could not be read. */
async function dropped(transfer) {
  const entries = [...transfer.items].map((item) => item.webkitGetAsEntry?.()).filter(Boolean);
  if (!entries.length) return { files: [...transfer.files], failed: 0 };
  const found = (await Promise.all(entries.map(filesOf))).flat();
  const files = found.filter(Boolean);
  return { files, failed: found.length - files.length };
}

/** Those of an entry; null for each that cannot be read. */
async function filesOf(entry) {
  if (entry.isFile) return [await new Promise((resolve) => entry.file(resolve, () => resolve(null)))];
  const reader = entry.createReader();
  const found = [];
  for (;;) {
    const part = await new Promise((resolve) => reader.readEntries(resolve, () => resolve(null)));
    if (part === null) return [null];
    if (!part.length) break;
    found.push(...part);
  }
  return (await Promise.all(found.map(filesOf))).flat();
}
