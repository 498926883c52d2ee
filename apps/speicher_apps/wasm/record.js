// A state of the game: 480 bytes, the same record as in Python (speicher_env.rules.state), read by its layout.

const READ = {
  int8: (view, at) => view.getInt8(at),
  int16: (view, at) => view.getInt16(at, true),
  uint64: (view, at) => view.getBigUint64(at, true),
};
const WIDTH = { int8: 1, int16: 2, uint64: 8 };

/** The fields of a state by name: numbers, or lists of them; 64-bit numbers are BigInt. */
export function fieldsOf(bytes, layout) {
  return Object.fromEntries(Object.keys(layout.fields).map((name) => [name, fieldOf(bytes, layout, name)]));
}

/** One field of a state. */
export function fieldOf(bytes, layout, name) {
  const view = new DataView(bytes.buffer, bytes.byteOffset, layout.bytes);
  const { offset, type, shape } = layout.fields[name];
  let at = offset;
  const next = () => {
    const value = READ[type](view, at);
    at += WIDTH[type];
    return value;
  };
  const list = ([length, ...deeper]) =>
    length === undefined ? next() : Array.from({ length }, () => list(deeper));
  return list(shape);
}

/** The ids of the legal actions of a state, ascending. */
export function legalIds({ legal }) {
  const ids = [];
  legal.forEach((word, place) => {
    for (let left = word, id = 64 * place; left; left >>= 1n, id += 1) if (left & 1n) ids.push(id);
  });
  return ids;
}

export const toBase64 = (bytes) => btoa(String.fromCharCode(...bytes));
export const fromBase64 = (text) => Uint8Array.from(atob(text), (letter) => letter.charCodeAt(0));
