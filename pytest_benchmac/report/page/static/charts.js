// The charts of the overview: Vega-Lite specifications, and how they are drawn and exported.
"use strict";

/* global vega, vegaLite, h */

const Charts = {
  views: new Set(),
  /** The libraries come last. */
  ready: new Promise((resolve) => {
    if (document.readyState === "loading" || document.readyState === "interactive") window.addEventListener("DOMContentLoaded", resolve);
    else resolve();
  }),
  round: 0,

  /** Colours and fonts of the page's theme. */
  config() {
    const style = getComputedStyle(document.documentElement);
    const colour = (name) => style.getPropertyValue(name).trim();
    const ink = colour("--ink"), soft = colour("--soft"), line = colour("--line");
    const dark = document.documentElement.dataset.theme === "dark";
    return {
      background: colour("--ground"),
      font: "system-ui, DejaVu Sans, sans-serif",
      view: { stroke: null },
      axis: { labelColor: ink, titleColor: soft, gridColor: line, domainColor: line, tickColor: line,
        labelFontSize: 11.5, titleFontSize: 11.5, titleFontWeight: "normal", labelLimit: 190 },
      legend: { labelColor: ink, titleColor: soft, labelFontSize: 11.5, titleFontWeight: "normal", labelLimit: 220 },
      text: { fill: ink },
      bar: { fill: dark ? "#6fa5df" : "#3f7cbf" },
      point: { fill: dark ? "#6fa5df" : "#2f6cae", stroke: null },
      rule: { stroke: ink }, tick: { color: ink },
      // Okabe and Ito's palette, which is told apart with any colour vision; more by shade.
      range: { category: dark
        ? ["#e69f00", "#56b4e9", "#2cc295", "#f0e442", "#5b9bff", "#ff8a4c", "#e79ac6", "#b8bec9", "#9ed36a", "#c7a6ff"]
        : ["#d98e00", "#3d9ad1", "#009e73", "#b8ab00", "#0072b2", "#d55e00", "#cc79a7", "#6b7280", "#5b8c2a", "#7a55b5"] },
    };
  },

  /** A figure with a title, a sentence, the chart, and buttons that save it. */
  figure(name, title, told, spec) {
    const place = h("div", { class: "chart", role: "img", "aria-label": `${title}. ${told}` });
    const draw = { place, spec, view: null, name };
    const save = (kind) => h("button", { type: "button", onclick: () => Charts.save(draw, kind),
      "aria-label": `Save chart “${title}” as ${kind.toUpperCase()}` }, kind.toUpperCase());
    Charts.views.add(draw);
    return h("figure", { id: `chart-${name}` }, h("h3", {}, title), h("figcaption", {}, told), place,
      h("div", { class: "export" }, save("svg"), save("png")));
  },

  /** A view of the specification in the page's theme; `element` is null for a file. */
  view(spec, element, width) {
    const full = { $schema: "https://vega.github.io/schema/vega-lite/v6.json", width,
      autosize: { type: spec.height?.step ? "fit-x" : "fit", contains: "padding" }, ...spec };
    // Vega-Lite warns of what it does as it should here: heights by step do not fit a box.
    const quiet = { level: () => quiet, error: (...told) => { throw new Error(told.join(" ")); }, warn: () => quiet, info: () => quiet, debug: () => quiet };
    const compiled = vegaLite.compile(full, { config: Charts.config(), logger: quiet }).spec;
    const view = new vega.View(vega.parse(compiled, {}, { ast: true }), {
      expr: vega.expressionInterpreter, renderer: "svg", container: element, hover: Boolean(element),
      loader: { load: () => Promise.reject(new Error("charts load nothing")),
        sanitize: () => Promise.reject(new Error("charts link nowhere")) },
      tooltip: (_, event, item, value) => Charts.tell(event, value),
    });
    return view.runAsync();
  },

  /** The tooltip: text, never markup. */
  tell(event, value) {
    let tip = document.getElementById("tip");
    if (value === null || value === undefined || value === "") { if (tip) tip.hidden = true; return; }
    if (!tip) {
      tip = h("div", { id: "tip", role: "status" });
      tip.style.cssText = "position:fixed;z-index:20;pointer-events:none;padding:.3rem .6rem;border-radius:5px;"
        + "background:var(--ink);color:var(--ground);font-size:.82rem;max-width:22rem;overflow-wrap:anywhere";
      document.body.append(tip);
    }
    tip.replaceChildren(...Object.entries(value).map(([key, told]) => h("div", {}, `${key}: ${told}`)));
    tip.hidden = false;
    const right = Math.max(0, window.innerWidth - tip.offsetWidth - 4);
    tip.style.left = `${Math.min(event.clientX + 12, right)}px`;
    tip.style.top = `${event.clientY + 14}px`;
  },

  /** Draw what is in the document, one after the other; drop what no longer is. */
  async drawAll() {
    const round = ++Charts.round;
    await Charts.ready;
    for (const draw of [...Charts.views]) {
      if (round !== Charts.round) return;
      if (draw.view) { draw.view.finalize(); draw.view = null; }
      if (!draw.place.isConnected) { Charts.views.delete(draw); continue; }
      draw.place.replaceChildren();
      draw.view = await Charts.view(draw.spec, draw.place, Math.max(220, draw.place.clientWidth));
      // Between two charts the page answers.
      await new Promise((resolve) => setTimeout(resolve));
    }
    document.getElementById("main").dataset.drawn = "yes";
  },

  /** Save a chart as a file, at the size of a paper's column. */
  async save(draw, kind) {
    await Charts.ready;
    const view = await Charts.view(draw.spec, null, 640);
    const url = kind === "svg"
      ? URL.createObjectURL(new Blob([await view.toSVG()], { type: "image/svg+xml" }))
      : await view.toImageURL("png", 3);
    view.finalize();
    const link = h("a", { href: url, download: `${draw.name}.${kind}` });
    link.click();
    if (kind === "svg") setTimeout(() => URL.revokeObjectURL(url), 10000);
  },

  difficulty(track) {
    const values = track.statistics.instances.map((d) => ({ instance: d.instance_id, rate: d.percentage,
      low: d.interval[0], high: d.interval[1], told: `${d.failures} of ${d.suts} SUTs failed` }));
    const y = { field: "instance", type: "nominal", sort: "-x", title: null };
    const tooltip = [{ field: "instance", title: "instance" }, { field: "told", title: "failures" }];
    return Charts.figure("difficulty", "How hard each instance is",
      "Share of SUTs that failed, with its 95% interval (Wilson).", {
        height: { step: 24 }, data: { values }, encoding: { y },
        layer: [
          { mark: { type: "bar", height: 13, opacity: 0.75 }, encoding: {
            x: { field: "rate", type: "quantitative", scale: { domain: [0, 100] }, title: "SUTs that failed (%)" }, tooltip } },
          { mark: { type: "rule", strokeWidth: 1.5 }, encoding: { x: { field: "low", type: "quantitative" }, x2: { field: "high" }, tooltip } },
          { mark: { type: "tick", size: 9, thickness: 1.5 }, encoding: { x: { field: "low", type: "quantitative" } } },
          { mark: { type: "tick", size: 9, thickness: 1.5 }, encoding: { x: { field: "high", type: "quantitative" } } },
        ] });
  },

  cost(track) {
    const values = track.statistics.suts.flatMap((s) => {
      const row = track.rows.find((r) => r.sut === s.sut);
      if (!s.cost_usd.all_cases || row.kind !== "patch" || row.asked_percentage === null) return [];
      return [{ sut: s.sut, cost: s.cost_usd.all_cases.mean, share: row.asked_percentage, efficient: s.efficient }];
    });
    // One point compares nothing.
    if (values.length < 2) return null;
    const x = { field: "cost", type: "quantitative", title: "mean cost per case ($)", axis: { tickCount: 6 } };
    const y = { field: "share", type: "quantitative", scale: { domain: [0, 105], nice: false }, title: "resolved (%)",
      axis: { values: [0, 20, 40, 60, 80, 100] } };
    const tooltip = [{ field: "sut", title: "SUT" }, { field: "cost", title: "mean cost ($)", format: ".3f" },
      { field: "share", title: "resolved (%)", format: ".1f" }];
    const frontier = values.filter((v) => v.efficient).sort((a, b) => a.cost - b.cost);
    // Few points have all their names; each name stands on the side with more room.
    const named = values.length <= 8 ? values : frontier;
    const costs = values.map((v) => v.cost);
    const middle = (Math.min(...costs) + Math.max(...costs)) / 2;
    const names = (data, align, dx) => ({ data: { values: data }, encoding: { text: { field: "sut" } },
      mark: { type: "text", align, dx, dy: -8, fontSize: 11, limit: 150 } });
    return Charts.figure("cost", "Cost against success",
      "Each point is a system that reported its cost. On the line: no other system resolves as much for less.", {
        height: 270, encoding: { x, y },
        layer: [
          { data: { values: frontier }, mark: { type: "line", interpolate: "step-after", strokeDash: [5, 3], strokeWidth: 1.5, color: Charts.config().rule.stroke } },
          { data: { values }, mark: { type: "point", size: 75, filled: true }, encoding: {
            shape: { field: "efficient", type: "nominal", legend: null, scale: { domain: [true, false], range: ["diamond", "circle"] } }, tooltip } },
          names(named.filter((v) => v.cost <= middle), "left", 7),
          names(named.filter((v) => v.cost > middle), "right", -7),
        ] });
  },

  steps(track, cases) {
    const values = cases.filter((c) => c.steps !== null && c.kind === "patch")
      .map((c) => ({ sut: c.sut, steps: c.steps, outcome: c.resolved ? "resolved" : "not resolved", instance: c.instance }));
    if (values.length < 2) return null;
    const y = { field: "sut", type: "nominal", title: null, sort: track.rows.map((r) => r.sut) };
    const x = { field: "steps", type: "quantitative", title: "steps" };
    return Charts.figure("steps", "Steps that SUTs took", "One tick per case; the box spans the middle half, its line is the median.", {
      height: { step: 24 }, data: { values },
      layer: [
        { mark: { type: "boxplot", extent: "min-max", size: 13, opacity: 0.45, median: { color: Charts.config().rule.stroke } }, encoding: { x, y } },
        { mark: { type: "tick", size: 13, thickness: 1.5 }, encoding: { x, y,
          color: { field: "outcome", type: "nominal", title: null, scale: { domain: ["resolved", "not resolved"] }, legend: { orient: "top" } },
          tooltip: [{ field: "sut", title: "SUT" }, { field: "instance" }, { field: "steps" }, { field: "outcome" }] } },
      ] });
  },

  funnel(track, cases) {
    const judged = cases.filter((c) => c.judged && c.kind === "patch");
    const stages = [...new Set(judged.flatMap((c) => c.stages.map((s) => s.name)))];
    const values = stages.map((stage) => {
      const passed = judged.filter((c) => c.stages.some((s) => s.name === stage && s.outcome === "passed")).length;
      return { stage, passed, share: judged.length ? (100 * passed) / judged.length : 0 };
    });
    const resolved = judged.filter((c) => c.resolved).length;
    values.push({ stage: "resolved", passed: resolved, share: judged.length ? (100 * resolved) / judged.length : 0 });
    values.forEach((v) => { v.told = `${v.passed} of ${judged.length}`; });
    if (!judged.length) return null;
    const y = { field: "stage", type: "nominal", sort: null, title: null };
    return Charts.figure("funnel", "How far patches get", "Judged cases of all SUTs that passed each stage, and those that count.", {
      height: { step: 30 }, data: { values }, encoding: { y },
      layer: [
        { mark: { type: "bar", height: 18, opacity: 0.75 }, encoding: {
          x: { field: "share", type: "quantitative", scale: { domain: [0, 115], nice: false }, axis: { values: [0, 25, 50, 75, 100] }, title: "cases (%)" } } },
        { mark: { type: "text", align: "left", dx: 5, fontSize: 11.5 }, encoding: { x: { field: "share", type: "quantitative" }, text: { field: "told" } } },
      ] });
  },

  causes(track, cases) {
    const failed = cases.filter((c) => c.judged && !c.resolved && !c.unchecked && c.kind === "patch");
    if (!failed.length) return null;
    const counts = new Map();
    for (const c of failed) {
      const key = JSON.stringify([c.cause, c.sut]);
      counts.set(key, (counts.get(key) || 0) + 1);
    }
    const values = [...counts].map(([key, cases_]) => {
      const [cause, sut] = JSON.parse(key);
      return { cause: words(cause), sut, cases: cases_ };
    });
    const unknown = failed.filter((c) => c.cause === "unknown").length;
    const many = new Set(values.map((v) => v.sut)).size > 10;
    const colour = many ? {} : { color: { field: "sut", type: "nominal", title: null, legend: { orient: "bottom", columns: 2 } } };
    return Charts.figure("causes", "Why cases failed",
      `Cause by the rules of the failure taxonomy; unknown for ${unknown} of ${failed.length} (${Math.round((100 * unknown) / failed.length)}%).`, {
        height: { step: 24 }, data: { values }, mark: { type: "bar", height: 16 }, encoding: {
          y: { field: "cause", type: "nominal", sort: "-x", title: null },
          x: { field: "cases", type: "quantitative", aggregate: "sum", title: "cases", axis: { tickMinStep: 1, format: "d" } },
          tooltip: [{ field: "cause" }, { field: "sut", title: "SUT" }, { field: "cases", aggregate: "sum" }], ...colour } });
  },
};

/** `type_error` as people write it. */
function words(name) { return String(name).replaceAll("_", " "); }
