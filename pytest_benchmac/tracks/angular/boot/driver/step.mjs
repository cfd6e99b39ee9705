// Taking one step on a page: opening an address, or filling fields and clicking.

import { cut, found, look } from './elements.mjs';

// Bound of what one step tells; `walk.py` has the same.
const CALLS = 50;

const TICKED = new Set(['checkbox', 'radio', 'switch']);
const SET = new Set(['date', 'time', 'datetime-local', 'month', 'week', 'color', 'range']);

async function click(visit, backendNodeId) {
  await visit.ask('DOM.scrollIntoViewIfNeeded', { backendNodeId });
  const { quads } = await visit.ask('DOM.getContentQuads', { backendNodeId });
  const [x0, y0, , , x1, y1] = quads[0];
  const at = { x: (x0 + x1) / 2, y: (y0 + y1) / 2 };
  // Answered with the next frame, which the press brings about: nothing waits for it.
  visit.ask('Input.dispatchMouseEvent', { ...at, type: 'mouseMoved' }).catch(() => {});
  for (const type of ['mousePressed', 'mouseReleased']) {
    await visit.input('Input.dispatchMouseEvent', { ...at, type, button: 'left', clickCount: 1 });
  }
}

async function press(visit, key, more = {}) {
  const codes = { Enter: 13, Tab: 9, a: 65 };
  const event = { key, code: key === 'a' ? 'KeyA' : key, windowsVirtualKeyCode: codes[key], ...more };
  const text = key === 'Enter' ? { text: '\r' } : {};
  await visit.input('Input.dispatchKeyEvent', { ...event, ...text, type: 'keyDown' });
  await visit.input('Input.dispatchKeyEvent', { ...event, type: 'keyUp' });
}

/** Runs on a field that no key sets: a date, or a choice by its label. */
function assign(value) {
  if (this.localName === 'select') {
    const option = [...this.options].find((each) => each.label.replace(/\s+/g, ' ').trim() === value);
    if (!option) {
      throw new Error('no such option');
    }
    option.selected = true;
  } else {
    this.value = value;
  }
  this.dispatchEvent(new Event('input', { bubbles: true, composed: true }));
  this.dispatchEvent(new Event('change', { bubbles: true }));
}

async function enter(visit, { backendNodeId, tag, type }, value) {
  if (tag === 'select' || SET.has(type)) {
    const executionContextId = await visit.ownWorld();
    const { object } = await visit.ask('DOM.resolveNode', { backendNodeId, executionContextId });
    const called = { functionDeclaration: String(assign), objectId: object.objectId };
    const done = await visit.ask('Runtime.callFunctionOn', { ...called, arguments: [{ value }] });
    if (done.exceptionDetails) {
      throw new Error('cannot be set');
    }
  } else {
    await visit.ask('DOM.focus', { backendNodeId });
    await press(visit, 'a', { modifiers: 2, commands: ['selectAll'] });
    await visit.input('Input.insertText', { text: value });
  }
}

class NotThere extends Error {}

async function act(visit, step) {
  if (step.kind === 'open') {
    await visit.load(step.path);
    return;
  }
  for (const { target, value } of step.fill) {
    const field = found((await look(visit)).actions, target);
    if (!field) {
      throw new NotThere(`no ${target.role} ${target.name || target.key}`);
    }
    await (TICKED.has(field.target.role)
      ? click(visit, field.backendNodeId)
      : enter(visit, field, value));
  }
  if (step.click) {
    if (step.fill.length) {
      // What was entered may enable what is clicked now.
      await visit.settle();
    }
    const target = found((await look(visit)).actions, step.click);
    if (!target) {
      throw new NotThere(`no ${step.click.role} ${step.click.name}`);
    }
    await click(visit, target.backendNodeId);
  } else if (step.fill.length) {
    await press(visit, step.enter ? 'Enter' : 'Tab');
  }
}

function described({ kind, path, fill = [], click: target }) {
  const named = (each) => `${each.role} ${each.name || each.key}`;
  const entered = fill.map((each) => `${named(each.target)}: ${each.value}`);
  return cut([path ? `${kind} ${path}` : kind, ...entered, ...(target ? [named(target)] : [])].join(', '));
}

/** Take one step, and tell what the application shows and asked of its back end then. */
export async function take(visit, step) {
  visit.calls.length = 0;
  const told = { did: described(step), done: true, settled: false, path: '', things: [], calls: [], problem: '' };
  let seen;
  try {
    await act(visit, step);
    told.settled = await visit.settle();
    seen = await look(visit);
    told.path = cut(visit.path());
    told.things = seen.things;
  } catch (error) {
    told.done = false;
    told.problem = cut(String(error.message).split('\n')[0]);
    // Whatever went on is at its end before the next step.
    await visit.settle().catch(() => false);
  }
  told.calls = visit.calls.slice(0, CALLS);
  // A page that does not answer has told so already.
  await visit.ran().catch(() => {});
  return { told, seen };
}
