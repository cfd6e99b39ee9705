// Control visits: pages opened as anybody opens them, in a browser whose clock goes on while scripts
// run and whose chance nobody has set, on a computer and on a telephone. What tells the other visits
// from a browser of somebody's is not here.

import { Chance } from './chance.mjs';
import { ELSEWHERE, cut, pause, within } from './common.mjs';
import { readable } from './media.mjs';
import { heard } from './step.mjs';
import { windowOf } from './turns.mjs';
import { Features } from './uses.mjs';
import { Visit } from './visit.mjs';

// So long, in real time, a page lives at least before it is looked at, and then until it is quiet.
const LIVED_MS = 2_000;
const QUIET_MS = 4_000;
// So often the tab key is pressed, at most.
const TABS = 40;
const NAME = 100;
// How long a visitor is at another site and on the way back, in real time.
const AWAY_MS = 300;
const TELEPHONE_RATIO = 3;
// Where an application is reached without encryption: on the computer of who works on it, and in the net of a house.
const PLAIN = [() => 'localhost', (chance) => `192.168.${chance.below(256)}.${2 + chance.below(250)}`];
const PORTS = [4200, 8080, 3000, 8000];

/** Runs in the page: what the tab key has led to; undefined at its end, or where that has been. */
function focused() {
  globalThis.reached ??= new Set();
  let at = document.activeElement;
  while (at?.shadowRoot?.activeElement) {
    at = at.shadowRoot.activeElement;
  }
  if (!at || at === document.body || globalThis.reached.has(at)) {
    return undefined;
  }
  globalThis.reached.add(at);
  const label = at.labels?.[0]?.textContent || at.getAttribute('aria-label') || at.placeholder;
  const name = (label || at.textContent || at.id).replace(/\s+/g, ' ').trim();
  return `${at.localName} ${name}`.trim();
}

/** Time as it is: the same questions as to `Clock`. */
class RunningClock {
  start(now) {
    this.began = now;
    this.opened = performance.now();
  }

  get elapsed() {
    return Math.round(performance.now() - this.opened);
  }

  advance(ms) {
    return pause(ms);
  }

  async advanceTo(elapsed) {
    if (elapsed > this.elapsed) {
      await pause(elapsed - this.elapsed);
    }
  }

  during(promise) {
    return promise;
  }
}

class ControlVisit extends Visit {
  constructor(browser, plan, route, site, executed) {
    super(browser, { ...plan, settle_ms: QUIET_MS }, route);
    const deadline = performance.now() + plan.budget_ms;
    Object.assign(this, { site, executed, pace: { deadline, hopeless: false } });
    this.covers = false;
  }

  makeClock() {
    this.clock = new RunningClock();
  }

  answerTo(request) {
    const there = request.url() === ELSEWHERE && request.resourceType() === 'document';
    return there ? { fulfill: { contentType: 'text/html', body: '<p>Elsewhere</p>' } } : super.answerTo(request);
  }

  /** Go to another site, and come back: what the page shows then. */
  async comeBack() {
    const timeout = this.plan.answer_ms;
    await within(this.page.goto(ELSEWHERE, { waitUntil: 'commit', timeout }), timeout);
    await this.clock.advance(AWAY_MS);
    await this.turn(-1);
    await this.clock.advance(AWAY_MS);
    await this.rendering(' after the way back from another site');
    await this.settle();
    return this.asked.tree();
  }

  /** What the tab key leads to, in its order. */
  async tabs() {
    const found = [];
    for (let tries = 0; tries < TABS; tries += 1) {
      await this.person.press('Tab');
      const name = await this.asked.call(focused);
      if (name === undefined) {
        break;
      }
      found.push(cut(name, NAME));
    }
    return found;
  }

  /** Open the page, and tell what is seen there. */
  async look(kind) {
    const told = { kind, route: this.route.path, url: '', settled: false, tree: [], width: 0, readable: 0, tabs: [], later: [], errors: [], hosts: [], problem: '' };
    try {
      await within(this.open(), this.plan.answer_ms);
      await this.go();
      await this.rendering();
      await this.clock.advanceTo(LIVED_MS);
      told.settled = await this.settle();
      const { cssVisualViewport } = await this.asked.send('Page.getLayoutMetrics');
      told.width = Math.round(cssVisualViewport.clientWidth);
      told.readable = (await this.asked.call(readable)).found;
      told.tree = await this.asked.tree();
      told.url = this.cut(this.site.told(this.page.url()));
      await this.scripts.takeParsed(this.site, this.executed);
      const { errors, hosts } = heard({ calls: [], seen: this.seen });
      Object.assign(told, { errors, hosts });
      told.tabs = this.mobile ? [] : await this.tabs();
      told.later = await this.comeBack();
    } catch (error) {
      told.problem = this.crashed ? 'the page crashed' : this.cut(error.message.split('\n')[0]);
    }
    return told;
  }
}

/**
 * Open one route on a computer and one on a telephone.
 *
 * @param browser its clock began at `plan.now`; null where no route is opened
 * @param executed what the pages of the application executed
 */
export async function takeControls(browser, plan, site, executed) {
  if (!browser) {
    return [];
  }
  const chance = new Chance(plan.random, 'control');
  const telephone = {
    telephone: true,
    viewport: windowOf('phone', chance),
    pixel_ratio: TELEPHONE_RATIO,
    system: 'Android',
  };
  const wanted = [
    ['computer', {}],
    ['telephone', telephone],
  ].map(([kind, own], at) => [
    kind,
    { ...plan, ...plan.controls[at], ...own, older: plan.older_controls },
    chance.one(plan.routes),
  ]);
  // One of the two asks for the application without encryption.
  const plain = `http://${chance.one(PLAIN)(chance)}:${chance.one(PORTS)}`;
  chance.one(wanted)[1].origin = plain;
  const features = new Features(browser, plan.answer_ms);
  await features.start();
  const told = await Promise.all(
    wanted.map(async ([kind, own, route]) => {
      const visit = new ControlVisit(browser, own, route, site.at(own.origin), executed);
      const seen = await visit.look(kind);
      // What is still open the browser would wait for below.
      await visit.close();
      return seen;
    }),
  );
  await features.stop(executed);
  await within(browser.close(), plan.answer_ms).catch(() => {});
  return told;
}
