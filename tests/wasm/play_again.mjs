// Plays games again in Node, and prints what came of each as a line of JSON, for Python to compare with the engine.
//
//   node play_again.mjs FOLDER GAMES
//
// FOLDER holds the built module. GAMES is a file of lines of JSON: {players, deck, seed, actions, detail}. With `detail`
// above 0, every scripted player chooses in each position, and searches look at each `detail`-th one: one without a
// network, and one with each of the networks for that many players, which are in `networks.json` beside GAMES.

import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { pathToFileURL } from "node:url";

const [folder, games] = process.argv.slice(2);
const { load, Solver } = await import(pathToFileURL(`${folder}/speicher.js`));
const speicher = await load();
const solver = new Solver(speicher);
const SOLVED = { 2: 4, 3: 2, 4: 0, 5: 0 }; // see wasm_check.py
const beside = dirname(games);
const networks = Object.entries(JSON.parse(readFileSync(join(beside, "networks.json")))).map(([players, described]) => [
  players,
  described.map((one) => speicher.network(one, readFileSync(join(beside, one.weights)))),
]);
const networksFor = new Map(networks);

for (const line of readFileSync(games, "utf8").trim().split("\n")) {
  const { players, deck, seed, actions, detail } = JSON.parse(line);
  const game = speicher.deal({ players, deck, seed: BigInt(seed) });
  const states = createHash("sha256");
  const seen = createHash("sha256");
  const choices = [];
  for (let place = 0; ; place += 1) {
    states.update(game.bytes).update(game.concealed().bytes).update(game.redealt(5).bytes).update(game.supplied(5).bytes);
    seen.update(game.mask()).update(new Uint8Array(game.observation().buffer));
    if (place === actions.length) break;
    if (detail) {
      choices.push(Object.keys(speicher.tables.scripted).map((player) => game.choose(player, place)));
      if (place % detail === 0) {
        choices.push(searched(game.search(100, place)));
        for (const network of networksFor.get(String(players))) choices.push(judged(game, network, place));
      }
      if (isInReach(game)) choices.push(solved(game));
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

function judged(game, network, seed) {
  const { chances, values } = game.evaluate(network);
  const said = [...chances.map(({ probability }) => probability), ...values];
  const { action, moves } = game.guided(network, 30, seed);
  return [said.map((number) => Math.round(100 * number)), action, moves.map(({ visits }) => visits)];
}

function isInReach(game) {
  const { pile, pile_next: next, pile_size: size, workers } = game.fields;
  const certain = pile.slice(next, size).every((card) => speicher.tables.cards[card].kind === "fire");
  const inHand = workers.slice(0, game.players).reduce((sum, count) => sum + count, 0);
  return certain && !(game.phase === "demand" && inHand > SOLVED[game.players]);
}

function solved(game) {
  const { best, moves } = solver.solve(game);
  return [speicher.tables.actions[best].text, moves.map(({ shares, leads }) => [shares, leads])];
}
