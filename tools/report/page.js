// Draws the charts, and lets the reader choose what they show and sort tables.
"use strict";

const look = JSON.parse(document.getElementById("look").textContent);
const dataOf = (figure) => JSON.parse(figure.querySelector("script").textContent);

// A column is its distinct values, and for each row which of them it has.
function unpack({ columns }) {
  const named = Object.entries(columns);
  const row = (i) => Object.fromEntries(named.map(([name, { of, at }]) => [name, of[at[i]]]));
  return { values: named[0][1].at.map((_, i) => row(i)) };
}

// SVG takes the colours of the page, whatever they are. A canvas needs their values.
function colored(config) {
  const page = getComputedStyle(document.documentElement);
  const text = JSON.stringify(config);
  return JSON.parse(text.replace(/var\((--\w+)\)/g, (_, name) => page.getPropertyValue(name)));
}

async function draw(element, spec, renderer = "svg") {
  for (const part of [spec, ...(spec.layer ?? [])]) {
    if (part.data?.columns) part.data = unpack(part.data);
  }
  const columns = Math.max(1, Math.floor(element.clientWidth / 190));
  const config = { ...look, legend: { ...look.legend, columns } };
  const { view } = await vegaEmbed(element, { width: "container", ...spec }, {
    actions: false,
    ast: true, // interprets expressions: the policy of the page forbids to compile them
    config: renderer === "svg" ? config : colored(config),
    logLevel: 1,
    renderer,
  });
  return view;
}

function drawSection(section) {
  const figures = [...section.querySelectorAll("figure:not(.timeline)")];
  const views = figures.map((one) => draw(one.querySelector(".chart"), dataOf(one)));
  for (const select of section.querySelectorAll("select")) {
    const signal = select.dataset.signal;
    select.addEventListener("change", async () => {
      const value = JSON.parse(select.selectedOptions[0].dataset.value);
      for (const view of await Promise.all(views)) {
        if (signal in view.getState().signals) await view.signal(signal, value).runAsync();
      }
    });
  }
}

function makeSortable(header) {
  const table = header.closest("table");
  const body = table.tBodies[0];
  const cellOf = (row) => row.cells[header.cellIndex];
  const isNumber = (row) => "value" in cellOf(row).dataset;
  const number = (row) => (isNumber(row) ? Number(cellOf(row).dataset.value) : -Infinity);
  const text = (row) => cellOf(row).textContent;
  if ([...body.rows].some(isNumber)) {
    for (const cell of [header, ...[...body.rows].map(cellOf)]) cell.classList.add("number");
  }
  header.querySelector("button").addEventListener("click", () => {
    const way = header.ariaSort === "descending" ? 1 : -1;
    for (const other of table.querySelectorAll("th")) other.ariaSort = null;
    header.ariaSort = way > 0 ? "ascending" : "descending";
    const compare = (a, b) =>
      isNumber(a) || isNumber(b)
        ? number(a) - number(b)
        : text(a).localeCompare(text(b), undefined, { numeric: true });
    body.append(...[...body.rows].sort((a, b) => way * compare(a, b)));
  });
}

document.querySelectorAll("section").forEach(drawSection);
document.querySelectorAll("th").forEach(makeSortable);
