"use strict";
(() => {
  const all = (root, query) => Array.from(root.querySelectorAll(query));
  const button = (text, action) => {
    const made = document.createElement("button");
    made.type = "button";
    made.textContent = text;
    made.addEventListener("click", action);
    return made;
  };

  // A row and the one below it that belongs to it, which has one cell.
  const items = (table) =>
    Array.from(table.tBodies).flatMap((body) =>
      Array.from(body.rows)
        .filter((row) => row.cells.length > 1)
        .map((row) => {
          const next = row.nextElementSibling;
          return next && next.cells.length === 1 && !next.classList.contains("theorem") ? [row, next] : [row];
        }));

  // What a cell is sorted by: a number (``<0.01`` by its bound), the place of a verdict's mark, or the text.
  const MARKS = "✗!?✓○–";
  const key = (row, column, kind) => {
    const cell = row.cells[column];
    const text = cell.dataset.key ?? (cell.querySelector("b") ?? cell).textContent.trim();
    if (kind === "verdict") return MARKS.indexOf(text[0]);
    if (kind !== "number") return text.toLowerCase();
    return text === "" ? NaN : Number(text.replace("<", "").replace("inf", "Infinity"));
  };

  // Missing numbers stay last in both directions; equal keys keep their order.
  const compare = (numeric, sign) => (a, b) => {
    if (!numeric) return sign * a.key.localeCompare(b.key, "en", { numeric: true });
    if (Number.isNaN(a.key) || Number.isNaN(b.key)) return Number.isNaN(a.key) - Number.isNaN(b.key);
    return sign * (a.key - b.key);
  };

  // The tables below the claims are all alike and many, so that their headers do not say how they sort.
  const ENTRIES = ["text", "text", "verdict", "", "number", "number", "number", "number", ""];

  const makeSortable = (table) => {
    const headers = Array.from(table.tHead.rows[0].cells);
    if (table.classList.contains("entries")) headers.forEach((header, column) => { header.dataset.sort = ENTRIES[column]; });
    const bodies = Array.from(table.tBodies);
    const original = bodies.map((body) => Array.from(body.rows));
    const flat = document.createElement("tbody");
    const tools = table.classList.contains("claims") ? table.previousElementSibling : null;
    const reset = tools && tools.querySelector('[data-action="group"]');

    const restore = () => {
      bodies.forEach((body, number) => body.append(...original[number]));
      flat.remove();
      bodies.forEach((body) => { body.hidden = false; });
      headers.forEach((header) => header.removeAttribute("aria-sort"));
      if (reset) reset.hidden = true;
      table.dispatchEvent(new Event("rearranged"));
    };

    headers.forEach((header, column) => {
      if (!header.dataset.sort) return;
      const kind = header.dataset.sort;
      const numeric = kind !== "text";
      const label = header.textContent;
      header.textContent = "";
      header.append(button(label, () => {
        const before = header.getAttribute("aria-sort");
        const descending = before === "ascending" || (before === null && kind === "number");
        const direction = before === null ? (descending ? "descending" : "ascending") : before === "ascending" ? "descending" : "ascending";
        const found = items(table).map((rows) => ({ rows, key: key(rows[0], column, kind) }));
        found.sort(compare(numeric, direction === "ascending" ? 1 : -1));
        if (bodies.length > 1) {
          flat.append(...found.flatMap((item) => item.rows));
          bodies.forEach((body) => { body.hidden = true; });
          table.append(flat);
        } else {
          bodies[0].append(...found.flatMap((item) => item.rows));
        }
        headers.forEach((other) => other.removeAttribute("aria-sort"));
        header.setAttribute("aria-sort", direction);
        if (reset) reset.hidden = false;
      }));
    });
    if (reset) reset.addEventListener("click", restore);
  };

  const makeFilter = (tools) => {
    const table = tools.nextElementSibling;
    const search = tools.querySelector("input");
    const filters = all(tools, "[data-verdict]");
    const found = tools.querySelector(".found");
    tools.hidden = false;
    const apply = () => {
      const words = search.value.toLowerCase().split(/\s+/).filter(Boolean);
      const wanted = filters.filter((one) => one.getAttribute("aria-pressed") === "true").map((one) => one.dataset.verdict);
      let shown = 0;
      const rows = items(table);
      rows.forEach((item) => {
        const text = item[0].textContent.toLowerCase();
        const verdict = item[0].querySelector(".pill").classList[1];
        const fits = words.every((word) => text.includes(word)) && (!wanted.length || wanted.includes(verdict));
        item.forEach((row) => { row.hidden = !fits; });
        shown += fits;
      });
      all(table, "tr.theorem").forEach((row) => {
        row.hidden = !all(row.parentElement, "tr.claim").some((claim) => !claim.hidden);
      });
      found.textContent = words.length || wanted.length ? `${shown} of ${rows.length} claims` : "";
    };
    table.addEventListener("rearranged", apply);
    search.addEventListener("input", apply);
    filters.forEach((one) => one.addEventListener("click", () => {
      one.setAttribute("aria-pressed", one.getAttribute("aria-pressed") !== "true");
      apply();
    }));
    const unfold = (open) => () => all(table, "tr.more > td > details").forEach((one) => { one.open = open; });
    tools.querySelector('[data-action="open"]').addEventListener("click", unfold(true));
    tools.querySelector('[data-action="close"]').addEventListener("click", unfold(false));
  };

  // One search over the claims of all algorithms; a hit leads to the claim, which opens.
  const MOST_HITS = 60;
  const makeSearch = (box) => {
    const claims = all(document, "tr.claim").map((row) => {
      const name = `${row.closest("table").dataset.of}/${row.cells[1].querySelector("b").textContent}`;
      return { row, name, text: `${name} ${row.textContent}`.toLowerCase() };
    });
    const [search, found, hits] = ["input", ".found", ".hits"].map((query) => box.querySelector(query));
    box.hidden = false;
    search.addEventListener("input", () => {
      const words = search.value.toLowerCase().split(/\s+/).filter(Boolean);
      const fitting = words.length ? claims.filter((claim) => words.every((word) => claim.text.includes(word))) : [];
      hits.replaceChildren(...fitting.slice(0, MOST_HITS).map(({ row, name }) => {
        const item = document.createElement("li");
        const link = document.createElement("a");
        link.href = `#${row.id}`;
        link.textContent = name;
        item.append(row.querySelector(".pill").textContent.trim()[0], " ", link);
        return item;
      }));
      const cut = fitting.length > MOST_HITS ? `, the first ${MOST_HITS} are shown` : "";
      found.textContent = words.length ? `${fitting.length} of ${claims.length} claims${cut}` : "";
    });
  };

  const copy = async (text) => {
    try {
      await navigator.clipboard.writeText(text);
    } catch {
      const area = document.createElement("textarea");
      area.value = text;
      document.body.append(area);
      area.select();
      document.execCommand("copy");
      area.remove();
    }
  };
  const makeCopies = (command) => {
    command.classList.add("copies");
    const made = button("Copy", async () => {
      await copy(command.querySelector("code").textContent);
      made.textContent = "Copied";
      setTimeout(() => { made.textContent = "Copy"; }, 1500);
    });
    command.append(made);
  };

  // A link into something folded opens it.
  const reveal = () => {
    const target = location.hash.length > 1 && document.getElementById(decodeURIComponent(location.hash.slice(1)));
    if (!target) return;
    const folded = target.querySelector(":scope > details.fold");
    if (folded) folded.open = true;
    for (let one = target.closest("details"); one; one = one.parentElement.closest("details")) one.open = true;
    const more = target.nextElementSibling;
    if (target.matches("tr.claim") && more) more.querySelector("details").open = true;
    target.scrollIntoView();
  };

  // On a phone rows are cards: what they are is said, and so is which regime a mark is of.
  const describe = (table) => {
    const roles = { TABLE: "table", THEAD: "rowgroup", TBODY: "rowgroup", TR: "row", TH: "columnheader", TD: "cell" };
    [table, ...all(table, ":scope > *, :scope > * > tr, :scope > * > tr > *")].forEach((one) => {
      if (roles[one.tagName]) one.setAttribute("role", roles[one.tagName]);
    });
    const regimes = all(table.parentElement, ".regimes span").map((one) => one.textContent);
    all(table, ".marks").forEach((marks) => {
      const told = Array.from(marks.children).map((mark, at) => `${regimes[at]}: ${(mark.className || "not evaluated").replace("-", " ")}`);
      Array.from(marks.children).forEach((mark, at) => { mark.title = told[at]; });
      marks.setAttribute("role", "img");
      marks.setAttribute("aria-label", told.join(", "));
    });
  };

  // A box of a proof map says under the pointer what the list below the map says of its claim.
  const label = (figure) => all(figure, "li > a").forEach((link) => {
    const box = figure.querySelector(`.claim-box[href="${link.getAttribute("href")}"]`);
    const title = document.createElementNS("http://www.w3.org/2000/svg", "title");
    title.textContent = link.parentElement.textContent;
    box.prepend(title);
  });

  all(document, ".plot.proof").forEach(label);
  all(document, "table.claims").forEach(describe);
  all(document, "table.sortable").forEach(makeSortable);
  all(document, ".tools").forEach(makeFilter);
  all(document, ".everywhere").forEach(makeSearch);
  all(document, ".command").forEach(makeCopies);
  if (matchMedia("(max-width: 77.99rem)").matches) document.querySelector(".contents details").open = false;
  addEventListener("hashchange", reveal);
  reveal();

  // Print is what is open, without the places of each claim, unless all of it is asked for.
  const whole = document.documentElement.classList;
  let closed = [];
  addEventListener("beforeprint", () => {
    closed = whole.contains("whole") ? all(document, "details:not([open], [name])") : [];
    closed.forEach((one) => { one.open = true; });
  });
  addEventListener("afterprint", () => {
    closed.forEach((one) => { one.open = false; });
    whole.remove("whole");
  });
  document.querySelector(".contents details").append(button("Print all of it", () => {
    whole.add("whole");
    print();
  }));
})();
