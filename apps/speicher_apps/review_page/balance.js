// The balance of a seat as a drawing: from its first win share to its last, step by step.
import { colour, line, number, words } from "./pen.js";
import { changeOf, shareOf } from "./percent.js";

const [WIDTH, ROW, LEFT, RIGHT, BAR] = [300, 22, 112, 62, 12];
const LABELS = { luck: "luck", own: "own moves", others: "moves of others", judge: "seen only later" };

/** The share after each step. */
function wayOf(seat) {
  const way = [seat.start];
  for (const key of Object.keys(LABELS)) way.push(way.at(-1) + seat[key]);
  return way;
}

/** The lowest and the highest share on the way of any seat, so that all drawings have one scale. */
export function scaleOf(seats) {
  const shares = [0, 1, ...seats.flatMap(wayOf)];
  return [Math.min(...shares), Math.max(...shares)];
}

/** The drawing as SVG; `scale` is that of `scaleOf`. */
export function drawBalance(seat, [low, high]) {
  const x = (share) => LEFT + ((WIDTH - LEFT - RIGHT) * (share - low)) / (high - low);
  const way = wayOf(seat);
  const rows = Object.keys(LABELS).length + 2;
  const fill = `seat${seat.seat}`;
  const row = (place, label, value) => words(0, place * ROW + 15.5, label, { size: 13 }) + words(WIDTH, place * ROW + 15.5, value, { size: 13, fill: "ink", anchor: "end" });
  const bar = (place, begin, end, paint) =>
    `<rect x="${number(Math.min(begin, end))}" y="${number(place * ROW + (ROW - BAR) / 2)}" width="${number(Math.max(Math.abs(end - begin), 1))}" height="${BAR}" rx="2" fill="${colour(paint)}"/>`;
  const mark = (place, share) => line(`M${number(x(share))} ${place * ROW - 5}v10`, "muted");
  const steps = Object.entries(LABELS).map(([key, label], place) => {
    const [before, after] = [way[place], way[place + 1]];
    return row(place + 1, label, changeOf(seat[key])) + bar(place + 1, x(before), x(after), after > before ? "active" : "fire") + mark(place + 1, before);
  });
  const frame = [0, 1].map((share) => line(`M${number(x(share))} 2V${rows * ROW - 2}`, "line"));
  const ends = [row(0, "start", shareOf(seat.start)), bar(0, x(0), x(seat.start), fill), row(rows - 1, "end", shareOf(seat.end)), bar(rows - 1, x(0), x(seat.end), fill), mark(rows - 1, way.at(-1))];
  const changes = Object.entries(LABELS).map(([key, label]) => `${label} ${changeOf(seat[key])}`).join(", ");
  const alt = `From ${shareOf(seat.start)} to ${shareOf(seat.end)} of the win: ${changes}.`;
  return `<svg class="balance" viewBox="0 0 ${WIDTH} ${rows * ROW}" role="img" aria-label="${alt}">${[...frame, ...steps, ...ends].join("")}</svg>`;
}
