(async () => {
  const game = await unpacked();
  if (game === null) return;
  const nameOf = (seat) => (game.names.length ? `Seat ${seat}, ${game.names[seat]}` : `Seat ${seat}`);
  const percent = (share) => `${(100 * share).toFixed(share && share < 0.01 ? 1 : 0)}\u00a0%`;
  const change = (share) => {
    const whole = Math.round(100 * share);
    return `${whole > 0 ? "+" : ""}${signed(whole + 0)}\u00a0%`;
  };
  const css = (share) => (Math.round(100 * share) > 0 ? "gain" : Math.round(100 * share) < 0 ? "loss" : "");
  const SIGNS = { inaccuracy: "?!", mistake: "?", blunder: "??" };

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
      at("said").textContent += ` ${SIGNS[judged.grade]}`;
      words.append(element("span", `${SIGNS[judged.grade]} ${judged.grade}`, `badge ${judged.grade}`));
      words.append(` It gives away ${(100 * judged.loss).toFixed(1)}\u00a0% of the win`);
    } else if (judged.loss >= 0.005) {
      words.append(`It gives away ${percent(judged.loss)} of the win`);
    } else if (judged.lead > 0) {
      words.append(`It gives away ${judged.lead} ${judged.lead === 1 ? "point" : "points"} of its lead`);
    } else {
      words.append("No better move was found");
    }
    words.append(judged.exact ? ": exact." : ".");
  }

  function sharesOf(now) {
    const [before, after] = now.judged ? [now.judged.before, now.judged.after] : [now.shares, null];
    at("shares").querySelector("tbody").replaceChildren(...before.map((share, seat) => {
      const row = element("tr");
      const head = element("th", nameOf(seat));
      head.scope = "row";
      row.append(head, element("td", percent(share)));
      if (after) row.append(element("td", percent(after[seat])), element("td", change(after[seat] - share), css(after[seat] - share)));
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
    if (line.length) document.querySelector(`#table [data-action="${game.texts[now.judged.better]}"]`)?.classList.add("better");
  }

  function revealOf(now) {
    at("reveal").hidden = !now.reveal;
    if (!now.reveal) return;
    at("reveal").querySelector("p").textContent = now.reveal.cards;
    at("reveal").querySelector("ul").replaceChildren(...now.reveal.luck.map((luck, seat) => {
      const item = element("li", `${nameOf(seat)}: `);
      item.append(element("span", change(luck), css(luck)), ` from ${percent(now.reveal.before[seat])}`);
      return item;
    }));
  }

  // Whose mistakes are listed.

  function filter() {
    const rows = [...document.querySelectorAll("[data-grade]")];
    if (!rows.length) return;
    const choices = ["all seats", ...Array.from({ length: game.players }, (_, seat) => `seat ${seat}`)];
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
  const go = stage(game, tell);
  for (const button of document.querySelectorAll(".goes")) {
    button.onclick = () => {
      go(Number(button.dataset.step));
      if (at("table").getBoundingClientRect().bottom < 0) document.querySelector(".over-time").scrollIntoView();
    };
  }
})();
