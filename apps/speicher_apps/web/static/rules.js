// The rules in short: a dialog with pictures, drawn as the table is.
import { drawExample } from "./board.js";
import { byId, make } from "./dom.js";
import { positionOf } from "./position.js";
import { tables } from "./tables.js";

/** Open the rules; the pictures are drawn when they are first seen. */
export function openRules() {
  for (const figure of document.querySelectorAll("#rules figure:not(:has(.picture))")) figure.prepend(pictureOf(figure.dataset.example));
  byId("rules").showModal();
}

/** What a phase looks like: the seat that is loading, in the other phases the columns. */
function pictureOf(phase) {
  const position = positionOf(tables.examples[phase]);
  const seat = phase === "loading" ? position.player : null;
  const names = tables.names.slice(0, position.players);
  return make("div", { className: "picture", inert: true, "aria-hidden": "true" }, ...drawExample(position, names, seat));
}
