// Requests to the server of this page. They are sent one after the other, so that each knows the position.

import { sentence } from "./dom.js";

const TRIES = 5; // of a request to a server that is busy, with a second between them

/** A request that the server refused, with its sentence. */
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
    for (let tries = 1; ; tries += 1) {
      response = await fetch(`api/${path}`, options);
      if (response.status !== 503 || tries === TRIES) break;
      await new Promise((resume) => setTimeout(resume, 1000));
    }
  } catch {
    throw new Refused(0, "The server does not answer. The game is stored: start the server again and open the address that it prints.");
  }
  const answer = await response.json().catch(() => ({ error: "the server's answer cannot be read" }));
  if (!response.ok) throw new Refused(response.status, sentence(answer.error.replace(/\.$/, "")));
  return answer;
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
