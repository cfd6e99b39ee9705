// Another window of the same browser, of no application: what is copied there can be pasted in an
// application's page, and the other way round. Its time is real. A browser has one, as it has one
// clipboard: each window takes a process of its own.

import { inTime, within } from './common.mjs';

const PASTE_TRIES = 3;
const KEYS = { copy: ['c', 67], paste: ['v', 86] };

/** Runs in the window: put a text into its field, and select that. */
function put(text) {
  const field = document.querySelector('textarea');
  field.value = text;
  field.focus();
  field.select();
}

const windows = new WeakMap();

export class Elsewhere {
  /**
   * @param browser whose clipboard it shares
   * @param ms how long an answer may take
   */
  constructor(browser, ms) {
    Object.assign(this, { browser, ms });
  }

  /** The one of a browser, which ends with it. */
  static of(browser, ms) {
    if (!windows.has(browser)) {
      windows.set(browser, new Elsewhere(browser, ms));
    }
    return windows.get(browser);
  }

  /** Copy a text there. */
  async copies(text) {
    const page = await this.open();
    await within(page.evaluate(put, text), this.ms);
    await this.command('copy');
  }

  /** Is what is pasted there as it is wanted? */
  gets(isWanted) {
    return inTime(async () => isWanted(await this.pasted()), PASTE_TRIES);
  }

  /** What is pasted there now. */
  async pasted() {
    const page = await this.open();
    await within(page.evaluate(put, ''), this.ms);
    await this.command('paste');
    return within(page.evaluate(() => document.querySelector('textarea').value), this.ms);
  }

  async open() {
    if (!this.page) {
      this.context = await within(this.browser.newContext(), this.ms);
      this.page = await within(this.context.newPage(), this.ms);
      await within(this.page.setContent('<textarea></textarea>'), this.ms);
      this.cdp = await within(this.context.newCDPSession(this.page), this.ms);
    }
    return this.page;
  }

  async command(name) {
    const [key, windowsVirtualKeyCode] = KEYS[name];
    const event = { key, code: `Key${key.toUpperCase()}`, windowsVirtualKeyCode, modifiers: 2 };
    const send = (more) => within(this.cdp.send('Input.dispatchKeyEvent', { ...event, ...more }), this.ms);
    await send({ type: 'keyDown', commands: [name] });
    await send({ type: 'keyUp' });
  }

  async close() {
    await within(this.context?.close() ?? Promise.resolve(), this.ms);
  }
}
