// Forms once more, on the base: with values at the limits that their fields have, with each of their choices, and with
// figures that are texts. What follows from it shows on other pages.

import { Known, offered, withBlanks } from './choice.mjs';
import { withoutCovered } from './covered.mjs';
import { look } from './elements.mjs';
import { figured, parsed } from './shapes.mjs';
import { works } from './shaped.mjs';
import { changes, isMain, withoutQuery } from './turns.mjs';

// So many pages are opened that have forms, as far as is known, and so many forms of each filled; and so often
// something is entered in one that is beyond a limit.
const PAGES = 4;
const FORMS = 4;
const BEYOND = 2;
// So many steps are taken at most, before the last form; and so many fields of each are asked for limits.
const STEPS = 12;
const FIELDS = 8;
// So many choices of a field, at most, are made one after the other.
const CHOICES = 3;
// And so many texts imported.
const IMPORTS = 3;
// So many links are followed then.
const LINKS = 2;
// No limit is looked for beyond so many letters, and such a number.
const LETTERS = 600;
const NUMBER = 100_000;
const DECIMALS = 2;
// So long a page lives before it is asked what it makes of a value.
const FRAME_MS = 40;
const NUMBERS = new Set(['number', 'range']);
const TEXTS = new Set(['text', 'search', 'textarea']);

/** What a form gets that is there to be taken, without any of the ways to enter it that take their time; what is looked
 * for is found. */
class Plain extends Known {
  constructor(texts, now) {
    super(texts, now);
    this.taken.add('sought nothing');
  }

  takes() {
    return false;
  }
}

/** Runs on a field: all of its text is selected, and it has the focus. */
function select() {
  this.focus();
  this.select();
}

/** Runs on a field: what is in it, and is it told that this will not do? */
function state() {
  return { value: this.value, refused: this.matches('.ng-invalid, :invalid') };
}

/** Where a field changes its mind between what it takes and what it refuses: the last whole number that it takes. */
async function lastTaken(takes, taken, refused) {
  let [good, bad] = [taken, refused];
  while (Math.abs(bad - good) > 1) {
    const middle = Math.trunc((good + bad) / 2);
    [good, bad] = (await takes(middle)) ? [middle, bad] : [good, middle];
  }
  return good;
}

/**
 * The limits of a field of a page that is open, by trying: what it takes last, and what it refuses next, as texts.
 *
 * @param action the field
 * @param value something that it takes
 */
export async function limitsOf(visit, { backendNodeId, type, attributes }, value) {
  const node = { backendNodeId };
  const put = async (text) => {
    await visit.asked.call(select, node);
    await visit.person.input('Input.insertText', { text });
    // Some pages say what they make of it with the next frame.
    await visit.clock.advance(FRAME_MS);
    return visit.asked.call(state, node);
  };
  const takes = async (text) => {
    const { value: got, refused } = await put(text);
    return got === text && !refused;
  };
  if (!(await takes(value))) {
    return [];
  }
  if (TEXTS.has(type)) {
    const letters = (length) => 'a'.repeat(length);
    const known = value.length;
    if (known >= LETTERS || (await takes(letters(LETTERS)))) {
      return [];
    }
    const most = await lastTaken((length) => takes(letters(length)), known, LETTERS);
    const more = await put(letters(most + 1));
    // Where there is no more room, nothing else can be entered.
    return [{ last: letters(most), ...(more.refused ? { next: letters(most + 1) } : {}) }];
  }
  const step = String(attributes.step ?? '1');
  const places = step === 'any' ? DECIMALS : (step.split('.')[1]?.length ?? 0);
  const text = (units) => (units / 10 ** places).toFixed(places);
  const unit = Math.round(Number(value) * 10 ** places);
  const found = [];
  for (const far of [-1, NUMBER]) {
    const beyond = far * 10 ** places;
    if (Number.isFinite(unit) && (await takes(text(unit))) && !(await takes(text(beyond)))) {
      const last = await lastTaken((units) => takes(text(units)), unit, beyond);
      found.push({ last: text(last), next: text(last + Math.sign(beyond - last)) });
    }
  }
  return found;
}

/**
 * What a page offers, and among that its forms and what looks for something, as steps with values that they take; none
 * where the page does not open.
 */
async function formsAt(visit, path, { texts, now }, fills, chance) {
  try {
    await visit.load(path);
    await visit.settle();
    const offers = await withoutCovered(visit, await look(visit));
    const declared = await visit.declared(fills);
    const steps = offered({ ...offers, declared }, path, new Plain(texts, now), chance);
    const forms = steps.filter(({ step }) => step.kind === 'form' || (step.kind === 'enter' && step.fill[0].sought));
    return { offers, forms: forms.slice(0, FORMS) };
  } catch {
    return { offers: { actions: [] }, forms: [] };
  }
}

/** A step in which something else is entered in some of its fields. */
const filled = (step, values) => ({
  ...step,
  fill: step.fill.map((each, at) => ({ ...each, value: values[at] ?? each.value })),
});

/**
 * The same form in turns: with each that is beyond a limit, which the page has to refuse; and with all that is at a
 * limit, on either side, which may lead to another page.
 */
export function atLimits(step, limits, chance) {
  const beyond = limits.flatMap((each, field) =>
    each.filter(({ next }) => next !== undefined).map(({ next }) => Object.assign([], { [field]: next })),
  );
  const side = (at) => limits.map((each) => (each[at] ?? each.at(-1))?.last);
  const most = Math.max(...limits.map((each) => each.length));
  // Who gives the most that is taken is in a hurry: it is sent twice at once.
  const [first, ...others] = Array.from({ length: most }, (_, at) => [{ ...filled(step, side(at)), times: 2 }]);
  const refused = chance.shuffled(beyond).slice(0, BEYOND).map((values) => filled(step, values));
  return first ? [[...refused, ...first], ...others] : [];
}

/** The same form with each choice of the field that has the fewest; nothing where none has several. */
export function withChoices({ step }, page) {
  const options = step.fill.map(({ target }) => {
    const { options = [] } = page.actions.find((each) => each.target === target) ?? {};
    return options.filter((each) => each.value !== '' && each.label);
  });
  const least = Math.min(...options.map(({ length }) => length).filter((length) => length > 1));
  const field = options.findIndex(({ length }) => length === least);
  return field < 0
    ? []
    : options[field].slice(0, CHOICES).map(({ label }) => filled(step, Object.assign([], { [field]: label })));
}

/** The area of text that takes what the back end answers: with figures as texts. */
export function imports({ step }, texts) {
  return step.fill.length === 1 && step.fill[0].type === 'textarea'
    ? texts.slice(0, IMPORTS).map((text) => filled(step, [JSON.stringify(figured(parsed(text) ?? text))]))
    : [];
}

/** A link from a page that a walk has not `been` at: to a page below it first, then to a main one. */
export function onwards(actions, path, been, chance) {
  const links = actions.filter(({ off, target }) => !off && target.role === 'link' && target.path);
  const others = links.filter(({ target }) => !been.includes(withoutQuery(target.path)));
  const below = others.filter(({ target }) => target.path.startsWith(`${withoutQuery(path)}/`));
  const main = others.filter(({ target }) => isMain(target.path));
  // The first page sums up, in many applications.
  const home = main.filter(({ target }) => withoutQuery(target.path) === '/');
  const [next] = [below, home, main, others].filter((each) => each.length);
  return next && { kind: 'click', fill: [], click: chance.one(next).target };
}

/** The limits of each field of a form, by trying. */
async function limitsIn(scout, { step }, { actions }) {
  const limits = [];
  for (const [at, { target, type, value }] of step.fill.entries()) {
    const field = actions.find((each) => each.target === target);
    const has = at < FIELDS && field && (NUMBERS.has(type) || TEXTS.has(type));
    limits.push(has ? await limitsOf(scout, field, value).catch(() => []) : []);
  }
  return limits;
}

/**
 * Fill forms with what they have not got yet, on the base: the steps, with what was seen after each.
 *
 * @param walk its number
 * @param known what was tried so far, see `Known`
 * @param paths where forms may be
 * @param go takes a step of a visit, adds what was seen to a list, and tells what its page offers
 */
export async function fillAgain(walk, { known, paths, chance, fills, open, go }) {
  const visit = await open(walk);
  const scout = await open(walk);
  const pages = chance.shuffled([...new Set(paths)]);
  const [steps, seen] = [[], []];

  /** Take a step; what its page offers, or undefined where the base breaks, which counts for nothing. */
  const take = async (step) => {
    const page = await go(visit, step, seen);
    if (!works(seen.at(-1))) {
      seen.pop();
      return undefined;
    }
    steps.push(step);
    return page;
  };

  /** Open a page, and fill a form there as long as it stays: what is there then, if that has changed. */
  const fill = async (path, all) => {
    let page = await take({ kind: 'open', path });
    let changed = false;
    for (const step of all) {
      page = page && seen.at(-1).path === path ? await take(step) : undefined;
      changed ||= Boolean(page) && changes(step, ...seen.slice(-2));
    }
    return changed ? page : undefined;
  };

  /** Fill a form with its limits, and as often as it stays there; and look at other pages then. */
  const fillAll = async (path, form, offers) => {
    const bounded = atLimits(form.step, await limitsIn(scout, form, offers), chance);
    for (const all of bounded) {
      await fill(path, all);
    }
    // What leads away once it is taken shows no more by other choices.
    const stays = !bounded.length || seen.at(-1)?.path === path;
    const again = stays ? [...withChoices(form, offers), ...imports(form, known.texts)] : [];
    let page = again.length ? await fill(path, again) : undefined;
    const been = [withoutQuery(path)];
    for (let links = 0; page && links < LINKS; links += 1) {
      const link = onwards(page.actions, seen.at(-1).path, been, chance);
      page = link && (await take(link));
      been.push(withoutQuery(seen.at(-1).path));
    }
  };

  const done = new Set();
  try {
    for (const path of pages.slice(0, PAGES)) {
      const { offers, forms } = await formsAt(scout, path, known, fills, chance);
      for (const form of forms.filter(({ action }) => !done.has(known.key(action)))) {
        done.add(known.key(form.action));
        if (steps.length >= STEPS) {
          break;
        }
        const [{ value, sought }] = form.step.fill;
        if (sought) {
          await fill(path, [filled(form.step, [withBlanks(value, chance)])]);
        } else {
          await fillAll(path, form, offers);
        }
      }
    }
  } finally {
    await Promise.all([visit.close(), scout.close()]);
  }
  return { ...walk, steps, seen };
}
