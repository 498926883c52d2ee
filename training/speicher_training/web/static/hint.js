// The hint: what a player would do, as bars, in the drawing and in words.
import { byId, kept, make, seatChip } from "./dom.js";
import { inDrawing } from "./moves.js";

const percent = (chance) => (chance > 0 && chance < 0.005 ? "<1 %" : `${Math.round(100 * chance)} %`);
const signed = (value) => `${value < 0 ? "−" : "+"}${Math.abs(value).toFixed(2)}`;

/** Lay out the panel once; `ask` is called with the spec of the player who is asked. */
export function layOutHint(players, ask) {
  const chosen = kept.get("hint") ?? "merchant";
  const named = (spec) => spec.replace(":{players}p", "");
  const options = players.map(({ spec }) => make("option", { value: spec, selected: spec === chosen }, named(spec)));
  const from = make("select", { id: "hint-from" }, ...options);
  from.addEventListener("change", () => {
    kept.set("hint", from.value);
    ask(from.value);
  });
  const always = make("input", { type: "checkbox", id: "hint-always" });
  const close = make("button", { type: "button", id: "hint-close", "aria-label": "Close the hint" }, "Close");
  close.addEventListener("click", () => {
    always.checked = false;
    clearHint();
    byId("hint-panel").hidden = true;
    byId("hint").focus();
  });
  byId("hint-panel").replaceChildren(
    make("div", { className: "head" }, make("h2", {}, "Hint"), close),
    make("div", { className: "row" }, make("label", {}, "from ", from), make("label", {}, always, " at every move")),
    make("div", { id: "hint-body", role: "status" }),
  );
}

export const hintFrom = () => byId("hint-from").value;
export const wantsHints = () => byId("hint-always")?.checked ?? false;

export function clearHint() {
  byId("hint-body")?.replaceChildren();
  for (const element of document.querySelectorAll(".advised")) element.classList.remove("advised");
  for (const bar of document.querySelectorAll("#moves .chance")) bar.remove();
}

/** Show who is being asked, until the answer is there. */
export function awaitHint(spec) {
  clearHint();
  byId("hint-panel").hidden = false;
  byId("hint-body").replaceChildren(make("p", {}, `${spec} thinks…`));
}

export function failHint(sentence) {
  byId("hint-body").replaceChildren(make("p", { className: "error" }, sentence));
}

export function showHint(found) {
  clearHint();
  const body = byId("hint-body");
  body.append(make("p", {}, make("b", {}, found.label), found.certain ? ` is what ${found.spec} would play.` : ""));
  if (!found.certain) body.append(make("ul", { className: "bars" }, ...found.moves.map(barOf)));
  if (found.values) body.append(make("h3", {}, "What it expects (+1 is a win)"), valuesOf(found.values));
  if (found.line.length > 1) {
    const line = found.line.map((words) => make("li", {}, words));
    body.append(make("h3", {}, "How it expects to go on"), make("ol", { className: "line" }, ...line));
  }
  inDrawing(found.action)?.classList.add("advised");
  for (const { action, probability } of found.moves) {
    const button = byId("moves").querySelector(`[data-move="${CSS.escape(action)}"]`);
    if (!button) continue;
    button.classList.toggle("advised", action === found.action);
    button.append(make("span", { className: "chance" }, percent(probability)));
  }
}

function barOf({ label, probability }) {
  const fill = make("span", { className: "fill" });
  fill.style.width = `${100 * probability}%`;
  const bar = make("span", { className: "bar", "aria-hidden": "true" }, fill);
  return make("li", {}, make("span", {}, label), make("span", { className: "figure" }, percent(probability)), bar);
}

function valuesOf(values) {
  const items = values.map((value, seat) => {
    const fill = make("span", { className: `fill seat${seat}` });
    fill.style.width = `${50 * Math.abs(value)}%`;
    fill.style.left = value < 0 ? `${50 - 50 * Math.abs(value)}%` : "50%";
    const bar = make("span", { className: "bar middle", "aria-hidden": "true" }, fill);
    return make("li", {}, seatChip(seat), make("span", { className: "figure" }, signed(value)), bar);
  });
  return make("ul", { className: "bars values" }, ...items);
}
