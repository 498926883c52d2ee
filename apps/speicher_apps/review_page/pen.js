// Parts of drawings as SVG, in the colours of the page.

export const colour = (name) => `var(--sp-${name})`;
export const number = (value) => String(Math.round(100 * value) / 100);

/** Text that is read as text in HTML and SVG. */
export const escaped = (words) => String(words).replace(/[&<>"]/g, (letter) => `&#${letter.charCodeAt(0)};`);

export function words(x, y, text, { size = 12, fill = "muted", anchor = "start", bold = false } = {}) {
  const weight = bold ? ' font-weight="700"' : "";
  return `<text x="${number(x)}" y="${number(y)}" font-size="${size}" fill="${colour(fill)}" text-anchor="${anchor}"${weight}>${escaped(text)}</text>`;
}

export const line = (path, stroke, { width = 1, dashes = "" } = {}) =>
  `<path d="${path}" fill="none" stroke="${colour(stroke)}" stroke-width="${width}"${dashes ? ` stroke-dasharray="${dashes}"` : ""}/>`;

export const circle = (x, y, radius, fill) => `<circle cx="${number(x)}" cy="${number(y)}" r="${number(radius)}" fill="${colour(fill)}"/>`;

/** A picture of the tables, a square of 24, at a place in another size. */
export const placed = (picture, x, y, size) =>
  picture.replace(/^<svg viewBox="0 0 24 24"/, `<svg x="${number(x)}" y="${number(y)}" width="${size}" height="${size}" viewBox="0 0 24 24" overflow="visible"`);
