// Taking one step on a page: opening an address, or filling fields and clicking.

import { found, lineToMark, look } from './elements.mjs';
import { copiedBy, useHands } from './listened.mjs';
import { readableIn } from './media.mjs';
import { queriesOf } from './queries.mjs';
import { BROKEN, TOLD } from './shapes.mjs';
import { cut } from './snapshot.mjs';
import { NO_ANSWER } from './turns.mjs';
import { LOOKS } from './visit.mjs';

// Bounds of what one step tells; `walked.py` has the same.
const CALLS = 50;
const WORKED = 60;
const ERRORS = 20;
const HOSTS = 20;
const ERROR = 600;
// What servers take in a header, most of them.
const COOKIE_BYTES = 8_000;
// So many fonts and style sheets of other hosts a page takes at a time that something was entered in:
// a text in two weights, upright and slanted.
const LOOKS_AT_A_TIME = 4;

// So often a field is clicked that does not get the focus.
const CLICKS_INTO = 2;
const HOUR_MS = 3_600_000;

const TICKED = new Set(['checkbox', 'radio', 'switch']);
const TIMED = new Set(['date', 'time', 'datetime-local', 'month']);
const WORDED = new Set(['text', 'search', 'textarea']);
const SET = new Set(['date', 'time', 'datetime-local', 'month', 'week', 'color', 'range']);

// What pages leave to the browser, by the event that tells of it.
const LEFT = {
  auxclick: "clicks of the wheel's button",
  click: 'clicks with a key held',
  contextmenu: 'the menu',
};

/** Runs on an element: is something else at a place of the window where it is? It is brought to the middle then. */
function toTheMiddle(x, y) {
  const top = this.getRootNode().elementFromPoint(x, y);
  const covered = top && !top.contains(this) && !this.contains(top) && top.closest('label')?.control !== this;
  if (covered) {
    this.scrollIntoView({ block: 'center', inline: 'nearest', behavior: 'instant' });
  }
  return Boolean(covered);
}

/** Where to click an element: its middle, which is in the window then, and beneath no bar that stays in its place. */
async function placeOf(visit, element) {
  const place = await visit.person.middleOf(element);
  return (await visit.asked.call(toTheMiddle, element, ...place)) ? visit.person.middleOf(element) : place;
}

async function click(visit, { backendNodeId, target }, worked, otherwise = false) {
  const { person } = visit;
  const element = { backendNodeId };
  if (person.taps) {
    if (await person.tap(await placeOf(visit, element))) {
      worked.push(cut(`${named(target)} can be touched`));
    }
    return;
  }
  await person.moveTo(await placeOf(visit, element));
  // What was entered before may have moved it meanwhile: a message that comes or goes, say.
  const [x, y] = await person.middleOf(element);
  if (x !== person.at.x || y !== person.at.y) {
    await person.moveTo([x, y]);
  }
  if (otherwise) {
    const left = await person.clickOtherwise();
    worked.push(...left.map((kind) => cut(`${LEFT[kind]} at ${named(target)} is left to the browser`)));
  }
  await person.hold('left');
}

/** Runs on a field: where there is text of its label to click, in the window; undefined without one. */
function textOfLabel() {
  const [label] = this.labels ?? [];
  label?.scrollIntoViewIfNeeded();
  const texts = label && document.createTreeWalker(label, NodeFilter.SHOW_TEXT);
  while (texts?.nextNode()) {
    const range = document.createRange();
    range.selectNodeContents(texts.currentNode);
    const { x, y, width, height } = range.getBoundingClientRect();
    const place = [x + width / 2, y + height / 2];
    const top = width > 0 && height > 0 && document.elementFromPoint(...place);
    // What is within the label and can be used by itself is not its text.
    if (top && label.contains(top) && top.closest('label, a, button, input, select, textarea') === label) {
      return place;
    }
  }
  return undefined;
}

/** Click a field by its label: does it get the focus? Of a box: is it another one then? */
async function byLabel(visit, { backendNodeId, target }, worked, isDone) {
  const { asked, person } = visit;
  const place = !person.taps && (await asked.call(textOfLabel, { backendNodeId }));
  if (place) {
    await person.moveTo(place);
    await person.hold('left');
  }
  const done = place ? await isDone() : false;
  if (done) {
    worked.push(cut(`a click on its label does for ${named(target)}`));
  }
  return done;
}

/** Give a field the focus: by a click, or a second one where the page moved under the first; or without. */
async function focus(visit, field, pointed, worked) {
  const { backendNodeId, target } = field;
  for (let tries = 0; pointed && tries < CLICKS_INTO; tries += 1) {
    await click(visit, field, worked);
    if (await visit.person.hasFocus({ backendNodeId })) {
      worked.push(cut(`a click leads into ${named(target)}`));
      return;
    }
  }
  await visit.ask('DOM.focus', { backendNodeId });
}

/** Tick a box, or take its tick away: by a click on it or its label, or by the space bar. */
async function tick(visit, field, { keyed, labelled }, worked) {
  const state = () => visit.fields.entered({ backendNodeId: field.backendNodeId });
  const before = labelled && (await state());
  if (labelled && (await byLabel(visit, field, worked, async () => (await state()) !== before))) {
    return;
  }
  if (keyed) {
    await visit.ask('DOM.focus', { backendNodeId: field.backendNodeId });
    await visit.person.press(' ');
  } else {
    await click(visit, field, worked);
  }
}

async function enter(visit, field, { value, pointed, pasted, opened, keyed, labelled, mended }, worked) {
  const { backendNodeId, tag, type, target } = field;
  const { fields, person } = visit;
  const node = { backendNodeId };
  if (tag === 'select' && opened) {
    if (await fields.chooseInList(node, value, await person.middleOf(field))) {
      worked.push(cut(`a click opens ${named(target)}`));
    }
  } else if (tag === 'select') {
    await fields.choose(node, value);
  } else if (SET.has(type)) {
    if (keyed && TIMED.has(type)) {
      // One figure of an empty one makes no value. A click leads into it from elsewhere.
      await fields.set(node, value);
      await visit.asked.call(leave, node);
      await focus(visit, field, true, worked);
      if (await fields.takesFigures(node)) {
        worked.push(cut(`${named(target)} takes figures that are typed`));
      }
    }
    await fields.set(node, value);
  } else {
    if (labelled) {
      await byLabel(visit, field, worked, () => person.hasFocus(node));
    }
    await focus(visit, field, pointed, worked);
    await person.selectAll();
    await person.type(value);
    if (pasted && (await fields.pastes(node))) {
      worked.push(cut(`what is cut from ${named(target)} can be pasted there`));
    }
    if (mended && (await fields.mends(node))) {
      worked.push(cut(`keys mend what was typed in ${named(target)}`));
    }
    if (mended && (await visit.asked.seesText(node))) {
      worked.push(cut(`what is typed in ${named(target)} is seen`));
    }
  }
}

/** Give a link or button the focus by keys: do they reach it, and is it seen that it has it? */
async function keyTo(visit, node, name, worked) {
  const before = await visit.asked.pictureAround(node);
  await visit.ask('DOM.focus', node);
  if (!(await visit.person.tabsTo(node))) {
    await visit.ask('DOM.focus', node);
    return;
  }
  worked.push(cut(`the tab key reaches ${name}`));
  if (await visit.asked.looksOtherwise(node, before)) {
    worked.push(cut(`who comes by keys sees that ${name} has the focus`));
  }
}

/** Runs on a field that has the focus: it has not any more. */
function leave() {
  this.blur();
}

/** Runs in the page: a place that nothing is to be clicked at. */
function nowhere() {
  const used = 'a, button, input, select, textarea, label, summary, [role], [tabindex], [onclick]';
  for (let y = innerHeight - 10; y > 0; y -= 40) {
    for (let x = 10; x < innerWidth; x += 80) {
      const there = document.elementFromPoint(x, y);
      if (there && !there.closest(used)) {
        return [x, y];
      }
    }
  }
  throw new Error('all of the window is to be clicked at');
}

/** Press what a step presses last, by the way that it has for that. */
async function activate(visit, step, target, worked) {
  const { backendNodeId } = target;
  if (step.enter) {
    await visit.ask('DOM.focus', { backendNodeId });
    await visit.person.press('Enter');
  } else if (step.byKey) {
    await keyTo(visit, { backendNodeId }, named(step.click), worked);
    await visit.person.press('Enter');
  } else {
    await click(visit, target, worked, step.otherwise);
  }
}

/** The same, where it may copy something. */
async function copying(visit, step, target, worked) {
  const copied = await copiedBy(visit, async () => {
    await activate(visit, step, target, worked);
    await visit.settle();
  });
  if (copied !== undefined) {
    worked.push(cut(`what is copied by ${named(step.click)} is ${copied}`));
  }
}

/** Press it once more at once. */
async function twice(visit, step, target, worked) {
  await activate(visit, step, target, worked);
  if (step.enter) {
    await visit.person.press('Enter');
  } else {
    await (visit.person.taps ? click(visit, target, worked) : visit.person.clickAgain(1));
  }
}

const TURNS = new Set(['back', 'forward']);

class NotThere extends Error {}

/** Steps that use no element of a page, by their kind. */
const MOVES = {
  open: (visit, { path }) => visit.load(path),
  back: (visit) => visit.turn(-1),
  forward: (visit) => visit.turn(1),
  another: (visit) => visit.another(),
  reload: (visit) => visit.reload(),
  return: (visit, { later_ms }) => visit.comeBack(later_ms),
  resize: (visit, { viewport }) => visit.resize(viewport),
  leave: (visit, { away_ms }) => visit.leave(away_ms),
};

/** Take a step; `worked` gets in words what hands can do that nothing else shows. */
async function act(visit, step, worked) {
  const move = MOVES[step.kind];
  if (move) {
    await move(visit, step);
    return;
  }
  let { actions } = step.fill?.length ? await look(visit) : {};
  for (const filled of step.fill) {
    const { target } = filled;
    let field = found(actions, target);
    if (!field || !(await visit.person.finds(field))) {
      // What was entered has made another of it.
      ({ actions } = await look(visit));
      field = found(actions, target);
    }
    if (!field) {
      throw new NotThere(`no ${target.role} ${target.name || target.key}`);
    }
    const ticks = TICKED.has(field.target.role);
    // A field may be gone once something was entered.
    const entered = () => visit.fields.entered(field).catch(() => null);
    const before = ticks && (await entered());
    await (ticks ? tick : enter)(visit, field, filled, worked);
    const after = await entered();
    if (ticks ? after !== before : after === filled.value) {
      worked.push(cut(`${named(target)} takes what is entered`));
    }
  }
  const last = step.click ?? step.enter;
  if (last) {
    if (step.fill.length) {
      // What was entered may enable what is clicked now.
      await visit.settle();
    }
    const target = found((await look(visit)).actions, last);
    if (!target) {
      throw new NotThere(`no ${last.role} ${last.name || last.key}`);
    }
    if (step.kind === 'form' && step.times) {
      await visit.withoutAnswers(() => twice(visit, step, target, worked));
      return;
    }
    await (step.copies ? copying(visit, step, target, worked) : activate(visit, step, target, worked));
  } else if (step.fill.length) {
    await visit.person.press('Tab');
  } else if (step.kind === 'clicks') {
    await visit.person.click(await visit.asked.call(nowhere));
  }
  if (step.times) {
    await visit.person.clickAgain(step.times - 1);
  }
}

/** What is asked in vain: the host; of scripts also which one, without what differs from time to time in its query. */
function asked({ url, kind }) {
  const { host } = new URL(url);
  return kind === 'script' ? [host, url.replace(/(?<==)(?:[\d.]{10,}|[\w-]{16,})(?=&|$)/g, '~')] : [host];
}

const named = (each) => `${each.role} ${each.name || each.key}`;

function described(step) {
  const { kind, path, fill = [], click: target, enter: field, times, byKey, refused, statuses, shape, viewport, later_ms, away_ms } = step;
  const how = byKey ? 'press' : kind;
  return cut(
    [
      path ? `${how} ${path}` : how,
      ...fill.map((each) => `${named(each.target)}: ${each.value}`),
      target && named(target),
      field && `Enter in ${named(field)}`,
      times && `${times} times`,
      viewport && viewport.join(' x '),
      later_ms && `${(later_ms / HOUR_MS).toFixed(1)} hours later`,
      away_ms && `for ${away_ms / 1000} s`,
      refused && `refused with ${refused}`,
      statuses && `while answers fail with ${statuses.map((each) => each ?? 'nothing').join(' and ')}`,
      shape && TOLD[shape.kind],
    ]
      .filter(Boolean)
      .join(', '),
  );
}

/** What went on beside what is shown: requests, errors, and hosts that were asked in vain. */
export function heard({ calls, seen }, entered = false) {
  const logged = seen.console.map(({ text, url }) => (url ? `${text} (${url})` : text));
  const vain = seen.requests.filter(({ why }) => why === 'refused');
  const looks = new Set(vain.filter(({ kind }) => LOOKS.includes(kind)).map(({ url }) => url));
  // What is asked for by the dozen once something was entered may tell it.
  const told = entered && looks.size > LOOKS_AT_A_TIME;
  const refused = vain.filter(({ kind }) => told || !LOOKS.includes(kind));
  const hosts = refused.flatMap((each) => (URL.canParse(each.url) ? asked(each) : []));
  return {
    calls: calls.slice(0, CALLS),
    errors: [...logged, ...seen.exceptions].slice(0, ERRORS).map((each) => each.split('\n')[0].slice(0, ERROR)),
    hosts: [...new Set(hosts)].slice(0, HOSTS).map(cut),
    queries: queriesOf(refused),
  };
}

/** Texts that are entered, as a page has to show them. */
function enteredBy({ fill = [] }) {
  return fill.filter(({ type }) => WORDED.has(type)).map(({ value }) => value.slice(0, ERROR));
}

/** A page that was come to is scrolled and scrolled back, as who looks what there is does. */
async function turnWheel(visit, worked) {
  const moved = await visit.person.scrolls(visit.plan.viewport);
  if (moved !== false) {
    worked.push(`${visit.person.taps ? 'a finger' : 'the wheel'} moves the page, as far as it is longer than the window`);
  }
  if (moved !== null) {
    await visit.settle();
  }
}

/** The same by keys. */
async function turnByKeys(visit, worked) {
  if (await visit.person.keysScroll(visit.plan.viewport)) {
    worked.push('keys move the page, where it is longer than the window');
    await visit.settle();
  }
}

/** What is wrong with the cookies that a page has. */
function wrongCookies(cookies) {
  const bytes = cookies.reduce((all, { name, value }) => all + name.length + value.length + '=; '.length, 0);
  // Those of the host alone have its name without a dot in front of it (RFC 6265, 5.3).
  const shared = cookies.some(({ domain }) => domain.startsWith('.'));
  return [
    ...(bytes > COOKIE_BYTES ? ['has more cookies than servers take'] : []),
    ...(shared ? ['has cookies that other hosts get as well'] : []),
  ];
}

/** Take one step, and tell what the application shows and asked of its back end then. */
export async function take(visit, step) {
  visit.calls.length = 0;
  visit.begin(step);
  visit.startPage();
  const troubled = Boolean(step.statuses) || BROKEN.has(step.shape?.kind);
  const refused = Boolean(step.refused);
  const told = { did: described(step), troubled, refused, done: true, settled: false, path: '', things: [], states: [], hints: [], focus: '', kept: [], sounds: [], links: [], worked: [], entered: enteredBy(step), texts: [], fields: [], picture: null, problem: '' };
  let seen;
  const before = cut(visit.path());
  try {
    visit.refused = step.refused ?? null;
    visit.shape = step.shape ?? null;
    visit.statuses = step.statuses ?? null;
    step.copies ??= Boolean(visit.listened?.mayCopy(step));
    await act(visit, step, told.worked);
    if (step.refused === NO_ANSWER) {
      await visit.wait();
    }
    told.settled = await visit.settle();
    seen = await look(visit);
    told.path = cut(visit.path());
    told.things = seen.things;
    told.states = seen.states;
    told.sounds = seen.sounds;
    told.links = seen.links;
    told.hints = seen.hints;
    told.focus = seen.focus;
    told.kept = await visit.kept();
    told.worked.push(...seen.live.map((component) => `who hears is told what ${component} says`));
    if (seen.actions.some(({ type }) => type === 'password')) {
      visit.noteError('asks for a password');
    }
    const { cookies } = await visit.ask('Network.getCookies');
    wrongCookies(cookies).forEach((problem) => visit.noteError(problem));
    if (step.kind === 'open' && visit.isKnown(cookies)) {
      told.worked.push('the back end knows the visitor again by a cookie');
    }
    const otherwise = step.shape || step.statuses;
    if (visit.listened && !otherwise) {
      step.hands = await visit.listened.choose(visit, step.kind);
    }
    if (step.media) {
      told.worked.push(...(await readableIn(visit)));
      if (await visit.person.copies()) {
        told.worked.push('what is copied is what was selected');
      }
      const line = lineToMark(seen.page);
      if (line && (await visit.person.marks(line))) {
        told.worked.push('a pointer marks a text');
      }
    }
    // Where a page was scrolled to comes back with it, sooner or later.
    if ((step.kind === 'open' && !otherwise) || (told.path !== before && !TURNS.has(step.kind))) {
      await turnWheel(visit, told.worked);
    }
    if (step.keys) {
      await turnByKeys(visit, told.worked);
    }
    if (step.hands?.length) {
      told.worked.push(...(await useHands(visit, step.hands)));
      seen = await look(visit);
    }
  } catch (error) {
    told.done = false;
    told.problem = cut(String(error.message).split('\n')[0]);
    // Whatever went on is at its end before the next step.
    await visit.settle().catch(() => false);
  }
  visit.refused = null;
  await visit.toldElsewhere().catch(() => {});
  const worked = [...(await visit.aside()), ...told.worked];
  Object.assign(told, heard(visit, step.fill?.length > 0), { worked: worked.slice(0, WORKED).map(cut) });
  // A page that does not answer has told so already.
  await visit.ran().catch(() => {});
  return { told, seen };
}
