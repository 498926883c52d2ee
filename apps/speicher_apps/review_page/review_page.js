// The review of a game: its lists and its graph, and every position with the judgement of the move.
import { drawGraph } from "./graph.js";
import { listsOf } from "./lists.js";
import { changeOf, directionOf, lossOf, shareOf } from "./percent.js";
import { at, element, stage } from "./stage.js";

/**
 * Show a reviewed game, laid out as in `body.html`.
 *
 * `game` has the `review`, the `seats` with their names, the words of every step, and `result`, `tokens` and `settings`;
 * `draw(step)` draws the table of a position.
 */
export function showReview(game, draw) {
  const nameOf = (seat) => game.seats[seat].name;
  at("heading").textContent = game.heading;
  for (const [place, html] of Object.entries(listsOf(game))) {
    for (const holder of document.querySelectorAll(`[data-list="${place}"]`)) holder.innerHTML = html; // its words are escaped
  }
  at("graph").innerHTML = drawGraph(game.review, game.steps.map(({ round }) => round), game.tokens);

  // What is said of the move, and of the cards before it.

  function tell(step) {
    const now = game.steps[step];
    at("move-title").textContent = now.judged ? `Move ${step + 1}` : "After the last move";
    verdictOf(now);
    sharesOf(now);
    betterThan(now);
    revealOf(now);
    for (const button of document.querySelectorAll(".goes")) {
      button.setAttribute("aria-current", String(Number(button.dataset.step) === step));
    }
  }

  function verdictOf(now) {
    const judged = now.judged;
    const words = at("judged");
    words.replaceChildren();
    if (!judged) return;
    if (judged.grade) {
      at("said").textContent += ` ${game.settings.signs[judged.grade]}`;
      words.append(element("span", `${game.settings.signs[judged.grade]} ${judged.grade}`, `badge ${judged.grade}`));
      words.append(` It gives away ${lossOf(judged.loss).slice(1)} of the win`);
    } else if (judged.loss >= 0.005) {
      words.append(`It gives away ${shareOf(judged.loss)} of the win`);
    } else if (judged.lead > 0) {
      words.append(`It gives away ${judged.lead} ${judged.lead === 1 ? "point" : "points"} of its lead`);
    } else {
      words.append(judged.line ? "It gives away next to nothing" : "No better move was found");
    }
    words.append(judged.exact ? ": exact." : ".");
  }

  function sharesOf(now) {
    const [before, after] = now.judged ? [now.judged.before, now.judged.after] : [now.shares, null];
    at("shares").querySelector("tbody").replaceChildren(...before.map((share, seat) => {
      const row = element("tr");
      const head = element("th", nameOf(seat));
      head.scope = "row";
      row.append(head, element("td", shareOf(share)));
      if (after) row.append(element("td", shareOf(after[seat])), element("td", changeOf(after[seat] - share), directionOf(after[seat] - share)));
      return row;
    }));
    at("when").textContent = after ? "before" : "now";
    at("shares").classList.toggle("ended", !after);
  }

  function betterThan(now) {
    const line = now.judged?.line || [];
    at("better").hidden = !line.length;
    at("better").querySelector("ol").replaceChildren(...line.map((words) => element("li", words)));
    for (const marked of document.querySelectorAll("#table .better")) marked.classList.remove("better");
    if (line.length) document.querySelector(`#table [data-action="${now.judged.better}"]`)?.classList.add("better");
  }

  function revealOf(now) {
    at("reveal").hidden = !now.reveal;
    if (!now.reveal) return;
    at("reveal").querySelector("p").textContent = now.reveal.cards;
    at("reveal").querySelector("ul").replaceChildren(...now.reveal.luck.map((luck, seat) => {
      const item = element("li", `${nameOf(seat)}: `);
      item.append(element("span", changeOf(luck), directionOf(luck)), ` from ${shareOf(now.reveal.before[seat])}`);
      return item;
    }));
  }

  // Whose mistakes are listed.

  function filter() {
    const rows = [...document.querySelectorAll("[data-grade]")];
    if (!rows.length) return;
    const choices = ["all", ...game.seats.map(({ short }) => short)];
    at("filter").replaceChildren(...choices.map((name, index) => {
      const button = element("button", name);
      button.type = "button";
      button.setAttribute("aria-pressed", String(index === 0));
      button.onclick = () => {
        for (const other of at("filter").children) other.setAttribute("aria-pressed", String(other === button));
        for (const row of rows) row.hidden = index > 0 && Number(row.dataset.seat) !== index - 1;
      };
      return button;
    }));
  }

  filter();
  const go = stage(game, tell, draw);
  for (const button of document.querySelectorAll(".goes")) {
    button.onclick = () => {
      go(Number(button.dataset.step));
      if (at("table").getBoundingClientRect().bottom < 0) document.querySelector(".over-time").scrollIntoView();
    };
  }
}
