// A page that a walk goes through: opened in a profile of its own, with a back end that answers
// whatever is asked, and writes down what that was.

import { READS, answerOf, callOf, refusal } from './backend.mjs';
import { ELSEWHERE, digest, note, within } from './common.mjs';
import { FILES, toldOf } from './files.mjs';
import { during } from './media.mjs';
import { AFTER_TREE_MS } from './page.mjs';
import { NO_ANSWER, NO_NETWORK, WALKERS } from './turns.mjs';
import { Visit } from './visit.mjs';

// So long, by its own clock, a page waits for a back end that is silent.
const PATIENCE_MS = 30_000;
const SPELL_MS = 5_000;
// What pages are told of the network, in milliseconds and bytes per second: what most have.
const NETWORK = {
  latency: 50,
  downloadThroughput: 1_250_000,
  uploadThroughput: 1_250_000,
  connectionType: 'ethernet',
};
const ONLINE_MS = 500;
// What a visitor may allow a page.
const ALLOWED = ['geolocation', 'notifications'];
// So long, more or less, a back end takes that takes its time.
const SLOW_MS = 300;
// Letters of what guards against forged requests: beside them it has what needs to be written otherwise in a cookie.
const GUARD = 12;
// A cookie by which the back end knows whoever asks; no script can read it.
const SESSION = 'SESSION';
const DAY_MS = 86_400_000;
// Bounds of what pages keep, in entries and letters; `walked.py` has the first.
const KEPT = 60;
const LONGEST = 300;
// A picture is tried so often.
const PICTURED_TRIES = 3;
// So many CSS pixels a window is smaller on another screen, either way.
const SMALLER = 16;
// Questions of pages that may be answered by no.
const ASKING = new Set(['confirm', 'prompt']);
// So many dialogs of a step are told.
const DIALOGS = 10;

/** Runs in another site's page: open a window, and listen to it. */
function openWindow() {
  globalThis.heard = 0;
  addEventListener('message', () => {
    globalThis.heard += 1;
  });
  globalThis.other = open('about:blank');
}

/** How many messages came since the last time? */
function messages() {
  const { heard } = globalThis;
  globalThis.heard = 0;
  return heard;
}

export class Walked extends Visit {
  /**
   * @param browser a running one
   * @param plan what the driver was told
   * @param site the application
   * @param pace `deadline`; nothing is awaited any longer
   * @param executed what the pages of the application executed
   * @param walk `number`; `silent`: does the back end never answer?; `viewport`: width and height, where
   *   not the plan's; `render_ms`: how long a page has to render something, where not the plan's
   * @param keep writes a picture down; its name
   */
  constructor(browser, plan, site, pace, executed, walk, keep) {
    const { number, silent = false, viewport = plan.viewport, render_ms = plan.render_ms } = walk;
    // Every other one allows what pages may ask for.
    const permissions = number % 2 ? ALLOWED : [];
    const visitor = plan.visitors[number] ?? {};
    const now = plan.now + (visitor.later_days ?? 0) * DAY_MS;
    const own = { ...plan, ...visitor, now, viewport, permissions, render_ms };
    super(browser, own, { path: '/', interactions: [] });
    Object.assign(this, { site, pace: { ...pace }, walk, silent, keep, calls: [] });
    /** Is it another window of the profile that asks for something? */
    this.beside = false;
    /** Back ends say so of what is new, or only that all went well: the first time, and every other. */
    this.created = true;
    /** What was seen last, and when: see `look`. */
    this.looked = null;
    /** What hands are still to be used for, where a way is found: see `Listened`. */
    this.listened = null;
    /** Status that whatever is written is refused with; null where it is taken. */
    this.refused = null;
    /** In which shape answers are, see `shaped`, and what they fail with; null where as they should be. */
    this.shape = null;
    this.statuses = null;
    /** On one of the walks that find a way, the back end takes its time. */
    this.slow = Number.parseInt(plan.walks.key.slice(-6), 16) % WALKERS === number;
    /** What answers wait for, if for anything. */
    this.held = null;
    /** What guards against forged requests: as most servers make it, of both cases and with signs. */
    const guard = Buffer.from(digest(`${plan.walks.key}/guard`), 'hex').toString('base64');
    this.guard = `T-${guard.slice(0, GUARD)}=`;
    /** How many steps were taken, and at which of them the back end answered last. */
    this.taken = 0;
    this.answered = null;
    /** Of a step: its dialogs, in words, and files that were handed out. */
    this.dialogs = [];
    this.files = [];
    /** Does every question of it get a yes, or a no? Undefined where chance says. And which did the last one get? */
    this.agrees = undefined;
    this.agreed = undefined;
    /** What the back end answers: something else once somebody comes back after a while. */
    this.fixtures = plan.walks.fixtures;
    this.executed = executed;
    // Only which scripts: of functions, routes tell enough, and counting them makes pages slow.
    this.covers = false;
    this.takesFiles = true;
  }

  /** A step begins. Who goes elsewhere by no element of the page is sure of it. */
  begin({ click, enter, agrees }) {
    this.taken += 1;
    Object.assign(this, { agrees: click || enter ? agrees : true, agreed: undefined, dialogs: [], files: [] });
  }

  /** Of what is asked, one question in two gets a no: which, the numbers of walk, step and dialog say. */
  agreesTo(kind) {
    const nth = this.dialogs.length + 1;
    const at = [this.plan.walks.key, 'dialog', this.walk.number, this.taken, nth].join('/');
    // Some pages ask until they get a yes.
    const always = !ASKING.has(kind) || nth > DIALOGS;
    const agrees = always || (this.agrees ?? Number.parseInt(digest(at)[0], 16) % 2 === 0);
    if (!always) {
      this.agreed = agrees;
    }
    note(this.dialogs, `it asks in a dialog, ${kind} ${nth}${agrees ? '' : ', and gets a no'}`, DIALOGS);
    return agrees;
  }

  getFile(download) {
    if (!this.beside && this.files.length < FILES) {
      this.files.push(toldOf(download, this.plan.answer_ms));
    }
  }

  /** What a page asked in dialogs, and what files have that it handed out: in words. */
  async aside() {
    return [...this.dialogs, ...(await Promise.all(this.files)).flat()];
  }

  /** Of some visitors, another site's page has opened the window, and hears what it is told. */
  async newPage() {
    if (!this.plan.opened) {
      return super.newPage();
    }
    const { answer_ms } = this.plan;
    this.opener = await this.context.newPage();
    await this.opener.route(ELSEWHERE, (route) => route.fulfill({ contentType: 'text/html', body: '' }));
    await within(this.opener.goto(ELSEWHERE), answer_ms);
    const opened = this.context.waitForEvent('page', { timeout: answer_ms });
    await within(this.opener.evaluate(openWindow), answer_ms);
    return opened;
  }

  /** Write down whether it was told something. */
  async toldElsewhere() {
    if (this.opener && (await within(this.opener.evaluate(messages), this.plan.answer_ms))) {
      this.noteError('tells something to the window that opened it');
    }
  }

  async openPage(now) {
    await super.openPage(now);
    this.clock.always = this.silent;
  }

  /** Write down which scripts ran since the last time. */
  ran() {
    return this.scripts.takeParsed(this.site, this.executed);
  }

  /**
   * What there is to see, and a picture of it: a page that cannot be pictured has none.
   *
   * @param name of the picture
   * @param way to look at the page, see `MEDIA`; undefined for the usual one
   */
  async pictured(name, way) {
    // A picture can be had so long after the page was asked for its accessibility tree. Beside, what
    // comes in as it moves is there by then.
    const take = async () => {
      await this.clock.advance(AFTER_TREE_MS).catch(() => {});
      return this.pictureNow(name, way);
    };
    return way ? during(way, this, take).catch(() => ({})) : take();
  }

  async pictureNow(name, way) {
    const shoot = () => this.shoot(name, Boolean(way));
    for (let tries = 0; tries < PICTURED_TRIES; tries += 1) {
      try {
        const { texts, fields } = await this.asked.shown();
        const { screenshot: picture } = await (way ? this.asked.asFollowed(shoot) : shoot());
        return { texts, fields, picture };
      } catch {
        // A busy machine takes long for many pixels.
      }
    }
    return {};
  }

  ask(method, parameters) {
    return this.asked.send(method, parameters);
  }

  /** Open an address, and wait until the framework has rendered something. */
  async load(path = '/') {
    await this.called();
    this.route = { path, interactions: [] };
    this.pace.hopeless = false;
    this.clock.always = this.silent;
    await this.go();
    await this.rendering();
  }

  async reload() {
    await this.called();
    const timeout = this.plan.answer_ms;
    await within(this.page.reload({ waitUntil: 'commit', timeout }), timeout);
    this.pace.hopeless = false;
    await this.rendering();
  }

  /** Close the window, and come back to its address in the same profile, so much later. */
  async comeBack(laterMs) {
    const now = this.clock.began + this.clock.elapsed + laterMs;
    const path = this.path();
    await this.ran();
    await this.called();
    await within(this.page.close(), this.plan.answer_ms);
    this.fixtures = this.plan.walks.later;
    await within(this.openPage(now), this.plan.answer_ms);
    await this.load(path);
  }

  /** Give the window another size, as who turns a telephone does, and touch it from now on. */
  async resize(viewport) {
    this.plan.viewport = viewport;
    await this.measure();
    await this.person.takeTouchScreen();
  }

  /** Open the same address in another window of the same profile, and close that. */
  async another() {
    const other = new Walked(this.browser, this.plan, this.site, this.pace, this.executed, this.walk, this.keep);
    other.context = this.context;
    this.opening = true;
    this.beside = true;
    try {
      await within(other.openPage(this.clock.began + this.clock.elapsed), this.plan.answer_ms);
      this.opening = false;
      await other.load(this.path());
      await other.settle();
      await other.ran();
      await within(other.page.close(), this.plan.answer_ms);
    } finally {
      this.opening = false;
      this.beside = false;
    }
  }

  /** Look at another window for so long, without a network, and come back on another screen. */
  async leave(ms) {
    // All pages are kept in the state of one that is looked at, by a session that is not ours.
    const { _client: keeper } = this.page._connection.toImpl(this.page).delegate._mainFrameSession;
    const kept = (enabled) => keeper.send('Emulation.setFocusEmulationEnabled', { enabled });
    await this.window(async (change) => {
      await kept(false);
      await change({ windowState: 'minimized' });
      // The sandbox has no network, so that pages hear first that there is one.
      for (const [offline, lived] of [[false, ONLINE_MS], [true, ms], [false, ONLINE_MS]]) {
        await this.ask('Network.overrideNetworkState', { offline, ...NETWORK });
        await this.clock.advance(lived);
      }
      await change({ windowState: 'normal' });
      await kept(true);
    });
    // It is on another screen then.
    const { viewport, pixel_ratio } = this.plan;
    const smaller = viewport.map((each) => each - SMALLER);
    Object.assign(this.plan, { viewport: smaller, pixel_ratio: pixel_ratio === 1 ? 2 : 1 });
    await this.measure();
  }

  /** Where the back end is silent: until the page has given up, or waited long. */
  async go() {
    await super.go();
    if (this.silent) {
      const started = async () => this.calls.length > 0 || this.asked.rendered();
      await this.until(started, this.plan.render_ms);
      await this.wait();
    }
  }

  /** Wait until the page may have given up what is never answered. */
  async wait() {
    for (let waited = 0; waited < PATIENCE_MS; waited += SPELL_MS) {
      await this.clock.advance(SPELL_MS);
    }
  }

  path() {
    return this.inside(this.page.url()) ?? '';
  }

  /** A link as a path of the application; undefined when it leads out of it. */
  inside(href) {
    if (!URL.canParse(href, this.page.url())) {
      return undefined;
    }
    const url = new URL(href, this.page.url());
    const name = this.site.below(url.href);
    return name === undefined ? undefined : `/${name}${url.search}${url.hash}`;
  }

  /** Which fields of the page the instance enters something in: node -> value. */
  async declared(fills) {
    const found = new Map();
    for (const [selector, value] of fills) {
      const node = await this.asked.find(selector).catch(() => undefined);
      if (node) {
        found.set(node.backendNodeId, value);
      }
    }
    return found;
  }

  /** Is the back end asked, and not for a file of the application? */
  asksBackEnd(request) {
    if (!['xhr', 'fetch'].includes(request.resourceType())) {
      return false;
    }
    const fixture = this.site.fixture(request.url(), request.method());
    return Boolean(fixture) || this.site.answer(request).fulfill?.status !== 200;
  }

  /** Do something, and give no answer before it is done: of what is fast on one side only, nothing is seen. */
  async withoutAnswers(act) {
    // Time does not wait for them.
    this.clock.always = true;
    const done = act().finally(() => {
      this.held = null;
      this.clock.always = this.silent;
    });
    this.held = done.catch(() => {});
    await done;
  }

  async answer(route) {
    await this.held;
    const request = route.request();
    const never = this.silent || (this.refused === NO_ANSWER && !READS.has(request.method()));
    if (never && this.asksBackEnd(request)) {
      // Time does not wait for it.
      this.clock.always = true;
      this.call(request);
      return;
    }
    if (this.slow && !this.beside && this.asksBackEnd(request)) {
      // The page is not quiet meanwhile.
      this.waiting += 1;
      await this.clock.beside(SLOW_MS);
      this.waiting -= 1;
    }
    await super.answer(route);
  }

  call(request) {
    if (this.beside) {
      return;
    }
    const url = new URL(this.site.told(request.url()));
    this.calls.push(callOf(url, request.method(), request.headers(), request.postData(), this.guard));
  }

  /** What the page keeps, or says of itself, beside what it shows: see `kept` in `page.mjs`. */
  async kept() {
    return (await this.asked.kept()).slice(0, KEPT).map(([name, value]) => {
      const long = value.length > LONGEST;
      return [name.slice(0, LONGEST), long ? `${value.slice(0, LONGEST)} ${digest(value).slice(0, 16)}` : value];
    });
  }

  /** The header by which the back end knows the visitor again; answers of one step have the same. */
  session() {
    if (this.beside) {
      return {};
    }
    this.answered = this.taken;
    return { 'set-cookie': `${SESSION}=${this.taken}; path=/; HttpOnly; SameSite=Lax` };
  }

  /** Does the back end know the visitor again by what it answered last? */
  isKnown(cookies) {
    return cookies.some(({ name, value }) => name === SESSION && value === String(this.answered));
  }

  backEnd(method) {
    const { created, shape, statuses } = this;
    this.created = method === 'POST' ? !created : created;
    return { created, shape, statuses };
  }

  answerTo(request) {
    const known = this.site.answer(request);
    if (known.fulfill && request.resourceType() === 'document') {
      // As servers do that want it back in a header with whatever is written.
      const guard = `XSRF-TOKEN=${encodeURIComponent(this.guard)}; path=/`;
      const { headers } = known.fulfill;
      return { ...known, fulfill: { ...known.fulfill, headers: { ...headers, 'set-cookie': guard } } };
    }
    if (!this.asksBackEnd(request)) {
      return known;
    }
    this.call(request);
    const url = this.site.told(request.url());
    const method = request.method();
    const body = request.postData();
    const refused = READS.has(method) ? null : this.refused;
    if (refused === NO_NETWORK) {
      return { abort: 'internetdisconnected' };
    }
    const made =
      refused !== null
        ? refusal(refused)
        : answerOf(this.fixtures, { method, url, body, ...this.backEnd(method) });
    if (!made) {
      return known;
    }
    return {
      fulfill: {
        status: made.status,
        contentType: made.content_type,
        headers: { 'access-control-allow-origin': '*', ...this.session() },
        body: made.body,
      },
    };
  }
}
