import { count } from '../args.js';
import { type Command, tableResult } from '../command.js';
import { Decimal } from '../decimal.js';
import { Problem, Usage } from '../errors.js';
import { compile, evaluate } from '../evaluate.js';
import { parseExpression } from '../parser.js';
import { cell, indexOf, makeTable, nameList, type Table } from '../table.js';
import { compareValues, fromText, keyOf, quoted, type Value } from '../value.js';

export const where: Command = {
  name: 'where',
  usage: 'where EXPRESSION [FILE] [--invert]',
  summary: 'Keeps the rows for which an expression is true',
  options: { invert: 'flag' },
  words: 1,
  run: ({ args, table }) => {
    const formula = compile(parseExpression(args.words[0] as string), table);
    const invert = args.flags.has('invert');
    const values = evaluate(formula, table);
    const rows = table.rows.filter((_, index) => {
      const value = values[index] as Value;
      if (value !== null && typeof value !== 'boolean') {
        throw new Problem(`row ${index + 1}: the expression gives ${quoted(value)}, not true or false`);
      }
      return (value === true) !== invert;
    });
    return tableResult({ columns: table.columns, rows });
  },
};

export const slice: Command = {
  name: 'slice',
  usage: 'slice FIRST[:LAST] [FILE]',
  summary: 'Keeps rows by number; -3: are the last three',
  options: {},
  words: 1,
  run: ({ args, table }) => {
    const text = args.words[0] as string;
    const found = /^(-?[0-9]{1,9})?(?:(:)(-?[0-9]{1,9})?)?$/.exec(text);
    if (found === null || text === '') {
      throw new Usage(`"${text}" does not say which rows; 2:5 would, and 3 and -3:`);
    }
    const place = (word: string): number => {
      const number = Number(word);
      if (number === 0) {
        throw new Usage('rows are counted from 1');
      }
      return number < 0 ? table.rows.length + number + 1 : number;
    };
    const first = found[1] === undefined ? 1 : place(found[1]);
    const last =
      found[2] === undefined ? first : found[3] === undefined ? table.rows.length : place(found[3]);
    const rows = table.rows.filter((_, index) => index + 1 >= first && index + 1 <= last);
    return tableResult({ columns: table.columns, rows });
  },
};

interface SortKey {
  readonly index: number;
  readonly down: boolean;
}

function sortKeys(text: string, table: Table): SortKey[] {
  return nameList(text).map((name) => {
    const down = name.startsWith('-') && !table.columns.includes(name);
    return { index: indexOf(table, down ? name.slice(1) : name), down };
  });
}

export const sort: Command = {
  name: 'sort',
  usage: 'sort [-]COLUMN,... [FILE] [--empty first|last]',
  summary: 'Sorts rows; equal ones stay in their order',
  options: { empty: 'value' },
  words: 1,
  run: ({ args, table }) => {
    const keys = sortKeys(args.words[0] as string, table);
    const empty = args.values.get('empty') ?? 'first';
    if (empty !== 'first' && empty !== 'last') {
      throw new Usage(`--empty must be first or last, not "${empty}"`);
    }
    const rows = [...table.rows].sort((a, b) => {
      for (const { index, down } of keys) {
        const [left, right] = [cell(a, index), cell(b, index)];
        if ((left === null) !== (right === null)) {
          return (left === null) === (empty === 'first') ? -1 : 1;
        }
        const order = compareValues(left, right);
        if (order !== 0) {
          return down ? -order : order;
        }
      }
      return 0;
    });
    return tableResult({ columns: table.columns, rows });
  },
};

export const dedupe: Command = {
  name: 'dedupe',
  usage: 'dedupe COLUMN,...|* [FILE] [--keep first|last] [--count NAME]',
  summary: 'Keeps one row of those that are equal in some columns',
  options: { keep: 'value', count: 'value' },
  words: 1,
  run: ({ args, table }) => {
    const words = args.words[0] as string;
    const indexes =
      words === '*' ? table.columns.map((_, index) => index) : nameList(words).map((name) => indexOf(table, name));
    const keep = args.values.get('keep') ?? 'first';
    if (keep !== 'first' && keep !== 'last') {
      throw new Usage(`--keep must be first or last, not "${keep}"`);
    }
    const kept = new Map<string, number>();
    const counts = new Map<string, number>();
    const keys = table.rows.map((row) => keyOf(indexes.map((index) => cell(row, index))));
    keys.forEach((key, index) => {
      if (keep === 'last' || !kept.has(key)) {
        kept.set(key, index);
      }
      counts.set(key, (counts.get(key) ?? 0) + 1);
    });
    const name = args.values.get('count');
    const rows: Value[][] = [];
    table.rows.forEach((row, index) => {
      const key = keys[index] as string;
      if (kept.get(key) === index) {
        rows.push(name === undefined ? [...row] : [...row, Decimal.of(counts.get(key) as number)]);
      }
    });
    return tableResult(makeTable(name === undefined ? table.columns : [...table.columns, name], rows));
  },
};

export const fill: Command = {
  name: 'fill',
  usage: 'fill COLUMN,... [FILE] (--with TEXT | --down [--most N])',
  summary: 'Fills empty cells with a value, or with what stands above',
  options: { with: 'value', down: 'flag', most: 'value' },
  words: 1,
  run: ({ args, table }) => {
    const indexes = nameList(args.words[0] as string).map((name) => indexOf(table, name));
    const text = args.values.get('with');
    const down = args.flags.has('down');
    if ((text !== undefined) === down) {
      throw new Usage('fill needs either --with or --down');
    }
    const most = args.values.get('most');
    if (most !== undefined && !down) {
      throw new Usage('--most goes with --down');
    }
    const limit = most === undefined ? Infinity : count(most, '--most');
    const rows = table.rows.map((row) => [...row]);
    for (const index of indexes) {
      let above: Value = null;
      let filled = 0;
      for (const row of rows) {
        if (cell(row, index) !== null) {
          above = cell(row, index);
          filled = 0;
        } else if (text !== undefined) {
          row[index] = fromText(text);
        } else if (filled < limit) {
          row[index] = above;
          filled += 1;
        }
      }
    }
    return tableResult({ columns: table.columns, rows });
  },
};
