// What a visitor does on a page, by the browser's own input: clicks and typed text.

import { pause } from './common.mjs';

// Functions that run with an element as `this`, in a world of the harness's own.

/** Where to click an element; undefined until it is visible, enabled and on top there. */
function target() {
  if (!this.isConnected || this.matches(':disabled') || !this.checkVisibility()) {
    return undefined;
  }
  this.scrollIntoViewIfNeeded();
  const box = [...this.getClientRects()].find((each) => each.width * each.height > 0);
  if (!box || getComputedStyle(this).visibility !== 'visible') {
    return undefined;
  }
  const [x, y] = [box.x + box.width / 2, box.y + box.height / 2];
  const top = document.elementFromPoint(x, y);
  const label = top?.closest('label')?.control;
  return top && (this.contains(top) || label === this) ? [x, y] : undefined;
}

/** Select all that is in a field. */
function select() {
  this.focus();
  if (this.select) {
    this.select();
  } else {
    getSelection().selectAllChildren(this);
  }
}

const SET = ['date', 'time', 'datetime-local', 'month', 'week', 'color', 'range'];

export class Hands {
  constructor(person, fields, asked, clock, plan) {
    this.person = person;
    this.fields = fields;
    this.asked = asked;
    this.clock = clock;
    this.plan = plan;
  }

  /** Wait, for a bounded time, until an element can be used; the node, and where it is. */
  async reach(selector, ms) {
    const end = performance.now() + ms;
    let before;
    for (;;) {
      const node = await this.asked.find(selector);
      const where = node && (await this.asked.call(target, node).catch(() => undefined));
      if (where && before === String(where)) {
        return { node, where };
      }
      if (performance.now() > end) {
        throw new Error(`${node ? 'cannot be used' : 'is not there'}: ${selector}`);
      }
      before = String(where);
      await this.clock.advance(this.plan.poll_ms);
      await pause(this.plan.poll_ms / 4);
    }
  }

  async click(selector, ms) {
    await this.person.click((await this.reach(selector, ms)).where);
  }

  /** Enter text, choose an option, or tick a box. */
  async fill(selector, value, ms) {
    const { node, where } = await this.reach(selector, ms);
    const kind = attribute(node, 'type');
    if (node.nodeName === 'SELECT') {
      await this.fields.choose(node, value);
    } else if (node.nodeName === 'INPUT' && (kind === 'checkbox' || kind === 'radio')) {
      const ticked = await this.asked.call(function state() {
        return this.checked;
      }, node);
      if (ticked !== (value === 'true')) {
        await this.person.click(where);
      }
    } else if (SET.includes(kind)) {
      await this.fields.set(node, value);
    } else {
      await this.asked.call(select, node);
      if (value) {
        await this.person.type(value);
      } else {
        await this.asked.call(() => document.execCommand('delete'));
      }
    }
  }
}

function attribute(node, name) {
  // Names and values take turns.
  return node.attributes?.find((_, at, all) => at % 2 === 1 && all[at - 1] === name);
}
