// A page that a walk goes through: opened in a profile of its own, with a back end that answers
// whatever is asked, and writes down what that was.

import { answerOf, callOf } from './backend.mjs';
import { within } from './common.mjs';
import { Visit } from './visit.mjs';

export class Walked extends Visit {
  /**
   * @param browser a running one
   * @param plan what the driver was told
   * @param site the application
   * @param pace `deadline`; nothing is awaited any longer
   * @param executed what the pages of the application executed
   * @param trouble null, or the number that says what of the back end fails
   */
  constructor(browser, plan, site, pace, executed, trouble) {
    super(browser, plan, { path: '/', interactions: [] });
    Object.assign(this, { site, pace: { ...pace }, trouble, calls: [] });
    this.executed = executed;
  }

  async open() {
    await super.open();
    this.page.on('dialog', (dialog) => dialog.accept().catch(() => {}));
  }

  /** Write down which scripts ran since the last time. */
  ran() {
    return this.scripts.takeParsed(this.site, this.executed);
  }

  ask(method, parameters) {
    return this.asked.send(method, parameters);
  }

  /** What a visitor's hand does: time goes on meanwhile, where the browser needs it. */
  input(method, parameters) {
    return this.clock.during(this.ask(method, parameters), this.plan.poll_ms);
  }

  /** Open an address, and wait until the framework has rendered something. */
  async load(path = '/') {
    this.route = { path, interactions: [] };
    this.pace.hopeless = false;
    if ((await super.load()) === null) {
      throw new Error('the root element stays empty');
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

  ownWorld() {
    return this.asked.world();
  }

  answerTo(request) {
    if (!['xhr', 'fetch'].includes(request.resourceType())) {
      return this.site.answer(request);
    }
    const url = this.site.told(request.url());
    const method = request.method();
    const body = request.postData();
    const known = this.site.answer(request);
    const file = known.fulfill?.status === 200 && !this.site.fixture(request.url(), method);
    if (file) {
      return known;
    }
    this.calls.push(callOf(new URL(url).pathname, method, request.headers(), body));
    const made = answerOf(this.plan.walks.fixtures, { method, url, body }, this.trouble);
    if (!made) {
      return known;
    }
    return {
      fulfill: {
        status: made.status,
        contentType: made.content_type,
        headers: { 'access-control-allow-origin': '*' },
        body: made.body,
      },
    };
  }

  close() {
    return within(this.context.close(), this.plan.answer_ms).catch(() => {});
  }
}
