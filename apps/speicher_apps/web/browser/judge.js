// What positions are worth: exactly where they are solved, by a search's opinion everywhere else. The same as
// `speicher_agents.review.judge` in Python.
import { Solver } from "./speicher.js";

const SEED = 0n;
const LEAST_SHARE = 1e-9;

export class Judge {
  /** A judge that searches as `guided:ITERATIONS` does. */
  constructor(network, iterations, settings) {
    this.network = network;
    this.iterations = iterations;
    this.settings = settings;
    this.name = `guided:${iterations}`;
    this.solver = null; // takes much memory, so it is made when it is needed
    this.root = null; // the position that the solver's tables began with
  }

  /**
   * What a position is worth: `shares` of the win, the best `line` as ids, and the `solution` where it is solved.
   *
   * `workers` is how many workers may be in hand where a position is solved. Positions with the same `family` are of one
   * game after the same supplies.
   */
  opinion(game, workers, family = null) {
    if (game.over) return { shares: resultOf(game), line: [], solution: null };
    if (this.isInReach(game, workers)) {
      const solution = this.solved(game, family);
      return { shares: moveOf(solution, solution.best).shares, line: [solution.best], solution };
    }
    const { action, line, moves } = game.guided(this.network, this.iterations, SEED);
    const { values } = moves.find((move) => move.action === action);
    return { shares: sharesOf(values, game.players), line: line.slice(0, this.settings.longestLine), solution: null };
  }

  /** An action of a solved position and what follows if every seat plays its best, as ids. */
  exactLine(game, first, family) {
    const twin = game.copy();
    const line = [first];
    twin.play(first);
    while (!twin.over && line.length < this.settings.longestLine) {
      line.push(this.solved(twin, family).best);
      twin.play(line.at(-1));
    }
    return line;
  }

  isInReach(game, most) {
    const { phase, pile, pile_next: next, pile_size: size, workers } = game.fields;
    const { cards, phases } = game.speicher.tables;
    const inHand = workers.slice(0, game.players).reduce((sum, count) => sum + count, 0);
    const certain = pile.slice(next, size).every((card) => cards[card].kind === "fire");
    return certain && !(phases[phase] === "demand" && inHand > most);
  }

  solved(game, family) {
    this.solver ??= new Solver(game.speicher);
    const card = game.field("card");
    const placing = ["demand", "purchase"].includes(game.phase);
    const follows = family !== null && this.root?.family === family && placing && card.every((one, column) => one < 0 || one === this.root.card[column]);
    if (!follows) this.root = { family, card };
    return this.solver.solve(game, follows);
  }
}

export const moveOf = (solution, action) => solution.moves.find((move) => move.action === action);

/** Shares of the win from outcomes -1..1, made to add up to 1. */
function sharesOf(outcomes, players) {
  const shares = outcomes.map((value) => Math.min(1, Math.max(LEAST_SHARE, ((players - 1) * value + 1) / players)));
  const total = shares.reduce((sum, share) => sum + share, 0);
  return shares.map((share) => share / total);
}

function resultOf(game) {
  const winners = game.winners();
  return Array.from({ length: game.players }, (_, seat) => (winners.includes(seat) ? 1 / winners.length : 0));
}
