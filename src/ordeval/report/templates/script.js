"use strict";
(() => {
  const $ = (id) => document.getElementById(id);
  const say = (text) => { $("said").textContent = text; };

  const parse = (text) => text ? Number(text.replace("−", "-").replaceAll(",", "")) : NaN;

  /* Sorting: the heading of every column becomes a button. */
  const key = (row, column, numeric) => {
    const cell = row.children[column];
    const text = cell.textContent.trim();
    if (!numeric) return text;
    return cell.dataset.v === undefined ? parse(text) : Number(cell.dataset.v);
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

  /* Numbers of items open a list of items. */
  if ($("items-data")) {
    const items = JSON.parse($("items-data").textContent);
    const SHORT = 280;
    const reference = items.reference || "gold";
    const within = (x, low, high) => low <= x && x <= high;
    const far = (s, i) => items.pred[s][i] - items.gold[i];
    const holds = {
      n: () => true,
      s: () => true,
      g: (i, low, high) => within(items.gold[i], low, high),
      p: (i, s, low, high) => within(items.pred[s][i], low, high),
      d: (i, s, low, high) => within(far(s, i), low, high),
      c: (i, a, b) => Math.abs(far(a, i)) < Math.abs(far(b, i)),
      r: (i, s) => items.pred[s][i] >= 0,
      o: (i, s) => items.pred.some((codes, t) => t !== s && t < items.people && codes[i] >= 0),
      q: (i, part) => items.parts[part].includes(i),
      i: (i, one) => i === one,
    };
    const classes = (low, high) =>
      items.labels[low] + (high > low ? ` to ${items.labels[high]}` : "");
    const steps = (low, high) => {
      const near = Math.min(Math.abs(low), Math.abs(high));
      const more = low === high ? "" : " or more";
      if (!near) return "right";
      return `${near}${more} class${near > 1 || more ? "es" : ""} too ${high < 0 ? "low" : "high"}`;
    };
    const said = {
      g: (low, high) => `${reference} ${classes(low, high)}`,
      p: (s, low, high) => `${items.systems[s]} ${items.verb || "predicts"} ${classes(low, high)}`,
      d: (s, low, high) => `${items.systems[s]} is ${steps(low, high)}`,
      c: (a, b) => `${items.systems[a]} is closer to gold than ${items.systems[b]}`,
      r: (s) => `rated by ${items.systems[s]}`,
      o: () => "and by others",
      q: (part) => items.part_names[part],
      i: (one) => items.ids[one],
    };
    const read = (text) => text.split(" ").map((part) => {
      const [kind, ...numbers] = part.split(",");
      return [kind, numbers.map(Number)];
    });
    const find = (wanted) => items.ids.map((_, i) => i)
      .filter((i) => wanted.every(([kind, numbers]) => holds[kind](i, ...numbers)))
      .slice(0, items.most);
    const describe = (wanted) =>
      wanted.filter(([kind]) => said[kind]).map(([kind, numbers]) => said[kind](...numbers)).join(", ");
    const systemsOf = (wanted) => items.every ? [...items.systems.keys()]
      : [...new Set(wanted.flatMap(([kind, numbers]) =>
        kind === "c" ? numbers : "spdr".includes(kind) ? numbers.slice(0, 1) : []))];
    const given = (code) => code < 0 ? "–" : items.labels[code];
    const cell = (tag, text) => {
      const made = document.createElement(tag);
      made.textContent = text;
      made.dir = "auto";
      return made;
    };

    function textCell(text) {
      const made = cell("td", text);
      made.className = "text";
      if (text.length <= SHORT) return made;
      const rest = cell("button", `Show all ${text.length.toLocaleString("en")} characters`);
      const part = cell("span", `${text.slice(0, SHORT)}… `);
      rest.type = "button";
      rest.addEventListener("click", () => { made.replaceChildren(text); made.tabIndex = -1; made.focus(); });
      made.replaceChildren(part, rest);
      return made;
    }

    function show(wanted) {
      const [found, systems] = [find(wanted), systemsOf(wanted)];
      const number = wanted.find(([kind]) => kind === "n")[1][0];
      $("opened-title").textContent = `Items: ${describe(wanted)}`;
      const more = (items.weighted ? found.length === items.most : found.length < number)
        ? ` This page holds at most ${items.most} items of each number; for all of them, select the same rows of the data.`
        : "";
      $("opened-number").textContent = (items.weighted
        ? `${found.length} shown; the weights of all such items sum to ${number.toLocaleString("en")}.`
        : `${found.length.toLocaleString("en")} of ${number.toLocaleString("en")} shown.`) + more;
      const heading = document.createElement("tr");
      const columns = items.gold ? [[items.reference ? "median" : "gold", items.gold]] : [];
      columns.push(...systems.map((s) => [items.systems[s], items.pred[s]]));
      for (const name of ["id", ...columns.map(([name]) => name), "text"]) {
        const made = cell("th", name);
        made.scope = "col";
        heading.append(made);
      }
      $("opened-table").tHead.replaceChildren(heading);
      $("opened-table").tBodies[0].replaceChildren(...found.map((i) => {
        const row = document.createElement("tr");
        const id = cell("th", items.ids[i]);
        id.scope = "row";
        const classes = columns.map(([name, codes]) => {
          const made = cell("td", given(codes[i]));
          made.dataset.name = name;
          return made;
        });
        row.append(id, ...classes, textCell(items.texts[i]));
        return row;
      }));
      $("opened").showModal();
    }

    for (const place of document.querySelectorAll("[data-items]")) {
      const wanted = read(place.dataset.items);
      if (!find(wanted).length) continue;
      const button = document.createElement("button");
      button.type = "button";
      button.className = "open";
      button.setAttribute("aria-haspopup", "dialog");
      button.append(place.firstChild);
      const number = button.textContent.trim();
      button.setAttribute("aria-label", wanted.some(([kind]) => kind === "i") ? `Text of ${number}`
        : `${number} items: ${describe(wanted)}`);
      button.addEventListener("click", () => show(wanted));
      place.prepend(button);
    }
    $("opened-close").addEventListener("click", () => $("opened").close());
  }

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

  /* Another measure ranks the leaderboard: every row of the table gets other texts. */
  const rankings = JSON.parse($("rankings").textContent);
  const board = $("board");
  const anchors = Object.fromEntries(
    [...document.querySelectorAll("details[data-system]")].map((d) => [d.dataset.system, d.id]));

  function fill(cell, [text, number, bold], anchor) {
    const made = document.createElement(cell.tagName === "TH" && anchor ? "a" : bold ? "b" : "span");
    if (made.tagName === "A") made.href = `#${anchor}`;
    made.textContent = text;
    cell.replaceChildren(made);
    if (number) cell.dataset.v = number; else delete cell.dataset.v;
  }

  function rankBy(name) {
    const rows = [...board.tBodies[0].rows];
    rankings[name].forEach(([system, cells, marked], i) => {
      rows[i].dataset.system = system;
      rows[i].classList.toggle("best", Boolean(marked));
      cells.forEach((cell, j) => fill(rows[i].children[j], cell, anchors[system]));
    });
    for (const heading of board.tHead.rows[0].children) heading.removeAttribute("aria-sort");
    board.caption.firstChild.textContent = `Ranked by ${name}`;
    filter($("filter").value);
    say(`Ranked by ${name}.`);
  }
  $("measure").addEventListener("change", (event) => rankBy(event.target.selectedOptions[0].textContent));

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
