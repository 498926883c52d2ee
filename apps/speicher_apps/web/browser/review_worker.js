// Reviews a game, away from the page and from the games that are played meanwhile. The page sends {kept, settings} and
// gets {done, total} after each position, and at last {result} or {error}. To stop it the page ends the worker.
import { gameOf, networkOf, Refusal, sentenceOf, suited, withStates } from "./engine.js";
import { Judge } from "./judge.js";
import { reviewGame } from "./review_game.js";

onmessage = async ({ data: { kept, settings } }) => {
  try {
    const players = kept.seats.length;
    const name = await suited(players);
    if (!name) throw new Refusal(400, `No network of this page judges games of ${players} players.`);
    const { game: start } = await gameOf({ ...kept, actions: [] });
    const judge = new Judge(await networkOf(name), settings.iterations, settings);
    const review = reviewGame({ start, actions: kept.actions, names: kept.seats }, judge, settings, (done, total) => postMessage({ done, total }));
    const lines = {};
    for (const { move, line } of review.decisions) {
      if (line.length) lines[move] = withStates((await gameOf({ ...kept, actions: kept.actions.slice(0, move - 1) })).game, line);
    }
    postMessage({ result: { review, lines } });
  } catch (error) {
    postMessage({ error: sentenceOf(error) });
  }
};
