// One case: what happened, stage by stage, with logs, patch, findings, environment and trajectory.
"use strict";

/* global h, badge, words, seconds, dollars, count, percent, caseName, outcomeOf, Anser */

function caseView(known, content, { before, after }) {
  const record = content.record;
  const outcome = outcomeOf(known);
  const near = (c, sign, word) => (c ? h("a", { href: `#/case/${c.key}`, title: caseName(c) }, sign === "←" ? `← ${word}` : `${word} →`) : null);
  const sections = [];
  const section = (title, ...children) => sections.push(h("h2", {}, title), ...children);

  section("Stages", timeline(record), record.stages.map((stage) => stageDetails(stage, content, stage.outcome === "failed")));
  section("Integrity", integrity(record.integrity, content.explained ?? {}));
  section("Patch", patchView(content));
  section("Environment", facts(environmentFacts(record)));
  section("Network", network(record));
  if (content.trajectory) section(`Trajectory: ${count(content.trajectory.length, "step")}`, trajectory(content.trajectory));
  else if (record.metadata.trajectory) section("Trajectory", h("p", { class: "soft" }, "It was not kept with this report."));
  section("Record", h("details", {}, h("summary", {}, "evaluation.json"), h("div", { class: "inside" }, h("pre", { class: "raw" }, JSON.stringify(record, null, 2)))));

  return [
    h("p", { class: "controls" }, near(before, "←", "previous case"), near(after, "→", "next case")),
    h("h1", {}, caseName(known)),
    h("p", {}, badge(outcome.tone, outcome.word), " ", why(known, record)),
    facts([
      ["Track", record.track], ...Object.entries(record.criteria).map(([name, value]) => [words(name), String(value)]),
      ["Metrics", Object.entries(record.metrics).map(([name, value]) => [metric(name, value), " "])],
      ["Patch", record.patch_sha256 ? `${record.patch_bytes.toLocaleString("en")} bytes, sha256 ${record.patch_sha256.slice(0, 12)}…` : "none"],
      ["Judged", `${record.started_at.replace("T", " ").replace(/(\.\d+)?(\+00:00|Z)$/, " UTC")}, in ${seconds(record.duration_s)}`],
      record.metadata.cost_usd !== null && ["Cost", dollars(record.metadata.cost_usd)],
      record.metadata.steps !== null && ["Steps", String(record.metadata.steps)],
      record.metadata.duration_s !== null && ["The SUT took", seconds(record.metadata.duration_s)],
      record.metadata.exit_reason !== null && ["Exit reason", record.metadata.exit_reason],
      known.signs.length > 0 && ["Signs", known.signs.map(words).join(", ")],
      known.partial_credit !== null && ["Partial credit", percent(100 * known.partial_credit)],
    ].filter(Boolean)),
    ...sections.flat(2).filter(Boolean),
  ];
}

function why(known, record) {
  if (record.error) return `Infrastructure error, counted against nobody: ${record.error.kind}: ${record.error.message}`;
  if (known.resolved) return "Every stage passed, and nothing speaks against it.";
  if (known.unchecked) return "Every stage passed, but nothing is known of its integrity: not counted as resolved.";
  const codes = Object.entries(known.codes).map(([code, n]) => (n > 1 ? `${code} ×${n}` : code)).join(", ");
  return [h("b", {}, words(known.cause ?? "unknown")), codes ? ` (${codes})` : "", known.evidence ? [": ", h("code", {}, known.evidence)] : "."];
}

function metric(name, value) {
  if (value === null) return badge("none", `${words(name)}: not reached`);
  if (value === true) return badge("good", `${words(name)}: yes`);
  if (value === false) return badge("bad", `${words(name)}: no`);
  return badge(value >= 1 ? "good" : "warn", `${words(name)}: ${percent(100 * value)}`);
}

function facts(entries) {
  return h("dl", { class: "facts" }, entries.map(([name, value]) => [h("dt", {}, name), h("dd", {}, value)]));
}

const TONES = { passed: "good", failed: "bad", not_reached: "none" };

function timeline(record) {
  return h("ol", { class: "timeline", "aria-label": "Stages in order" }, record.stages.map((stage) => {
    const item = h("li", { class: TONES[stage.outcome] }, h("b", {}, stage.name),
      stage.outcome === "not_reached" ? "not reached" : `${stage.outcome}, ${seconds(stage.duration_s)}`);
    // Wide enough to read, longer for what takes longer.
    item.style.flexGrow = String(1 + Math.sqrt(stage.duration_s));
    return item;
  }));
}

function stageDetails(stage, { logs, pictures, consoles, matrix }, open) {
  if (stage.outcome === "not_reached") return null;
  const ended = (attempt) => [
    attempt.exit_code === null ? "killed" : `exit code ${attempt.exit_code}`, seconds(attempt.duration_s),
    attempt.timed_out && "timed out", attempt.limits_hit.length && `bound hit: ${attempt.limits_hit.join(", ")}`].filter(Boolean).join(", ");
  return h("details", { open, class: "stage" },
    h("summary", {}, badge(TONES[stage.outcome], words(stage.outcome)), " ", h("b", {}, stage.name), " ", h("span", { class: "soft" }, `${count(stage.attempts.length, "command")}, ${seconds(stage.duration_s)}`)),
    h("div", { class: "inside" },
      stage.reason && h("p", {}, "Reason: ", h("code", {}, stage.reason)),
      stage.attempts.map((attempt) => [
        h("p", {}, h("code", {}, `$ ${attempt.command}`), h("br"), h("span", { class: "soft" }, ended(attempt))),
        attempt.log === null ? null : logs[attempt.log] === undefined
          ? h("p", { class: "soft" }, `Its log, ${attempt.log}, is not there.`) : logView(logs[attempt.log], attempt.log)]),
      pagesSeen(stage.observations.pages, pictures, consoles),
      areas(matrix?.[stage.name]),
      Object.keys(stage.observations).length > 0 && h("details", {}, h("summary", {}, "What the stage observed"),
        h("div", { class: "inside" }, h("pre", { class: "raw" }, JSON.stringify(stage.observations, null, 2))))));
}

/** The cases that a stage tried, area by area. */
function areas(rows) {
  if (!rows?.length) return null;
  const line = ({ area, passed, total, first }) => h("tr", {}, h("td", { class: "name" }, area),
    h("td", {}, badge(passed === total ? "good" : passed ? "warn" : "bad", `${passed} of ${total}`)), h("td", {}, first && h("code", {}, first)));
  return h("table", { class: "grid" }, h("thead", {}, h("tr", {}, ["area", "passed", "first that failed"].map((each) => h("th", { scope: "col" }, each)))),
    h("tbody", {}, rows.map(line)));
}

// --- pages of the application ------------------------------------------------------------------------

/** What a browser saw, page by page: the base's picture beside the case's, and where they differ. */
function pagesSeen(pages, pictures, consoles) {
  if (!Array.isArray(pages)) return null;
  return pages.filter((page) => page && typeof page === "object").map((page) => {
    const name = page.step ? `${page.route} [${page.step}]` : page.route;
    const share = (value, what) => (value === null || value === undefined ? null : `${what} ${percent(100 * value)}`);
    const told = [page.version && `version ${page.version}`, share(page.tree_similarity, "tree alike"), share(page.text_similarity, "text alike"),
      share(page.image_difference, "picture differs"), Number.isFinite(page.first_render_ms) && `drawn after ${page.first_render_ms} ms`].filter(Boolean).join(", ");
    const wrong = [page.problem, !page.rendered && "nothing is shown", page.unmet && `does not show: ${page.unmet}`].filter(Boolean);
    const said = consoles[name] ?? [];
    const same = page.image_difference === 0 && !page.difference;
    const shown = [["baseline_screenshot", "base"], ["screenshot", same ? "this case: the very same" : "this case"], ["difference", "where they differ"]]
      .filter(([field]) => pictures[page[field]])
      .map(([field, caption]) => {
        const source = `page/${pictures[page[field]]}`;
        return h("figure", {}, h("a", { href: source, target: "_blank" }, h("img", { src: source, alt: `${name}: ${caption}`, loading: "lazy" })), h("figcaption", {}, caption));
      });
    return h("section", { class: "seen" }, h("h4", {}, h("code", {}, name), " ", h("span", { class: "soft" }, told)),
      wrong.map((each) => h("p", {}, badge("bad", each))), shown.length > 0 && h("div", { class: "shots" }, shown),
      said.length > 0 && logView(said.join("\n"), `the browser's console: ${name}`));
  });
}

// --- logs ------------------------------------------------------------------------------------------

// Escape sequences that are no colours (ECMA-48): they move cursors, set titles, make links.
const OTHER_ESCAPES = /\x1b\][^\x07\x1b]*(?:\x07|\x1b\\)|\x1b\[[0-?]*[ -/]*[@-ln-~]|\x1b[ -/]*[0-Z\\-~]/g;
// What else has no shape on a page, and what would turn the direction of text around.
const CONTROLS = /[\x00-\x08\x0b-\x1a\x1c-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]/g;
const CHUNK = 400;

/** Lines of a log, each a list of [text, classes]. */
function logLines(text) {
  // A carriage return starts the line again: what it overwrites was only ever seen for a moment.
  const clean = text.replaceAll("\r\n", "\n").replace(OTHER_ESCAPES, "").replace(/[^\n]*\r(?=[^\n])/g, "").replace(CONTROLS, (c) => (c === "\r" ? "" : "\ufffd"));
  const lines = [[]];
  for (const chunk of new Anser().ansiToJson(clean, { use_classes: true, remove_empty: true })) {
    const classes = [chunk.fg, ...chunk.decorations.map((d) => `ansi-${d}`), chunk.isInverted && "ansi-inverse"]
      .filter((name) => name && /^ansi-[a-z-]+$/.test(name)).join(" ");
    chunk.content.replaceAll("\x1b", "").split("\n").forEach((part, i) => {
      if (i > 0) lines.push([]);
      if (part) lines.at(-1).push([part, classes]);
    });
  }
  while (lines.length > 1 && lines.at(-1).length === 0) lines.pop();
  return lines;
}

/** A log, folded; built when it is opened, so that a page with many logs is quick. */
function logView(text, name) {
  const size = text.length < 2048 ? count(text.length, "character") : `${Math.round(text.length / 1024)} KiB`;
  if (!text) return h("p", { class: "soft" }, "It printed nothing.");
  const details = h("details", { class: "logbox" }, h("summary", {}, "Output ", h("span", { class: "soft" }, `${size}, `, h("code", {}, name))));
  let built = false;
  const build = () => {
    if (built) return;
    built = true;
    const lines = logLines(text);
    const log = h("div", { class: "log", tabindex: "0", role: "region", "aria-label": `Output in ${name}` });
    const element = (line, i) => h("span", { class: "l", "data-n": i + 1 }, line.map(([part, classes]) => (classes ? h("span", { class: classes }, part) : part)));
    for (let start = 0; start < lines.length; start += CHUNK) {
      const chunk = h("div", {}, lines.slice(start, start + CHUNK).map((line, i) => element(line, start + i)));
      // Of a long log, what is not on the screen is not laid out.
      if (lines.length > CHUNK) {
        chunk.style.contentVisibility = "auto";
        chunk.style.containIntrinsicSize = `auto ${chunk.children.length * 18}px`;
      }
      log.append(chunk);
    }
    const plain = lines.map((line) => line.map(([part]) => part).join(""));
    details.append(h("div", { class: "inside" }, searchBar(log, lines, plain, element), log));
  };
  details.addEventListener("toggle", () => details.open && build());
  // Short ones, and those of a stage that failed, are read anyway.
  if (text.length < 6000) { build(); details.open = true; }
  return details;
}

function searchBar(log, lines, plain, element) {
  const told = h("span", { class: "soft", role: "status" });
  let hits = [], now = -1;
  const lineOf = (i) => log.children[Math.floor(i / CHUNK)].children[i % CHUNK];
  const show = (place) => {
    log.querySelector("mark.now")?.classList.remove("now");
    if (!hits.length) return;
    now = (place + hits.length) % hits.length;
    const mark = lineOf(hits[now].line).querySelectorAll("mark")[hits[now].nth];
    mark.classList.add("now");
    // Heights of lines that were never shown are guesses: once they are shown, look again.
    let looks = 4;
    const look = () => { mark.scrollIntoView({ block: "nearest", behavior: "instant" }); if (--looks) requestAnimationFrame(look); };
    look();
    told.textContent = `${now + 1} of ${hits.length}`;
  };
  const search = () => {
    new Set(hits.map((hit) => hit.line)).forEach((i) => lineOf(i).replaceWith(element(lines[i], i)));
    hits = []; now = -1;
    const wanted = field.value.toLowerCase();
    if (!wanted) { told.textContent = ""; return; }
    plain.forEach((text, i) => {
      const spots = [];
      const lower = text.toLowerCase();
      // Where lower case has another length, places would not fit.
      if (lower.length === text.length) for (let at = lower.indexOf(wanted); at >= 0 && hits.length + spots.length < 5000; at = lower.indexOf(wanted, at + wanted.length)) spots.push(at);
      if (!spots.length) return;
      const line = h("span", { class: "l", "data-n": i + 1 });
      let from = 0;
      for (const at of spots) { line.append(text.slice(from, at), h("mark", {}, text.slice(at, at + wanted.length))); from = at + wanted.length; }
      line.append(text.slice(from));
      lineOf(i).replaceWith(line);
      spots.forEach((_, nth) => hits.push({ line: i, nth }));
    });
    told.textContent = hits.length ? "" : "not found";
    show(0);
  };
  const field = h("input", { type: "search", placeholder: "Search this output", "aria-label": "Search this output", oninput: search,
    onkeydown: (event) => { if (event.key === "Enter") { event.preventDefault(); show(now + (event.shiftKey ? -1 : 1)); } } });
  return h("div", { class: "controls" }, field,
    h("button", { type: "button", onclick: () => show(now - 1), "aria-label": "Previous match" }, "↑"),
    h("button", { type: "button", onclick: () => show(now + 1), "aria-label": "Next match" }, "↓"), told);
}

// --- integrity, environment, network ---------------------------------------------------------------

function integrity(told, explained) {
  const tone = { clean: "good", rejected: "bad", unchecked: "warn" }[told.verdict];
  const legs = (told.legs ?? []).map((leg) => h("tr", {}, h("td", { class: "text" }, words(leg.name)),
    h("td", { class: "text" }, badge(TONES[leg.outcome], words(leg.outcome))), h("td", {}, seconds(leg.duration_s)), h("td", { class: "wrap" }, leg.reason)));
  return [
    h("p", {}, badge(tone, told.verdict), " ", told.unchecked || { clean: "The checks found nothing that speaks against the metrics.",
      rejected: "The metrics are not to be believed, for these reasons:", unchecked: "Nothing checked whether the metrics may be believed." }[told.verdict]),
    told.findings.length > 0 && h("div", { class: "scroll", tabindex: "0", role: "region", "aria-label": "Findings" }, h("table", {},
      h("thead", {}, h("tr", {}, ["finding", "weight", "what", "where", "expected", "seen"].map((title) => h("th", { class: "text", scope: "col" }, title)))),
      h("tbody", {}, told.findings.map((f) => h("tr", {}, h("td", { class: "text" }, h("code", {}, f.code)), h("td", { class: "text" }, badge(f.severity === "fatal" ? "bad" : "warn", f.severity)),
        h("td", { class: "wrap" }, f.message), h("td", { class: "wrap" }, f.file ? `${f.file}${f.line ? `:${f.line}` : ""}` : ""), h("td", { class: "wrap" }, f.expected ?? ""), h("td", { class: "wrap" }, f.seen ?? "")))))),
    ...Object.entries(explained).map(([code, e]) => h("details", {}, h("summary", {}, "What ", h("code", {}, code), " means"), h("div", { class: "inside" },
      h("p", {}, `Triggered by: ${e.triggers}. ${e.why}`), h("p", {}, h("b", {}, "What to do: "), e.do), h("p", {}, "Not found: ", e.good)))),
    legs.length > 0 && h("details", {}, h("summary", {}, `${count(legs.length, "check")} that ran`), h("div", { class: "inside" }, h("table", {}, h("tbody", {}, legs)))),
  ].filter(Boolean);
}

function environmentFacts(record) {
  const { limits, unenforced, ...rest } = record.environment;
  const size = (name, value) => (value === null ? "none" : name.endsWith("_bytes") ? `${(value / 2 ** 30).toFixed(2)} GiB` : String(value));
  return [
    ...Object.entries(rest).filter(([, value]) => value !== null).map(([name, value]) => [words(name), typeof value === "object" ? JSON.stringify(value) : String(value)]),
    ...Object.entries(limits ?? {}).map(([name, value]) => [`limit: ${words(name.replace(/_bytes$/, ""))}`, [size(name, value), (unenforced ?? []).includes(name) && [" ", badge("warn", "not enforced here")]]]),
    (unenforced ?? []).length > 0 && ["not enforced", unenforced.join(", ")],
    record.artifacts.length > 0 && ["artifacts", `${count(record.artifacts.length, "file")} in ${record.artifacts_dir}`],
  ].filter(Boolean);
}

function network(record) {
  if (!record.hosts.length) {
    return h("p", { class: "soft" }, record.environment.network === "open" ? "Under the policy “open” nothing is watched." : "The case asked for no host.");
  }
  return h("div", { class: "scroll", tabindex: "0", role: "region", "aria-label": "Hosts" }, h("table", {},
    h("thead", {}, h("tr", {}, h("th", { class: "text", scope: "col" }, "host"), h("th", { class: "text", scope: "col" }, "allowed"), h("th", { scope: "col" }, "requests"), h("th", { class: "text", scope: "col" }, "answered from"))),
    h("tbody", {}, record.hosts.map((host) => h("tr", {}, h("td", { class: "name" }, `${host.host}:${host.port}`),
      h("td", { class: "text" }, host.allowed ? badge("good", "yes") : badge("bad", "no")), h("td", {}, host.requests),
      h("td", { class: "wrap" }, Object.entries(host.origins).map(([origin, n]) => `${origin} ${n}`).join(", ")))))));
}

// --- the patch -------------------------------------------------------------------------------------

/**
 * Files of a unified diff. Made for any text: a malformed patch shows as far as it can be read.
 * A file: `name`, `was` (when renamed), `rows` of {kind, old, new, text}, `added`, `removed`.
 */
function parseDiff(text) {
  const files = [];
  let file = null, old = 0, now = 0, left = null;
  const start = (name) => { file = { name, was: null, note: [], rows: [], added: 0, removed: 0 }; files.push(file); left = null; };
  const path = (line) => line.slice(4).split("\t")[0].replace(/^"(.*)"$/, "$1").replace(/^[ab]\//, "");
  for (const line of text.split("\n")) {
    const inHunk = left && (left.old > 0 || left.now > 0);
    const hunk = /^@@ -(\d+)(?:,(\d+))? \+(\d+)(?:,(\d+))? @@(.*)/.exec(line);
    if (inHunk && /^[ +\-\\]|^$/.test(line) && !line.startsWith("diff --git ")) {
      const sign = line[0] ?? " ";
      if (sign === "+") { file.rows.push({ kind: "add", now: now++, text: line.slice(1) }); file.added++; left.now--; }
      else if (sign === "-") { file.rows.push({ kind: "del", old: old++, text: line.slice(1) }); file.removed++; left.old--; }
      else if (sign === "\\") file.rows.push({ kind: "note", text: line });
      else { file.rows.push({ kind: "same", old: old++, now: now++, text: line.slice(1) }); left.old--; left.now--; }
    } else if (line.startsWith("diff --git ")) {
      const match = /^diff --git (?:"?a\/)?(.+?)"? (?:"?b\/)?(.+?)"?$/.exec(line);
      start(match ? match[2] : line.slice(11));
    } else if (hunk) {
      if (!file) start("(no file named)");
      old = Number(hunk[1]); now = Number(hunk[3]);
      left = { old: Number(hunk[2] ?? 1), now: Number(hunk[4] ?? 1) };
      file.rows.push({ kind: "hunk", text: line });
    } else if (line.startsWith("--- ")) {
      if (!file || file.rows.length) start(path(line));
      if (path(line) !== "/dev/null") file.was = path(line);
    } else if (line.startsWith("+++ ") && file) {
      if (path(line) !== "/dev/null") file.name = path(line);
    } else if (line.startsWith("\\") && file) file.rows.push({ kind: "note", text: line });
    else if (line.trim() && file && !line.startsWith("index ")) file.note.push(line);
  }
  files.forEach((f) => { if (f.was === f.name) f.was = null; });
  return files;
}

const LONG_FILE = 600;

function patchView(content) {
  if (content.patch === null) return h("p", { class: "soft" }, content.patch_note);
  if (!content.patch.trim()) return h("p", { class: "soft" }, "The patch is empty.");
  const files = parseDiff(content.patch);
  const raw = () => h("details", {}, h("summary", {}, "The patch as it was handed in"), h("div", { class: "inside" }, h("pre", { class: "raw" }, content.patch)));
  if (!files.length) return [h("p", {}, "No part of this reads as a diff."), h("pre", { class: "raw" }, content.patch)];
  const sum = (of) => files.reduce((all, file) => all + file[of], 0);
  return [
    h("p", {}, `${count(files.length, "file")} `, h("span", { class: "plus" }, `+${sum("added")}`), " ", h("span", { class: "minus" }, `−${sum("removed")}`), content.patch_note && h("span", { class: "soft" }, ` ${content.patch_note}`)),
    h("div", { class: "diff" }, h("nav", { class: "tree", "aria-label": "Files of the patch" }, tree(files)), h("div", {}, files.map(fileDiff))),
    raw()];
}

function tree(files) {
  const root = { folders: new Map(), files: [] };
  files.forEach((file, i) => {
    const parts = file.name.split("/");
    let folder = root;
    for (const part of parts.slice(0, -1)) {
      if (!folder.folders.has(part)) folder.folders.set(part, { folders: new Map(), files: [] });
      folder = folder.folders.get(part);
    }
    folder.files.push([parts.at(-1), file, i]);
  });
  const list = (folder) => h("ul", {},
    [...folder.folders].map(([name, inner]) => {
      // A folder with one folder in it shares its line.
      let label = name, at = inner;
      while (at.files.length === 0 && at.folders.size === 1) { const [[next, deeper]] = at.folders; label += `/${next}`; at = deeper; }
      return h("li", {}, h("span", { class: "soft" }, `${label}/`), list(at));
    }),
    folder.files.map(([name, file, i]) => h("li", {}, h("a", { href: `#file-${i}`, onclick: (event) => {
      event.preventDefault();
      const target = document.getElementById(`file-${i}`);
      target.open = true;
      target.scrollIntoView();
      target.querySelector("summary").focus({ preventScroll: true });
    } }, name), " ", h("span", { class: "plus" }, `+${file.added}`), " ", h("span", { class: "minus" }, `−${file.removed}`))));
  return list(root);
}

function fileDiff(file, i) {
  const long = file.rows.length > LONG_FILE;
  const details = h("details", { id: `file-${i}` },
    h("summary", {}, h("code", {}, file.was ? `${file.was} → ${file.name}` : file.name), " ",
      h("span", { class: "plus" }, `+${file.added}`), " ", h("span", { class: "minus" }, `−${file.removed}`), long && h("span", { class: "soft" }, " long: folded")));
  let built = false;
  const build = () => {
    if (built) return;
    built = true;
    details.append(h("div", { class: "inside" }, file.note.map((line) => h("p", { class: "soft mono" }, line)), sides(file.rows)));
  };
  details.addEventListener("toggle", () => details.open && build());
  if (!long) { build(); details.open = true; }
  return details;
}

/** Old on the left, new on the right; a run of removals stands beside the additions after it. */
function sides(rows) {
  const body = h("tbody");
  const half = (row, kind) => (row ? [h("td", { class: "n" }, (kind === "del" ? row.old : row.now) ?? ""), h("td", { class: row.kind === "same" ? false : kind }, row.text)] : [h("td", { class: "n" }), h("td")]);
  let removed = [], added = [];
  const flush = () => {
    for (let i = 0; i < Math.max(removed.length, added.length); i++) body.append(h("tr", {}, half(removed[i], "del"), half(added[i], "add")));
    removed = []; added = [];
  };
  for (const row of rows) {
    if (row.kind === "del") { if (added.length) flush(); removed.push(row); }
    else if (row.kind === "add") added.push(row);
    else {
      flush();
      if (row.kind === "same") body.append(h("tr", {}, half(row, "del"), half(row, "add")));
      else body.append(h("tr", {}, h("td", { colspan: "4", class: "hunk" }, row.text)));
    }
  }
  flush();
  return h("table", { class: "sides" }, h("colgroup", {}, h("col", { class: "n" }), h("col"), h("col", { class: "n" }), h("col")), body);
}

// --- the trajectory --------------------------------------------------------------------------------

function trajectory(steps) {
  const place = h("div");
  const shown = (some) => some.map((step) => h("div", { class: "step" },
    h("p", {}, h("b", {}, `${step.step}`), " ", step.message && h("span", {}, step.message)),
    step.command !== null && h("pre", {}, `$ ${step.command}`),
    step.command !== null && h("p", { class: "soft" }, `${step.timed_out ? "timed out" : step.exit_code === null ? "killed" : `exit code ${step.exit_code}`}, ${seconds(step.duration_s)}`),
    step.output && logView(step.output, `step ${step.step}`)));
  const PAGE = 50;
  const fill = (n) => {
    place.append(...shown(steps.slice(n, n + PAGE)));
    if (steps.length > n + PAGE) place.append(h("button", { type: "button", onclick: (event) => { event.target.remove(); fill(n + PAGE); } }, `Show steps ${n + PAGE + 1} to ${Math.min(steps.length, n + 2 * PAGE)} of ${steps.length}`));
  };
  fill(0);
  return place;
}
