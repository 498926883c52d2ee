// Plays games again in Node, and prints what came of each as a line of JSON, for Python to compare with the engine.
//
//   node play_again.mjs FOLDER GAMES
//
// FOLDER holds the built module. GAMES is a file of lines of JSON: {players, deck, seed, actions, detail}. With `detail`
// above 0, every scripted player chooses in each position, and a search looks at each `detail`-th one.

import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { pathToFileURL } from "node:url";

const [folder, games] = process.argv.slice(2);
const { load } = await import(pathToFileURL(`${folder}/speicher.js`));
const speicher = await load();

for (const line of readFileSync(games, "utf8").trim().split("\n")) {
  const { players, deck, seed, actions, detail } = JSON.parse(line);
  const game = speicher.deal({ players, deck, seed: BigInt(seed) });
  const states = createHash("sha256");
  const seen = createHash("sha256");
  const choices = [];
  for (let place = 0; ; place += 1) {
    states.update(game.bytes).update(game.concealed().bytes).update(game.redealt(5).bytes);
    seen.update(game.mask()).update(new Uint8Array(game.observation().buffer));
    if (place === actions.length) break;
    if (detail) {
      choices.push(Object.keys(speicher.tables.scripted).map((player) => game.choose(player, place)));
      if (place % detail === 0) choices.push(searched(game.search(100, place)));
    }
    game.play(actions[place]);
  }
  const { totals, ranks } = game.score();
  const last = [...game.bytes];
  console.log(JSON.stringify({ states: states.digest("hex"), seen: seen.digest("hex"), totals, ranks, last, choices }));
}

function searched({ action, line, moves }) {
  return [action, line, moves.map((move) => [move.action, move.visits, move.values])];
}
