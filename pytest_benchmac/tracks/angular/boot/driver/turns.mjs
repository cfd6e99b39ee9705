// What a visitor does that no element of a page offers: the way back, a page loaded again, another
// window, a visit some days later, a look at something else, the same once more after a refusal, a link
// to where the visitor has been, the way forward again, and many clicks that lead nowhere.

// After a step that leads to another page, the browser's way back is taken so often.
const BACK_ONE_IN = 6;
// How many pages are pictured once more, each way that leads back to them.
const REVISITED = 2;
/** What is sent comes nowhere: no back end is there. */
export const NO_NETWORK = 'no network';
/** It is answered with a page to sign in, by a server that has forgotten who is there. */
export const SIGN_IN = 'a page to sign in';
/** It is never answered. */
export const NO_ANSWER = 'no answer';
// On all walks together, what forms send is refused: once because of what is sent, once because the back
// end broke down, and once because there is none.
const BROKE_DOWN = [500, 501, 502, 503, 504, 507];
const REFUSALS = [[400, 401, 403, 404, 409, 410, 413, 415, 422, 429], BROKE_DOWN, [NO_NETWORK]];
// What it takes to try again: the refusal itself, the way back, and the form once more. Applications may
// take a back end that broke down for gone, so that they are loaded again instead.
const REFUSAL_STEPS = 3;
// After what changes a page, or something of the back end's, so many links are followed on a walk: what
// has changed may show elsewhere.
const TOUR = 2;
// What forms get another time may be wrong: so often they get then once more what did most before.
const PUT_RIGHT = 3;
// So often on walks, after something was entered that no form sends, a link to the same page is followed that has
// another query: a search and a filter, say.
const NARROWED = 2;
// So often what has a page ask is done once more, and gets the other answer.
const ANSWERED = 2;
// Windows in CSS pixels: least and greatest width and height.
const WINDOWS = {
  phone: [[340, 440], [640, 960]],
  phoneAcross: [[640, 960], [340, 440]],
  tablet: [[600, 1024], [760, 1280]],
  portable: [[1025, 1919], [680, 1080]],
  large: [[1920, 2560], [1080, 1440]],
};
const PHONE_OR_TABLET = ['phone', 'phone', 'phoneAcross', 'tablet', 'tablet'];

// Walks that find a way; `conditions.py` has the same.
export const WALKERS = 3;

export const withoutQuery = (path) => path.split(/[?#]/)[0];

// Who comes back does so after hours or weeks: hours are drawn of one of these.
const AWAY_HOURS = [24, 24 * 7, 24 * 60];
const HOUR_MS = 3_600_000;
// Who looks at something else is back after so many seconds, at most.
const ELSEWHERE_S = 60;

// So many clicks in a row, and more by chance, change nothing.
const OFTEN = 40;

/** Loads the page anew, so that nothing of it is left. */
const LOADS = new Set(['open', 'reload', 'return']);

/** The size of a window of some kind. */
export function windowOf(kind, chance) {
  return WINDOWS[kind].map(([least, greatest]) => least + chance.below(greatest - least + 1));
}

export class Turns {
  /**
   * @param chance what is drawn from
   * @param walks how many there are
   * @param steps of each walk
   */
  constructor(chance, walks, steps) {
    this.chance = chance;
    this.steps = steps;
    const windows = chance.shuffled(PHONE_OR_TABLET).map((kind) => windowOf(kind, chance));
    // Something comes before, and something follows: most after a window that is touched from then on.
    const away = 2 * HOUR_MS + chance.below(chance.one(AWAY_HOURS) * HOUR_MS);
    const loads = [
      { step: { kind: 'reload' }, at: 4 + chance.below(2) },
      { step: { kind: 'return', later_ms: away }, at: 6 + chance.below(2) },
    ];
    const resize = Array.from({ length: walks - 1 }, (_, at) => [
      { step: { kind: 'resize', viewport: windows[at] }, at: 2 + chance.below(3) },
    ]);
    const elsewhere = { kind: 'leave', away_ms: 1_000 * (1 + chance.below(ELSEWHERE_S)) };
    resize[0].push({ step: elsewhere, at: 5 + chance.below(3) });
    resize.at(-1).push({ step: { kind: 'another' }, at: 5 + chance.below(3) });
    this.once = chance.shuffled([loads, ...resize]);
    // In a window with a pointer: touches are waited for one by one.
    this.impatient = { number: this.once.indexOf(loads), times: OFTEN + chance.below(OFTEN) };
    this.pending = Array.from({ length: walks }, () => []);
    this.linked = new Set();
    this.refusals = chance.shuffled(REFUSALS);
    /** The form that was the last to send something, as a step, and the page that has it. */
    this.sending = null;
    /** Of each walk: where the links of its tour have led so far; null where it has not begun. */
    this.tours = Array.from({ length: walks }, () => null);
    /** Of each form the step that did most, and how much; and how often one was taken again. */
    this.best = new Map();
    this.putRight = 0;
    this.narrowing = NARROWED;
    this.answering = ANSWERED;
    this.revisited = { back: 0, click: 0 };
    /** Where most is shown. */
    this.fullest = { path: '/', things: 0 };
    /** Has somebody who went back gone forward again? */
    this.forward = false;
  }

  /**
   * The next step of a walk that goes on by no element, or by one that leads back; undefined where
   * the page is to choose from.
   *
   * @param walk `steps`, and what was `seen` after each
   * @param number of the walk
   * @param actions that the page offers; undefined where it could not be looked at
   */
  next(walk, number, actions) {
    const { steps, seen } = walk;
    const waiting = this.pending[number].shift();
    if (waiting) {
      return waiting;
    }
    const [once] = this.once[number];
    if (once && steps.length >= once.at) {
      this.once[number].shift();
      return once.step;
    }
    if (actions && this.goesBack(walk)) {
      return { kind: 'back' };
    }
    if (!actions) {
      return undefined;
    }
    const clicks = number === this.impatient.number ? this.clicks(walk, actions) : undefined;
    const other = clicks ?? this.narrowed(walk, actions) ?? this.tour(walk, number, actions);
    if (other) {
      return other;
    }
    const link = steps.length > 3 && !this.linked.has(number) && linkBack(walk, actions);
    if (link && this.linked.size < REVISITED) {
      this.linked.add(number);
      return { kind: 'click', fill: [], click: link.target, revisits: true };
    }
    return undefined;
  }

  /** After something was entered that no form sends: a link to the same page with another query. */
  narrowed({ steps, seen }, actions) {
    const link = steps.at(-1).kind === 'enter' && seen.at(-1).done && this.narrowing > 0;
    const found = link ? samePage(actions, seen.at(-1).path, this.chance) : undefined;
    this.narrowing -= found ? 1 : 0;
    return found;
  }

  /** After something has changed: a link to another page, and from there one to a third. */
  tour({ steps, seen }, number, actions) {
    const [before, now] = seen.slice(-2);
    if (!this.tours[number] && now?.done && changes(steps.at(-1), before, now)) {
      this.tours[number] = [now.path];
    }
    const been = this.tours[number];
    return been ? onTour(actions, been, this.chance) : undefined;
  }

  /** Many clicks in a row, on a link that leads nowhere else; later on, on what is no link either. */
  clicks(walk, actions) {
    const { steps } = walk;
    const here = linkHere(walk, actions);
    if (steps.length < 2 || (!here && steps.length < this.steps / 2)) {
      return undefined;
    }
    this.impatient.number = undefined;
    // Where there is a pointer: other ways to click a link are tried there as well.
    return { kind: 'clicks', fill: [], click: here?.target, times: this.impatient.times, otherwise: true };
  }

  /** Is the next step of a walk the way back? From where a step led; each walk takes it some time. */
  goesBack({ steps, seen }) {
    const [before, now] = seen.slice(-2);
    if (!now?.done) {
      return false;
    }
    const led = before.path !== now.path && ['click', 'form', 'enter'].includes(steps.at(-1).kind);
    if (led && this.chance.below(BACK_ONE_IN) === 0) {
      return true;
    }
    // Who comes back later does so in another window, where there is no page before.
    const from = Math.max(steps.findLastIndex(({ kind }) => kind === 'return'), 0);
    const been = new Set(seen.slice(from).map(({ path }) => path));
    const late = seen.length > this.steps / 2 && !steps.some(({ kind }) => kind === 'back');
    return late && been.size > 1;
  }

  /** Have what a step sends be refused, if it is one that sends and there is time to try again. */
  refuse(step, taken) {
    if (step.kind !== 'form' || !this.refusals.length || taken + REFUSAL_STEPS >= this.steps) {
      return step;
    }
    return { ...step, refused: this.chance.one(this.refusals.pop()) };
  }

  /**
   * Steps that have what is left of refusals, that nobody is signed in any more, and that no answer ever comes, if a
   * form sends something at all.
   */
  leftRefusals() {
    const { path, step } = this.sending ?? {};
    return [...this.refusals, [SIGN_IN], [NO_ANSWER]].flatMap((kinds) =>
      step ? [{ kind: 'open', path }, { ...step, refused: this.chance.one(kinds) }] : [],
    );
  }

  /** After a step: is there something to be tried again, or nothing that was refused? */
  after(walk, number) {
    const step = walk.steps[walk.seen.length - 1];
    const [before, now] = [walk.seen.at(-2), walk.seen.at(-1)];
    if (now.done && now.things.length > this.fullest.things) {
      this.fullest = { path: now.path, things: now.things.length };
    }
    if (step.kind === 'return' && now.path !== this.fullest.path) {
      // The back end answers something else by now, which is to be seen.
      this.pending[number].push({ kind: 'open', path: this.fullest.path });
    }
    if (step.kind === 'back' && now.done && !this.forward && !this.pending[number].length) {
      this.forward = true;
      this.pending[number].push({ kind: 'forward' });
    }
    const sent = now.calls.some(({ method }) => method !== 'GET');
    const plain = { ...step, refused: undefined };
    if (step.kind === 'form' && sent) {
      this.sending = { path: before.path, step: plain };
    }
    if (step.refused && !sent) {
      // There was nothing to refuse.
      this.refusals.push(REFUSALS.find((each) => each.includes(step.refused)));
    }
    if (!step.refused || !sent) {
      const right = this.pending[number].length ? undefined : this.right(plain, before, now);
      this.pending[number].push(...(right ? [right] : []));
      return;
    }
    if (step.refused === NO_NETWORK || BROKE_DOWN.includes(step.refused)) {
      this.pending[number] = [{ kind: 'open', path: before.path }];
      return;
    }
    this.pending[number] = before.path === now.path ? [plain] : [{ kind: 'back' }, plain];
  }

  /**
   * After a step at which a page asked something: the same with the other answer, if the page is still there.
   *
   * @param agreed was it answered by yes? Undefined where nothing was asked
   */
  answer({ steps, seen }, number, agreed) {
    const step = steps[seen.length - 1];
    const [before, now] = seen.slice(-2);
    const stays = before && now?.done && before.path === now.path && (step.click || step.enter);
    if (agreed !== undefined && stays && this.answering > 0 && !this.pending[number].length) {
      this.answering -= 1;
      this.pending[number].push({ ...step, refused: undefined, agrees: !agreed });
    }
  }

  /** After a form got something by which less came about than before, and is still there: what did more. */
  right(step, before, now) {
    if (step.kind !== 'form' || !now.done) {
      return undefined;
    }
    const { click, enter, fill } = step;
    const form = JSON.stringify([click?.name, enter?.key, ...fill.map(({ target }) => target.key || target.name)]);
    const leads = before.path !== now.path;
    const done = leads ? Infinity : Math.abs(now.things.length - before.things.length);
    const best = this.best.get(form);
    if (!best || done > best.done) {
      this.best.set(form, { step, done });
      return undefined;
    }
    const other = best.step.fill.some(({ value }, at) => value !== fill[at].value);
    if (leads || done === best.done || !other || this.putRight === PUT_RIGHT) {
      return undefined;
    }
    this.putRight += 1;
    return { ...best.step };
  }

  /** Is a page that a step has led back to seen once more? */
  again({ kind, revisits }, { done }) {
    const by = kind === 'back' || revisits ? kind : undefined;
    if (!by || !done || this.revisited[by] >= REVISITED) {
      return false;
    }
    this.revisited[by] += 1;
    return true;
  }
}

/** A link to the page of a path that has another query; undefined without one. */
export function samePage(actions, path, chance) {
  const is = (other) => other !== path && withoutQuery(other) === withoutQuery(path) && other.includes('?');
  const links = actions.filter((action) => leads(action) && is(action.target.path));
  return links.length ? { kind: 'click', fill: [], click: chance.one(links).target } : undefined;
}

/** Is this the path of one of an application's main pages, as far as one can tell? */
export const isMain = (path) => withoutQuery(path).split('/').filter(Boolean).length < 2;

/** A link to where a tour has not `been` yet, a main page first, which it has then; undefined at its end. */
export function onTour(actions, been, chance) {
  const others = actions.filter((action) => leads(action) && !been.includes(action.target.path));
  if (!others.length || been.length > TOUR) {
    return undefined;
  }
  const main = others.filter((action) => isMain(action.target.path));
  const { target } = chance.one(main.length ? main : others);
  been.push(target.path);
  return { kind: 'click', fill: [], click: target };
}

/** Does a step change something, and lead to no other page? */
export function changes(step, before, now) {
  const acts = step.kind === 'form' || (step.kind === 'click' && step.click.path === null);
  if (!acts || before?.path !== now.path) {
    return false;
  }
  const shown = ({ things }) => JSON.stringify(things);
  return now.calls.some(({ method }) => method !== 'GET') || shown(before) !== shown(now);
}

/** A link to a page that the walk has been at since it was loaded, if there is one. */
function linkBack({ steps, seen }, actions) {
  const from = steps.findLastIndex(({ kind }) => LOADS.has(kind));
  const been = new Set(seen.slice(from).map(({ path }) => withoutQuery(path)));
  been.delete(withoutQuery(seen.at(-1).path));
  return actions.find((action) => leads(action) && been.has(withoutQuery(action.target.path)));
}

/** A link to the page that is shown, if there is one: most applications do nothing then. */
function linkHere({ seen }, actions) {
  return actions.find((action) => leads(action) && action.target.path === seen.at(-1).path);
}

const leads = ({ off, target }) => !off && target.role === 'link' && target.path;
