// Answers of another shape than the instance has them: none at all, values that are nothing, long lists, days of other
// years. Which, and of what, a number tells that is drawn. Figures are texts in what is imported only: versions of the
// framework compare what is answered otherwise (`ngSwitch` by value and kind from 17 on).

// How numbers are called that tell how long a list is; `variation.py` has the same.
const COUNTS = /count|total|length|size/i;
// What things are called or known by, and addresses, are there.
const NEEDED = /id$|name|title|label|user|mail|slug|key|token|session|url|image|href/i;
const CALLED = /name|title|label/i;
const KNOWN_BY = /^_?id$|^slug$|^uuid$|^key$/;
const REFERS = /ids?$|slug|uuid|key/i;
const DAY = /^\d{4}(?=-\d{2}-\d{2})/;
export const TIMED = /^(\d{4}-\d{2}-\d{2}|\d{2}:\d{2})/;
const FIGURES = /^-?\d{1,15}(\.\d+)?$/;
// What is answered instead, with status 200, by a back end that has an error or nothing to tell.
const ERRORS = ['{}', '{"error": "unavailable"}', '{"code": 17, "message": "try again"}', '""', 'false', ''];
// So many items have lists that are long, and so many bytes an answer with them at most.
const LONG = [60, 100];
const BYTES = 200_000;
// Years of days: the first one and how many.
const YEARS = [1900, 140];
// Of so many items that are added one each has a number that is 0, lists that are empty, and a text that is.
const ODD = 3;

export const isObject = (value) => value !== null && typeof value === 'object' && !Array.isArray(value);
const isList = (value) => Array.isArray(value) && value.some(isObject);

/** A JSON value, or undefined for what is none. */
export function parsed(text) {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** What lists of things an answer is, or has right in it, changed; and what counts them says so. */
function withLists(value, change) {
  if (isList(value)) {
    return change(value);
  }
  if (!isObject(value) || !Object.values(value).some(isList)) {
    return value;
  }
  const entries = Object.entries(value).map(([key, each]) => [key, isList(each) ? change(each) : each]);
  const length = entries.find(([, each]) => Array.isArray(each))[1].length;
  const counts = ([key, each]) => [key, Number.isInteger(each) && COUNTS.test(key) ? length : each];
  return Object.fromEntries(entries.map(counts));
}

/** Each leaf of a value that is not known by its name to tell which thing it is, as another one. */
function leaves(value, change, name = '') {
  if (Array.isArray(value)) {
    return value.map((each) => leaves(each, change, name));
  }
  if (isObject(value)) {
    return Object.fromEntries(Object.entries(value).map(([key, each]) => [key, leaves(each, change, key)]));
  }
  return REFERS.test(name) ? value : change(value);
}

/** Figures are texts, and texts that are nothing but figures are numbers. */
export function figured(value) {
  return leaves(value, (each) => {
    if (typeof each === 'number') {
      return String(each);
    }
    return typeof each === 'string' && FIGURES.test(each) ? Number(each) : each;
  });
}

/** Each thing of a list without one of its texts: another one each, in turn; null every other time. */
function sparse(value, turn) {
  const may = ([key, each]) => typeof each === 'string' && !NEEDED.test(key) && !TIMED.test(each);
  const without = (item, at) => {
    const names = Object.entries(item).filter(may).map(([key]) => key).sort();
    if (!names.length) {
      return item;
    }
    const name = names[(turn + at) % names.length];
    const { [name]: _, ...others } = item;
    return turn % 2 ? { ...item, [name]: null } : others;
  };
  if (Array.isArray(value)) {
    return value.map((item, at) => (isObject(item) ? without(item, at) : item));
  }
  return isObject(value)
    ? Object.fromEntries(Object.entries(value).map(([key, one]) => [key, sparse(one, turn)]))
    : value;
}

/** One more of an item: known by another id, called by another name, of another year, and with some of it nothing. */
function another(item, number, turn, last, plain) {
  const year = String(YEARS[0] + ((turn + number * 37) % YEARS[1]));
  const made = Object.entries(item).map(([key, each]) => {
    if (KNOWN_BY.test(key)) {
      return [key, Number.isInteger(each) ? last + number : `${each}-${number}`];
    }
    if (typeof each !== 'string') {
      return [key, each];
    }
    // The 29th of February is not in each year.
    const day = each.replace(DAY, year).replace(/^(\d{4}-02)-29/, '$1-28');
    return [key, CALLED.test(key) ? `${each} ${number}` : day];
  });
  return plain ? Object.fromEntries(made) : odd(Object.fromEntries(made), number, turn);
}

/** An item some of which is nothing. */
function odd(item, number, turn) {
  const names = (is) => Object.keys(item).filter((key) => is(item[key], key)).sort();
  const round = turn + Math.floor(number / ODD);
  const set = (all, value) => (all.length ? { ...item, [all[round % all.length]]: value } : item);
  switch (number % ODD) {
    case 0:
      return set(names((each, key) => typeof each === 'number' && !NEEDED.test(key)), 0);
    case 1:
      return { ...item, ...Object.fromEntries(names(Array.isArray).map((key) => [key, []])) };
    default:
      return set(names((each, key) => typeof each === 'string' && !NEEDED.test(key) && !TIMED.test(each)), '');
  }
}

/** Lists with many more items; `plain`: of which none has anything that is nothing. */
function many(value, turn, plain) {
  return withLists(value, (list) => {
    const items = list.filter(isObject);
    const last = Math.max(0, ...items.flatMap((item) => Object.values(item).filter(Number.isInteger)));
    const room = Math.floor(BYTES / (JSON.stringify(list).length / items.length));
    const length = Math.min(LONG[0] + (turn % (LONG[1] - LONG[0] + 1)), room);
    const more = Array.from({ length: Math.max(length - list.length, 0) }, (_, at) =>
      another(items[at % items.length], at + 1, turn, last, plain),
    );
    return [...list, ...more];
  });
}

/** Kinds of shapes, as `shaped` has them: what becomes of a JSON value. */
const SHAPES = {
  empty: (value) => withLists(value, () => []),
  sparse,
  many: (value, turn) => many(value, turn, false),
  plenty: (value, turn) => many(value, turn, true),
};

/**
 * An answer in another shape; what is no JSON stays.
 *
 * @param content its body, as a Buffer
 * @param shape `kind`: `nothing`, `error` or one of `SHAPES`; `turn`: a number that says how
 */
export function shaped(content, { kind, turn }) {
  const value = parsed(content.toString());
  if (value === undefined || value === null || typeof value !== 'object') {
    return content;
  }
  if (kind === 'nothing' || kind === 'error') {
    return Buffer.from(kind === 'nothing' ? 'null' : ERRORS[turn % ERRORS.length]);
  }
  return Buffer.from(JSON.stringify(SHAPES[kind](value, turn)));
}

/** Kinds that answers of a back end have which is broken. */
export const BROKEN = new Set(['nothing', 'error']);

/** What is told of a shape. */
export const TOLD = {
  nothing: 'while answers are null',
  error: 'while answers tell of an error, or of nothing',
  empty: 'while there is nothing yet',
  sparse: 'while some of what things have is missing',
  many: 'while there is much, some of it nothing',
  plenty: 'while there is much',
};
