// A first game that explains itself: each lesson comes when it is needed, at most one for a decision.
import { byId, kept } from "./dom.js";
import { source } from "./source.js";
import { tables } from "./tables.js";
import { HUMAN } from "./words.js";

const SEED = "4"; // a game in which the first rounds bring ships, contracts and a merchant
const YOU = 0;

const cards = (position) => position.cubesIn(position.owner.map((owner) => Number(owner === YOU)));
const happened = (view, verb) => view.log.some(({ seat, action }) => seat === YOU && action.startsWith(verb));

/** Lessons in the order in which they are preferred: when each fits, and what it says. */
const LESSONS = [
  {
    fits: ({ phaseName }) => phaseName === "demand",
    words: "Cards lie at the foot of each column. Everybody queues for them with three workers. Touch a column to put your first worker there. A ship brings goods, and a contract pays points for goods.",
  },
  {
    fits: (position) => position.phaseName === "demand" && position.workers[YOU] === 2,
    words: "The number beside a worker is what it would pay. The lowest is asked first and pays for all above it too. If it passes, it leaves, and the next one pays 1 less. So a late worker makes a card dear for those below.",
  },
  {
    fits: (position) => position.phaseName === "demand" && position.workers[YOU] === 1,
    words: "Your last worker of this round. Coins are scarce: you get only 1 or 2 a round. Better one card that you can pay than three that you cannot.",
  },
  {
    fits: ({ phaseName }) => phaseName === "purchase",
    words: "Cards are sold from left to right. Touch the card to buy it, or your worker to pass. Who buys no card in a round gets 1 coin more at its end.",
  },
  {
    fits: (position) => position.phaseName === "loading" && position.legalActions.some(({ verb }) => verb === "deliver"),
    words: "Your ship is unloaded. Touch an open place of a contract to deliver there. A contract pays once all its goods are there: 5, 8 or 11 points for 2, 3 or 4 goods.",
  },
  {
    fits: (position) => position.phaseName === "loading",
    words: "Your ship is unloaded. Sell cubes to a merchant of yours, change them at the market hall (2 for a coin, 3 for another good), or keep one for later: touch a cube to see what it can do.",
  },
  {
    fits: (position) => position.fire_points.some((points) => points !== 0),
    words: "A fire! Who has the highest sum of firemen gains its points, who has the lowest loses as many. Four fires come in a game, each worth more: the flames above show when.",
  },
  {
    fits: (position) => position.phaseName === "demand" && position.round === 2,
    words: "A new round: everybody got 1 coin, and whoever bought nothing 1 more. The flag shows who begins. The pile above says what is still to come in each season.",
  },
  {
    fits: (position, view) => cards(position) >= 2 && happened(view, "buy") && position.phaseName === "demand",
    words: "Points also come from counting offices (2, 5, 9, 14 for 1 to 4), merchants, and autumn's buildings. Touch a card, or point at it, to read what it does.",
  },
  {
    fits: (position) => position.round >= 4,
    words: "That is the whole game. The last fire ends it; most points win, then most coins. A hint (key h) shows what a player would do. Good luck!",
  },
];

let seen = new Set(); // lessons that were shown in this game
let taught = null; // the game that explains itself

export function layOutTutorial() {
  taught = kept.get("tutorial");
  byId("lesson-stop").addEventListener("click", stop);
}

function stop() {
  taught = null;
  kept.set("tutorial", "");
  byId("lesson").hidden = true;
}

/** Deal the first game against the easiest player; `show` is given its view. */
export async function beginTutorial(show) {
  const view = await source.deal({ seats: [HUMAN, tables.levels[0].spec], deck: "standard", seed: SEED });
  seen = new Set();
  taught = view.id;
  kept.set("tutorial", taught);
  show(view);
}

/** Show the lesson for a decision, if there is one that was not shown yet. */
export function teach(view, position) {
  if (view.id !== taught || view.over) {
    byId("lesson").hidden = true;
    return;
  }
  if (!view.yours) return;
  const lesson = LESSONS.find((one) => !seen.has(one) && one.fits(position, view));
  byId("lesson").hidden = !lesson;
  if (!lesson) return;
  seen.add(lesson);
  byId("lesson-words").textContent = lesson.words;
  byId("lesson-count").textContent = `Lesson ${seen.size} of ${LESSONS.length}`;
}
