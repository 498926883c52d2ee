"use strict";
(async () => {
  const at = (id) => document.getElementById(id);
  const SVG = "http://www.w3.org/2000/svg";

  const trouble = (words) => {
    const said = document.createElement("p");
    said.className = "trouble";
    said.setAttribute("role", "alert");
    said.textContent = words;
    document.body.prepend(said);
  };

  if (typeof DecompressionStream === "undefined") {
    trouble("This browser is too old to unpack the game: it has no DecompressionStream.");
    return;
  }
  const packed = Uint8Array.from(atob(at("data").textContent.trim()), (letter) => letter.charCodeAt(0));
  const unpacked = new Blob([packed]).stream().pipeThrough(new DecompressionStream("gzip"));
  const game = JSON.parse(await new Response(unpacked).text());
  const last = game.steps.length - 1;
  const narrow = matchMedia("(max-width: 700px)");
  const nameOf = (seat) => (game.names.length ? `Seat ${seat}, ${game.names[seat]}` : `Seat ${seat}`);
  const rows = [];
  let step = 0;
  let timer = 0;
  let shown = { arrangement: null, parts: [] };

  const element = (tag, words, css) => {
    const made = document.createElement(tag);
    if (words !== undefined) made.textContent = words;
    if (css) made.className = css;
    return made;
  };
  const signed = (value) => String(value).replace("-", "\u2212");

  // The table: only parts that differ from those shown are put in anew.

  function draw() {
    const kind = narrow.matches ? "narrow" : "wide";
    const [places, parts] = game.steps[step].picture[kind];
    const arrangement = `${kind} ${places}`;
    let svg = at("table").firstElementChild;
    if (shown.arrangement !== arrangement) {
      const [width, height] = game.sizes[kind];
      svg = document.createElementNS(SVG, "svg");
      svg.setAttribute("class", "speicher");
      svg.setAttribute("role", "img");
      svg.setAttribute("viewBox", `0 0 ${width} ${height}`);
      for (const [x, y] of game.arrangements[places]) {
        const group = document.createElementNS(SVG, "g");
        group.setAttribute("transform", `translate(${x} ${y})`);
        svg.append(group);
      }
      at("table").replaceChildren(svg);
      shown = { arrangement, parts: [] };
    }
    parts.forEach((part, index) => {
      if (shown.parts[index] !== part) svg.children[index].innerHTML = game.parts[part];
    });
    shown.parts = parts;
    svg.setAttribute("aria-label", game.steps[step].alt);
    for (const marked of svg.querySelectorAll(".next")) marked.classList.remove("next");
    const action = game.steps[step].action;
    if (action !== undefined) {
      svg.querySelector(`[data-action="${game.texts[action]}"]`)?.classList.add("next");
    }
  }

  // The words beside it.

  function tell() {
    const now = game.steps[step];
    at("news").replaceChildren(...(now.news || []).map((words) => element("li", words)));
    at("move").textContent = at("said").textContent = now.move || now.alt;
    at("legal-title").textContent = now.legal.length ? `Legal moves: ${now.legal.length}` : "No legal moves: the game is over";
    weigh(now);
    at("count").textContent = `${step} of ${last}`;
    at("slider").value = step;
    at("slider").setAttribute("aria-valuetext", `move ${step} of ${last}, ${now.standing}`);
    at("round").value = String(now.round);
    at("first").disabled = at("back").disabled = step === 0;
    at("next").disabled = at("end").disabled = step === last;
    now.points.forEach((points, seat) => { rows[seat].textContent = signed(points); });
    const chart = document.querySelector(".chart");
    const [left, right] = [Number(chart.dataset.left), Number(chart.dataset.right)];
    const x = left + ((right - left) * step) / Math.max(1, last);
    chart.querySelector(".cursor").setAttribute("transform", `translate(${x} 0)`);
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

  // Moving about.

  function go(to, byHand = true) {
    const wanted = Math.max(0, Math.min(last, to));
    if (byHand) pause();
    step = wanted;
    draw();
    tell();
    history.replaceState(null, "", `#${step}`);
    if (step === last) pause();
  }

  function pause() {
    clearInterval(timer);
    timer = 0;
    at("play").setAttribute("aria-pressed", "false");
    at("play").setAttribute("aria-label", "Play");
    at("live").setAttribute("aria-live", "polite");
  }

  function play() {
    if (timer) return pause();
    if (step === last) step = -1;
    at("live").setAttribute("aria-live", "off"); // at this speed it would never fall silent
    at("play").setAttribute("aria-pressed", "true");
    at("play").setAttribute("aria-label", "Pause");
    timer = setInterval(() => go(step + 1, false), Number(at("speed").value));
    go(step + 1, false);
  }

  const roundStart = (round) => game.steps.findIndex((one) => one.round === round);

  function byRound(direction) {
    const begins = roundStart(game.steps[step].round);
    if (direction > 0) {
      const next = game.steps.findIndex((one, index) => index > step && one.round !== game.steps[step].round);
      return go(next < 0 ? last : next);
    }
    return go(begins < step ? begins : Math.max(0, roundStart(game.steps[Math.max(0, begins - 1)].round)));
  }

  at("first").onclick = () => go(0);
  at("back").onclick = () => go(step - 1);
  at("next").onclick = () => go(step + 1);
  at("end").onclick = () => go(last);
  at("play").onclick = play;
  at("slider").oninput = (event) => go(Number(event.target.value));
  at("round").onchange = (event) => go(roundStart(Number(event.target.value)));
  at("speed").onchange = () => { if (timer) { pause(); play(); } };
  narrow.addEventListener("change", draw);

  const chart = document.querySelector(".chart");
  const fromChart = (event) => {
    const box = chart.getBoundingClientRect();
    const [left, right] = [Number(chart.dataset.left), Number(chart.dataset.right)];
    const x = ((event.clientX - box.left) / box.width) * chart.viewBox.baseVal.width;
    go(Math.round(((x - left) / (right - left)) * last));
  };
  chart.addEventListener("pointerdown", fromChart);
  chart.addEventListener("pointermove", (event) => { if (event.buttons) fromChart(event); });

  const keys = {
    ArrowLeft: () => go(step - 1),
    ArrowRight: () => go(step + 1),
    PageUp: () => byRound(-1),
    PageDown: () => byRound(1),
    Home: () => go(0),
    End: () => go(last),
    " ": play,
  };
  document.addEventListener("keydown", (event) => {
    const inSelect = event.target.tagName === "SELECT";
    const pressesButton = event.key === " " && ["BUTTON", "SUMMARY"].includes(event.target.tagName);
    const wanted = keys[event.key];
    if (!wanted || inSelect || pressesButton || event.altKey || event.ctrlKey || event.metaKey) return;
    event.preventDefault();
    wanted();
  });

  // Once: the rounds to choose from, the table of points, the names.

  for (const round of new Set(game.steps.map((one) => one.round))) {
    const option = element("option", String(round));
    option.value = String(round);
    at("round").append(option);
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
  at("names").textContent = game.names.map((name, seat) => `seat ${seat}: ${name}`).join(" \u00b7 ");
  const asked = Number.parseInt(location.hash.slice(1), 10);
  go(Number.isNaN(asked) ? 0 : asked);
})();
