// A game reviewed: what every decision gave away, and what every reveal of cards and cubes gave or took. The steps and
// the result are those of `speicher_agents.review.review` in Python, which says what they mean.
import { moveOf } from "./judge.js";
import { firstOf, outcomes } from "./supplies.js";

const SPREAD = 0x9e3779b97f4a7c15n;
const ROUNDING = 1e-9;
const PLAYED = "played"; // the family of the positions of the game itself, see `Judge.opinion`

/**
 * The review of a game from its start, as `speicherstadt-review/1`.
 *
 * `settings` are those of the tables, `progress(done, total)` is called after each position.
 */
export function reviewGame({ start, actions, names }, judge, settings, progress) {
  const count = { done: 0, total: actions.length + 1 };
  const tell = (opinion) => {
    count.done += 1;
    progress(count.done, count.total);
    return opinion;
  };
  const workers = settings.reach[start.players];
  const games = positionsOf(start, actions);
  const path = games.map((game) => tell(judge.opinion(game, workers, PLAYED)));
  const decided = actions.map((action, place) => lookAhead({ games, path, place, start, played: start.speicher.action(action), most: settings.supplies }));
  const open = decided.flatMap(({ moves }) => moves).filter(({ worth }) => worth === null);
  count.total += open.reduce((sum, { after }) => sum + after.length, 0);
  for (const move of open) {
    const reach = move.supplies ? settings.supplyReach[start.players] : workers;
    const shares = move.after.map((game) => tell(judge.opinion(game, reach)).shares);
    move.worth = move.supplies ? mean(shares, move.supplies) : certain(shares[0]);
  }
  const decisions = decided.map((one, place) => decisionOf(one, games[place], place, path, judge, settings));
  const reveals = [dealOf(start, path[0]), ...decided.flatMap((one, place) => (one.reveals ? [revealOf(one, games, place, path)] : []))];
  return reviewOf({ start, last: games.at(-1), names, judge, settings, decisions, reveals, end: path.at(-1).shares });
}

function positionsOf(start, actions) {
  const game = start.copy();
  return [start, ...actions.map((action) => {
    game.play(action);
    return game.copy();
  })];
}

// What is judged

/** The moves of a decision that have to be judged: the one played, and the judge's favourite if it is another one. */
function lookAhead({ games, path, place, start, played, most }) {
  const [game, after] = [games[place], games[place + 1]];
  const opinion = path[place];
  const reveals = isLeftToChance(game, after);
  let supplies = null;
  const withSupplies = (action) => {
    supplies ??= suppliesFor(game, start, place, most);
    return { after: supplies.before.map((before) => playedOn(before, action)), supplies, worth: null };
  };
  const [best] = opinion.line;
  const moves = [reveals ? withSupplies(played) : { after: [after], supplies: null, worth: certain(path[place + 1].shares) }];
  if (!opinion.solution && best !== played) {
    const twin = playedOn(game, best);
    moves.push(isLeftToChance(game, twin) ? withSupplies(best) : { after: [twin], supplies: null, worth: null });
  }
  return { played, best, opinion, reveals, moves };
}

const certain = (shares) => ({ shares, error: shares.map(() => 0) });

function playedOn(game, action) {
  const twin = game.copy();
  twin.play(action);
  return twin;
}

/** Whether a move was followed by a supply that could have been another one. */
function isLeftToChance(before, after) {
  return !after.over && after.field("round") !== before.field("round") && firstOf(outcomes(before), 2).length > 1;
}

/** All supplies that can come next if they are at most `most`, else that many drawn as the game draws them. */
function suppliesFor(game, start, place, most) {
  const all = firstOf(outcomes(game), most + 1);
  if (all.length <= most) {
    return { before: all.map(({ cards, cubes }) => game.bringing(cards, cubes)), weights: all.map(({ chance }) => chance), complete: true };
  }
  const first = BigInt.asUintN(64, start.field("seed") + BigInt(place) * SPREAD);
  const before = Array.from({ length: most }, (_, number) => game.supplied(BigInt.asUintN(64, first * SPREAD + BigInt(number))));
  return { before, weights: before.map(() => 1 / most), complete: false };
}

/** The mean of what supplies are worth, and its standard error from their draw. */
function mean(shares, { weights, complete }) {
  const seats = shares[0].map((_, seat) => seat);
  const means = seats.map((seat) => shares.reduce((sum, row, number) => sum + weights[number] * row[seat], 0));
  if (complete || shares.length < 2) return { shares: means, error: means.map(() => 0) };
  const error = seats.map((seat) => {
    const middle = shares.reduce((sum, row) => sum + row[seat], 0) / shares.length;
    const squares = shares.reduce((sum, row) => sum + (row[seat] - middle) ** 2, 0);
    return Math.sqrt(squares / (shares.length - 1) / shares.length);
  });
  return { shares: means, error };
}

// What is said

function decisionOf({ played, best, opinion, moves }, game, place, path, judge, settings) {
  const { actions } = game.speicher.tables;
  const seat = game.player;
  const { solution } = opinion;
  const [ofPlayed, ofBest] = moves.map(({ worth }) => worth.shares);
  let [before, after, line, lead] = [ofPlayed, ofPlayed, [], null];
  if (solution) {
    const [chosen, other] = [moveOf(solution, best), moveOf(solution, played)];
    [before, after, lead] = [chosen.shares, other.shares, chosen.leads[seat] - other.leads[seat]];
    if (before[seat] > after[seat] || lead > 0) line = judge.exactLine(game, best, PLAYED);
  } else if (ofBest && ofBest[seat] > after[seat]) {
    [before, line] = [ofBest, opinion.line];
  }
  const texts = line.map((id) => actions[id].text);
  const loss = Math.max(0, before[seat] - after[seat]);
  return {
    move: place + 1,
    round: game.field("round"),
    season: seasonOf(game),
    phase: game.phase,
    seat,
    played: actions[played].text,
    better: texts[0] ?? null,
    line: texts,
    before,
    after,
    exact: solution !== null,
    lead_lost: lead,
    loss,
    grade: Object.entries(settings.grades).find(([, least]) => loss >= least - ROUNDING)?.[0] ?? null,
  };
}

function revealOf({ moves: [{ worth, supplies }] }, games, place, path) {
  const after = path[place + 1].shares;
  return {
    after_move: place + 1,
    round: games[place + 1].field("round"),
    season: seasonOf(games[place + 1]),
    supply: supplyOf(games[place].fields, games[place + 1]),
    before: worth.shares,
    after,
    error: worth.error,
    supplies: supplies.before.length,
    luck: less(after, worth.shares),
  };
}

/** The first reveal: until then all seats are alike. */
function dealOf(start, { shares }) {
  const even = shares.map(() => 1 / start.players);
  const supply = supplyOf({ pile_next: 0, bag_next: 0 }, start);
  return { after_move: 0, round: 1, season: seasonOf(start), supply, before: even, after: shares, error: shares.map(() => 0), supplies: 0, luck: less(shares, even) };
}

/** What was revealed between two positions. */
function supplyOf(before, after) {
  const { cards, goods } = after.speicher.tables;
  const { pile, pile_next: card, bag, bag_next: cube } = after.fields;
  return [...pile.slice(before.pile_next, card).map((number) => cards[number].id), ...bag.slice(before.bag_next, cube).map((good) => goods[good])];
}

function seasonOf(game) {
  const { pile, pile_next: next } = game.fields;
  const { cards, seasons } = game.speicher.tables;
  return seasons[cards[pile[next - 1]].season];
}

function reviewOf({ start, last, names, judge, settings, decisions, reveals, end }) {
  const events = [
    ...decisions.map(({ move, before, after }) => ({ kind: "decision", move, place: move, change: less(after, before) })),
    ...reveals.filter(({ after_move: move }) => move).map(({ after_move: move, luck }) => ({ kind: "reveal", move, place: move + 0.5, change: luck })),
  ];
  const size = ({ change }) => Math.max(...change.map(Math.abs));
  const large = events.filter((event) => size(event) >= settings.turningPoint);
  const largest = large.toSorted((one, other) => size(other) - size(one)).slice(0, settings.mostTurningPoints);
  return rounded({
    format: settings.format,
    players: start.players,
    names,
    deck: start.deck,
    seed: String(start.field("seed")),
    judge: judge.name,
    supplies: settings.supplies,
    grades: settings.grades,
    turning_point: settings.turningPoint,
    finished: last.over,
    points: last.totals(),
    end,
    seats: end.map((_, seat) => ({ seat, ...balanceOf(seat, decisions, reveals, end), grades: gradesOf(seat, decisions, settings) })),
    turning_points: largest.toSorted((one, other) => one.place - other.place).map(({ kind, move, change }) => ({ kind, move, change })),
    decisions,
    reveals,
  }, settings.digits);
}

/** How a seat came from its first to its last share of the win. */
function balanceOf(seat, decisions, reveals, end) {
  const sum = (numbers) => numbers.reduce((all, one) => all + one, 0);
  const change = ({ before, after }) => after[seat] - before[seat];
  const start = 1 / end.length;
  const luck = sum(reveals.map((reveal) => reveal.luck[seat]));
  const own = sum(decisions.filter((decision) => decision.seat === seat).map(change));
  const others = sum(decisions.filter((decision) => decision.seat !== seat).map(change));
  const error = Math.sqrt(sum(reveals.map((reveal) => reveal.error[seat] ** 2)));
  return { start, luck, own, others, judge: end[seat] - start - luck - own - others, end: end[seat], luck_error: error };
}

function gradesOf(seat, decisions, { grades }) {
  const count = (name) => decisions.filter((decision) => decision.seat === seat && decision.grade === name).length;
  return Object.fromEntries(Object.keys(grades).map((name) => [name, count(name)]));
}

const less = (left, right) => left.map((share, seat) => share - right[seat]);

/** The same with all numbers rounded. */
function rounded(value, digits) {
  if (Array.isArray(value)) return value.map((part) => rounded(part, digits));
  if (value !== null && typeof value === "object") return Object.fromEntries(Object.entries(value).map(([key, part]) => [key, rounded(part, digits)]));
  return typeof value === "number" ? Number(value.toFixed(digits)) + 0 : value;
}
