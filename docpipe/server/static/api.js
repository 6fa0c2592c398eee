// Talking to the server. Whatever goes wrong is thrown as a Problem: code, message, hint.

export class Problem extends Error {
  constructor({ code, message, hint }) {
    super(message);
    this.code = code;
    this.hint = hint || "";
  }
}

const GONE = { code: "offline", message: "The server does not answer.", hint: "Is docpipe serve still running?" };

async function problemOf(response) {
  try {
    return new Problem(await response.json());
  } catch {
    return new Problem({ code: "refused", message: `The server answered ${response.status}.`, hint: "" });
  }
}

async function request(path, options = {}) {
  let response;
  try {
    response = await fetch(path, options);
  } catch (error) {
    if (error.name === "AbortError") throw error;
    throw new Problem(GONE);
  }
  if (!response.ok) throw await problemOf(response);
  return response;
}

const asJson = (body, signal) => ({
  method: "POST",
  headers: { "content-type": "application/json" },
  body: JSON.stringify(body),
  signal,
});

const pagePath = (id, number) => `/api/documents/${id}/pages/${number}`;

export const api = {
  about: async () => (await request("/api/about")).json(),
  documents: async () => (await request("/api/documents?limit=10000")).json(),
  document: async (id) => (await request(`/api/documents/${id}`)).json(),
  remove: (id) => request(`/api/documents/${id}`, { method: "DELETE" }),
  page: async (id, number, signal) => (await request(pagePath(id, number), { signal })).json(),
  imagePath: (id, number, dpi) => `${pagePath(id, number)}/image?dpi=${dpi}`,
  exportPath: (id, form) => `/api/documents/${id}/export/${form}`,
  unlock: (password) => request("/api/passwords", asJson({ password })),
  login: (token) => request("/api/session", asJson({ token })),
  extract: async (asked) => (await request("/api/extract", asJson(asked))).json(),
  extractTable: async (asked) => (await request("/api/extract", asJson(asked))).blob(),
};

/** Upload a file; `progress` gets the share that has been sent. */
export function upload(file, progress) {
  return new Promise((resolve, reject) => {
    const sending = new XMLHttpRequest();
    sending.open("POST", `/api/documents?name=${encodeURIComponent(file.name)}`);
    sending.responseType = "json";
    sending.upload.onprogress = (event) => progress(event.total ? event.loaded / event.total : 0);
    sending.onerror = () => reject(new Problem(GONE));
    sending.onload = () => {
      if (sending.status === 202) resolve(sending.response);
      else reject(new Problem(sending.response || GONE));
    };
    sending.setRequestHeader("content-type", "application/octet-stream");
    sending.send(file);
  });
}

/** Ask; `tell` gets "step", "answer" or "problem" with their data as they come. */
export async function ask(asked, tell, signal) {
  const response = await request("/api/ask/stream", asJson(asked, signal));
  const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
  let text = "";
  for (;;) {
    const { value, done } = await reader.read();
    if (done) return;
    text += value;
    const events = text.split("\n\n");
    text = events.pop();
    for (const event of events) {
      const [name, data] = event.split("\n");
      if (data) tell(name.slice("event: ".length), JSON.parse(data.slice("data: ".length)));
    }
  }
}

/** Follow the reading of new files while the page is seen: a browser has few connections to a
    server. `lost` is told when the stream ends for good; else the browser connects again. */
export function follow(tell, lost) {
  let stream = null;
  const connect = () => {
    stream = new EventSource("/api/events");
    stream.addEventListener("reading", (event) => tell(JSON.parse(event.data)));
    stream.onerror = () => {
      if (stream?.readyState === EventSource.CLOSED) lost();
    };
  };
  document.addEventListener("visibilitychange", () => {
    stream?.close();
    stream = null;
    if (!document.hidden) connect();
  });
  connect();
  return () => {
    stream?.close();
    connect();
  };
}
