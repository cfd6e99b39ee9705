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

/** Choose an option by its value or label; false where there is none. */
function choose(value) {
  const wanted = [...this.options].find(
    (each) => each.value === value || each.label.trim() === value,
  );
  if (!wanted) {
    return false;
  }
  this.value = wanted.value;
  wanted.selected = true;
  this.dispatchEvent(new Event('input', { bubbles: true }));
  this.dispatchEvent(new Event('change', { bubbles: true }));
  return true;
}

/** Is the value set at once? False where it has to be typed, and all of it is selected then. */
function prepare(value) {
  this.focus();
  if (['date', 'time', 'datetime-local', 'month', 'week', 'color', 'range'].includes(this.type)) {
    this.value = value;
    this.dispatchEvent(new Event('input', { bubbles: true }));
    this.dispatchEvent(new Event('change', { bubbles: true }));
    return true;
  }
  if (this.select) {
    this.select();
  } else {
    getSelection().selectAllChildren(this);
  }
  return false;
}

export class Hands {
  constructor(asked, clock, plan) {
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

  async press([x, y]) {
    const button = { button: 'left', clickCount: 1 };
    // It is answered with the next frame only, which may need time to go on: the press needs none.
    this.asked.send('Input.dispatchMouseEvent', { type: 'mouseMoved', x, y }).catch(() => {});
    const down = { type: 'mousePressed', x, y, buttons: 1, ...button };
    await this.asked.send('Input.dispatchMouseEvent', down);
    await this.asked.send('Input.dispatchMouseEvent', { type: 'mouseReleased', x, y, ...button });
  }

  async click(selector, ms) {
    await this.press((await this.reach(selector, ms)).where);
  }

  /** Enter text, choose an option, or tick a box. */
  async fill(selector, value, ms) {
    const { node, where } = await this.reach(selector, ms);
    const kind = attribute(node, 'type');
    if (node.nodeName === 'SELECT') {
      if (!(await this.asked.call(bound(choose, value), node))) {
        throw new Error(`has no option ${value}: ${selector}`);
      }
    } else if (node.nodeName === 'INPUT' && (kind === 'checkbox' || kind === 'radio')) {
      const ticked = await this.asked.call(function state() {
        return this.checked;
      }, node);
      if (ticked !== (value === 'true')) {
        await this.press(where);
      }
    } else if (!(await this.asked.call(bound(prepare, value), node))) {
      if (value) {
        await this.asked.send('Input.insertText', { text: value });
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

/** A function of no parameters that calls another one with a value, with the same `this`. */
function bound(code, value) {
  return `function () { return (${code}).call(this, ${JSON.stringify(value)}); }`;
}
