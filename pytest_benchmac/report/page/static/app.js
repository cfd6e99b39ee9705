// The overview, navigation and the parts that every view uses. Whatever comes from records, patches
// and logs is set as text: nothing in this page writes markup from strings.
"use strict";

/* global Charts, words, caseView */

/** An element. Attributes that start with `on` are listeners; false and null leave one out. */
function h(tag, attributes = {}, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (name.startsWith("on")) element.addEventListener(name.slice(2), value);
    else if (value === true) element.setAttribute(name, "");
    else if (value !== false && value !== null && value !== undefined) element.setAttribute(name, String(value));
  }
  element.append(...children.flat(3).filter((child) => child !== null && child !== undefined && child !== false));
  return element;
}

const State = { data: null, cases: new Map(), waiting: new Map(), track: null, sut: "", text: "", outcome: "", cause: "" };

/** Called by data.js, again when the data of a live page changed. */
function receiveData(data) {
  State.data = data;
  const tracks = data.tracks.map((track) => track.track);
  if (!tracks.includes(State.track)) State.track = tracks[0] ?? null;
  render();
}

/** Called by the script of a case. */
function receiveCase(key, content) {
  State.cases.set(key, content);
  State.waiting.get(key)?.(content);
  State.waiting.delete(key);
}

/** The content of a case; its script is loaded once. */
function loadCase(key) {
  const known = State.cases.get(key);
  if (known) return Promise.resolve(known);
  return new Promise((resolve, reject) => {
    State.waiting.set(key, resolve);
    const script = h("script", { src: `page/cases/${encodeURIComponent(key)}.js${State.data.live ? `?${Date.now()}` : ""}` });
    script.addEventListener("error", () => reject(new Error(`page/cases/${key}.js is missing`)));
    script.addEventListener("load", () => script.remove());
    document.head.append(script);
  });
}

// --- numbers and words ---------------------------------------------------------------------------

const percent = (value) => (value === null || value === undefined ? "–" : `${value.toFixed(1)}%`);
const dollars = (value) => (value === null || value === undefined ? "–" : `$${value.toFixed(3)}`);
const plainNumber = (value) => (value === null || value === undefined ? "–" : String(Math.round(value * 10) / 10));
function seconds(value) {
  if (value === null || value === undefined) return "–";
  if (value < 90) return `${value.toFixed(1)} s`;
  return `${Math.floor(value / 60)} min ${String(Math.round(value % 60)).padStart(2, "0")} s`;
}
const count = (n, one, many) => `${n} ${n === 1 ? one : many ?? `${one}s`}`;
function caseName(c) { return `${c.sut} — ${c.instance}${c.attempt > 1 ? ` (attempt ${c.attempt})` : ""}`; }
function outcomeOf(c) {
  if (!c.judged) return { tone: "warn", word: "error", sign: "!", told: "infrastructure error: counted against nobody" };
  if (c.resolved) return { tone: "good", word: "resolved", sign: "✓", told: "resolved" };
  if (c.unchecked) return { tone: "warn", word: "unchecked", sign: "?", told: "passes, but nothing is known of its integrity: not counted as resolved" };
  const failed = c.stages.find((s) => s.outcome === "failed");
  return { tone: "bad", word: "not resolved", sign: failed ? (failed.name.length > 9 ? `${failed.name.slice(0, 8)}…` : failed.name) : "✗", told: `not resolved: ${words(c.cause ?? "unknown")}` };
}
function badge(tone, text) { return h("span", { class: `badge ${tone}` }, text); }

// --- tables --------------------------------------------------------------------------------------

/**
 * A table that its headings sort. A column: `title`, `cell(row)`, `value(row)` to sort by (none: not
 * sortable), `kind` (class of cells), `first` (the direction of the first click).
 */
function sortable(label, columns, rows, initial) {
  const body = h("tbody");
  const heads = columns.map((column, i) => {
    const head = h("th", { scope: "col", class: column.kind ?? false, title: column.hint ?? null });
    if (!column.value) { head.append(column.title); return head; }
    head.setAttribute("aria-sort", "none");
    head.append(h("button", { type: "button", class: "sort", onclick: () => sort(i) }, column.title));
    return head;
  });
  let by = initial?.by ?? null, direction = initial?.direction ?? 1;
  function sort(i) {
    direction = by === i ? -direction : columns[i].first ?? 1;
    by = i;
    fill();
  }
  function fill() {
    let shown = rows;
    if (by !== null) {
      const value = columns[by].value;
      const known = (v) => v !== null && v !== undefined;
      shown = rows.map((row, place) => ({ row, place, v: value(row) })).sort((a, b) => {
        // What is not known comes last in both directions.
        if (!known(a.v) || !known(b.v)) return known(b.v) - known(a.v) || a.place - b.place;
        const order = typeof a.v === "string" ? a.v.localeCompare(b.v, "en") : a.v - b.v;
        return order * direction || a.place - b.place;
      }).map((entry) => entry.row);
    }
    heads.forEach((head, i) => columns[i].value
      && head.setAttribute("aria-sort", i === by ? (direction > 0 ? "ascending" : "descending") : "none"));
    body.replaceChildren(...shown.map((row) => h("tr", {}, columns.map((column) =>
      h("td", { class: column.kind ?? false }, column.cell(row))))));
  }
  fill();
  return h("div", { class: "scroll", tabindex: "0", role: "region", "aria-label": label },
    h("table", {}, h("thead", {}, h("tr", {}, heads)), body));
}

// --- the overview --------------------------------------------------------------------------------

function overview() {
  const track = State.data.tracks.find((t) => t.track === State.track);
  if (!track) return [h("h1", {}, "No evaluations yet"), h("p", { class: "empty" }, "Cases appear here when the first one is finished.")];
  const cases = State.data.cases.filter((c) => c.track === track.track);
  const systems = track.rows.filter((row) => row.kind === "patch");
  const sum = (of) => systems.reduce((all, row) => all + row[of], 0);
  const several = State.data.tracks.length > 1 && h("div", { class: "controls", role: "group", "aria-label": "Track" },
    State.data.tracks.map((t) => h("button", { type: "button", "aria-pressed": t.track === track.track,
      onclick: () => { State.track = t.track; State.sut = ""; render(); } }, t.track)));
  const selfTests = cases.filter((c) => c.kind !== "patch");
  return [
    h("h1", {}, `${words(track.track)[0].toUpperCase()}${words(track.track).slice(1)} track: ${count(systems.length, "system")} on ${count(new Set(cases.map((c) => c.instance)).size, "instance")}`),
    several,
    h("ul", { class: "tiles" },
      tile(sum("judged"), "judged cases"), tile(sum("resolved"), "resolved"), tile(sum("failed"), "not resolved"),
      sum("unchecked") > 0 && tile(sum("unchecked"), "passed unchecked"),
      tile(sum("errors"), "infrastructure errors"),
      sum("missing") > 0 && tile(sum("missing"), "missing"),
      selfTests.length > 0 && tile(`${selfTests.filter((c) => c.resolved).length}/${selfTests.length}`, "self-tests passed")),
    h("h2", { id: "leaderboard" }, "Leaderboard"),
    leaderboard(track, cases),
    h("h2", { id: "grid" }, "Every case"),
    grid(track, cases),
    h("h2", { id: "charts" }, "Charts"),
    charts(track, cases),
    track.statistics && h("h2", { id: "differences" }, "Are the differences real?"),
    track.statistics && differences(track),
    h("h2", { id: "failures" }, "Why cases failed"),
    failures(track, cases),
    h("h2", { id: "cases" }, "Cases"),
    caseList(cases),
  ];
}

function tile(value, label) { return h("li", {}, h("b", {}, String(value)), label); }

function shareBar(share, interval) {
  const told = interval ? `${percent(share)}, 95% interval ${interval[0].toFixed(1)} to ${interval[1].toFixed(1)}%` : percent(share);
  const bar = h("span", { class: "share", role: "img", "aria-label": told, title: told }, h("i"));
  bar.firstChild.style.width = `${share ?? 0}%`;
  if (interval) {
    const whisker = h("b");
    whisker.style.left = `${interval[0]}%`;
    whisker.style.width = `${interval[1] - interval[0]}%`;
    bar.append(whisker);
  }
  return bar;
}

function leaderboard(track, cases) {
  const statistics = new Map((track.statistics?.suts ?? []).map((s) => [s.sut, s]));
  const has = (of) => track.rows.some((row) => row[of] !== null);
  const stats = (row) => statistics.get(row.sut);
  const several = [...statistics.values()].some((s) => s.attempts > 1);
  const credited = [...statistics.values()].some((s) => s.partial_percentage !== null);
  // Those that apply to any case here.
  const metrics = Object.entries(track.metrics).filter(([metric]) => metric !== track.headline && track.rows.some((row) => row.metrics[metric].judged));
  const heading = (metric) => track.titles?.[metric];
  const any = (of) => track.rows.some((row) => row[of] > 0);
  const counted = (title, of, hint) => ({ title, hint, first: -1, value: (r) => r[of], cell: (r) => r[of] });
  const resolvedShare = (r) => (r.asked ? (100 * r.resolved) / r.asked : null);
  const columns = [
    { title: "#", cell: (r) => r.rank ?? "–", value: (r) => r.rank },
    { title: "SUT", hint: "system under test: the agent, tool or person that made the patches", kind: "name", value: (r) => r.sut, cell: (r) => [
      h("a", { href: "#cases", onclick: () => { State.sut = r.sut; State.text = ""; State.outcome = ""; State.cause = ""; render(); location.hash = "#cases"; } }, r.sut),
      r.kind !== "patch" && [" ", badge("none", "self-test")]] },
    { title: "Resolved", hint: "of all that was asked for, the same for every SUT", first: -1, value: resolvedShare, cell: (r) => [`${r.resolved}/${r.asked} `, shareBar(resolvedShare(r), stats(r)?.resolved_interval), h("span", { class: "pct" }, percent(resolvedShare(r)))] },
    track.statistics && { title: "95% interval", hint: "Wilson's score interval", value: (r) => stats(r)?.resolved_interval?.[0], first: -1,
      cell: (r) => { const i = stats(r)?.resolved_interval; return i ? `${i[0].toFixed(1)} – ${i[1].toFixed(1)}` : "–"; } },
    track.headline && { title: heading(track.headline) ?? words(track.headline), hint: "mean, by which SUTs are ranked; Student's t 95% interval", value: (r) => r.asked_percentage, first: -1,
      cell: (r) => { const i = stats(r)?.headline_interval; return [percent(r.asked_percentage), i && ` (${i[0].toFixed(1)} – ${i[1].toFixed(1)})`]; } },
    any("missing") && counted("Submitted", "cases", "cases that have a record"),
    any("empty") && counted("Empty", "empty", "failed: the patch is empty"),
    any("errors") && counted("Errors", "errors", "infrastructure errors: not judged, and not counted as resolved"),
    any("unchecked") && counted("Unchecked", "unchecked", "pass, but nothing is known of their integrity: not counted as resolved"),
    any("missing") && counted("Missing", "missing", "asked for, and there is no record: not counted as resolved"),
    ...metrics.map(([metric, stage]) => ({ title: heading(metric) ?? (metrics.filter((m) => m[1] === stage).length > 1 ? words(metric) : stage), hint: words(metric), first: -1,
      value: (r) => r.metrics[metric].percentage,
      cell: (r) => (r.metrics[metric].judged > r.metrics[metric].not_reached ? (r.metrics[metric].fractional ? percent(r.metrics[metric].percentage) : `${r.metrics[metric].achieved}/${r.metrics[metric].judged}`) : "–") })),
    { title: "Rejected", hint: "integrity checks say that the result is not to be believed", first: -1, value: (r) => r.integrity.rejected, cell: (r) => r.integrity.rejected },
    has("mean_cost_usd") && { title: "Mean cost", value: (r) => r.mean_cost_usd, cell: (r) => dollars(r.mean_cost_usd) },
    track.statistics && has("mean_cost_usd") && { title: "Cost per resolved", value: (r) => stats(r)?.cost_usd.per_resolved, cell: (r) => dollars(stats(r)?.cost_usd.per_resolved) },
    has("mean_steps") && { title: "Mean steps", value: (r) => r.mean_steps, cell: (r) => plainNumber(r.mean_steps) },
    several && { title: "pass@k", hint: "chance that one of k attempts succeeds", cell: (r) => Object.entries(stats(r)?.pass_at_k ?? {}).map(([k, p]) => `@${k} ${p.toFixed(0)}%`).join("  ") || "–" },
    several && { title: "Majority", value: (r) => stats(r)?.majority_percentage, first: -1, cell: (r) => percent(stats(r)?.majority_percentage) },
    credited && { title: "Partial credit", hint: "share of the build errors mended; nothing is ranked by it", value: (r) => stats(r)?.partial_percentage, first: -1, cell: (r) => percent(stats(r)?.partial_percentage) },
  ].filter(Boolean);
  const place = h("div");
  const filter = h("input", { type: "search", placeholder: "Filter SUTs", "aria-label": "Filter SUTs", "data-filter": "",
    oninput: () => fill() });
  const fill = () => place.replaceChildren(sortable("Leaderboard", columns,
    track.rows.filter((r) => r.sut.toLowerCase().includes(filter.value.toLowerCase()))));
  fill();
  const unchecked = cases.filter((c) => c.unchecked).length;
  return [h("div", { class: "controls" }, filter), place,
    h("p", { class: "soft" }, `Ranked by ${track.headline ? `the mean of “${heading(track.headline) ?? words(track.headline)}”, where a case without a value has 0` : "resolved cases"}, of all that was asked for; equals share a rank. The bar is the share, its whisker the 95% interval (Wilson). A stage that was not reached counts as not passed.`),
    unchecked > 0 && h("p", { class: "soft" }, badge("warn", "unchecked"), ` ${count(unchecked, "case passes", "cases pass")}, but nothing is known of integrity there: not counted as resolved.`)];
}

function grid(track, cases) {
  const instances = [...new Set(cases.map((c) => c.instance))].sort((a, b) => a.localeCompare(b, "en", { numeric: true }));
  const by = new Map();
  for (const c of cases) {
    const key = JSON.stringify([c.sut, c.instance]);
    by.set(key, [...(by.get(key) ?? []), c]);
  }
  const cell = (sut, instance) => {
    const own = by.get(JSON.stringify([sut, instance])) ?? [];
    return h("td", {}, own.length ? own.map((c) => {
      const outcome = outcomeOf(c);
      return h("a", { class: outcome.tone, href: `#/case/${c.key}`, title: `${caseName(c)}: ${outcome.told}`, "aria-label": `${caseName(c)}: ${outcome.told}` }, outcome.sign);
    }) : h("span", { class: "cell soft" }, "·"));
  };
  return [
    h("div", { class: "legend" }, h("span", { class: "good" }, "✓ resolved"), h("span", { class: "bad" }, "stage that failed"),
      h("span", { class: "bad" }, "✗ not resolved"), h("span", { class: "warn" }, "? passed unchecked"), h("span", { class: "warn" }, "! infrastructure error"), h("span", {}, "· missing"), "Choose a cell to see what happened."),
    h("div", { class: "scroll", tabindex: "0", role: "region", "aria-label": "Outcome of every case" },
      h("table", { class: "grid" },
        h("thead", {}, h("tr", {}, h("th", { class: "name", scope: "col" }, "SUT"), instances.map((i) => h("th", { scope: "col", class: "turn" }, h("span", { title: i }, i))))),
        h("tbody", {}, track.rows.map((row) => h("tr", {}, h("th", { class: "name", scope: "row" }, row.sut), instances.map((i) => cell(row.sut, i)))))))];
}

function charts(track, cases) {
  const drawn = [
    track.statistics?.instances.length ? Charts.difficulty(track) : null,
    track.statistics ? Charts.cost(track) : null,
    Charts.steps(track, cases), Charts.funnel(track, cases), Charts.causes(track, cases)].filter(Boolean);
  if (!drawn.length) return h("p", { class: "empty" }, "Nothing to draw yet.");
  return [h("div", { class: "charts" }, drawn),
    !track.statistics && h("p", { class: "soft" }, "Intervals, difficulty and comparisons need the extra: pip install 'pytest-benchmac[report]', then benchmac report.")];
}

const FEW = 15;

function differences(track) {
  const pairs = track.statistics.pairs;
  if (!pairs.length) return h("p", { class: "empty" }, "There is only one SUT: nothing to compare.");
  const real = pairs.filter((p) => p.p_holm < 0.05).length;
  const p3 = (p) => (p < 0.001 ? "< 0.001" : p.toFixed(3));
  const columns = [
    { title: "first", kind: "name", value: (p) => p.first, cell: (p) => p.first },
    { title: "second", kind: "name", value: (p) => p.second, cell: (p) => p.second },
    { title: "both", value: (p) => p.both, first: -1, cell: (p) => `${p.both} of ${p.common}` },
    { title: "only first", value: (p) => p.only_first, first: -1, cell: (p) => p.only_first },
    { title: "only second", value: (p) => p.only_second, first: -1, cell: (p) => p.only_second },
    { title: "p", hint: "exact McNemar, two-sided", value: (p) => p.p_value, cell: (p) => p3(p.p_value) },
    { title: "p (Holm)", hint: `corrected for ${pairs.length} comparisons`, value: (p) => p.p_holm, cell: (p) => p3(p.p_holm) },
    { title: "difference", cell: (p) => (p.p_holm < 0.05 ? badge("good", "beyond chance") : badge("none", "may be chance")) },
  ];
  const place = h("div", {}, sortable("Comparisons", columns, pairs.slice(0, FEW)));
  const more = pairs.length > FEW && h("button", { type: "button", onclick: (event) => {
    place.replaceChildren(sortable("Comparisons", columns, pairs)); event.target.remove(); } }, `Show all ${pairs.length}`);
  return [h("p", {}, real ? `${count(real, "pair")} of ${pairs.length} differ beyond chance (Holm-corrected p below 0.05).`
    : `No pair of the ${pairs.length} differs beyond chance (Holm-corrected p below 0.05): on this many instances the order above may be luck.`),
  place, h("div", { class: "controls" }, more)];
}

function failures(track, cases) {
  const failed = cases.filter((c) => c.judged && !c.resolved && !c.unchecked && c.kind === "patch");
  if (!failed.length) return h("p", { class: "empty" }, "No judged case of a SUT failed.");
  const causes = [...new Set(failed.map((c) => c.cause))].sort((a, b) =>
    failed.filter((c) => c.cause === b).length - failed.filter((c) => c.cause === a).length || a.localeCompare(b));
  const rows = causes.map((cause) => {
    const own = failed.filter((c) => c.cause === cause);
    const codes = {};
    for (const c of own) for (const [code, n] of Object.entries(c.codes)) codes[code] = (codes[code] ?? 0) + n;
    return { cause, own, codes: Object.entries(codes).sort((a, b) => b[1] - a[1]) };
  });
  return sortable("Causes of failure", [
    { title: "cause", kind: "text", value: (r) => r.cause, cell: (r) => h("a", { href: "#cases", onclick: () => {
      State.cause = r.cause; State.sut = ""; State.text = ""; State.outcome = ""; render(); location.hash = "#cases"; } }, words(r.cause)) },
    { title: "cases", first: -1, value: (r) => r.own.length, cell: (r) => r.own.length },
    { title: "share", first: -1, value: (r) => r.own.length, cell: (r) => percent((100 * r.own.length) / failed.length) },
    { title: "SUTs", first: -1, value: (r) => new Set(r.own.map((c) => c.sut)).size, cell: (r) => new Set(r.own.map((c) => c.sut)).size },
    { title: "codes", kind: "wrap", cell: (r) => r.codes.slice(0, 8).map(([code, n]) => `${code}${n > 1 ? ` ×${n}` : ""}`).join(", ") },
    { title: "for example", kind: "wrap", cell: (r) => r.own[0].evidence },
  ], rows);
}

function caseList(cases) {
  const place = h("div");
  const suts = [...new Set(cases.map((c) => c.sut))].sort();
  const causes = [...new Set(cases.map((c) => c.cause).filter(Boolean))].sort();
  const choose = (label, of, options) => h("select", { "aria-label": label, onchange: (event) => { State[of] = event.target.value; fill(); } },
    options.map(([value, text]) => h("option", { value, selected: State[of] === value }, text)));
  const text = h("input", { type: "search", placeholder: "Filter cases", "aria-label": "Filter cases", value: State.text, oninput: () => { State.text = text.value; fill(); } });
  const shown = h("span", { class: "soft", role: "status" });
  const columns = [
    { title: "SUT", kind: "name", value: (c) => c.sut, cell: (c) => c.sut },
    { title: "instance", kind: "name", value: (c) => c.instance, cell: (c) => h("a", { href: `#/case/${c.key}` }, `${c.instance}${c.attempt > 1 ? ` #${c.attempt}` : ""}`) },
    { title: "outcome", kind: "text", value: (c) => outcomeOf(c).word, cell: (c) => badge(outcomeOf(c).tone, outcomeOf(c).word) },
    { title: "cause", kind: "text", value: (c) => c.cause, cell: (c) => (c.cause ? words(c.cause) : "") },
    { title: "what it said", kind: "wrap", cell: (c) => c.evidence },
    { title: "time", first: -1, value: (c) => c.evaluation_s, cell: (c) => seconds(c.evaluation_s) },
  ];
  const pages = { shown: 200 };
  function fill() {
    const wanted = State.text.toLowerCase();
    const left = cases.filter((c) => (!State.sut || c.sut === State.sut) && (!State.cause || c.cause === State.cause)
      && (!State.outcome || outcomeOf(c).word === State.outcome)
      && `${c.sut} ${c.instance} ${c.cause ?? ""} ${c.evidence}`.toLowerCase().includes(wanted));
    shown.textContent = `${left.length} of ${count(cases.length, "case")}`;
    const more = left.length > pages.shown && h("button", { type: "button", onclick: () => { pages.shown = Infinity; fill(); } }, `Show all ${left.length}`);
    place.replaceChildren(sortable("Cases", columns, left.slice(0, pages.shown)), h("div", { class: "controls" }, more));
  }
  fill();
  return [h("div", { class: "controls" }, text,
    choose("SUT", "sut", [["", "all SUTs"], ...suts.map((s) => [s, s])]),
    choose("Outcome", "outcome", [["", "all outcomes"], ["resolved", "resolved"], ["not resolved", "not resolved"], ["unchecked", "passed unchecked"], ["error", "infrastructure error"]]),
    choose("Cause", "cause", [["", "all causes"], ...causes.map((c) => [c, words(c)])]), shown), place];
}

// --- navigation ----------------------------------------------------------------------------------

const SECTIONS = [["leaderboard", "Leaderboard"], ["grid", "Every case"], ["charts", "Charts"], ["differences", "Differences"], ["failures", "Failures"], ["cases", "Cases"]];

function currentKey() { return /^#\/case\/([0-9a-f]+)$/.exec(location.hash)?.[1] ?? null; }

function top_() {
  const theme = h("button", { type: "button", id: "theme", onclick: () => setTheme(document.documentElement.dataset.theme === "dark" ? "light" : "dark") }, "Light / dark");
  const links = currentKey() ? [h("a", { href: "#/" }, "← All cases")] : SECTIONS.map(([id, title]) => h("a", { href: `#${id}` }, title));
  document.getElementById("top").replaceChildren(
    h("a", { class: "brand", href: "#/" }, State.data.title), h("nav", { "aria-label": "Sections" }, links),
    ...(State.data.live ? [h("span", { class: "live", role: "status" }, State.data.running.length ? `live: ${count(State.data.running.length, "case")} running` : "live")] : []),
    h("button", { type: "button", onclick: showKeys, "aria-label": "Keyboard shortcuts" }, "Keys"), theme);
  document.getElementById("bottom").textContent =
    `pytest-benchmac ${State.data.harness_version}, page written ${State.data.generated_at}`;
}

let drawing = 0;

async function render() {
  if (!State.data) return;
  const key = currentKey();
  const ticket = ++drawing;
  const main = document.getElementById("main");
  top_();
  if (key) {
    const known = State.data.cases.find((c) => c.key === key);
    document.title = known ? caseName(known) : "Unknown case";
    if (!known) { main.replaceChildren(h("h1", {}, "No such case"), h("p", {}, "It is not part of this report.")); return; }
    let content;
    try { content = await loadCase(key); } catch (error) {
      if (ticket === drawing) main.replaceChildren(h("h1", {}, caseName(known)), h("p", { class: "empty" }, error.message));
      return;
    }
    if (ticket !== drawing) return;
    main.replaceChildren(...caseView(known, content, neighbours(known)));
  } else {
    document.title = State.data.title;
    main.replaceChildren(...overview().flat(3).filter(Boolean));
  }
  main.dataset.ready = key ?? "overview";
  Charts.drawAll();
}

function neighbours(known) {
  const cases = State.data.cases;
  const place = cases.indexOf(known);
  return { before: cases[place - 1] ?? null, after: cases[place + 1] ?? null };
}

function setTheme(theme) {
  document.documentElement.dataset.theme = theme;
  try { localStorage.setItem("benchmac-theme", theme); } catch { /* from disk there may be no storage */ }
  Charts.drawAll();
}

function showKeys() {
  const dialog = h("dialog", { "aria-label": "Keyboard shortcuts", onclose: () => dialog.remove() }, h("h2", {}, "Keys"),
    h("dl", { class: "facts" }, [["/", "filter, or search the first log"], ["j / k", "next, previous case"], ["o", "overview"], ["t", "light or dark"], ["?", "this list"]]
      .map(([key, told]) => [h("dt", {}, h("kbd", {}, key)), h("dd", {}, told)])),
    h("form", { method: "dialog" }, h("button", { type: "submit", onclick: (event) => { event.preventDefault(); dialog.close(); } }, "Close")));
  document.body.append(dialog);
  dialog.showModal();
}

document.addEventListener("keydown", (event) => {
  if (event.ctrlKey || event.metaKey || event.altKey || event.target.closest("input, select, textarea, dialog")) return;
  const key = currentKey();
  const known = key && State.data?.cases.find((c) => c.key === key);
  const go = (c) => { if (c) location.hash = `#/case/${c.key}`; };
  const actions = {
    "/": () => { const field = document.querySelector("main input[type=search]"); field?.closest("details")?.setAttribute("open", ""); field?.focus(); },
    j: () => go(known ? neighbours(known).after : State.data?.cases[0]),
    k: () => known && go(neighbours(known).before),
    o: () => { location.hash = "#/"; },
    t: () => document.getElementById("theme")?.click(),
    "?": showKeys,
  };
  if (actions[event.key]) { event.preventDefault(); actions[event.key](); }
});

let lastView = null;
window.addEventListener("hashchange", async () => {
  const view = currentKey() ?? "overview";
  // A link to a section of the view that is shown: the browser scrolls there.
  if (view === lastView && !location.hash.startsWith("#/")) return;
  lastView = view;
  await render();
  const target = !location.hash.startsWith("#/") && document.getElementById(location.hash.slice(1));
  if (target) target.scrollIntoView();
  else { window.scrollTo(0, 0); document.getElementById("main").focus({ preventScroll: true }); }
});
lastView = currentKey() ?? "overview";

let resized = 0;
window.addEventListener("resize", () => { clearTimeout(resized); resized = setTimeout(() => Charts.drawAll(), 200); });
// Paper is white.
let screenTheme = null;
window.addEventListener("beforeprint", () => { screenTheme = document.documentElement.dataset.theme; document.documentElement.dataset.theme = "light"; });
window.addEventListener("afterprint", () => { if (screenTheme) document.documentElement.dataset.theme = screenTheme; });

(function chooseTheme() {
  let theme = null;
  try { theme = localStorage.getItem("benchmac-theme"); } catch { /* see above */ }
  const dark = window.matchMedia("(prefers-color-scheme: dark)");
  document.documentElement.dataset.theme = theme ?? (dark.matches ? "dark" : "light");
  dark.addEventListener("change", () => { if (!theme) setTheme(dark.matches ? "dark" : "light"); });
})();

// Served by `benchmac report --serve`: ask now and then whether there is something new.
if (location.protocol.startsWith("http")) {
  setInterval(async () => {
    if (!State.data?.live || document.hidden) return;
    let stamp;
    try { stamp = await (await fetch("page/stamp.json", { cache: "no-store" })).json(); } catch { return; }
    if (stamp.stamp === State.data.stamp || document.querySelector("dialog, :focus[type=search]")) return;
    State.cases.clear();
    const script = h("script", { src: `page/data.js?${encodeURIComponent(stamp.stamp)}` });
    script.addEventListener("load", () => script.remove());
    document.head.append(script);
  }, 2000);
}
