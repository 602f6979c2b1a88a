// Draws the charts, and lets the reader choose, sort and zoom.
"use strict";
const look = JSON.parse(document.getElementById("look").textContent);
const dataOf = (figure) => JSON.parse(figure.querySelector("script").textContent);

// A column is its distinct values, and for each row which of them.
function unpack(data) {
  if (!data.columns) return data;
  const columns = Object.entries(data.columns);
  const values = columns[0][1].at.map((_, i) => Object.fromEntries(columns.map(([name, { of, at }]) => [name, of[at[i]]])));
  return { values };
}

function draw(element, spec) {
  for (const part of [spec, ...(spec.layer ?? [])]) if (part.data) part.data = unpack(part.data);
  const sized = { width: "container", autosize: { contains: "padding" } };
  const config = { ...look, legend: { ...look.legend, columns: Math.max(1, Math.floor(element.clientWidth / 190)) } };
  // The interpreter of expressions needs no eval, which the page's policy forbids.
  const options = { actions: false, ast: true, config, logLevel: 1, renderer: "svg", tooltip: { theme: "custom" } };
  return vegaEmbed(element, { ...sized, ...spec }, options).then((done) => done.view);
}

for (const section of document.querySelectorAll("section")) {
  const views = [];
  for (const figure of section.querySelectorAll("figure:not(.timeline)")) {
    views.push(draw(figure.querySelector(".chart"), dataOf(figure)));
  }
  for (const select of section.querySelectorAll("select")) {
    select.addEventListener("change", async () => {
      const value = JSON.parse(select.selectedOptions[0].dataset.value);
      for (const view of await Promise.all(views)) {
        if (select.dataset.signal in view.getState().signals) {
          await view.signal(select.dataset.signal, value).runAsync();
        }
      }
    });
  }
}

for (const header of document.querySelectorAll("th")) {
  const table = header.closest("table");
  const body = table.tBodies[0];
  const column = header.cellIndex;
  const cells = [...body.rows].map((row) => row.cells[column]);
  header.classList.toggle("number", cells.some((cell) => cell.className === "number"));
  header.firstChild.addEventListener("click", () => {
    const way = header.ariaSort === "descending" ? 1 : -1;
    for (const other of table.querySelectorAll("th")) other.ariaSort = null;
    header.ariaSort = way > 0 ? "ascending" : "descending";
    const key = (row) => row.cells[column].dataset.value;
    const compare = (a, b) => {
      if (key(a) === undefined && key(b) === undefined) {
        return a.cells[column].textContent.localeCompare(b.cells[column].textContent, undefined, { numeric: true });
      }
      return (key(a) ?? -Infinity) - (key(b) ?? -Infinity);
    };
    body.append(...[...body.rows].sort((a, b) => way * compare(a, b)));
  });
}

// An event is [start, duration, lane, name, step]; times are in `unit` seconds, and the
// start counts from the start of the event before it.
function decode({ events, unit }) {
  let start = 0;
  return events.map(([after, duration, lane, name, step]) => {
    start += after;
    return { start: start * unit, end: (start + duration) * unit, lane, name, step };
  });
}

// What a lane shows in a pixel is the longest of the events that are shorter than it.
function visible(events, from, to, width) {
  const pixel = (to - from) / width;
  const last = new Map();
  const shown = [];
  for (const event of events) {
    if (event.end < from || event.start > to) continue;
    const length = event.end - event.start;
    const place = Math.floor((event.start - from) / pixel);
    const before = last.get(event.lane);
    if (length < pixel && before && before.place === place) {
      if (length > before.length) Object.assign(before, { name: event.name, step: event.step, length });
      continue;
    }
    const one = { ...event, end: Math.max(event.end, event.start + pixel), length, place };
    last.set(event.lane, one);
    shown.push(one);
  }
  return shown;
}

function seconds(value) {
  const [unit, name] = value >= 1 ? [1, "s"] : value >= 1e-3 ? [1e-3, "ms"] : [1e-6, "µs"];
  return `${Number((value / unit).toPrecision(4))} ${name}`;
}

async function timeline(figure) {
  const data = dataOf(figure);
  const events = decode(data);
  const chart = figure.querySelector(".chart");
  const view = await draw(chart, data.spec);
  const whole = data.end;
  let [from, to] = [0, whole];

  function rows() {
    const width = view.width();
    return visible(events, from, to, width).map((event) => {
      const name = data.names[event.name];
      const [episode, step] = data.steps[event.step];
      const room = ((Math.min(event.end, to) - Math.max(event.start, from)) / (to - from)) * width;
      return {
        lane: data.lanes[event.lane], start: event.start, end: event.end, phase: data.phases[event.name],
        label: room > 7 * name.length + 8 ? name : "", middle: (Math.max(event.start, from) + Math.min(event.end, to)) / 2,
        what: name, length: seconds(event.length), episode, step,
      };
    });
  }
  let asked = false;
  function show() {
    if (asked) return;
    asked = true;
    requestAnimationFrame(async () => {
      asked = false;
      await view.data("events", rows()).signal("from", from).signal("to", to).runAsync();
      figure.querySelector("output").textContent = `${seconds(to - from)} from ${seconds(from)}`;
    });
  }
  function move(start, span) {
    const length = Math.min(Math.max(span, 10 * data.unit), whole);
    from = Math.min(Math.max(start, 0), whole - length);
    to = from + length;
    show();
  }
  const zoom = (factor, at = (from + to) / 2) => move(at - (at - from) * factor, (to - from) * factor);
  const pan = (share) => move(from + share * (to - from), to - from);
  const actions = {
    in: () => zoom(0.5), out: () => zoom(2), left: () => pan(-0.25), right: () => pan(0.25), all: () => move(0, whole),
  };
  const keys = { "+": "in", "=": "in", "-": "out", ArrowLeft: "left", ArrowRight: "right", Home: "all" };

  for (const button of figure.querySelectorAll("button")) {
    button.addEventListener("click", actions[button.dataset.do]);
  }
  chart.addEventListener("keydown", (event) => {
    if (!(event.key in keys) || event.ctrlKey || event.metaKey || event.altKey) return;
    event.preventDefault();
    actions[keys[event.key]]();
  });
  const timeAt = (event) => {
    const x = event.clientX - chart.getBoundingClientRect().left - view.origin()[0];
    return from + (x / view.width()) * (to - from);
  };
  chart.addEventListener("wheel", (event) => {
    if (document.activeElement !== chart) return;  // the reader scrolls the page
    event.preventDefault();
    zoom(2 ** Math.max(-1, Math.min(1, event.deltaY / 200)), timeAt(event));
  }, { passive: false });
  let held = null;
  chart.addEventListener("pointerdown", (event) => {
    held = timeAt(event);
    chart.setPointerCapture(event.pointerId);
    chart.focus({ preventScroll: true });
  });
  chart.addEventListener("pointermove", (event) => {
    if (held !== null) move(from + held - timeAt(event), to - from);
  });
  for (const end of ["pointerup", "pointercancel"]) chart.addEventListener(end, () => { held = null; });
  view.addResizeListener(show);
  show();
}
document.querySelectorAll(".timeline").forEach(timeline);
