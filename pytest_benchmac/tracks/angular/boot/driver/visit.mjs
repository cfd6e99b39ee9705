// One route of one application: opened in a profile of its own, looked at, used, looked at again.

import { Chance } from './chance.mjs';
import { Clock } from './clock.mjs';
import { NoAnswer, cut, note, pause, within } from './common.mjs';
import { Elsewhere } from './elsewhere.mjs';
import { Fields } from './fields.mjs';
import { kindOf } from './files.mjs';
import { Hands } from './hands.mjs';
import { watchHints } from './hints.mjs';
import { AFTER_TREE_MS } from './page.mjs';
import { agentOf, takeAway } from './makers.mjs';
import { connectsPeers } from './peers.mjs';
import { Person } from './person.mjs';
import { Pictured } from './pictures.mjs';
import { Scripts } from './scripts.mjs';
import { readBy } from './sheets.mjs';

// The document has to be the same for so many looks, with no request under way.
const QUIET_LOOKS = 2;
// Milliseconds that the page lives between two looks.
const LOOK_MS = 200;
// All pages are looked at when they have lived a multiple of this, so that their clocks agree.
const WHOLE_MS = 1_000;

// What builders put into a page or leave out of it, by version.
export const LOOKS = ['font', 'stylesheet'];

// Where a visitor is who tells it.
const PLACE = { latitude: 56.1, longitude: -3.9 };

export class Visit {
  /**
   * @param browser a running one
   * @param plan what the driver was told
   * @param route where to go, and what to do there
   */
  constructor(browser, plan, route) {
    this.browser = browser;
    this.plan = plan;
    this.route = route;
    this.bounds = plan.bounds;
    this.pages = [];
    this.waiting = 0;
    this.crashed = false;
    this.mobile = plan.telephone ?? false;
    /** What makes of a style sheet what its browser reads; null for a browser that reads all of it. */
    this.read = null;
    /** Is it asked which functions ran? */
    this.covers = true;
    /** Does it take the files that pages hand out? */
    this.takesFiles = false;
    this.startPage();
  }

  startPage() {
    this.seen = { console: [], exceptions: [], requests: [] };
  }

  cut(text) {
    return cut(text, this.bounds.message);
  }

  /** Open a blank page, in a profile of its own. */
  async open() {
    const { plan } = this;
    const [width, height] = plan.viewport;
    this.context = await this.browser.newContext({
      userAgent: agentOf(this).userAgent,
      viewport: { width, height },
      deviceScaleFactor: plan.pixel_ratio,
      isMobile: this.mobile,
      hasTouch: this.mobile,
      locale: plan.locale,
      timezoneId: plan.timezone,
      colorScheme: plan.color_scheme,
      reducedMotion: 'reduce',
      acceptDownloads: this.takesFiles,
      permissions: [...(plan.permissions ?? []), 'clipboard-write'],
      geolocation: PLACE,
    });
    await this.context.route('**/*', (route) => this.answer(route));
    this.context.on('serviceworker', () => {
      this.executed.workers += 1;
    });
    this.context.on('page', (other) => {
      if (!this.opening) {
        other.close().catch(() => {});
      }
    });
    await this.openPage(plan.now);
  }

  /**
   * Give the page its window once more, by the session that takes pictures: one that takes a picture
   * of more than the window leaves the page with the window that it knows of.
   */
  async measure() {
    const { viewport, pixel_ratio: deviceScaleFactor } = this.plan;
    const [width, height] = viewport;
    const metrics = { width, height, deviceScaleFactor, mobile: this.mobile };
    await this.clock.during(this.asked.send('Emulation.setDeviceMetricsOverride', metrics));
  }

  /** Do something with the page's window; what is to be done gets a function that changes its bounds. */
  async window(act) {
    const session = await within(this.browser.newBrowserCDPSession(), this.plan.answer_ms);
    try {
      const { targetInfo } = await this.asked.send('Target.getTargetInfo');
      const { targetId } = targetInfo;
      const send = (method, parameters) => within(session.send(method, parameters), this.plan.answer_ms);
      const { windowId } = await send('Browser.getWindowForTarget', { targetId });
      await act((bounds) => send('Browser.setWindowBounds', { windowId, bounds }));
    } finally {
      await session.detach();
    }
  }

  /** Open a blank page in the profile, whose clock begins at a moment, in milliseconds since 1970. */
  async openPage(now) {
    const { plan } = this;
    this.opening = true;
    this.page = await this.newPage();
    this.opening = false;
    this.page.on('console', (message) => {
      if (message.type() === 'error') {
        const url = this.cut(this.site.told(message.location().url));
        this.note(this.seen.console, { text: this.cut(message.text()), url });
      }
    });
    this.page.on('pageerror', (error) =>
      this.note(this.seen.exceptions, this.cut(error?.stack ?? error)),
    );
    this.page.on('dialog', (dialog) => {
      this.noteError(`asks in a dialog: ${dialog.message()}`);
      (this.agreesTo(dialog.type()) ? dialog.accept() : dialog.dismiss()).catch(() => {});
    });
    this.page.on('download', (download) => {
      const kind = kindOf(download);
      this.noteError(`hands out a file${kind && ` of kind ${kind}`}`);
      this.getFile(download);
    });
    this.page.on('crash', () => {
      this.crashed = true;
    });
    this.cdp = await this.context.newCDPSession(this.page);
    this.makeClock();
    this.asked = new Pictured(this.cdp, this.clock, plan);
    this.page.on('frameattached', () => {
      this.executed.frames = true;
    });
    this.page.on('framenavigated', (frame) => {
      if (frame === this.page.mainFrame()) {
        this.asked.left();
      }
    });
    const chance = new Chance(plan.random, 'person');
    this.person = new Person(this.asked, this.clock, chance, Elsewhere.of(this.browser, plan.answer_ms));
    this.fields = new Fields(this.person, this.asked);
    this.hands = new Hands(this.person, this.fields, this.asked, this.clock, plan);
    await this.asked.send('Emulation.setUserAgentOverride', agentOf(this));
    await this.measure();
    const [left, top] = plan.corner;
    await this.window((change) => change({ left, top }));
    // Nothing of the network is there: sockets fail by themselves, and workers are not asked.
    this.cdp.on('Network.webSocketCreated', ({ url }) => this.list('WS', url, 'websocket', 'refused'));
    await this.asked.send('Network.enable');
    await this.asked.send('Network.setBypassServiceWorker', { bypass: true });
    this.scripts = new Scripts(this.asked, this.bounds);
    await this.scripts.start(this.covers);
    this.page.on('worker', () => {
      this.executed.workers += 1;
    });
    await watchHints(this, (host) => this.noteError(`has browsers ask a host by itself: ${host}`));
    this.read = await takeAway(this);
    await this.clock.start(now);
  }

  newPage() {
    return this.context.newPage();
  }

  /** Is a dialog of a kind answered by yes? */
  agreesTo() {
    return true;
  }

  /** A page hands out a file. */
  getFile() {}

  /** The page's clock, which stands from its `start` on. */
  makeClock() {
    this.clock = new Clock(this.cdp, this.plan.answer_ms);
  }

  /** Write down whether another browser was called, before a process may end that tells it. */
  async called() {
    // Not `||=`: meanwhile another visit may have written it down.
    if (await within(connectsPeers(this.browser), this.plan.answer_ms)) {
      this.executed.peers = true;
    }
  }

  /** Close the profile. */
  async close() {
    await this.called().catch(() => {});
    if (this.context) {
      await within(this.context.close(), this.plan.answer_ms).catch(() => {});
    }
  }

  note(list, entry) {
    note(list, entry, this.bounds.entries);
  }

  /** What the browser logs nowhere, and what is an error where the base does not do it. */
  noteError(text) {
    this.note(this.seen.console, { text: this.cut(text), url: '' });
  }

  list(method, url, kind, why) {
    const seen = this.cut(this.site.told(url));
    // For looks is what the build itself names: an address that is made on the way tells something.
    const own = LOOKS.includes(kind) && !this.site.names(url) ? 'other' : kind;
    this.note(this.seen.requests, { method: this.cut(method), url: seen, kind: this.cut(own), why });
  }

  /** What a request is answered with: see `Site.answer`. */
  answerTo(request) {
    return this.site.answer(request);
  }

  async answer(route) {
    this.waiting += 1;
    try {
      const request = route.request();
      const queried = this.site.queried(request);
      if (queried !== undefined) {
        this.noteError(`sends a query to the file ${queried}`);
      }
      const { fulfill, why, abort = 'blockedbyclient' } = this.answerTo(request);
      if (why) {
        this.list(request.method(), request.url(), request.resourceType(), why);
      }
      await (fulfill ? route.fulfill(this.dated(this.readBy(fulfill))) : route.abort(abort));
    } catch {
      // The page has gone away meanwhile.
    } finally {
      this.waiting -= 1;
    }
  }

  /** An answer as this visit's browser reads it. */
  readBy(answer) {
    return readBy(this.read, answer, () => this.site.styleSheets());
  }

  /** An answer as servers with a clock give it (RFC 9110, 6.6.1). */
  dated(answer) {
    const date = new Date(this.clock.began + this.clock.elapsed).toUTCString();
    return { ...answer, headers: { ...answer.headers, date } };
  }

  /** Milliseconds left for something that takes at most so many; less once the boot has failed. */
  patience(ms) {
    const left = Math.max(0, this.pace.deadline - performance.now());
    return Math.min(this.pace.hopeless ? ms / 4 : ms, left);
  }

  /** Wait, for a bounded time, until nothing changes any more; did it come to that? */
  async settle() {
    const end = performance.now() + this.patience(this.plan.settle_ms);
    const last = this.clock.elapsed + this.plan.settle_ms;
    let before;
    let quiet = 0;
    while (performance.now() < end && this.clock.elapsed < last && !this.crashed) {
      await this.clock.advance(LOOK_MS);
      // What workers and frames do takes time of its own.
      await pause(this.plan.poll_ms / 4);
      const now = await this.asked.html();
      quiet = now === before && this.waiting === 0 ? quiet + 1 : 0;
      if (quiet >= QUIET_LOOKS) {
        return true;
      }
      before = now;
    }
    return false;
  }

  /** Wait, for a bounded time, until something is so. */
  async until(asked, ms) {
    const end = performance.now() + this.patience(ms);
    while (performance.now() < end && !this.crashed) {
      if (await asked()) {
        return true;
      }
      await this.clock.advance(LOOK_MS / 2);
      await pause(this.plan.poll_ms / 4);
    }
    this.pace.hopeless = true;
    return false;
  }

  async go() {
    const address = this.site.address(this.route.path);
    const timeout = this.plan.answer_ms;
    const referer = this.plan.referrer || undefined;
    await within(this.page.goto(address, { waitUntil: 'commit', timeout, referer }), timeout);
  }

  async load() {
    const started = performance.now();
    await this.go();
    const rendered = await this.until(() => this.asked.rendered(), this.plan.render_ms);
    this.blank_ms = this.clock.elapsed;
    return rendered ? Math.round(performance.now() - started) : null;
  }

  /** Wait until the framework has rendered something; `when` says of an error when that was. */
  async rendering(when = '') {
    if (!(await this.until(() => this.asked.rendered(), this.plan.render_ms))) {
      throw new Error(`the root element stays empty${when}`);
    }
  }

  /** Where the browser's button for the page before (-1) or after (1) leads. */
  async turn(by) {
    const { currentIndex, entries } = await this.asked.send('Page.getNavigationHistory');
    const at = currentIndex + by;
    // The first one is the blank page, but in a window that another page has opened.
    const first = entries[0].url === 'about:blank' ? 1 : 0;
    if (at < first || at >= entries.length) {
      throw new Error('there is no such page');
    }
    const { id: entryId } = entries[at];
    await this.clock.during(this.asked.send('Page.navigateToHistoryEntry', { entryId }));
  }

  async act({ fill, click, expect }) {
    const ms = this.patience(this.plan.expect_ms);
    for (const [selector, value] of Object.entries(fill)) {
      await this.hands.fill(selector, value, ms);
    }
    if (click) {
      await this.hands.click(click, ms);
    }
    if (expect) {
      await this.until(() => this.asked.shows(expect), this.plan.expect_ms);
    }
    return null;
  }

  /**
   * Do one thing and write down what the page shows then.
   *
   * @param until the page has lived at least so many milliseconds then
   */
  async look(step, until, act) {
    const page = {
      route: this.route.path,
      step,
      url: '',
      title: '',
      lang: '',
      lived_ms: 0,
      first_render_ms: null,
      blank_ms: null,
      settled: false,
      nodes: [],
      texts: [],
      looks: [],
      tree: [],
      screenshot: null,
      problem: '',
      ...this.seen,
    };
    try {
      try {
        page.first_render_ms = await act();
        page.blank_ms = page.first_render_ms === null ? null : this.blank_ms;
      } catch (error) {
        if (error instanceof NoAnswer) {
          throw error;
        }
        // What the page shows instead is worth knowing.
        this.pace.hopeless = true;
        page.problem = this.cut(error.message.split('\n')[0]);
      }
      page.settled = await this.settle();
      const whole = Math.ceil(this.clock.elapsed / WHOLE_MS) * WHOLE_MS;
      await this.clock.advanceTo(Math.max(whole, until));
      page.lived_ms = this.clock.elapsed;
      Object.assign(page, await this.asked.shown());
      page.url = this.cut(this.site.told(this.page.url()));
      page.title = this.cut(await this.asked.title());
      page.lang = this.cut(await this.asked.language());
      Object.assign(page, await this.shoot(`${this.route.number + step}`));
      await this.scripts.take(this.site, this.executed);
      // Last: a page that was asked for it shows its next frame late, by its own clock.
      page.tree = await this.asked.tree();
      await this.clock.advance(AFTER_TREE_MS);
    } catch (error) {
      page.problem = this.cut(error.message);
    }
    if (this.crashed) {
      page.problem = 'the page crashed';
    }
    this.startPage();
    this.pages.push(page);
    // Nothing can be done on a page that is not there.
    return !page.problem && (step > 0 || page.first_render_ms !== null);
  }

  /** Take the page's pictures: the name of the one with texts, and what looks are in it. */
  async shoot(name, isAsItIs) {
    const { picture, textless, looks } = await this.asked.screenshots(isAsItIs);
    this.keep(`${name}.textless`, textless);
    return { screenshot: this.keep(name, picture), looks };
  }

  /**
   * Go there and do all that is to be done.
   *
   * @param site the application
   * @param pace `deadline`, and whether the boot has failed already
   * @param lived milliseconds that the page of each step has to have lived at least
   * @param executed what the pages of the application executed: see `Scripts.none`
   * @param keep writes a picture down; its name
   */
  async run(site, pace, lived, executed, keep) {
    Object.assign(this, { site, pace, executed, keep });
    let fine = await this.look(0, lived[0] ?? 0, () => this.load());
    for (const [index, interaction] of this.route.interactions.entries()) {
      if (!fine) {
        return;
      }
      fine = await this.look(index + 1, lived[index + 1] ?? 0, () => this.act(interaction));
    }
  }
}
