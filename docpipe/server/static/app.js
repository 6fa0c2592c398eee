// The page put together: the parts, theme, keyboard, token.

import { api } from "./api.js";
import { Ask } from "./ask.js";
import { Documents } from "./documents.js";
import { $, h, replace, showPane, toast } from "./dom.js";
import { Extract } from "./extract.js";
import { LAYERS } from "./layers.js";
import { Viewer } from "./viewer.js";

const viewer = new Viewer({ opened: ({ id }) => documents.show(id) });
const open = (id, page, regions) => viewer.open(id, page, regions);
const asking = new Ask({ open });
const extraction = new Extract({ open, current: () => viewer.document?.id, found: (results) => viewer.found(results) });
const documents = new Documents({
  open: (id) => viewer.open(id),
  changed: (items) => {
    asking.offer(items);
    extraction.offer(items);
    if (viewer.document && !items.some((item) => item.id === viewer.document.id)) viewer.close();
  },
  lost: async () => {
    try {
      await api.about();
      toast("The server has ended the connection: load the page again.");
    } catch (problem) {
      if (problem.code !== "needs_token") {
        toast(`${problem.message} ${problem.hint}`);
        return;
      }
      await login(); // it was started again, with another token
      documents.reconnect();
    }
  },
});

const KEYS = [
  ["/", "Ask a question", () => { chooseTab("ask"); showPane("work"); $("question").focus(); }],
  ["a", "Add files", () => $("files").click()],
  ["j", "Next page", () => viewer.document && viewer.go(viewer.number + 1)],
  ["k", "Previous page", () => viewer.document && viewer.go(viewer.number - 1)],
  ["+", "Larger", () => viewer.resize(1.25)],
  ["-", "Smaller", () => viewer.resize(0.8)],
  ["0", "Fit the width", () => viewer.fit()],
  ...LAYERS.map((layer, at) => [String(at + 1), layer.title, () => viewer.toggle(layer.name)]),
  ["t", "Light or dark", () => changeTheme()],
  ["?", "This list", () => $("shortcuts").showModal()],
];

function changeTheme() {
  const root = document.documentElement;
  const dark = root.dataset.theme ? root.dataset.theme === "dark" : matchMedia("(prefers-color-scheme: dark)").matches;
  root.dataset.theme = dark ? "light" : "dark";
  localStorage.setItem("docpipe-theme", root.dataset.theme);
}

function chooseTab(name) {
  for (const each of ["ask", "extract"]) {
    $(each).hidden = each !== name;
    $(`tab-${each}`).setAttribute("aria-selected", String(each === name));
  }
}

function listen() {
  const theme = localStorage.getItem("docpipe-theme");
  if (theme) document.documentElement.dataset.theme = theme;
  $("theme").addEventListener("click", changeTheme);
  $("help").addEventListener("click", () => $("shortcuts").showModal());
  replace($("keys"), KEYS.flatMap(([key, what]) => [h("dt", {}, h("kbd", {}, key)), h("dd", {}, what)]));
  for (const name of ["ask", "extract"]) $(`tab-${name}`).addEventListener("click", () => chooseTab(name));
  for (const button of document.querySelectorAll(".bottom button")) {
    button.addEventListener("click", () => showPane(button.dataset.pane));
  }
  showPane("documents");
  document.addEventListener("keydown", (event) => {
    if (event.key === "Escape") $("inspector").hidden = true;
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    if (event.target.closest("input, textarea, select, dialog")) return;
    const found = KEYS.find(([key]) => key === event.key);
    if (found) {
      event.preventDefault();
      found[2]();
    }
  });
}

let entering = null; // a login that is under way

/** Ask for the token until it is right. */
function login() {
  entering ||= new Promise((resolve) => {
    const dialog = $("login");
    const stay = () => dialog.showModal(); // Escape closes it, and nothing is behind it
    const enter = async (event) => {
      event.preventDefault();
      try {
        await api.login($("token").value);
      } catch (problem) {
        $("login-problem").textContent = problem.message;
        return;
      }
      dialog.removeEventListener("close", stay);
      $("login-form").removeEventListener("submit", enter);
      dialog.close();
      entering = null;
      resolve();
    };
    dialog.addEventListener("close", stay);
    $("login-form").addEventListener("submit", enter);
    $("login-problem").textContent = "";
    dialog.showModal();
  });
  return entering;
}

async function start() {
  listen();
  const token = new URLSearchParams(location.hash.slice(1)).get("token");
  if (token) {
    history.replaceState(null, "", "/");
    await api.login(token).catch(() => {});
  }
  let about;
  try {
    about = await api.about();
  } catch (problem) {
    if (problem.code !== "needs_token") {
      toast(`${problem.message} ${problem.hint}`);
      return;
    }
    await login();
    about = await api.about();
  }
  $("library").textContent = about.library;
  $("question").maxLength = about.max_question;
  extraction.choices(about.schemas);
  documents.start(about);
}

start();
