// Choosing what to do next on a page: by chance that nobody can foresee, with a preference for what
// nothing alike was yet tried of.

import { FIELDS } from './snapshot.mjs';
import { APART_HOURS, FAR_APART_HOURS, TYPED, earliest, larger, spoilt, valueFor } from './values.mjs';

// How often a form is filled that sends nothing and leads nowhere, or sends something: with what no
// form should take then.
const FORM_TRIES = 3;
// Where a page has new buttons and new links, one in so many times it is a link.
const LINK_ONE_IN = 3;
// What is pressed by a key instead, and how often.
const BY_KEY = new Set(['link', 'button']);
const BY_KEY_ONE_IN = 3;
// How often a form is sent by the Enter key in a field though it has a button.
const BY_ENTER_ONE_IN = 3;
// Of links, how many are clicked as who wants another window, first of all.
const OTHERWISE_ONE_IN = 2;
// Of fields, how many a pointer leads into.
const POINTED_ONE_IN = 3;
// Of fields and boxes, how many are clicked by their label's text.
const LABELLED_ONE_IN = 4;
// Of texts, how many are cut and pasted again.
const PASTED = new Set(['text', 'search', 'textarea']);
const PASTED_ONE_IN = 5;
// And of how many slips are mended.
const MENDED_ONE_IN = 4;
// Of choices, how many are made in a list that a click opens.
const OPENED_ONE_IN = 2;
// Of boxes, dates and times, how many get the space bar or figures that are typed.
const KEYED = new Set(['checkbox', 'radio', 'date', 'time', 'datetime-local', 'month']);
const KEYED_ONE_IN = 2;
const BOXES = new Set(['checkbox', 'radio']);
// What is looked for by a text that no form sends, each once and then by chance: a word that stands further down on
// the page, its beginning of so many letters at least, two words in a row, or something made up.
const SOUGHT = ['word', 'beginning', 'phrase', 'nothing'];
const BEGUN_LETTERS = 3;
// Of what is looked for, and of what is made up for other fields, how many have a blank at an end or both: keyboards of telephones add one
// behind each word that they complete, and what is copied may bring some along.
const BLANK_ONE_IN = { sought: 2, made: 4 };
const WORDS = /\p{L}{4,}/gu;
const PHRASES = /(?=(?<![\p{L}\p{N}])(\p{L}{4,} \p{L}{2,}))/gu;

// Ways to do something, as steps and what is filled in them have them.
const WAYS = ['byKey', 'otherwise', 'pointed', 'pasted', 'mended', 'opened', 'keyed', 'labelled', 'sought', 'blank'];

/** What a way counts as that has been taken: of some, each kind by itself, as keys and labels do something else in each kind of field. */
const wayIn = (way, { type, sought }) => [way, { keyed: type, labelled: type, sought }[way]].filter(Boolean).join(' ');

/** The novelty of what nothing like was tried. */
const NEW = 2;

/** What the base's walks have tried and seen so far. */
export class Known {
  /**
   * @param texts long texts that fields may take
   * @param now what time it is, in milliseconds since 1970
   */
  constructor(texts = [], now = 0) {
    this.texts = texts;
    this.now = now;
    this.tried = new Set();
    this.paths = new Set();
    this.linked = new Set();
    /** How often each was tried. */
    this.times = new Map();
    /** Forms, fields and buttons that were seen: where. */
    this.places = new Map();
    /** Forms that were seen: where. */
    this.forms = new Map();
    /** Forms that sent something. */
    this.sent = new Set();
    /** Ways to do something that have been taken, by name. */
    this.taken = new Set();
  }

  /** Is a way to do something taken this time? The first time, and once in so many later. */
  takes(way, oneIn, chance) {
    return !this.taken.has(way) || chance.below(oneIn) === 0;
  }

  /** How new an action is: `NEW` for what nothing like was tried, 0 for what was. */
  novelty({ signature, target }) {
    const tried = this.tried.has(this.key({ signature, target }));
    return target.path === null
      ? NEW * Number(!tried)
      : Number(!tried) + Number(!this.paths.has(target.path));
  }

  note(action) {
    const key = this.key(action);
    this.times.set(key, (this.times.get(key) ?? 0) + 1);
    // What takes texts of some kind is tried with another as well: it says something else then.
    if (!action.twice || this.times.get(key) > 1) {
      this.tried.add(key);
    }
    if (action.target.path) {
      this.paths.add(action.target.path);
    }
  }

  /** Forms, fields and buttons that were seen and nothing like was tried of: what, and where. */
  untried() {
    return [...this.places].filter(([key]) => !this.tried.has(key));
  }

  /** Where these are. */
  left() {
    return [...new Set(this.untried().map(([, path]) => path))].sort();
  }

  /** A form may be filled once more, with other values: wrong ones if it sent something. */
  again(action, sent) {
    const key = this.key(action);
    if (sent) {
      this.sent.add(key);
    }
    if (this.times.get(key) < FORM_TRIES) {
      this.tried.delete(key);
    }
  }

  key({ signature, target }) {
    const name = target.key || target.name;
    return target.path === null ? `${signature}|${withoutDigits(name)}` : signature;
  }
}

/** What the instance enters in a field; a choice by its label. */
function given({ backendNodeId, tag, options }, declared) {
  const value = declared?.get(backendNodeId);
  const chosen = options.find((each) => each.value === value || each.label === value);
  return tag === 'select' ? chosen?.label : value;
}

// A text that is nothing but words: no address, number or code.
const WORDS_ALONE = /^\p{L}{2,}(?:[\s,.'-]+\p{L}+)*\.?$/u;
// What has to be in proportion, as far as forms ask for it: a distance, say, and the time it takes.
const MEASURES = new Set(['number', 'range', 'time']);

/**
 * What of the instance's a form gets: all of it the first time, and then nothing of it. But its
 * numbers and words are known to everybody, and mostly small and short: where it has some, larger and
 * longer ones are entered first. Its own come then: with all the rest if nothing was sent, which the
 * form may have refused; else with what has to be in proportion, so that what is spoilt is refused for
 * that alone.
 *
 * @returns values by node, and how many hours times lie `apart` that have none
 */
function inForm(fields, declared, times, sent, chance) {
  const values = new Map(declared);
  const numbers = fields.flatMap((field) => {
    const number = larger(field, values.get(field.backendNodeId), chance);
    return number === undefined ? [] : [[field.backendNodeId, number]];
  });
  const lines = fields.filter(({ backendNodeId, type }) => type === 'text' && WORDS_ALONE.test(values.get(backendNodeId)));
  if (times > Math.min(numbers.length + lines.length, 1)) {
    return { values: new Map(), apart: APART_HOURS };
  }
  if (times === 0) {
    lines.forEach(({ backendNodeId }) => values.delete(backendNodeId));
  }
  const far = times === 0 && numbers.length > 0;
  for (const { backendNodeId, type } of fields) {
    if (far ? type === 'time' : times && sent && !MEASURES.has(type)) {
      values.delete(backendNodeId);
    }
  }
  return far
    ? { values: new Map([...values, ...numbers]), apart: FAR_APART_HOURS }
    : { values, apart: APART_HOURS };
}

const PRESSED = new Set(['button', 'submit', 'image', 'reset']);

/**
 * What a field may be there to look for: what of `SOUGHT` it is, and the `value` if it is of the links further down;
 * nothing without such links.
 */
function soughtIn({ index, type }, actions, chance, known) {
  const links = actions.filter((each) => each.index > index && each.target.path);
  const words = links.flatMap(({ target }) => target.name.match(WORDS) ?? []);
  if (!['search', 'text'].includes(type) || !words.length) {
    return {};
  }
  const phrases = links.flatMap(({ target }) => [...target.name.matchAll(PHRASES)].map(([, two]) => two));
  const kinds = SOUGHT.filter((each) => each !== 'phrase' || phrases.length);
  const left = kinds.filter((sought) => !known.taken.has(wayIn('sought', { sought })));
  const sought = chance.one(left.length ? left : kinds);
  if (sought === 'nothing') {
    return { sought };
  }
  const whole = chance.one(sought === 'phrase' ? phrases : words);
  const letters = sought === 'beginning' ? BEGUN_LETTERS + chance.below(whole.length - BEGUN_LETTERS) : whole.length;
  const value = whole.slice(0, letters);
  const blank = known.takes('blank', BLANK_ONE_IN.sought, chance);
  return { sought, blank, value: blank ? withBlanks(value, chance) : value };
}

/** A text with a blank behind it, in front of it, or both. */
export function withBlanks(text, chance) {
  return chance.one([`${text} `, `${text} `, ` ${text}`, ` ${text} `]);
}

/** What was made up for a field, now and then with a blank at its ends, where it has room for it. */
function maybeWithBlanks(value, { type, attributes }, chance) {
  const worded = ['text', 'textarea'].includes(type) && value;
  const other = worded && chance.below(BLANK_ONE_IN.made) === 0 ? withBlanks(value, chance) : value;
  return other?.length > Number(attributes.maxlength ?? Infinity) ? value : other;
}

/** All of the fields that belong to no form at once, where there are several: filters of a list, say, and no boxes alone. */
function allAtOnce(steps) {
  const alone = steps.filter(({ step }) => step.kind === 'enter');
  if (alone.length < 2 || alone.every(({ action }) => action.type === 'checkbox')) {
    return [];
  }
  const [{ action }] = alone;
  const fill = alone.flatMap(({ step }) => step.fill.map((each) => ({ ...each })));
  return [{ action: { ...action, twice: true, signature: `all|${action.signature}` }, step: { kind: 'enter', fill } }];
}

/** Every step that could be taken on a page: fill and send a form, enter one thing, click. */
function stepsOn({ actions, declared }, chance, known) {
  const steps = [];
  const forms = new Map();
  const timesOf = (action) => known.times.get(known.key(action)) ?? 0;
  const entered = (field, counter, texts, times, declared) => {
    const made = () => maybeWithBlanks(valueFor(field, chance, counter, texts, times, known.now), field, chance);
    const value = given(field, declared) ?? made();
    // The first text is cut and pasted again, and some later ones.
    const may = PASTED.has(field.type) && value?.length > 1;
    const pasted = may && known.takes('pasted', PASTED_ONE_IN, chance);
    const mended = may && known.takes('mended', MENDED_ONE_IN, chance);
    const opened = field.tag === 'select' && known.takes('opened', OPENED_ONE_IN, chance);
    const keyed = KEYED.has(field.type) && known.takes(wayIn('keyed', field), KEYED_ONE_IN, chance);
    const typed = TYPED.has(field.type) || field.type === 'textarea';
    const pointed = typed && known.takes('pointed', POINTED_ONE_IN, chance);
    const clicked = typed || BOXES.has(field.type);
    const labelled = clicked && known.takes(wayIn('labelled', field), LABELLED_ONE_IN, chance);
    return value === undefined
      ? []
      : [{ target: field.target, type: field.type, value, pointed, pasted, mended, opened, keyed, labelled }];
  };
  // A form is filled as a whole: its fields alone would take steps away from what is behind them.
  const whole = new Set(actions.filter((each) => sends(each)).map((each) => each.form));
  whole.delete(undefined);
  for (const each of actions) {
    const isField = FIELDS.has(each.tag) && !PRESSED.has(each.type);
    if (each.form !== undefined) {
      forms.set(each.form, [...(forms.get(each.form) ?? []), each]);
    }
    if (each.off) {
      continue;
    }
    if (isField) {
      if (whole.has(each.form)) {
        continue;
      }
      const button = each.tag === 'textarea' && each.form === undefined && buttonAfter(each, actions);
      const action = button ? { ...formOf(each), twice: true } : each;
      const fill = entered(each, { times: 0, from: earliest(chance), apart: APART_HOURS }, known.texts, timesOf(action));
      if (fill.length && !button) {
        Object.assign(fill[0], soughtIn(each, actions, chance, known));
      }
      if (fill.length && button) {
        steps.push({ action, step: { kind: 'form', fill, click: button.target } });
      } else if (fill.length) {
        steps.push({ action, step: { kind: 'enter', fill } });
      }
    } else if (each.target.path !== undefined) {
      // Links that lead elsewhere have no path of ours.
      steps.push({ action: each, step: { kind: 'click', fill: [], click: each.target } });
    }
  }
  steps.push(...allAtOnce(steps));
  for (const members of forms.values()) {
    const fields = members.filter(
      (each) => FIELDS.has(each.tag) && !PRESSED.has(each.type) && !each.off,
    );
    if (!fields.length) {
      continue;
    }
    const button = members.find((each) => sends(each));
    const action = formOf(button ?? fields.at(-1));
    const times = timesOf(action);
    const sent = known.sent.has(known.key(action));
    const { values, apart } = inForm(fields, declared, times, sent, chance);
    const counter = { times: 0, from: earliest(chance), apart };
    const texts = fields.length === 1 ? known.texts : [];
    const fill = fields.flatMap((field) => entered(field, counter, texts, times, values));
    if (fill.length) {
      if (sent) {
        // One field, or all of them.
        const only = chance.below(fill.length + 1);
        fill.forEach((each, at) => {
          if (only === fill.length || only === at) {
            each.value = spoilt(each, chance, at);
          }
        });
      }
      const line = fields.find(({ type }) => TYPED.has(type))?.target;
      const enter = button ? undefined : fields.at(-1).target;
      steps.push({ action, line, step: { kind: 'form', fill, click: button?.target, enter } });
    }
  }
  return steps;
}

/** What stands for a form as a whole, by an element of it. */
function formOf(element) {
  return { ...element, whole: true, signature: `form|${element.signature}` };
}

/** What is done with a text that belongs to no form: the next button in the document, if there is one. */
function buttonAfter({ index }, actions) {
  return actions.find((each) => each.index > index && each.target.role === 'button');
}

function sends({ tag, type, attributes }) {
  return tag === 'button' ? !['button', 'reset'].includes(attributes.type) : type === 'submit';
}

/** Of clicks, is it a button's, or a link's, which only leads on? */
const kindOf = ({ action, step }) =>
  step.kind === 'click' && action.target.path === null ? 'button' : step.kind;

/** Every step that a page offers, with how new each is; where they are is known from now on. */
export function offered(seen, path, known, chance) {
  const steps = stepsOn(seen, chance, known).map((each) => ({ ...each, new: known.novelty(each.action) }));
  for (const { action } of steps.filter((each) => each.action.target.path === null)) {
    known.places.set(known.key(action), path);
    if (action.whole) {
      known.forms.set(known.key(action), path);
    }
  }
  return steps;
}

/** Of these steps, those on a form, a field or a button that nothing like was tried of. */
export function untriedOf(steps) {
  return steps.filter(({ action, new: howNew }) => howNew === NEW && action.target.path === null);
}

/**
 * The next step, and what it is taken on: of what is newest and was tried least of all that a page
 * offers, by chance; undefined where it offers nothing. Where all has been tried: an address with
 * something left to try.
 */
export function choose(steps, known, chance) {
  if (!steps.length) {
    return undefined;
  }
  const newest = Math.max(...steps.map((each) => each.new));
  const places = known.untried();
  const linked = [...known.linked].filter((each) => !known.paths.has(each)).sort();
  if (newest < NEW && places.length) {
    const [key, at] = chance.one(places);
    // It may be there no more.
    known.places.delete(key);
    return { step: { kind: 'open', path: at } };
  }
  if (newest === 0 && linked.length) {
    return { step: { kind: 'open', path: chance.one(linked) } };
  }
  const times = ({ action }) => known.times.get(known.key(action)) ?? 0;
  const most = steps.filter((each) => each.new === newest);
  const least = Math.min(...most.map(times));
  const open = most.filter((each) => times(each) === least || each.action.twice);
  const kinds = [...new Set(open.map(kindOf))];
  // Most of what an application does lies behind its forms, and then behind its buttons.
  const buttons = kinds.includes('button') && chance.below(LINK_ONE_IN) > 0;
  const kind = kinds.includes('form') ? 'form' : buttons ? 'button' : chance.one(kinds);
  const { action, line, step } = chance.one(open.filter((each) => kindOf(each) === kind));
  known.note(action);
  if (line && step.click && known.takes('enter', BY_ENTER_ONE_IN, chance)) {
    // Of a form that has no button, the Enter key is no choice.
    known.taken.add('enter');
    Object.assign(step, { click: undefined, enter: line });
  }
  if (step.kind === 'click' && BY_KEY.has(action.target.role)) {
    step.byKey = known.takes('byKey', BY_KEY_ONE_IN, chance);
    const link = action.target.path !== null && !step.byKey;
    step.otherwise = link && known.takes('otherwise', OTHERWISE_ONE_IN, chance);
  }
  for (const done of [step, ...step.fill]) {
    WAYS.filter((way) => done[way]).forEach((way) => known.taken.add(wayIn(way, done)));
  }
  return { action, step };
}

const withoutDigits = (text) => text.replace(/\d+/g, '0');
