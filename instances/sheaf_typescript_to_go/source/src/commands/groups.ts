import { grouped, summaries } from '../aggregate.js';
import { type Command, required, tableResult } from '../command.js';
import { Problem, Usage } from '../errors.js';
import { parseAggregates } from '../parser.js';
import { cell, columnValues, indexOf, makeTable, nameList } from '../table.js';
import { fromText, keyOf, toText, type Value } from '../value.js';
import { distinctSorted } from './columns.js';

export const group: Command = {
  name: 'group',
  usage: 'group COLUMN,...|- [FILE] [--agg AGGREGATES] [--having-most N]',
  summary: 'Sums up rows that are equal in some columns; "-" makes one group of all',
  options: { agg: 'value', 'having-most': 'value' },
  words: 1,
  run: ({ args, table }) => {
    const by = args.words[0] as string;
    const names = by === '-' ? [] : nameList(by);
    const indexes = names.map((name) => indexOf(table, name));
    const sums = summaries(parseAggregates(args.values.get('agg') ?? 'count() as count'), table);
    let groups = grouped(table.rows.map((row) => indexes.map((index) => cell(row, index))));
    if (by === '-' && groups.length === 0) {
      groups = [{ key: [], rows: [] }];
    }
    const most = args.values.get('having-most');
    if (most !== undefined) {
      if (!/^[1-9][0-9]{0,5}$/.test(most)) {
        throw new Usage(`--having-most must be a whole number from 1 on, not "${most}"`);
      }
      groups = [...groups].sort((a, b) => b.rows.length - a.rows.length).slice(0, Number(most));
    }
    const rows = groups.map(({ key, rows }) => [...key, ...sums.map(({ of }) => of(rows))]);
    return tableResult(makeTable([...names, ...sums.map(({ column }) => column)], rows));
  },
};

export const pivot: Command = {
  name: 'pivot',
  usage: 'pivot --rows COLUMN,... --cols COLUMN --agg AGGREGATE [FILE] [--total NAME] [--empty TEXT]',
  summary: 'Makes a column of every value of one, and sums up where they meet the rows',
  options: { rows: 'value', cols: 'value', agg: 'value', total: 'value', empty: 'value' },
  words: 0,
  run: ({ args, table }) => {
    const names = nameList(required(args, 'rows'));
    const indexes = names.map((name) => indexOf(table, name));
    const across = indexOf(table, required(args, 'cols'));
    const sums = summaries(parseAggregates(required(args, 'agg')), table);
    if (sums.length !== 1) {
      throw new Usage('pivot takes one aggregate');
    }
    const of = sums[0]!.of;
    const empty = fromText(args.values.get('empty') ?? '');
    const total = args.values.get('total');
    const values = distinctSorted(columnValues(table, across));
    const groups = grouped(table.rows.map((row) => indexes.map((index) => cell(row, index))));
    const rows = groups.map(({ key, rows }) => {
      const parts = new Map<string, number[]>();
      for (const index of rows) {
        const name = keyOf([cell(table.rows[index] ?? [], across)]);
        parts.set(name, [...(parts.get(name) ?? []), index]);
      }
      const cells = values.map((value): Value => {
        const part = parts.get(keyOf([value]));
        return part === undefined ? empty : of(part);
      });
      return total === undefined ? [...key, ...cells] : [...key, ...cells, of(rows)];
    });
    const headings = values.map((value) => (value === null ? '(empty)' : toText(value)));
    if (headings.some((heading) => names.includes(heading))) {
      throw new Problem(`a value of "${table.columns[across]}" is the name of a column`);
    }
    const columns = [...names, ...headings];
    return tableResult(makeTable(total === undefined ? columns : [...columns, total], rows));
  },
};
