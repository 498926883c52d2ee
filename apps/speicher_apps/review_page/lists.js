// The lists and tables of the page, as HTML: seats, turning points, mistakes, luck, and where win share was lost.
import { drawBalance, scaleOf } from "./balance.js";
import { stepOf } from "./graph.js";
import { escaped } from "./pen.js";
import { changeOf, directionOf, lossOf, shareOf } from "./percent.js";

const LITTLE_LUCK = 0.02; // reveals that changed less for every seat are left out

/** "1 mistake", "2 inaccuracies", "−3 points". */
const counted = (count, noun) => `${String(count).replace("-", "\u2212")} ${count === 1 ? noun : noun.replace(/y$/, "ie").concat("s")}`;

/** The lists of a reviewed game, each by the name of its place in the page. */
export function listsOf(game) {
  return {
    verdict: verdictOf(game),
    seats: accountsOf(game),
    turning: turningOf(game),
    mistakes: mistakesOf(game),
    luck: luckOf(game),
    losses: lossesOf(game),
    grades: Object.entries(game.settings.grades).reverse().map(([name, least]) => `${name} from ${shareOf(least)}`).join(", "),
    supplies: String(game.review.supplies),
  };
}

/** The game in a few sentences. */
function verdictOf({ review, result, seats }) {
  if (!review.finished) {
    const leader = review.end.indexOf(Math.max(...review.end));
    return escaped(`The game is not over: ${seats[leader].short} is ahead with ${shareOf(review.end[leader])} of the win.`);
  }
  const winner = review.end.indexOf(1);
  if (winner < 0) return escaped(result);
  const { luck, own, others } = review.seats[winner];
  const gave = luck >= 0 ? "gave" : "cost";
  const fromOthers = others >= 0 ? "gave" : "took";
  return escaped(
    `${result} Luck ${gave} the winner ${shareOf(Math.abs(luck))} of the win. The winner's own moves gave away ${shareOf(-own)}, and the moves of the others ${fromOthers} ${shareOf(Math.abs(others))}.`,
  );
}

/** A card for each seat: its name, its points, its balance, and its mistakes. */
function accountsOf(game) {
  const { review, seats } = game;
  const scale = scaleOf(review.seats);
  return review.seats.map((account) => {
    const { seat, grades } = account;
    const counts = Object.entries(grades).map(([name, count]) => counted(count, name));
    const points = counted(review.points[seat], "point");
    return `<article class="account"><h2>${tokenOf(game, seat, 24)}<span>${escaped(seats[seat].name)}</span><span class="points">${points}</span></h2>${drawBalance(account, scale)}<p class="muted">${counts.slice(0, -1).join(", ")} and ${counts.at(-1)}</p></article>`;
  }).join("");
}

/** The numbered list of what changed most. */
function turningOf(game) {
  const { decisions, reveals, turning_points: points } = game.review;
  const rows = points.map(({ kind, move, change }, place) => {
    const event = kind === "decision" ? decisions[move - 1] : reveals.find(({ after_move: after }) => after === move);
    return `<li>${buttonOf(event, `<span class="number">${place + 1}</span>${inWords(game, event)}${changesOf(game, change)}`)}</li>`;
  });
  return rows.join("") || `<li>Nothing changed the game by ${shareOf(game.review.turning_point)} of the win at once.</li>`;
}

/** The moves that are at least inaccuracies, in the order of the game. */
function mistakesOf(game) {
  const rows = game.review.decisions.filter(({ grade }) => grade !== null).map((decision) => {
    const [first] = game.steps[decision.move - 1].judged.line ?? [];
    const better = first ? `<span class="better">Better: ${escaped(first)}</span>` : "";
    const badge = `<span class="badge ${decision.grade}">${game.settings.signs[decision.grade]} ${decision.grade} ${lossOf(decision.loss)}</span>`;
    return `<li data-seat="${decision.seat}" data-grade="${decision.grade}">${buttonOf(decision, `${badge}${inWords(game, decision)}${better}`)}</li>`;
  });
  return rows.join("") || `<li>No move gave away ${shareOf(Math.min(...Object.values(game.settings.grades)))} of the win.</li>`;
}

/** The reveals that changed something, with the luck of each seat. */
function luckOf(game) {
  const rows = game.review.reveals.filter(({ luck }) => Math.max(...luck.map(Math.abs)) >= LITTLE_LUCK);
  const items = rows.map((reveal) => `<li>${buttonOf(reveal, inWords(game, reveal) + changesOf(game, reveal.luck))}</li>`);
  return items.join("") || `<li>No reveal changed more than ${shareOf(LITTLE_LUCK)} of the win.</li>`;
}

/** Where each seat gave away win share: by what it did, and by season. */
function lossesOf(game) {
  const { decisions } = game.review;
  const seasons = [...new Set(decisions.map(({ season }) => season))];
  const columns = [
    ...Object.entries(game.settings.phases).map(([phase, name]) => ({ name, of: (decision) => decision.phase === phase })),
    ...seasons.map((season) => ({ name: season, of: (decision) => decision.season === season })),
  ];
  const head = columns.map(({ name }) => `<th scope="col">${escaped(name)}</th>`).join("");
  const rows = game.seats.map(({ short }, seat) => {
    const lost = ({ of }) => decisions.filter((decision) => decision.seat === seat && of(decision)).reduce((all, { loss }) => all + loss, 0);
    return `<tr><th scope="row">${tokenOf(game, seat, 20)} ${escaped(short)}</th>${columns.map((column) => `<td>${shareOf(lost(column))}</td>`).join("")}</tr>`;
  });
  return `<thead><tr><td></td>${head}</tr></thead><tbody>${rows.join("")}</tbody>`;
}

const buttonOf = (event, inside) => `<button type="button" class="goes" data-step="${stepOf(event)}">${inside}</button>`;

/** Where in the game, and what. */
function inWords(game, event) {
  if (event.after_move === undefined) {
    return `<span class="where">Round ${event.round}, move ${event.move}</span><span>${tokenOf(game, event.seat, 20)} ${escaped(game.steps[stepOf(event)].move)}</span>`;
  }
  const where = event.after_move ? `Round ${event.round}` : "The deal";
  return `<span class="where">${where}, new cards</span><span>${escaped(game.steps[stepOf(event)].reveal.cards)}</span>`;
}

/** What every seat gained or lost. */
function changesOf(game, change) {
  const parts = change.map((value, seat) => `<span class="${directionOf(value)}">${tokenOf(game, seat, 18)} ${changeOf(value)}</span>`);
  return `<span class="changes">${parts.join("")}</span>`;
}

function tokenOf({ tokens, seats }, seat, size) {
  const label = `role="img" aria-label="${escaped(seats[seat].short)}"`;
  return tokens[seat].replace(/^<svg viewBox="0 0 24 24" aria-hidden="true"/, `<svg class="token" viewBox="0 0 24 24" width="${size}" height="${size}" ${label}`);
}
