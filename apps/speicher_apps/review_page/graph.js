// The graph of a game: the win shares of all seats, one above the other, with its turning points and mistakes.
import { circle, colour, line, number, placed, words } from "./pen.js";
import { shareOf } from "./percent.js";

const [LEFT, RIGHT, TOP, BOTTOM, TOKEN] = [48, 12, 30, 40, 22];
const LEAST_ROOM = 1.2 * TOKEN; // height of an area that has room for its token
const BETWEEN_ROUNDS = 26; // between the numbers of two rounds, at least
const SIZES = { wide: [1200, 260], narrow: [430, 280] };
const MARKS = { blunder: 16, mistake: 11 };

/** The position that shows an event: the one before a move, the one after a reveal. */
export const stepOf = (event) => (event.after_move === undefined ? event.move - 1 : event.after_move);

/** The graph as SVG in both sizes; `rounds` is the round of each position. */
export function drawGraph(review, rounds, tokens) {
  const shares = [...review.decisions.map(({ before }) => before), review.end];
  return Object.entries(SIZES).map(([name, [width, height]]) => {
    const frame = frameOf(width, height, shares.length - 1);
    const quarters = [0.25, 0.5, 0.75].map((share) => line(`M${LEFT} ${number(frame.y(share))}H${number(frame.right)}`, "paper", { dashes: "2 5" }));
    const labels = [0, 0.5, 1].map((share) => words(LEFT - 6, frame.y(share) + 4, shareOf(share), { anchor: "end" }));
    const parts = [areas(shares, frame), ...quarters, ...labels, drawRounds(rounds, frame), drawTokens(shares, frame, tokens), drawMistakes(review, frame, tokens), drawTurningPoints(review, frame)];
    const cursor = `<path class="cursor" d="M0 ${TOP - 4}V${number(frame.bottom + 4)}" stroke="${colour("ink")}" stroke-width="2.5"/>`;
    return `<svg class="chart ${name}" viewBox="0 0 ${width} ${height}" aria-hidden="true" data-left="${LEFT}" data-right="${number(frame.right)}">${parts.join("")}${cursor}</svg>`;
  }).join("");
}

/** Where a position and a share are in the drawing. */
function frameOf(width, height, last) {
  const [right, bottom] = [width - RIGHT, height - BOTTOM];
  return {
    height, right, bottom,
    x: (step) => LEFT + ((right - LEFT) * step) / Math.max(1, last),
    y: (share) => TOP + (bottom - TOP) * (1 - share),
  };
}

const sum = (numbers) => numbers.reduce((all, one) => all + one, 0);

/** An area for each seat, the first at the top. */
function areas(shares, frame) {
  return shares[0].map((_, seat) => {
    const edge = (seats) => shares.map((row, step) => `${number(frame.x(step))} ${number(frame.y(1 - sum(row.slice(0, seats))))}`);
    const outline = `M${[...edge(seat), ...edge(seat + 1).reverse()].join("L")}Z`;
    return `<path d="${outline}" fill="${colour(`seat${seat}`)}" stroke="${colour("paper")}" stroke-width="1"/>`;
  }).join("");
}

/** The numbers of the rounds, where there is room. */
function drawRounds(rounds, frame) {
  const parts = [words(LEFT - 12, frame.height - 4, "round", { anchor: "end" })];
  let labelled = -BETWEEN_ROUNDS;
  rounds.forEach((round, step) => {
    if (step && round === rounds[step - 1]) return;
    const x = frame.x(step);
    if (step) parts.push(line(`M${number(x)} ${TOP}V${number(frame.bottom)}`, "paper", { dashes: "1 4" }));
    if (x < labelled + BETWEEN_ROUNDS) return;
    labelled = x;
    parts.push(words(x, frame.height - 4, round, { anchor: "middle" }));
  });
  return parts.join("");
}

/** The sign of each seat where its area is highest. */
function drawTokens(shares, frame, tokens) {
  const edge = Math.floor(shares.length / 12);
  return shares[0].map((_, seat) => {
    let step = edge;
    for (let at = edge; at < shares.length - edge; at += 1) if (shares[at][seat] > shares[step][seat]) step = at;
    const [top, below] = [seat, seat + 1].map((seats) => frame.y(1 - sum(shares[step].slice(0, seats))));
    if (below - top < LEAST_ROOM) return "";
    const [x, y] = [frame.x(step), (top + below) / 2];
    return circle(x, y, TOKEN / 2 + 2, "paper") + placed(tokens[seat], x - TOKEN / 2, y - TOKEN / 2, TOKEN);
  }).join("");
}

/** A mark below the graph for each large mistake: larger for a blunder. */
function drawMistakes(review, frame, tokens) {
  return review.decisions.map((decision) => {
    const size = MARKS[decision.grade];
    return size ? placed(tokens[decision.seat], frame.x(stepOf(decision)) - size / 2, frame.bottom + 12 - size / 2, size) : "";
  }).join("");
}

/** A number above the graph for each turning point, at its place. */
function drawTurningPoints(review, frame) {
  const wanted = review.turning_points.map(({ kind, move }) => frame.x(kind === "decision" ? move - 1 : move));
  const places = apart(wanted, TOKEN, frame.right);
  return wanted.map((x, number_) => {
    const at = places[number_];
    const path = `M${number(x)} ${number(frame.bottom)}V${TOP}L${number(at)} 20`;
    return line(path, "ink", { width: 1.2 }) + circle(at, 12, 10, "ink") + words(at, 16.2, number_ + 1, { fill: "paper", anchor: "middle", bold: true });
  }).join("");
}

/** Places on a line, ascending, moved apart, so that none hides another; the last is at most at `most`. */
function apart(places, distance, most) {
  const moved = [...places];
  for (let place = 1; place < moved.length; place += 1) moved[place] = Math.max(moved[place], moved[place - 1] + distance);
  for (let place = moved.length - 1; place >= 0; place -= 1) {
    moved[place] = Math.min(moved[place], most);
    most = moved[place] - distance;
  }
  return moved;
}
