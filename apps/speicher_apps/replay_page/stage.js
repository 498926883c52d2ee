// What the pages of a game share: unpacking it, the table of one position, and stepping through the positions.

export const at = (id) => document.getElementById(id);

export const element = (tag, words, css) => {
  const made = document.createElement(tag);
  if (words !== undefined) made.textContent = words;
  if (css) made.className = css;
  return made;
};

export const signed = (value) => String(value).replace("-", "\u2212");

/** The game in the page, null in a browser that cannot unpack it. */
export async function unpacked() {
  if (typeof DecompressionStream === "undefined") {
    const said = element("p", "This browser is too old to unpack the game: it has no DecompressionStream.", "trouble");
    said.setAttribute("role", "alert");
    document.body.prepend(said);
    return null;
  }
  const packed = Uint8Array.from(atob(at("data").textContent.trim()), (letter) => letter.charCodeAt(0));
  const stream = new Blob([packed]).stream().pipeThrough(new DecompressionStream("gzip"));
  return JSON.parse(await new Response(stream).text());
}

const SVG = "http://www.w3.org/2000/svg";
const narrow = matchMedia("(max-width: 700px)");

/** A function that draws the table of a position from the game's pictures: only parts that changed are replaced. */
export function pictures(game) {
  let shown = { arrangement: null, parts: [] };
  return (step) => {
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
  };
}

/**
 * Show a game position by position. `drawTable(step)` draws the table of one, `tell(step)` shows what a page says of it;
 * what is returned goes to another.
 */
export function stage(game, tell, drawTable) {
  const last = game.steps.length - 1;
  const charts = document.querySelectorAll(".chart");
  let step = 0;
  let timer = 0;

  function draw() {
    drawTable(step);
    for (const marked of at("table").querySelectorAll(".next")) marked.classList.remove("next");
    const action = game.steps[step].action;
    if (action !== undefined) at("table").querySelector(`[data-action="${game.texts[action]}"]`)?.classList.add("next");
  }

  // The words and controls of every page.

  function show() {
    const now = game.steps[step];
    at("count").textContent = `${step} of ${last}`;
    at("slider").value = step;
    at("slider").setAttribute("aria-valuetext", `move ${step} of ${last}, ${now.standing}`);
    at("to-round").value = String(now.round);
    at("first").disabled = at("back").disabled = step === 0;
    at("next").disabled = at("end").disabled = step === last;
    for (const chart of charts) {
      const [left, right] = [Number(chart.dataset.left), Number(chart.dataset.right)];
      const x = left + ((right - left) * step) / Math.max(1, last);
      chart.querySelector(".cursor").setAttribute("transform", `translate(${x} 0)`);
    }
    at("news").replaceChildren(...(now.news || []).map((words) => element("li", words)));
    at("move").textContent = at("said").textContent = now.move || now.alt;
    tell(step);
  }

  // Moving about.

  function go(to, byHand = true) {
    const wanted = Math.max(0, Math.min(last, to));
    if (byHand) pause();
    step = wanted;
    draw();
    show();
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
  at("to-round").onchange = (event) => go(roundStart(Number(event.target.value)));
  at("speed").onchange = () => { if (timer) { pause(); play(); } };
  narrow.addEventListener("change", () => {
    draw();
    show();
  });

  const fromChart = (event) => {
    const chart = event.currentTarget;
    const box = chart.getBoundingClientRect();
    const [left, right] = [Number(chart.dataset.left), Number(chart.dataset.right)];
    const x = ((event.clientX - box.left) / box.width) * chart.viewBox.baseVal.width;
    go(Math.round(((x - left) / (right - left)) * last));
  };
  for (const chart of charts) {
    chart.addEventListener("pointerdown", fromChart);
    chart.addEventListener("pointermove", (event) => { if (event.buttons) fromChart(event); });
  }

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

  at("slider").max = last;
  for (const round of new Set(game.steps.map((one) => one.round))) {
    const option = element("option", String(round));
    option.value = String(round);
    at("to-round").append(option);
  }
  const asked = Number.parseInt(location.hash.slice(1), 10);
  go(Number.isNaN(asked) ? 0 : asked);
  return go;
}
