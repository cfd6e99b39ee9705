import { grouped, quantile, sum } from '../aggregate.js';
import { type Command, tableResult } from '../command.js';
import { Decimal } from '../decimal.js';
import { Usage } from '../errors.js';
import { compile, evaluate } from '../evaluate.js';
import { columnKind } from '../formats.js';
import { parseAssignment } from '../parser.js';
import { cell, columnValues, indexOf, makeTable, nameList, type Table } from '../table.js';
import { compareValues, type Value } from '../value.js';

export const cols: Command = {
  name: 'cols',
  usage: 'cols [FILE]',
  summary: 'Lists the columns and what they hold',
  options: {},
  words: 0,
  run: ({ table }) => {
    const rows = table.columns.map((name, index): Value[] => {
      const values = columnValues(table, index);
      const present = values.filter((value) => value !== null);
      const distinct = grouped(present.map((value) => [value])).length;
      return [
        name,
        columnKind(values),
        Decimal.of(values.length - present.length),
        Decimal.of(distinct),
        present[0] ?? null,
      ];
    });
    return tableResult(makeTable(['column', 'kind', 'empty', 'distinct', 'example'], rows));
  },
};

export const stats: Command = {
  name: 'stats',
  usage: 'stats [FILE] [--of COLUMN,...]',
  summary: 'Sums up the numbers of each column',
  options: { of: 'value' },
  words: 0,
  run: ({ args, table }) => {
    const of = args.values.get('of');
    const indexes =
      of === undefined
        ? table.columns.map((_, index) => index)
        : nameList(of).map((name) => indexOf(table, name));
    const rows: Value[][] = [];
    for (const index of indexes) {
      const values = columnValues(table, index);
      const numbers = values.filter((value): value is Decimal => value instanceof Decimal);
      if (of === undefined && numbers.length === 0) {
        continue;
      }
      rows.push([table.columns[index] as string, ...numberStats(numbers)]);
    }
    const names = ['column', 'numbers', 'sum', 'mean', 'min', 'q1', 'median', 'q3', 'max'];
    return tableResult(makeTable(names, rows));
  },
};

function numberStats(numbers: readonly Decimal[]): Value[] {
  const size = Decimal.of(numbers.length);
  if (numbers.length === 0) {
    return [size, Decimal.ZERO, null, null, null, null, null, null];
  }
  const total = sum(numbers);
  const quantiles = [0, 1, 2, 3, 4].map((part) => quantile(numbers, part, 4));
  return [size, total, total.over(size), ...quantiles];
}

/** COLUMN, COLUMN=NEW, !COLUMN for all but that one, * for all that are left. */
export const pick: Command = {
  name: 'pick',
  usage: 'pick COLUMN[=NEW]|!COLUMN|*,... [FILE]',
  summary: 'Keeps, orders, renames and drops columns',
  options: {},
  words: 1,
  run: ({ args, table }) => {
    const words = nameList(args.words[0] as string);
    const dropped = new Set(
      words.filter((word) => isDrop(word, table)).map((word) => indexOf(table, word.slice(1))),
    );
    const named = words.filter((word) => !isDrop(word, table));
    const picked = named.map((word) => (word === '*' ? null : pickOne(word, table)));
    const taken = new Set(picked.filter((each) => each !== null).map((each) => each.index));
    const rest = table.columns.flatMap((name, index) =>
      taken.has(index) || dropped.has(index) ? [] : [{ name, index }],
    );
    const chosen = named.length === 0 ? rest : picked.flatMap((each) => (each === null ? rest : [each]));
    if (named.filter((word) => word === '*').length > 1) {
      throw new Usage('"*" is given twice');
    }
    const rows = table.rows.map((row) => chosen.map(({ index }) => cell(row, index)));
    return tableResult(makeTable(chosen.map(({ name }) => name), rows));
  },
};

function isDrop(word: string, table: Table): boolean {
  return word.startsWith('!') && !table.columns.includes(word);
}

function pickOne(word: string, table: Table): { name: string; index: number } {
  const equals = word.indexOf('=');
  if (equals < 0 || table.columns.includes(word)) {
    return { name: word, index: indexOf(table, word) };
  }
  return { name: word.slice(equals + 1), index: indexOf(table, word.slice(0, equals)) };
}

export const derive: Command = {
  name: 'derive',
  usage: 'derive NAME=EXPRESSION [FILE] [--before COLUMN]',
  summary: 'Adds a column that is computed, or replaces one',
  options: { before: 'value' },
  words: 1,
  run: ({ args, table }) => {
    const { name, node } = parseAssignment(args.words[0] as string);
    const values = evaluate(compile(node, table), table);
    const before = args.values.get('before');
    const old = table.columns.indexOf(name);
    if (old >= 0 && before !== undefined) {
      throw new Usage(`--before is for new columns, and there is a column "${name}"`);
    }
    const at = old >= 0 ? old : before === undefined ? table.columns.length : indexOf(table, before);
    const put = <T>(list: readonly T[], item: T): T[] => [
      ...list.slice(0, at),
      item,
      ...list.slice(old >= 0 ? at + 1 : at),
    ];
    const rows = table.rows.map((row, index) => put<Value>(row, values[index] ?? null));
    return tableResult(makeTable(put(table.columns, name), rows));
  },
};

export const melt: Command = {
  name: 'melt',
  usage: 'melt COLUMN,... [FILE] [--name NAME] [--value NAME] [--keep-empty]',
  summary: 'Turns columns into rows of a name and a value',
  options: { name: 'value', value: 'value', 'keep-empty': 'flag' },
  words: 1,
  run: ({ args, table }) => {
    const indexes = nameList(args.words[0] as string).map((name) => indexOf(table, name));
    const kept = table.columns.map((_, index) => index).filter((index) => !indexes.includes(index));
    const keepEmpty = args.flags.has('keep-empty');
    const rows: Value[][] = [];
    for (const row of table.rows) {
      for (const index of indexes) {
        const value = cell(row, index);
        if (value !== null || keepEmpty) {
          rows.push([...kept.map((each) => cell(row, each)), table.columns[index] as string, value]);
        }
      }
    }
    const names = kept.map((index) => table.columns[index] as string);
    const added = [args.values.get('name') ?? 'name', args.values.get('value') ?? 'value'];
    return tableResult(makeTable([...names, ...added], rows));
  },
};

/** Values in order, each once. */
export function distinctSorted(values: readonly Value[]): Value[] {
  const sorted = grouped(values.map((value) => [value])).map(({ key }) => key[0] as Value);
  return sorted.sort(compareValues);
}
