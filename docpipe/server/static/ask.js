// Questions: the steps as they are taken, the answer, and where it stands.

import { ask } from "./api.js";
import { $, h, plural, problemCard, replace } from "./dom.js";

const ACTIONS = {
  search: "Searched", read: "Read", look: "Looked at", calculate: "Calculated", finish: "Finished",
  malformed: "Went astray",
};

/** The box for questions; `open(document, page, regions)` shows a place. */
export class Ask {
  constructor({ open }) {
    this.open = open;
    this.running = null;
    $("ask-form").addEventListener("submit", (event) => {
      event.preventDefault();
      this.ask($("question").value.trim());
    });
    $("question").addEventListener("keydown", (event) => {
      if (event.key === "Enter" && !event.shiftKey && !event.isComposing) {
        event.preventDefault();
        $("ask-form").requestSubmit();
      }
    });
    $("stop").addEventListener("click", () => this.running?.abort());
  }

  offer(items) {
    const scope = $("scope");
    const chosen = scope.value;
    const readable = items.filter((item) => item.status === "ok" || item.status === "partial");
    const names = JSON.stringify(readable.map((item) => [item.id, item.name]));
    if (names === this.offered) return; // drawn anew, it would close under the hand
    this.offered = names;
    replace(scope, h("option", { value: "" }, "all documents"),
      readable.map((item) => h("option", { value: item.id }, item.name)));
    if (readable.some((item) => item.id === chosen)) scope.value = chosen;
  }

  async ask(question) {
    if (!question || this.running) return;
    this.running = new AbortController();
    this.busy(true);
    const exchange = h("article", { class: "exchange" });
    const steps = h("ol");
    const summary = h("summary", { class: "spin" }, "Looking for the answer…");
    const trace = h("details", { class: "trace", open: true }, summary, steps);
    exchange.append(h("p", { class: "asked" }, question), trace);
    $("answers").prepend(exchange);
    const documents = $("scope").value ? [$("scope").value] : null;
    let ended = false;
    try {
      await ask({ question, documents }, (name, data) => {
        ended ||= name !== "step";
        if (name === "step") steps.append(stepItem(data));
        else if (name === "problem") exchange.append(problemCard(data));
        else if (name === "answer") {
          replace(steps, data.steps.map(stepItem));
          exchange.append(...this.answered(data.answer));
        }
      }, this.running.signal);
      if (!ended) exchange.append(problemCard({ message: "The server has ended the answer.", hint: "Ask again." }));
    } catch (problem) {
      const stopped = problem.name === "AbortError";
      exchange.append(stopped ? h("p", { class: "quiet" }, "Stopped.") : problemCard(problem));
    }
    summary.textContent = plural(steps.children.length, "step");
    summary.classList.remove("spin");
    trace.open = false;
    this.running = null;
    this.busy(false);
  }

  busy(on) {
    $("send").disabled = on;
    $("stop").hidden = !on;
  }

  answered(answer) {
    return [
      answer.answerable ? given(answer) : refused(answer),
      answer.evidence.length
        ? h("div", { class: "evidence" },
          h("h3", {}, answer.answerable ? "Where it stands" : "The nearest that was found"),
          answer.evidence.map((item) => this.chip(item)))
        : null,
    ].filter(Boolean);
  }

  chip(item) {
    const label = item.page_label && item.page_label !== String(item.page) ? ` (${item.page_label})` : "";
    return h("button", {
      type: "button", class: "chip", onclick: (event) => {
        for (const other of document.querySelectorAll(".chip[aria-current]")) other.removeAttribute("aria-current");
        event.currentTarget.setAttribute("aria-current", "true");
        this.open(item.document, item.regions[0]?.page ?? item.page, item.regions);
      },
    },
    h("span", { class: "where" }, `${item.name}, page ${item.page}${label}`),
    h("span", { class: "quote" }, `“${item.quote}”`));
  }
}

function given(answer) {
  const [value, rest] = headline(answer);
  return h("div", { class: "card" },
    h("p", { class: "answer" }, value ? h("span", { class: "value" }, value) : null, rest),
    h("p", { class: "sure" }, "Confidence",
      h("meter", { min: 0, max: 1, low: 0.4, high: 0.7, optimum: 1, value: answer.confidence, "aria-label": "Confidence" }),
      answer.confidence.toFixed(2)));
}

/** The short answer, and the rest of the text. A quote is left to the evidence below. */
function headline({ text, value, evidence }) {
  const quoted = /^([^“”]{1,120}): “([^]*)”$/.exec(text);
  if (quoted && evidence.some(({ quote }) => quote.includes(quoted[2]) || quoted[2].includes(quote))) return [quoted[1], ""];
  const short = Array.isArray(value) ? value.join(", ") : value;
  if (short === null || text.length < 80 || text.includes(String(short))) return ["", text];
  return [String(short), text];
}

function refused(answer) {
  return h("div", { class: "card refusal" },
    h("p", {}, h("strong", {}, "The documents do not answer this.")),
    h("p", {}, answer.text));
}

function stepItem(step) {
  return h("li", {},
    h("strong", {}, ACTIONS[step.action] || step.action), step.text ? `: ${step.text}` : "",
    step.thought ? h("p", {}, step.thought) : null,
    step.observation ? h("p", { class: "observation" }, step.observation) : null);
}
