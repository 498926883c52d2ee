// Win shares as people read them.

const minus = "\u2212";
const unit = "\u00a0%";

/** A share of the win: "57 %"; one decimal below 1 %. */
export const shareOf = (value) => `${(100 * value).toFixed(value >= 0.0005 && value < 0.01 ? 1 : 0).replace(/^-0$/, "0").replace("-", minus)}${unit}`;

/** A share of the win that was given away, so exact that its class can be seen: "−9.6 %". */
export const lossOf = (value) => `${minus}${(100 * value).toFixed(1)}${unit}`;

/** A change of a share: "+5 %", "−12 %", "0 %". */
export function changeOf(value) {
  const whole = Math.round(100 * value) + 0;
  return `${whole > 0 ? "+" : ""}${String(whole).replace("-", minus)}${unit}`;
}

/** The class of a change, as it is rounded. */
export const directionOf = (value) => ["loss", "level", "gain"][1 + Math.sign(Math.round(100 * value))];
