// Draws timelines, and lets the reader zoom and move with mouse, keys or buttons.
"use strict";

const KEYS = {
  "+": "in", "=": "in", "-": "out", ArrowLeft: "left", ArrowRight: "right", Home: "all",
};

// Of an event that begins when another one does, only the difference is stored.
function decode({ events, unit }) {
  let start = 0;
  return events.map(([after, duration, lane, name, step]) => {
    start += after;
    return { start: start * unit, end: (start + duration) * unit, lane, name, step };
  });
}

// Events that are shorter than a pixel share it, and the longest of them is shown.
function visible(events, from, to, width) {
  const pixel = (to - from) / width;
  const last = new Map();
  const shown = [];
  for (const event of events) {
    if (event.end < from || event.start > to) continue;
    const length = event.end - event.start;
    const place = Math.floor((event.start - from) / pixel);
    const before = last.get(event.lane);
    if (length < pixel && before?.place === place) {
      const { name, step } = event;
      if (length > before.length) Object.assign(before, { name, step, length });
      continue;
    }
    const end = Math.max(event.end, event.start + pixel);
    const one = { ...event, end, length, place };
    last.set(event.lane, one);
    shown.push(one);
  }
  return shown;
}

function inWords(seconds) {
  const units = [[1, "s"], [1e-3, "ms"], [1e-6, "µs"]];
  const [unit, name] = units.find(([least]) => seconds >= least) ?? (seconds ? units[2] : units[0]);
  return `${Number((seconds / unit).toPrecision(4))} ${name}`;
}

async function drawTimeline(figure) {
  const data = dataOf(figure);
  const events = decode(data);
  const chart = figure.querySelector(".chart");
  let [from, to] = [0, data.end];
  let view = null;

  function rowOf({ start, end, length, lane, name, step }) {
    const [left, right] = [Math.max(start, from), Math.min(end, to)];
    const room = ((right - left) / (to - from)) * view.width();
    const what = data.names[name];
    const [episode, number] = data.steps[step];
    return {
      start, end, lane: data.lanes[lane], phase: data.phases[name], what,
      label: room > 7 * what.length + 8 ? what : "", middle: (left + right) / 2,
      length: inWords(length),
      when: number === null ? "outside steps" : `episode ${episode}, step ${number}`,
      isInStep: number !== null,
    };
  }
  function place(rows) {
    const steps = rows.filter(({ isInStep }) => isInStep).map(({ when }) => when);
    const ends = steps.length ? new Set([steps.at(0), steps.at(-1)]) : ["outside steps"];
    return `${inWords(to - from)} from ${inWords(from)} on; ${[...ends].join(" to ")}`;
  }
  let isAsked = false;
  function show() {
    if (isAsked) return;
    isAsked = true;
    requestAnimationFrame(async () => {
      isAsked = false;
      const rows = visible(events, from, to, view.width()).map(rowOf);
      await view.data("events", rows).signal("from", from).signal("to", to).runAsync();
      figure.querySelector("output").textContent = place(rows);
    });
  }
  function move(start, span) {
    const length = Math.min(Math.max(span, 10 * data.unit), data.end);
    from = Math.min(Math.max(start, 0), data.end - length);
    to = from + length;
    show();
  }
  function zoom(factor, at = (from + to) / 2) {
    move(at - (at - from) * factor, (to - from) * factor);
  }
  const pan = (share) => move(from + share * (to - from), to - from);
  const actions = {
    in: () => zoom(0.5), out: () => zoom(2),
    left: () => pan(-0.25), right: () => pan(0.25), all: () => move(0, data.end),
  };
  function timeAt(event) {
    const x = event.clientX - chart.getBoundingClientRect().left - view.origin()[0];
    return from + (x / view.width()) * (to - from);
  }

  for (const button of figure.querySelectorAll("button")) {
    button.addEventListener("click", actions[button.dataset.do]);
  }
  chart.addEventListener("keydown", (event) => {
    if (!(event.key in KEYS) || event.ctrlKey || event.metaKey || event.altKey) return;
    event.preventDefault();
    actions[KEYS[event.key]]();
  });
  chart.addEventListener("wheel", (event) => {
    if (document.activeElement !== chart) return; // the reader scrolls the page
    event.preventDefault();
    zoom(2 ** Math.max(-1, Math.min(1, event.deltaY / 200)), timeAt(event));
  }, { passive: false });
  let held = null;
  chart.addEventListener("pointerdown", (event) => {
    held = timeAt(event);
    chart.focus({ preventScroll: true });
  });
  chart.addEventListener("pointermove", (event) => {
    if (held === null) return;
    chart.setPointerCapture(event.pointerId); // also if it leaves the chart
    move(from + held - timeAt(event), to - from);
  });
  for (const end of ["pointerup", "pointercancel"]) {
    chart.addEventListener(end, () => { held = null; });
  }

  async function embed() {
    view?.finalize();
    view = await draw(chart, data.spec, "canvas"); // thousands of bars: too many for SVG
    view.addEventListener("dblclick", (_, item) => {
      if (item?.datum?.what) move(item.datum.start, item.datum.end - item.datum.start);
    });
    view.addResizeListener(show);
    show();
  }
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", embed);
  await embed();
}

document.querySelectorAll(".timeline").forEach(drawTimeline);
