// What is entered in fields: something that a form of their kind takes, or had better not take.

import { TIMED, figured } from './shapes.mjs';

/** Kinds of fields that a text of one line is typed into. */
export const TYPED = new Set(['text', 'search', 'email', 'password', 'tel', 'url', 'number']);

// How long a text is at most where its field does not say, and of how many lines.
const LONG = { textarea: 400 };
// A line, which is long the first time and every other: where that is refused, the next one is not.
const LONG_LINE = 76;
const LINE = 40;
const LINES = 4;
const DAY_MS = 86_400_000;
const YEAR_DAYS = 365;
// Things are known by these.
const NEEDED = /id$|slug|uuid|key/i;
const LONG_AGO = Date.UTC(2024, 0, 1);
// How far numbers go that have no greatest one.
const REACHES = [4, 40, 400];
// How many times as large as the instance's numbers are those that are entered instead, at least and
// at most: few forms take a hundredfold, and what no form takes is entered when they are spoilt.
const LARGER = [2, 10];
/** How many hours lie between the times of a form. */
export const APART_HOURS = 2;
/** And where a larger number is entered: going further takes longer. */
export const FAR_APART_HOURS = 12;

/** The hour of a form's first time: most forms are filled in by day, and some have to take the night. */
export const earliest = (chance) => (chance.below(2) ? 8 : chance.below(8));

/** A text with what would be an element, if a page took it for one. */
function markedUp(text, chance, long) {
  const marked = `${text} <b>${chance.word()}</b>`;
  return marked.length > long ? text : marked;
}

/** A text of one line: a sentence, or as many as a long line has room for. */
function line(chance, long) {
  let text = chance.sentence().slice(0, long);
  for (let next = chance.sentence(); long > LINE && text.length + next.length < long; next = chance.sentence()) {
    text = `${text} ${next}`;
  }
  return text;
}

/** As many lines as an area of text takes, the first with markup. */
function lines(chance, long) {
  let text = markedUp(chance.sentence().slice(0, long), chance, long);
  for (let at = 1; at < LINES; at += 1) {
    const longer = `${text}\n${chance.sentence()}`;
    text = longer.length > long ? text : longer;
  }
  return text;
}

/**
 * A text that is JSON, as it is, or with things that lack a name each: not all have to be there. Days,
 * times and what things are known by stay. Or its figures are texts, as other programs write them.
 */
function imported(text, chance) {
  const [how, first] = [chance.below(3), chance.below(60_060)];
  const read = /^[[{]/.test(text) ? JSON.parse(text) : null;
  if (how === 0 || !read) {
    return text;
  }
  return how === 1 ? withoutSome(text, read, first) : JSON.stringify(figured(read));
}

function withoutSome(text, found, first) {
  const values = [found ?? []].flat().flatMap((each) => [each, ...Object.values(each ?? {})]).flat();
  const things = values.filter((each) => each && typeof each === 'object' && !Array.isArray(each));
  const stays = (name) => NEEDED.test(name) || things.some((each) => TIMED.test(each[name]));
  const names = [...new Set(things.flatMap(Object.keys))].filter((name) => !stays(name)).sort();
  things.forEach((each, at) => delete each[names[(first + at) % names.length]]);
  return names.length ? JSON.stringify(found) : text;
}

/** A day that forms take: some time ago, or from a year ago to two years ahead. */
function dayFor({ min = '', max = '9999' }, chance, now) {
  const near = now + (chance.below(3 * YEAR_DAYS) - YEAR_DAYS) * DAY_MS;
  const ago = LONG_AGO + chance.below(YEAR_DAYS) * DAY_MS;
  const day = new Date(chance.below(2) ? near : ago).toISOString().slice(0, 10);
  return [min.slice(0, 10), day, max.slice(0, 10)].sort()[1];
}

/**
 * A number some times as large as one that the field is known to take, with as many decimals, as far
 * as its `min`, `max` and `step` go; undefined for what is no such number, or has to be small.
 */
export function larger({ type, attributes }, value, chance) {
  const number = Number(value);
  if (!['number', 'range'].includes(type) || !(number > 0)) {
    return undefined;
  }
  const decimals = String(value).split('.')[1]?.length ?? 0;
  // Without a number in `step`, and for "any", only decimals bound it.
  const step = Math.max(Number(attributes.step) || 0, 10 ** -decimals);
  const base = Number(attributes.min) || 0;
  const [least, most] = LARGER.map((times) => number * times);
  const high = Math.min(most, Number(attributes.max || most));
  const low = least <= high ? least : number + step;
  // Steps are no binary fractions.
  const [first, last] = [Math.ceil((low - base) / step - 1e-6), Math.floor((high - base) / step + 1e-6)];
  const drawn = base + step * (first + chance.below(Math.max(last - first, 0) + 1));
  return first <= last ? drawn.toFixed(decimals) : undefined;
}

/**
 * Something to enter that a form of its kind takes; undefined where nothing comes to mind.
 *
 * @param counter how many `times` of day the form has got, at which hour they begin (`from`), and how many
 *   hours they lie `apart`
 * @param texts what areas of text may get: one of them the first time, and none the second
 * @param times how often it was filled
 * @param now what time it is, in milliseconds since 1970
 */
export function valueFor({ type, attributes, options }, chance, counter, texts, times, now) {
  const two = (number) => String(number).padStart(2, '0');
  // Later fields have later times: most forms ask for a start before an end.
  const hour = Math.min(counter.from + counter.apart * counter.times, 22);
  const low = Number(attributes.min ?? 1);
  const high = Math.max(low, Number(attributes.max ?? low + chance.one(REACHES)));
  const number = low + chance.below(Math.floor(high - low) + 1);
  const most = LONG[type] ?? (times % 2 ? LINE : LONG_LINE);
  const long = Math.max(Number(attributes.maxlength ?? attributes.minlength ?? most), 1);
  const words = () => line(chance, long);
  const day = () => dayFor(attributes, chance, now);
  switch (type) {
    case 'select': {
      const real = options.filter((each) => each.value !== '' && each.label);
      return real.length ? chance.one(real).label : undefined;
    }
    case 'email':
      return `${chance.word()}@example.org`;
    case 'password':
      return `${chance.word(6)}-${chance.word(6)}7A`;
    case 'number':
    case 'range':
      return String(number);
    case 'tel':
      return `+356${10_000_000 + chance.below(89_999_999)}`;
    case 'url':
      return `https://example.org/${chance.word()}`;
    case 'date':
      return day();
    case 'time':
      counter.times += 1;
      return `${two(hour)}:${two(chance.below(60))}`;
    case 'datetime-local':
      counter.times += 1;
      return `${day()}T${two(hour)}:${two(chance.below(60))}`;
    case 'month':
      return day().slice(0, 7);
    case 'week':
      return `${day().slice(0, 4)}-W${two(1 + chance.below(52))}`;
    case 'color':
      return '#336699';
    case 'checkbox':
    case 'radio':
      return '';
    case 'textarea':
      // What the application's back end answers is what it may take.
      return texts.length && (times === 0 || (times > 1 && chance.below(2)))
        ? imported(chance.one(texts), chance)
        : lines(chance, long);
    default:
      return TYPED.has(type) ? words() : undefined;
  }
}

/** Something to enter that a form of its kind had better not take; the value where nothing is. */
export function spoilt({ type, value }, chance, at) {
  const two = (number) => String(number).padStart(2, '0');
  const words = (length) => Array.from({ length }, () => chance.word()).join(' ');
  switch (type) {
    case 'number':
    case 'range':
      return String(chance.one([-1, 1]) * (100_000 + chance.below(1_000)));
    case 'date':
      return `${chance.one([1899, 2999])}-12-31`;
    case 'time':
      // Later fields have earlier times.
      return `${two(Math.max(22 - 2 * at, 0))}:${two(chance.below(60))}`;
    case 'email':
    case 'url':
      return chance.word();
    case 'password':
      return chance.word(1);
    case 'text':
    case 'search':
    case 'textarea':
      return words(80);
    default:
      return value;
  }
}
