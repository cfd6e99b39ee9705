import { Decimal } from './decimal.js';
import { Problem } from './errors.js';
import { compile, inRow } from './evaluate.js';
import { wrong } from './lexer.js';
import type { Aggregate } from './parser.js';
import type { Table } from './table.js';
import { suggestion } from './text.js';
import { compareValues, keyOf, quoted, toText, type Value } from './value.js';

const NAMES = ['count', 'sum', 'mean', 'median', 'min', 'max', 'first', 'last', 'distinct', 'list'];

export interface Summary {
  readonly column: string;
  /** The result for the rows with these numbers. */
  readonly of: (rows: readonly number[]) => Value;
}

/** @throws Usage for an aggregate that is not known or that lacks its expression */
export function summaries(aggregates: readonly Aggregate[], table: Table): Summary[] {
  return aggregates.map((each) => {
    if (!NAMES.includes(each.name)) {
      throw wrong(each.at, `unknown aggregate "${each.name}"${suggestion(each.name, NAMES)}`);
    }
    if (each.of === null) {
      if (each.name !== 'count') {
        throw wrong(each.at, `${each.name} needs a value in its parentheses`);
      }
      return { column: each.column, of: (rows) => Decimal.of(rows.length) };
    }
    const formula = compile(each.of, table);
    return {
      column: each.column,
      of: (rows) => {
        const values: Value[] = [];
        for (const index of rows) {
          const value = inRow(index, () => formula(table.rows[index] ?? []));
          if (value !== null) {
            if (isNumeric(each.name) && !(value instanceof Decimal)) {
              throw new Problem(`row ${index + 1}: ${each.name} needs numbers, not ${quoted(value)}`);
            }
            values.push(value);
          }
        }
        return summarize(each.name, values);
      },
    };
  });
}

function isNumeric(name: string): boolean {
  return name === 'sum' || name === 'mean' || name === 'median';
}

/** Of the values that are not empty. */
export function summarize(name: string, values: readonly Value[]): Value {
  switch (name) {
    case 'count':
      return Decimal.of(values.length);
    case 'sum':
      return sum(values as Decimal[]);
    case 'distinct':
      return Decimal.of(new Set(values.map((value) => keyOf([value]))).size);
    case 'list':
      return [...new Set(values.map(toText))].join('; ') || null;
    default:
      return values.length === 0 ? null : chosen(name, values);
  }
}

function chosen(name: string, values: readonly Value[]): Value {
  switch (name) {
    case 'mean':
      return sum(values as Decimal[]).over(Decimal.of(values.length));
    case 'median':
      return quantile(values as Decimal[], 1, 2);
    case 'first':
      return values[0] as Value;
    case 'last':
      return values[values.length - 1] as Value;
    default: {
      const sorted = [...values].sort(compareValues);
      return sorted[name === 'min' ? 0 : sorted.length - 1] as Value;
    }
  }
}

export function sum(values: readonly Decimal[]): Decimal {
  return values.reduce((total, each) => total.plus(each), Decimal.ZERO);
}

/** The value that part / of of the values do not exceed, interpolated between neighbours. */
export function quantile(values: readonly Decimal[], part: number, of: number): Decimal {
  const sorted = [...values].sort((a, b) => a.compare(b));
  const position = (sorted.length - 1) * part;
  const index = Math.floor(position / of);
  const rest = position % of;
  const low = sorted[index] as Decimal;
  if (rest === 0) {
    return low;
  }
  const high = sorted[index + 1] as Decimal;
  return low.plus(high.minus(low).times(Decimal.of(rest)).over(Decimal.of(of)));
}

/** Rows by equal keys, in the order in which the keys come up first. */
export function grouped(keys: readonly (readonly Value[])[]): { key: readonly Value[]; rows: number[] }[] {
  const groups = new Map<string, { key: readonly Value[]; rows: number[] }>();
  keys.forEach((key, index) => {
    const name = keyOf(key);
    const group = groups.get(name);
    if (group === undefined) {
      groups.set(name, { key, rows: [index] });
    } else {
      group.rows.push(index);
    }
  });
  return [...groups.values()];
}
