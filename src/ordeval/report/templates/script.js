"use strict";
(() => {
  const $ = (id) => document.getElementById(id);
  const say = (text) => { $("said").textContent = text; };

  /* Sorting: the heading of every column becomes a button. */
  const key = (row, column, numeric) => {
    const cell = row.children[column];
    if (!numeric) return cell.textContent.trim();
    return cell.dataset.v === undefined ? NaN : Number(cell.dataset.v);
  };
  const compare = (a, b, numeric) =>
    numeric ? a - b : a.localeCompare(b, undefined, { numeric: true, sensitivity: "base" });

  function sort(table, column, ascending) {
    const heading = table.tHead.rows[0].children[column];
    const numeric = heading.classList.contains("num");
    const rows = [...table.tBodies[0].rows].map((row) => [key(row, column, numeric), row]);
    const absent = (value) => Number.isNaN(value) || value === "";
    rows.sort(([a], [b]) => {
      if (absent(a) || absent(b)) return absent(a) - absent(b);
      return (ascending ? 1 : -1) * compare(a, b, numeric);
    });
    table.tBodies[0].append(...rows.map(([, row]) => row));
    for (const other of table.tHead.rows[0].children) other.removeAttribute("aria-sort");
    heading.setAttribute("aria-sort", ascending ? "ascending" : "descending");
  }

  function makeSortable(table) {
    [...table.tHead.rows[0].children].forEach((heading, column) => {
      if (heading.tagName !== "TH") return;
      const button = document.createElement("button");
      button.type = "button";
      button.append(...heading.childNodes);
      heading.append(button);
      button.addEventListener("click", () => {
        const ascending = heading.getAttribute("aria-sort") === "descending" ||
          (!heading.hasAttribute("aria-sort") && !heading.classList.contains("num")) ||
          (!heading.hasAttribute("aria-sort") && button.textContent.trim() === "#");
        sort(table, column, ascending);
        say(`Sorted by ${button.textContent.trim()}, ${ascending ? "ascending" : "descending"}.`);
      });
    });
  }
  document.querySelectorAll("table.sortable").forEach(makeSortable);

  /* A link to a system opens its section. */
  function openTarget() {
    const target = location.hash && $(decodeURIComponent(location.hash.slice(1)));
    if (target && target.tagName === "DETAILS") target.open = true;
  }
  addEventListener("hashchange", openTarget);
  openTarget();

  /* On paper every system is shown; afterwards the page is as it was. */
  let closed = [];
  addEventListener("beforeprint", () => {
    closed = [...document.querySelectorAll("details:not([open])")];
    closed.forEach((d) => { d.open = true; });
  });
  addEventListener("afterprint", () => closed.forEach((d) => { d.open = false; }));

  if (!$("controls")) return;
  $("controls").hidden = false;
  $("controls").addEventListener("submit", (event) => event.preventDefault());

  /* Another measure ranks the leaderboard. */
  const rankings = JSON.parse($("rankings").textContent);
  const board = $("board");
  const put = (row, name, text) => {
    const cell = row.querySelector(`.${name}`);
    if (cell) cell.textContent = text;
  };

  function drawWhisker(row, ends) {
    const whisker = row.querySelector(".whisker");
    if (!whisker) return;
    whisker.hidden = !ends;
    if (ends) ["--l", "--m", "--h"].forEach((name, i) => whisker.style.setProperty(name, ends[i]));
  }

  function fill(row, place) {
    for (const name of ["rank", "score", "interval", "group", "beats", "ranks", "verdict"]) put(row, name, place[name]);
    row.querySelector(".rank").dataset.v = place.rank;
    const score = row.querySelector(".score");
    if (place.value === null) delete score.dataset.v; else score.dataset.v = place.value;
    row.classList.toggle("best", place.best);
    drawWhisker(row, place.whisker);
  }

  function rankBy(index) {
    const chosen = rankings[index];
    for (const row of board.tBodies[0].rows) fill(row, chosen.rows[Number(row.dataset.row)]);
    const heading = $("board-score");
    (heading.querySelector("button") || heading).textContent = chosen.name;
    sort(board, 0, true);
    $("ranked-by").textContent = `Ranked by ${chosen.title}.`;
    say(`Ranked by ${chosen.title}.`);
  }
  $("measure").addEventListener("change", (event) => rankBy(Number(event.target.value)));
  if (Number($("measure").value) !== Number($("measure").dataset.first)) rankBy(Number($("measure").value));

  /* Only systems with a part of the name. */
  function filter(text) {
    const part = text.trim().toLowerCase();
    const shown = new Set();
    for (const element of document.querySelectorAll("[data-system]")) {
      const fits = element.dataset.system.toLowerCase().includes(part);
      element.classList.toggle("gone", !fits);
      if (fits) shown.add(element.dataset.system);
    }
    say(`${shown.size} system${shown.size === 1 ? "" : "s"} shown.`);
  }
  $("filter").addEventListener("input", (event) => filter(event.target.value));
})();
