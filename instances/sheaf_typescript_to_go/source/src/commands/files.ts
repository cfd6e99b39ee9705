import { grouped } from '../aggregate.js';
import { splitWords } from '../args.js';
import { type Command, type Result, required, tableResult, textResult } from '../command.js';
import { Problem, Usage } from '../errors.js';
import { type Format, formatNamed, WRITABLE, writeTable } from '../formats.js';
import { readText } from '../host.js';
import { columnValues, indexOf, type Table } from '../table.js';
import { lower } from '../text.js';
import { toText, type Value } from '../value.js';

export const show: Command = {
  name: 'show',
  usage: 'show [FILE]',
  summary: 'Writes the table, in another format if asked',
  options: {},
  words: 0,
  run: ({ table }) => tableResult(table),
};

export const split: Command = {
  name: 'split',
  usage: 'split --by COLUMN --dir FOLDER [FILE] [--as FORMAT] [--drop]',
  summary: 'Writes one file for each value of a column',
  options: { by: 'value', dir: 'value', as: 'value', drop: 'flag' },
  words: 0,
  run: ({ args, table, write }) => {
    const by = indexOf(table, required(args, 'by'));
    const folder = required(args, 'dir').replace(/\/+$/, '');
    if (folder === '') {
      throw new Usage('--dir must name a folder');
    }
    const format: Format = formatNamed(args.values.get('as') ?? 'csv', WRITABLE);
    const drop = args.flags.has('drop');
    const without = <T>(list: readonly T[]): T[] => list.filter((_, index) => !drop || index !== by);
    const names = new Map<string, Value>();
    const lines: string[] = [];
    for (const { key, rows } of grouped(columnValues(table, by).map((value) => [value]))) {
      const value = key[0] as Value;
      const name = `${fileName(value)}.${format === 'table' ? 'txt' : format}`;
      if (names.has(name)) {
        throw new Problem(`"${toText(names.get(name) ?? null)}" and "${toText(value)}" would both be ${name}`);
      }
      names.set(name, value);
      const part = {
        columns: without(table.columns),
        rows: rows.map((index) => without(table.rows[index] ?? [])),
      };
      write(`${folder}/${name}`, writeTable(part, format, true));
      lines.push(`${name}: ${rows.length} ${rows.length === 1 ? 'row' : 'rows'}\n`);
    }
    return textResult(lines.join(''));
  },
};

/** Small letters, digits and hyphens. */
function fileName(value: Value): string {
  const name = lower(toText(value))
    .replace(/[^a-z0-9.]+/g, '-')
    .replace(/^[-.]+/, '')
    .replace(/[-.]+$/, '');
  return name === '' ? 'empty' : name;
}

export type Step = (words: readonly string[], table: Table) => Result;

/** The command that runs others; how they are run comes from the main program. */
export function makeRun(step: Step): Command {
  return {
    name: 'run',
    usage: 'run SCRIPT [FILE]',
    summary: 'Does what the lines of a script say, one command after another',
    options: {},
    words: 1,
    run: ({ args, table }) => {
      const path = args.words[0] as string;
      let result: Result = tableResult(table);
      readText(path)
        .split('\n')
        .forEach((line, index) => {
          try {
            const words = splitWords(line);
            if (words.length === 0) {
              return;
            }
            if (result.kind === 'text') {
              throw new Usage('the step before gave no table');
            }
            result = step(words, result.table);
          } catch (error) {
            const where = `${path}, line ${index + 1}: `;
            if (error instanceof Usage) {
              throw new Usage(where + error.message);
            }
            if (error instanceof Problem) {
              throw new Problem(where + error.message);
            }
            throw error;
          }
        });
      return result;
    },
  };
}
