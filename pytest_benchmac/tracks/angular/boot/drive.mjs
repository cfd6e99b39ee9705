// Boots a built application in Chromium and writes down what each page shows.
//
// usage: node drive.mjs INBOX OUT
//   INBOX  plan.json: see `browser.BootPlan.told`. Later, when the browser may wait for them
//          already: site.bin, the files of the application one after another, and then site.json,
//          which says where each lies
//   OUT    folder for result.json and the screenshots
//
// There is no server and no network: every request of the browser is answered here, from the
// application's files and the plan's fixtures, or refused. What a page shows is asked of the
// browser by its own protocol, not of scripts in the page, which the page could have replaced.

import fs from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';

const [inbox, out] = process.argv.slice(2);
const plan = JSON.parse(fs.readFileSync(path.join(inbox, 'plan.json'), 'utf8'));
const { chromium } = createRequire(import.meta.url)(plan.playwright);

const POLL_MS = 40;
// The document has to be the same for so many looks, with no request under way.
const QUIET_LOOKS = 4;
const ANSWER_MS = plan.answer_ms;
const DOCUMENT_TRIES = 10;
// Visits at a time: each often waits for its page to stay as it is, and the others go on then.
const VISITORS = 3;
// Pages opened ahead of their visits, at most: each is a process, and takes its memory.
const AHEAD = 8;
// Exit status: the browser could not be started, which no application can bring about.
const NO_BROWSER = 70;

// The application, once it is there: where its page says it is served from, where each file lies
// in the blob, and the blob. Time counts from then on.
let site;
let deadline = Infinity;
const bounds = plan.bounds;
// One page that is not what it has to be is enough to fail: the others get less time then.
let hopeless = false;
const patience = (ms) => (hopeless ? ms / 4 : ms);

class NoAnswer extends Error {}

/** The promise's value, or NoAnswer when it takes too long: a hostile page may never answer. */
function within(promise, ms = ANSWER_MS) {
  let timer;
  const late = new Promise((_, reject) => {
    timer = setTimeout(() => reject(new NoAnswer(`no answer within ${ms} ms`)), ms);
  });
  promise.catch(() => {});
  return Promise.race([promise, late]).finally(() => clearTimeout(timer));
}

const pause = (ms) => new Promise((done) => setTimeout(done, ms));
const cut = (text, length = bounds.message) => String(text).slice(0, length);

function note(list, entry) {
  if (list.length < bounds.entries) {
    list.push(entry);
  }
}

function read([offset, length]) {
  const body = Buffer.alloc(length);
  fs.readSync(site.blob, body, 0, length, offset);
  return body;
}

/** The file of a path below the base; the index for pages that only the router knows. */
function fileOf(url, isDocument) {
  let name;
  try {
    name = decodeURIComponent(url.pathname);
  } catch {
    return undefined;
  }
  if (!name.startsWith(site.base)) {
    return undefined;
  }
  name = name.slice(site.base.length);
  if (Object.hasOwn(site.files, name)) {
    return site.files[name];
  }
  return isDocument && !path.posix.extname(name) ? site.files[plan.index] : undefined;
}

function fixtureOf(url, method) {
  const wanted = `${url.origin}${url.pathname}`;
  return plan.fixtures.find((each) => each.url === wanted && each.method === method);
}

/** The address as if the application were served from the root, so that bases can differ. */
function withoutBase(url) {
  const start = plan.origin + site.base;
  return url.startsWith(start) ? `${plan.origin}/${url.slice(start.length)}` : url;
}

/** Runs in every page before anything of its own: a clock that stands, and chance that repeats. */
function sameEveryTime(now) {
  let state = 1;
  Math.random = () => (state = (state * 48271) % 2147483647) / 2147483647;
  globalThis.Date = new Proxy(Date, {
    construct: (own, given, target) => Reflect.construct(own, given.length ? given : [now], target),
    apply: (own) => new own(now).toString(),
    get: (own, name) => (name === 'now' ? () => now : Reflect.get(own, name)),
  });
  Date.prototype.constructor = Date;
}

/** Before a picture: fonts are there, animations at their end, and no caret blinks. */
async function stillness() {
  await document.fonts.ready;
  for (const each of document.getAnimations()) {
    try {
      each.finish();
    } catch {
      // It has no end.
      each.cancel();
    }
  }
  const sheet = new CSSStyleSheet();
  sheet.replaceSync('* { caret-color: transparent !important; }');
  document.adoptedStyleSheets = [...document.adoptedStyleSheets, sheet];
}

class Visit {
  constructor(context, route) {
    this.context = context;
    this.route = route;
    this.pages = [];
    this.waiting = 0;
    this.crashed = false;
    this.startPage();
  }

  startPage() {
    this.seen = { console: [], exceptions: [], requests: [] };
  }

  async open() {
    await this.context.route('**/*', (route) => this.answer(route));
    await this.context.routeWebSocket('**', (socket) => {
      this.refuse('WS', socket.url(), 'websocket', 'refused');
      return socket.close();
    });
    await this.context.addInitScript(sameEveryTime, plan.now);
    this.page = await this.context.newPage();
    this.context.on('page', (other) => other.close().catch(() => {}));
    this.page.on('console', (message) => {
      if (message.type() === 'error') {
        const text = cut(message.text());
        note(this.seen.console, { text, url: cut(withoutBase(message.location().url)) });
      }
    });
    this.page.on('pageerror', (error) => note(this.seen.exceptions, cut(error?.stack ?? error)));
    this.page.on('crash', () => {
      this.crashed = true;
    });
    this.cdp = await this.context.newCDPSession(this.page);
  }

  refuse(method, url, kind, why) {
    const seen = cut(withoutBase(url));
    note(this.seen.requests, { method: cut(method), url: seen, kind: cut(kind), why });
  }

  async answer(route) {
    this.waiting += 1;
    try {
      await this.answerNow(route);
    } catch {
      // The page has gone away meanwhile.
    } finally {
      this.waiting -= 1;
    }
  }

  async answerNow(route) {
    const request = route.request();
    const url = new URL(request.url());
    const method = request.method();
    const fixture = fixtureOf(new URL(withoutBase(url.href)), method);
    if (fixture) {
      await route.fulfill({
        status: fixture.status,
        contentType: fixture.content_type,
        headers: { 'access-control-allow-origin': '*' },
        body: Buffer.from(fixture.body, 'base64'),
      });
      return;
    }
    if (url.origin !== plan.origin) {
      this.refuse(method, request.url(), request.resourceType(), 'refused');
      await route.abort('blockedbyclient');
      return;
    }
    const file = method === 'GET' ? fileOf(url, request.resourceType() === 'document') : undefined;
    if (!file) {
      // Every browser asks for one, and applications need not have it.
      if (url.pathname !== '/favicon.ico') {
        this.refuse(method, request.url(), request.resourceType(), 'missing');
      }
      await route.fulfill({ status: 404, contentType: 'text/plain', body: 'not found' });
      return;
    }
    await route.fulfill({ status: 200, contentType: file[2], body: read(file) });
  }

  /** Ask about the document, whose nodes may be replaced between two questions. */
  async document(ask) {
    for (let tries = 1; ; tries += 1) {
      try {
        const { root } = await within(this.cdp.send('DOM.getDocument', { depth: 0 }));
        return await ask(root.nodeId);
      } catch (error) {
        if (tries === DOCUMENT_TRIES || !/Could not find node/.test(error.message)) {
          throw error;
        }
      }
    }
  }

  html() {
    return this.document(async (nodeId) => {
      const options = { nodeId, includeShadowDOM: true };
      return (await within(this.cdp.send('DOM.getOuterHTML', options))).outerHTML;
    });
  }

  /** The node that a CSS selector finds first; undefined if there is none. */
  find(selector) {
    return this.document(async (root) => {
      const asked = this.cdp.send('DOM.querySelector', { nodeId: root, selector });
      const { nodeId } = await within(asked);
      return nodeId
        ? (await within(this.cdp.send('DOM.describeNode', { nodeId }))).node
        : undefined;
    });
  }

  /** Does the root have content, and the framework's mark? */
  async rendered() {
    const node = await this.find(plan.root);
    return Boolean(node?.childNodeCount && node.attributes?.includes(plan.version_attribute));
  }

  /** Roles and names of the accessibility tree, in the order of the document. */
  async tree() {
    const { nodes } = await within(this.cdp.send('Accessibility.getFullAXTree'));
    const byId = new Map(nodes.map((node) => [node.nodeId, node]));
    const found = [];
    const pending = nodes.filter((node) => !node.parentId).reverse();
    const visited = new Set();
    while (pending.length && found.length < bounds.nodes) {
      const node = pending.pop();
      if (visited.has(node.nodeId)) {
        continue;
      }
      visited.add(node.nodeId);
      const role = String(node.role?.value ?? 'none');
      if (!node.ignored && !['none', 'generic', 'InlineTextBox'].includes(role)) {
        found.push([cut(role, 100), cut(node.name?.value ?? '')]);
      }
      for (const id of [...(node.childIds ?? [])].reverse()) {
        if (byId.has(id)) {
          pending.push(byId.get(id));
        }
      }
    }
    return found;
  }

  /** Wait, for a bounded time, until nothing changes any more; did it come to that? */
  async settle() {
    const end = Math.min(performance.now() + plan.settle_ms, deadline);
    let before;
    let quiet = 0;
    while (performance.now() < end && !this.crashed) {
      const now = await this.html();
      quiet = now === before && this.waiting === 0 ? quiet + 1 : 0;
      if (quiet >= QUIET_LOOKS) {
        return true;
      }
      before = now;
      await pause(POLL_MS);
    }
    return false;
  }

  /** Wait, for a bounded time, until a text is shown. */
  async expect(text) {
    const end = Math.min(performance.now() + patience(plan.expect_ms), deadline);
    const wanted = text.replace(/\s+/g, ' ');
    while (performance.now() < end && !this.crashed) {
      const shown = (await this.tree()).filter(([role]) => role === 'StaticText');
      if (shown.map(([, name]) => name).join(' ').replace(/\s+/g, ' ').includes(wanted)) {
        return;
      }
      await pause(POLL_MS);
    }
    hopeless = true;
  }

  async load() {
    const started = performance.now();
    const address = plan.origin + site.base + this.route.path.slice(1);
    await within(this.page.goto(address, { waitUntil: 'commit', timeout: ANSWER_MS }));
    const end = Math.min(started + patience(plan.render_ms), deadline);
    while (performance.now() < end && !this.crashed) {
      if (await this.rendered()) {
        return Math.round(performance.now() - started);
      }
      await pause(POLL_MS / 2);
    }
    hopeless = true;
    return null;
  }

  async act(interaction) {
    const timeout = patience(plan.expect_ms);
    for (const [selector, value] of Object.entries(interaction.fill)) {
      const field = this.page.locator(selector).first();
      await within(field.waitFor({ state: 'visible', timeout }), timeout + ANSWER_MS);
      const node = await this.find(selector);
      const kind = node?.attributes?.[node.attributes.indexOf('type') + 1];
      let filled;
      if (node?.nodeName === 'SELECT') {
        filled = field.selectOption(value, { timeout });
      } else if (node?.nodeName === 'INPUT' && (kind === 'checkbox' || kind === 'radio')) {
        filled = field.setChecked(value === 'true', { timeout });
      } else {
        filled = field.fill(value, { timeout });
      }
      await within(filled, timeout + ANSWER_MS);
    }
    if (interaction.click) {
      const target = this.page.locator(interaction.click).first();
      await within(target.click({ timeout }), timeout + ANSWER_MS);
    }
  }

  /** Run `stillness` in a world of its own, in which the page has replaced nothing. */
  async still() {
    const { frameTree } = await within(this.cdp.send('Page.getFrameTree'));
    const world = { frameId: frameTree.frame.id, worldName: 'benchmac' };
    const made = await within(this.cdp.send('Page.createIsolatedWorld', world));
    const expression = `(${stillness})()`;
    const contextId = made.executionContextId;
    await within(this.cdp.send('Runtime.evaluate', { expression, contextId, awaitPromise: true }));
  }

  async screenshot(name) {
    await this.still();
    const { cssContentSize } = await within(this.cdp.send('Page.getLayoutMetrics'));
    const [width, height] = plan.viewport;
    const tall = Math.max(height, Math.min(Math.ceil(cssContentSize.height), bounds.tall));
    const file = path.join(out, name);
    const taken = await within(
      this.cdp.send('Page.captureScreenshot', {
        format: 'png',
        clip: { x: 0, y: 0, width, height: tall, scale: 1 },
        captureBeyondViewport: tall > height,
        // Larger by a third, and made sooner.
        optimizeForSpeed: true,
      }),
      2 * ANSWER_MS,
    );
    fs.writeFileSync(file, Buffer.from(taken.data, 'base64'));
    return name;
  }

  /** Do one thing and write down what the page shows then. */
  async look(step, act) {
    const page = {
      route: this.route.path,
      step,
      url: '',
      title: '',
      first_render_ms: null,
      settled: false,
      html: '',
      tree: [],
      screenshot: null,
      problem: '',
      ...this.seen,
    };
    try {
      try {
        page.first_render_ms = await act();
      } catch (error) {
        if (error instanceof NoAnswer) {
          throw error;
        }
        // What the page shows instead is worth knowing.
        hopeless = true;
        page.problem = cut(error.message.split('\n')[0]);
      }
      page.settled = await this.settle();
      page.html = cut(await this.html(), bounds.html);
      page.tree = await this.tree();
      page.url = cut(withoutBase(this.page.url()));
      page.title = cut(await within(this.page.title()));
      page.screenshot = await this.screenshot(`${this.route.number + step}.png`);
    } catch (error) {
      page.problem = cut(error.message);
    }
    if (this.crashed) {
      page.problem = 'the page crashed';
    }
    this.startPage();
    this.pages.push(page);
    // Nothing can be done on a page that is not there.
    return !page.problem && (step > 0 || page.first_render_ms !== null);
  }

  async run() {
    let fine = await this.look(0, () => this.load());
    for (const [index, interaction] of this.route.interactions.entries()) {
      if (!fine) {
        return;
      }
      fine = await this.look(index + 1, async () => {
        await this.act(interaction);
        if (interaction.expect) {
          await this.expect(interaction.expect);
        }
        return null;
      });
    }
  }
}

const browser = await chromium
  .launch({
    executablePath: plan.executable,
    // What confines it is the sandbox that all of this runs in.
    chromiumSandbox: false,
    args: [
      '--disable-dev-shm-usage',
      '--disable-gpu',
      // Fewer processes to start.
      '--in-process-gpu',
      '--no-zygote',
      // The same pixels every time: what has not changed is not kept from an earlier frame.
      '--disable-partial-raster',
      '--font-render-hinting=none',
      '--force-color-profile=srgb',
      '--host-resolver-rules=MAP * ~NOTFOUND',
    ],
  })
  .catch((error) => {
    console.error(error.message);
    process.exit(NO_BROWSER);
  });

/** A blank page for a route, in a profile of its own. */
async function opened(route) {
  const context = await browser.newContext({
    viewport: { width: plan.viewport[0], height: plan.viewport[1] },
    deviceScaleFactor: 1,
    locale: 'en-US',
    timezoneId: 'UTC',
    colorScheme: 'light',
    reducedMotion: 'reduce',
    serviceWorkers: 'block',
    acceptDownloads: false,
  });
  const made = new Visit(context, route);
  await made.open();
  return made;
}

async function siteGiven() {
  for (;;) {
    try {
      const index = JSON.parse(fs.readFileSync(path.join(inbox, 'site.json'), 'utf8'));
      return { ...index, blob: fs.openSync(path.join(inbox, 'site.bin'), 'r') };
    } catch (error) {
      // Not there, or not all of it.
      if (error.code !== 'ENOENT' && !(error instanceof SyntaxError)) {
        throw error;
      }
    }
    await pause(POLL_MS / 2);
  }
}

// For so long nothing of the application is there: it cannot be what takes its time.
const ahead = await Promise.all(plan.routes.slice(0, AHEAD).map(opened));
site = await siteGiven();
deadline = performance.now() + plan.budget_ms;

const pages = plan.routes.map(() => []);
const waiting = plan.routes.map((route, index) => [route, index]);
async function visitor() {
  while (waiting.length && performance.now() < deadline) {
    const [route, index] = waiting.shift();
    const visit = ahead[index] ?? (await within(opened(route)));
    await visit.run();
    pages[index] = visit.pages;
    await within(visit.context.close()).catch((error) => {
      if (!(error instanceof NoAnswer)) {
        throw error;
      }
    });
  }
}
await Promise.all(Array.from({ length: VISITORS }, visitor));
const results = { browser: browser.version(), pages: pages.flat() };
fs.writeFileSync(path.join(out, 'result.json'), JSON.stringify(results));
// Whatever still hangs in the browser is killed with the sandbox's command.
process.exit(0);
