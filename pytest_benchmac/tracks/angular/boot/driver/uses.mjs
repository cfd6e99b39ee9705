// What pages make use of: features of the browser, which it counts itself, and kinds of events that
// they listen to. A page can neither read nor change what is counted.

import { cut, note, within } from './common.mjs';

// The browser tells the number of each feature at its first use on a page.
const COUNTED = 'disabled-by-default-blink.feature_usage';
const FIRST_USE = 'FeatureFirstUsed';
// Where pages listen: at the window, and at the document and all that is in it.
const TARGETS = [
  { expression: 'window', within: { depth: 1 } },
  { expression: 'document', within: { depth: -1, pierce: true } },
];
/** What is evaluated in a page's own world for that. */
export const ASKED = TARGETS.map(({ expression }) => expression);

/** Counts the features that the pages of a browser use from now on. */
export class Features {
  constructor(browser, answerMs) {
    this.browser = browser;
    this.answerMs = answerMs;
    this.used = new Set();
  }

  send(method, parameters) {
    return within(this.session.send(method, parameters), this.answerMs);
  }

  async start() {
    this.session = await this.browser.newBrowserCDPSession();
    this.session.on('Tracing.dataCollected', ({ value }) => {
      const first = value.filter(({ name }) => name === FIRST_USE);
      first.forEach(({ args }) => this.used.add(args.feature));
    });
    this.over = new Promise((done) => this.session.once('Tracing.tracingComplete', done));
    const traceConfig = { includedCategories: [COUNTED], excludedCategories: ['*'] };
    await this.send('Tracing.start', { transferMode: 'ReportEvents', traceConfig });
  }

  /** Add them to what was executed. */
  async stop(executed) {
    await this.send('Tracing.end');
    await within(this.over, this.answerMs);
    const all = new Set([...executed.features, ...this.used]);
    executed.features = [...all].sort((one, other) => one - other);
  }
}

/**
 * Add the kinds of events that a page listens to now.
 *
 * @param asked questions to the page
 * @param bounds of the driver's answer
 * @param executed what was executed: see `Scripts.none`
 */
export async function addListened(asked, bounds, executed) {
  const ask = async ({ expression, within: where }) => {
    // In the page's own world: both names are the browser's for good.
    const { objectId } = (await asked.send('Runtime.evaluate', { expression })).result;
    const told = await asked.send('DOMDebugger.getEventListeners', { objectId, ...where });
    await asked.send('Runtime.releaseObject', { objectId });
    return told.listeners.map(({ type }) => cut(type, bounds.message));
  };
  for (const kind of new Set((await Promise.all(TARGETS.map(ask))).flat())) {
    if (!executed.listened.includes(kind)) {
      note(executed.listened, kind, bounds.kinds);
    }
  }
}
