// The review of a finished game: asked for, watched while it is made, and opened.
import { make } from "./dom.js";
import { source } from "./source.js";
import { sentence } from "./words.js";

const ASKED_EVERY = 500; // ms between two questions how far a review is

/** A panel that offers the review of a finished game. */
export function reviewPanel(id) {
  const panel = make("div", { id: "review" });
  show(panel, id, source.review.progress(id));
  return panel;
}

/** Show how far a review is once that is known, and ask again while it runs. */
async function show(panel, id, answer) {
  let status;
  try {
    status = await answer;
  } catch (error) {
    status = { state: "failed", error: error.message };
  }
  const focused = panel.contains(document.activeElement);
  if (panel.dataset.state !== status.state || status.state === "failed") {
    panel.dataset.state = status.state;
    panel.replaceChildren(...PARTS[status.state](panel, id, status));
    if (focused) panel.querySelector("button, a")?.focus();
  }
  if (status.state !== "running") return;
  const { done, total } = status;
  const bar = panel.querySelector("progress");
  if (total) Object.assign(bar, { max: total, value: done });
  panel.querySelector(".note").textContent = total ? `${done} of ${total} positions` : "getting ready";
  setTimeout(() => panel.isConnected && panel.dataset.state === "running" && show(panel, id, source.review.progress(id)), ASKED_EVERY);
}

/** What the panel holds in each state of a review. */
const PARTS = {
  none: (panel, id) => [press("review-start", "Review this game", () => show(panel, id, source.review.start(id)))],
  running: (panel, id) => [
    make("p", { role: "status" }, "The game is being reviewed. You can play on meanwhile."),
    make("progress", { "aria-label": "Positions judged" }),
    make("span", { className: "note" }),
    press("review-stop", "Stop", () => show(panel, id, source.review.stop(id))),
  ],
  ready: (panel, id) => [
    make("p", { role: "status" }, "The review is ready."),
    make("a", { className: "button main", id: "review-open", href: `review.html?game=${encodeURIComponent(id)}` }, "Open the review"),
  ],
  failed: (panel, id, { error }) => [
    make("p", { role: "status", className: "error" }, sentence(error)),
    press("review-start", "Try again", () => show(panel, id, source.review.start(id))),
  ],
};

function press(id, words, act) {
  const button = make("button", { type: "button", id }, words);
  button.addEventListener("click", act);
  return button;
}
