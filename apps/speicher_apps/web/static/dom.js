// Functions that make elements, and the elements that the whole page uses.

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

/** A seat's number on its colour, read aloud as "seat 1". */
export function seatChip(seat) {
  return make("span", { className: `chip seat${seat}`, role: "img", "aria-label": `seat ${seat}` }, String(seat));
}

export const seatName = (spec) => (spec === "human" ? "person" : spec);

/** A whole number with a true minus. */
export const minus = (value) => String(value).replace("-", "−");

/** A sentence with a capital letter and a full stop. */
export const sentence = (words) => `${words[0].toUpperCase()}${words.slice(1)}.`;

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
