import { addMonths, daysOfMonth, fromDays, isoWeek, parseDay, showDay, weekday } from './dates.js';
import { Decimal } from './decimal.js';
import { Problem } from './errors.js';
import { compareValues, fromText, quoted, toText, type Value } from './value.js';
import { length, lower, padStart, trim, upper } from './text.js';

export interface Fn {
  readonly least: number;
  readonly most: number;
  readonly usage: string;
  /** Called when no argument is empty; an empty text becomes an empty value. */
  readonly call: (args: readonly Value[]) => Value;
}

const MOST_PLACES = 12;
const MOST_SHIFT = 100000;
const MANY = 20;

function number(value: Value): Decimal {
  if (!(value instanceof Decimal)) {
    throw new Problem(`a number is needed, not ${quoted(value)}`);
  }
  return value;
}

function whole(value: Value | undefined, least: number, most: number): number {
  const found = number(value ?? null);
  const fits = found.compare(Decimal.of(least)) >= 0 && found.compare(Decimal.of(most)) <= 0;
  if (!found.isWhole || !fits) {
    throw new Problem(`a whole number from ${least} to ${most} is needed, not ${found}`);
  }
  return found.toNumber();
}

function text(value: Value | undefined): string {
  return toText(value ?? null);
}

function day(value: Value | undefined): number {
  const found = typeof value === 'string' ? parseDay(value) : null;
  if (found === null) {
    throw new Problem(`a day such as 2024-03-05 is needed, not ${quoted(value ?? null)}`);
  }
  return found;
}

function dayText(count: number): string {
  const found = fromDays(count);
  if (found.year < 1 || found.year > 9999) {
    throw new Problem('a day lies outside of the years 1 to 9999');
  }
  return showDay(found);
}

function one(usage: string, call: (value: Value) => Value): Fn {
  return { least: 1, most: 1, usage, call: ([value]) => call(value ?? null) };
}

function fn(least: number, most: number, usage: string, call: Fn['call']): Fn {
  return { least, most, usage, call };
}

/** The value that comes first (sign -1) or last (sign 1). */
function extreme(values: readonly Value[], sign: number): Value {
  return values.reduce((best, each) => (compareValues(each, best) * sign > 0 ? each : best));
}

function slice(value: string, start: number, end?: number): string {
  return Array.from(value).slice(start, end).join('');
}

export const FUNCTIONS: ReadonlyMap<string, Fn> = new Map<string, Fn>([
  ['abs', one('abs(number)', (value) => number(value).abs())],
  [
    'round',
    fn(1, 2, 'round(number, places)', ([value, places]) =>
      number(value ?? null).rounded(places === undefined ? 0 : whole(places, 0, MOST_PLACES)),
    ),
  ],
  ['floor', one('floor(number)', (value) => number(value).floor())],
  ['ceil', one('ceil(number)', (value) => number(value).ceil())],
  ['min', fn(1, MANY, 'min(value, ...)', (values) => extreme(values, -1))],
  ['max', fn(1, MANY, 'max(value, ...)', (values) => extreme(values, 1))],
  ['len', one('len(text)', (value) => Decimal.of(length(text(value))))],
  ['upper', one('upper(text)', (value) => upper(text(value)))],
  ['lower', one('lower(text)', (value) => lower(text(value)))],
  ['trim', one('trim(text)', (value) => trim(text(value)))],
  ['left', fn(2, 2, 'left(text, count)', ([value, count]) => slice(text(value), 0, whole(count, 0, 9999)))],
  [
    'right',
    fn(2, 2, 'right(text, count)', ([value, count]) => {
      const letters = Array.from(text(value));
      return letters.slice(Math.max(0, letters.length - whole(count, 0, 9999))).join('');
    }),
  ],
  [
    'pad',
    fn(2, 2, 'pad(text, width)', ([value, width]) => padStart(text(value), whole(width, 0, 200))),
  ],
  [
    'replace',
    fn(3, 3, 'replace(text, old, new)', ([value, old, by]) => text(value).split(text(old)).join(text(by))),
  ],
  [
    'part',
    fn(3, 3, 'part(text, separator, number)', ([value, separator, index]) => {
      const parts = text(value).split(text(separator));
      return parts[whole(index, 1, 9999) - 1] ?? null;
    }),
  ],
  ['contains', fn(2, 2, 'contains(text, part)', ([value, part]) => text(value).includes(text(part)))],
  [
    'number',
    one('number(text)', (value) => {
      const found = fromText(trim(text(value)));
      return found instanceof Decimal ? found : null;
    }),
  ],
  ['text', one('text(value)', (value) => text(value))],
  ['year', one('year(day)', (value) => Decimal.of(fromDays(day(value)).year))],
  ['month', one('month(day)', (value) => Decimal.of(fromDays(day(value)).month))],
  ['day', one('day(day)', (value) => Decimal.of(fromDays(day(value)).day))],
  ['weekday', one('weekday(day)', (value) => Decimal.of(weekday(day(value))))],
  ['week', one('week(day)', (value) => isoWeek(day(value)))],
  ['days', fn(2, 2, 'days(first, last)', ([first, last]) => Decimal.of(day(last) - day(first)))],
  [
    'adddays',
    fn(2, 2, 'addDays(day, count)', ([value, count]) =>
      dayText(day(value) + whole(count, -MOST_SHIFT, MOST_SHIFT)),
    ),
  ],
  [
    'addmonths',
    fn(2, 2, 'addMonths(day, count)', ([value, count]) =>
      dayText(addMonths(day(value), whole(count, -MOST_SHIFT, MOST_SHIFT))),
    ),
  ],
  [
    'monthend',
    one('monthEnd(day)', (value) => {
      const found = fromDays(day(value));
      return showDay({ ...found, day: daysOfMonth(found.year, found.month) });
    }),
  ],
]);

/** These look at their arguments one after another, and at empty ones too. */
export const LAZY: ReadonlyMap<string, { least: number; most: number; usage: string }> = new Map([
  ['if', { least: 3, most: 3, usage: 'if(truth, value, otherwise)' }],
  ['coalesce', { least: 1, most: MANY, usage: 'coalesce(value, ...)' }],
]);
