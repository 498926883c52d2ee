// Requests to the server that served this page. They go out one after the other, so that each knows the position.

/** What the server refused, in its words. */
export class Refused extends Error {
  constructor(status, sentence) {
    super(sentence);
    this.status = status;
  }
}

const narrowly = matchMedia("(max-width: 1000px)"); // below, the wide arrangement of the drawing is too small to read
let last = Promise.resolve();

export const onWidthChange = (listener) => narrowly.addEventListener("change", listener);

async function send(path, options) {
  let response;
  try {
    response = await fetch(`api/${path}`, options);
  } catch {
    throw new Refused(0, "The server does not answer. The game is kept: start it again and open the address it prints.");
  }
  const found = await response.json().catch(() => ({ error: "the server's answer cannot be read" }));
  if (!response.ok) throw new Refused(response.status, `${found.error[0].toUpperCase()}${found.error.slice(1)}.`);
  return found;
}

function inTurn(path, options) {
  const answer = last.then(() => send(path, options));
  last = answer.catch(() => {});
  return answer;
}

const arranged = (path) => `${path}${path.includes("?") ? "&" : "?"}narrow=${narrowly.matches ? 1 : 0}`;

export const get = (path) => inTurn(arranged(path), {});

/** Post a value as JSON, or a text that is JSON already. */
export const post = (path, body) =>
  inTurn(arranged(path), {
    method: "POST",
    headers: { "Content-Type": "application/json" },
    body: typeof body === "string" ? body : JSON.stringify(body),
  });
