// Boots built applications in Chromium and writes down what each page shows.
//
// usage: node drive.mjs INBOX OUT
//   INBOX  plan.json: see `browser.BootPlan.told`. base/files.bin, where the plan has a base, whose
//          way through it is found; else `plan.way` is it, where there is one. Later, when a browser
//          may wait for it already: case/files.bin, and then case/index.json
//   OUT    a folder for each of the two, with result.json and the screenshots; `state`: where the
//          boot of the base has come to, see `browser._State`
//
// The base is booted first, in a browser process of its own, before anything of the case is here.
// There is no server and no network: every request of the browser is answered from the files and
// the plan's fixtures, or refused.

import fs from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';

import { NoAnswer, cut, pause, within } from './common.mjs';
import { takeControls } from './control.mjs';
import { Elsewhere } from './elsewhere.mjs';
import { inlineOf } from './inline.mjs';
import { OLDER } from './makers.mjs';
import { Scripts } from './scripts.mjs';
import { parsed } from './shapes.mjs';
import { Site } from './site.mjs';
import { Features } from './uses.mjs';
import { Visit } from './visit.mjs';
import { findWalks, takeWalks, wayOf } from './walk.mjs';
import { Walked } from './walked.mjs';

const [inbox, out] = process.argv.slice(2);
const plan = JSON.parse(fs.readFileSync(path.join(inbox, 'plan.json'), 'utf8'));
const { chromium } = createRequire(import.meta.url)(plan.playwright);

// Visits at a time: each often waits for its page to stay as it is, and the others go on then.
const VISITORS = 3;
// So often a browser is started, at most.
const LAUNCHES = 3;
// Characters of an answer that is entered somewhere.
const LONGEST = 2_000;
// Exit status: the browser could not be started, which no application can bring about.
const NO_BROWSER = 70;

/** Write down where the boot of the base has come to. */
function say(state) {
  fs.writeFileSync(path.join(out, 'state'), state);
}

/**
 * Start a browser: one that ends as it starts, before any page, is started again.
 *
 * @param args more of its arguments
 * @param env more of its environment
 */
async function launch(args, env = {}) {
  const options = {
    executablePath: plan.executable,
    env: { ...process.env, ...env },
    // What confines it is the sandbox that all of this runs in.
    chromiumSandbox: false,
    ignoreDefaultArgs: ['--enable-automation'],
    args: [
      '--disable-blink-features=AutomationControlled',
      ...args,
      '--disable-dev-shm-usage',
      '--disable-gpu',
      // Keys and the wheel move a page at once: an animation waits for frames, which a busy machine
      // shows late.
      '--disable-smooth-scrolling',
      // One process less to start.
      '--in-process-gpu',
      // The same pixels every time: what has not changed is not kept from an earlier frame.
      '--disable-partial-raster',
      // No frame before all of it is drawn, however slow the machine is.
      '--run-all-compositor-stages-before-draw',
      '--disable-checker-imaging',
      '--disable-new-content-rendering-timeout',
      '--font-render-hinting=none',
      '--force-color-profile=srgb',
      '--host-resolver-rules=MAP * ~NOTFOUND',
    ],
  };
  for (let tries = 0; tries < LAUNCHES; tries += 1) {
    try {
      return await chromium.launch(options);
    } catch (error) {
      console.error(error.message);
    }
  }
  say('no-browser');
  return process.exit(NO_BROWSER);
}

/** One whose time is the harness's, and for control visits one that is as anybody's, but for the day. */
async function launchBoth() {
  // `Math.random` says the same every time. One of the two has an older engine.
  const [flags, others] = [plan.older, plan.older_controls].map((older) => (older ? OLDER.flags : []));
  const own = launch([`--js-flags=${[`--random-seed=${plan.random}`, ...flags].join(' ')}`]);
  const seconds = Math.round((plan.now - Date.now()) / 1000);
  const clock = { LD_PRELOAD: plan.clock, FAKETIME: `${seconds < 0 ? '' : '+'}${seconds}` };
  const control = plan.routes.length ? launch([`--js-flags=${others.join(' ')}`], clock) : null;
  return { own: await own, control: await control };
}

async function opened(browser, route) {
  const made = new Visit(browser, plan, route);
  await made.open();
  return made;
}

/**
 * What the pages of an application show.
 *
 * @param browsers see `launchBoth`
 * @param lived how long each page of each route has lived
 * @param walk takes the walks: `walks`, with what was seen, and the `problem` where there are none to
 *   be had; its argument opens a page for a walk
 */
async function boot(browsers, site, folder, lived, walk) {
  const browser = browsers.own;
  fs.mkdirSync(folder);
  const pace = { deadline: performance.now() + plan.budget_ms, hopeless: false };
  const keep = (name, picture) => {
    fs.writeFileSync(path.join(folder, `${name}.png`), picture);
    return `${name}.png`;
  };
  const executed = Scripts.none();
  const features = new Features(browser, plan.answer_ms);
  await features.start();
  site.allow(await inlineOf(browser, plan, site));
  const controls = takeControls(browsers.control, plan, site, executed);
  const pages = plan.routes.map(() => []);
  const waiting = plan.routes.map((route, index) => [route, index]);
  async function visitor() {
    while (waiting.length && performance.now() < pace.deadline) {
      const [route, index] = waiting.shift();
      // Not earlier: a page whose time has stood for a minute answers no more.
      const visit = await within(opened(browser, route), plan.answer_ms);
      await visit.run(site, pace, lived[index] ?? [], executed, keep);
      pages[index] = visit.pages;
      await visit.called();
      await within(visit.context.close(), plan.answer_ms).catch((error) => {
        if (!(error instanceof NoAnswer)) {
          throw error;
        }
      });
    }
  }
  await Promise.all(Array.from({ length: VISITORS }, visitor));
  const { walks, problem = '' } = await walk(async (one) => {
    const visit = new Walked(browser, plan, site, pace, executed, one, keep);
    await within(visit.open(), plan.answer_ms);
    return visit;
  });
  const way = {
    lived: pages.map((each) => each.map((page) => page.lived_ms)),
    walks: walks.map(wayOf),
  };
  // What is still open is waited for below.
  await Elsewhere.of(browser, plan.answer_ms).close().catch(() => {});
  await features.stop(executed);
  const result = {
    browser: browser.version(),
    pages: pages.flat(),
    executed,
    walks: walks.map((each) => each.seen),
    walks_problem: cut(problem, plan.bounds.message),
    controls: await controls,
    way,
  };
  fs.writeFileSync(path.join(folder, 'result.json'), JSON.stringify(result));
  return way;
}

async function given(folder) {
  for (;;) {
    try {
      return JSON.parse(fs.readFileSync(path.join(folder, 'index.json'), 'utf8'));
    } catch (error) {
      // Not there, or not all of it.
      if (error.code !== 'ENOENT' && !(error instanceof SyntaxError)) {
        throw error;
      }
    }
    await pause(plan.poll_ms / 2);
  }
}

/** A list as JSON with as many of its items as are entered somewhere; anything else as it is. */
function shortened(text) {
  const list = text.length > LONGEST ? parsed(text) : undefined;
  const fits = (length) => JSON.stringify(list.slice(0, length)).length <= LONGEST;
  return Array.isArray(list)
    ? JSON.stringify(list.slice(0, list.findLastIndex((_, at) => fits(at + 1)) + 1))
    : text;
}

/** On the base: find the walks. */
async function explore(open) {
  const fills = plan.routes.flatMap(({ interactions }) =>
    interactions.flatMap(({ fill }) => Object.entries(fill)),
  );
  const routes = plan.routes.map((route) => route.path);
  const found = findWalks({ key: plan.walks.key, routes, open, fills, texts, now: plan.now });
  return found.then(
    (walks) => ({ walks }),
    (error) => ({ walks: [], problem: error.message || 'no reason told' }),
  );
}

// What the back end answers, as texts that can be entered.
const texts = plan.walks.fixtures
  .filter(({ method, content_type }) => method === 'GET' && /json/.test(content_type))
  .map(({ body }) => shortened(Buffer.from(body, 'base64').toString().trim()))
  .filter((text) => text.length > 2 && text.length <= LONGEST);
// What is chosen where a page asks for a file.
plan.file = path.join(out, 'file.json');
fs.writeFileSync(plan.file, texts[0] ?? '[]');
let way = plan.way ?? { lived: [], walks: [] };
if (plan.way) {
  say('known');
}
if (plan.base) {
  const site = new Site(plan, path.join(inbox, 'base'), plan.base);
  const first = await launchBoth();
  way = await boot(first, site, path.join(out, 'base'), [], explore);
  say('booted');
  await within(first.own.close(), plan.answer_ms).catch(() => {});
}
// Started ahead; nothing of the case is there yet, so that it cannot be what takes its time.
const second = await launchBoth();
const folder = path.join(inbox, 'case');
const index = await given(folder);
const site = new Site(plan, folder, index);
await boot(second, site, path.join(out, 'case'), way.lived, async (open) => ({
  walks: await takeWalks(way.walks, open),
}));
// Whatever still hangs in the browser is killed with the sandbox's command.
process.exit(0);
