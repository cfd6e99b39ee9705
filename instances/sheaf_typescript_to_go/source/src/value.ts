import { Decimal } from './decimal.js';
import { compareText } from './text.js';

/** What a cell holds; null is an empty cell. */
export type Value = null | boolean | Decimal | string;

export type Kind = 'empty' | 'truth' | 'number' | 'text';

const RANK: Record<Kind, number> = { empty: 0, truth: 1, number: 2, text: 3 };

export function kindOf(value: Value): Kind {
  if (value === null) {
    return 'empty';
  }
  if (typeof value === 'boolean') {
    return 'truth';
  }
  return value instanceof Decimal ? 'number' : 'text';
}

/** What the text of a cell means. */
export function fromText(text: string): Value {
  if (text === '') {
    return null;
  }
  if (text === 'true' || text === 'false') {
    return text === 'true';
  }
  return Decimal.parse(text) ?? text;
}

export function toText(value: Value): string {
  return value === null ? '' : String(value);
}

/** For messages: texts in quotes. */
export function quoted(value: Value): string {
  if (value === null) {
    return 'nothing';
  }
  return typeof value === 'string' ? `"${value}"` : String(value);
}

/** A total order: empty, false, true, numbers, texts. */
export function compareValues(a: Value, b: Value): number {
  const difference = RANK[kindOf(a)] - RANK[kindOf(b)];
  if (difference !== 0) {
    return Math.sign(difference);
  }
  if (a instanceof Decimal && b instanceof Decimal) {
    return a.compare(b);
  }
  if (typeof a === 'boolean') {
    return Number(a) - Number(b);
  }
  return a === null ? 0 : compareText(a as string, b as string);
}

export function same(a: Value, b: Value): boolean {
  return compareValues(a, b) === 0;
}

/** Equal for equal values: 1.0 and 1 are one key, 1 and "1" are two. */
export function keyOf(values: readonly Value[]): string {
  return values
    .map((value) => {
      const text = value instanceof Decimal ? value.stripped().toString() : toText(value);
      return `${kindOf(value)}:${text.length}:${text}`;
    })
    .join(',');
}
