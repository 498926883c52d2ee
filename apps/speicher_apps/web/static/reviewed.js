// The review of a finished game: its positions drawn as on the page to play on, and told in the same words.
import { drawBoard } from "./board.js";
import { byId, warn } from "./dom.js";
import { positionOf } from "./position.js";
import { showReview } from "./review_page.js";
import { source } from "./source.js";
import { actionOf, tables } from "./tables.js";
import { cardInWords, counted, deedOf, HUMAN, levelOf, lineInWords, listed, namesOf, newsOf, resultOf, sentence, standingOf } from "./words.js";

/** What `showReview` shows, from a game and its review. */
function contentOf(view, { review, lines }) {
  const names = namesOf(view.seats);
  const positions = [...view.log.map(({ state }) => state), view.state].map(positionOf);
  const result = resultOf(positions.at(-1), view.points, view.end.winners, names);
  const steps = positions.map((position, place) => {
    const move = view.log[place];
    const action = move && actionOf.get(move.action);
    const before = positions[place - 1];
    return {
      round: position.round,
      standing: standingOf(position),
      alt: result,
      news: before ? newsOf(before, actionOf.get(view.log[place - 1].action), position, names) : [],
      ...(move ? { action: action.id, move: deedOf(position, action, names[move.seat]) } : {}),
    };
  });
  for (const decision of review.decisions) steps[decision.move - 1].judged = judgedOf(decision, lines[decision.move], names);
  for (const { after_move: place, supply, before, luck } of review.reveals) {
    steps[place].reveal = { cards: supplyInWords(supply, positions[place]), before, luck };
  }
  steps.at(-1).shares = review.end;
  return {
    review, steps, result,
    heading: `${counted(names.length, "player")}, ${view.deck} deck, seed ${view.end.seed}, reviewed by ${review.judge}`,
    seats: names.map((name, seat) => ({ name: view.seats[seat] === HUMAN ? name : `${name}, ${levelOf(view.seats[seat], names.length)}`, short: name })),
    texts: tables.actions.map(({ text }) => text),
    tokens: tables.icons.token,
    settings: tables.review,
  };
}

function judgedOf({ grade, loss, before, after, exact, lead_lost: lead, better }, line, names) {
  const judged = { grade, loss, before, after, exact, lead: lead ?? 0 };
  return better === null ? judged : { ...judged, better, line: lineInWords(line, names) };
}

/** What a reveal brought: a fire first, then the cards on the table. */
function supplyInWords(supply, position) {
  const cards = supply.map((name) => tables.cards.findIndex(({ id }) => id === name)).filter((card) => card >= 0);
  const fires = cards.filter((card) => tables.cards[card].kind === "fire").map((fire) => `a fire of value ${position.fireValue(fire)}`);
  const laid = position.columns.filter((column) => position.card[column] >= 0).map((column) => cardInWords(position, column));
  return sentence(listed([...fires, ...laid]));
}

async function start() {
  const id = new URLSearchParams(location.search).get("game") ?? "";
  byId("back-to-game").href = `./#${id}`;
  const [view, review] = await Promise.all([source.look(id), source.review.result(id)]);
  const content = contentOf(view, review);
  const names = content.seats.map(({ short }) => short);
  document.title = `Speicherstadt, reviewed: ${content.result}`;
  showReview(content, (step) => {
    const position = positionOf(view.log[step]?.state ?? view.state);
    const points = position.over ? view.points : null;
    byId("table").replaceChildren(...drawBoard({ position, points, names, notes: names.map(() => ""), you: view.you, sales: new Map() }));
  });
}

start().catch((error) => {
  document.querySelector("main").hidden = true;
  warn(error.message);
});
