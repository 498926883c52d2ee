// Functions that make elements, and the elements that the whole page uses.
import { tables } from "./tables.js";

export const byId = (id) => document.getElementById(id);

/** An element with properties and children; a key with a hyphen becomes an attribute. */
export function make(tag, properties = {}, ...children) {
  const element = document.createElement(tag);
  for (const [key, value] of Object.entries(properties)) {
    if (value === null || value === undefined) continue;
    if (key.includes("-") || key === "role" || key === "for") element.setAttribute(key, value);
    else element[key] = value;
  }
  element.append(...children);
  return element;
}

/** A picture of the tables; with a label it is read aloud, else it is skipped. */
export function icon(svg, className = "", label = "") {
  const holder = make("span", { className: `icon ${className}`.trim() });
  holder.innerHTML = svg; // of this page's own tables
  if (label) {
    holder.setAttribute("role", "img");
    holder.setAttribute("aria-label", label);
  }
  return holder;
}

/** The sign of a seat, read aloud as its name. */
export const seatChip = (seat, name = "") => icon(tables.icons.token[seat], "chip", name);

export function warn(text) {
  byId("warning").textContent = text;
  byId("warning").hidden = !text;
}

/** A setting stored by the browser, if it lets a page store any. */
export const kept = {
  get(name) {
    try {
      return localStorage.getItem(`speicher-${name}`);
    } catch {
      return null;
    }
  },
  set(name, value) {
    try {
      localStorage.setItem(`speicher-${name}`, value);
    } catch {
      // A browser that keeps nothing asks again next time.
    }
  },
};
