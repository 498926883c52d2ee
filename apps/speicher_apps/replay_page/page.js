// The replay of a game: every position with the legal moves, what the player thought, and the points.
import { at, element, pictures, signed, stage, unpacked } from "./stage.js";

const game = await unpacked();
if (game !== null) show(game);

function show(game) {
  const nameOf = (seat) => game.seats[seat].name;
  const rows = [];

  function tell(step) {
    const now = game.steps[step];
    at("legal-title").textContent = now.legal.length ? `Legal moves: ${now.legal.length}` : "No legal moves: the game is over";
    weigh(now);
    now.points.forEach((points, seat) => { rows[seat].textContent = signed(points); });
  }

  function weigh(now) {
    const thought = now.think;
    const shares = thought?.probabilities || {};
    const weighed = Object.keys(shares).length > 0;
    const order = [...now.legal];
    if (weighed) order.sort((a, b) => (shares[b] || 0) - (shares[a] || 0));
    at("legal").classList.toggle("weighed", weighed);
    at("legal").replaceChildren(...order.map((action) => {
      const chosen = action === now.action;
      const item = element("li", undefined, chosen ? "chosen" : "");
      if (weighed) {
        const bar = element("span", "", "bar");
        bar.style.width = `${100 * (shares[action] || 0)}%`;
        item.append(bar);
      }
      item.append(element("span", game.texts[action] + (chosen ? " \u2190 chosen" : ""), "words"));
      if (weighed) item.append(element("span", `${(100 * (shares[action] || 0)).toFixed(1)} %`, "share"));
      return item;
    }));
    const told = weighed || thought?.values.length || thought?.line.length;
    at("thinker").textContent = thought ? (told ? `What ${thought.player} thought:` : `Decided by ${thought.player}.`) : "";
    at("line").textContent = thought?.line?.length ? `It expected: ${thought.line.join(", ")}` : "";
    at("values").replaceChildren();
    if (thought?.values?.length) {
      at("values").append(element("caption", "It expected, from \u22121 (lost) to 1 (won alone):"));
      thought.values.forEach((value, seat) => {
        const row = element("tr");
        const head = element("th", nameOf(seat));
        head.scope = "row";
        const cell = element("td");
        const meter = element("meter");
        Object.assign(meter, { min: -1, max: 1, value });
        meter.setAttribute("aria-hidden", "true");
        const rounded = Math.round(100 * value) / 100 + 0; // never minus nothing
        cell.append(meter, element("span", signed(rounded.toFixed(2))));
        row.append(head, cell);
        at("values").append(row);
      });
    }
  }

  for (let seat = 0; seat < game.players; seat += 1) {
    const row = element("tr");
    const head = element("th", nameOf(seat));
    head.scope = "row";
    const cell = element("td");
    row.append(head, cell);
    at("points").append(row);
    rows.push(cell);
  }
  at("names").textContent = game.names.length ? game.seats.map(({ name }) => name).join(" \u00b7 ") : "";
  stage(game, tell, pictures(game));
}
