import { Decimal } from './decimal.js';
import { Problem, Usage } from './errors.js';
import { type Json, parseJson, quoteJson, writeJson } from './json.js';
import { columnValues, makeTable, type Table } from './table.js';
import { length, padEnd, padStart, suggestion } from './text.js';
import { fromText, kindOf, toText, type Value } from './value.js';

export const READABLE = ['csv', 'tsv', 'json', 'jsonl'] as const;
export const WRITABLE = ['csv', 'tsv', 'json', 'jsonl', 'md', 'table'] as const;
export type Format = (typeof WRITABLE)[number];

const EXTENSIONS: Record<string, Format> = {
  csv: 'csv',
  tsv: 'tsv',
  tab: 'tsv',
  json: 'json',
  jsonl: 'jsonl',
  ndjson: 'jsonl',
  md: 'md',
  txt: 'table',
};

/** What the name of a file says, or null. */
export function formatOfFile(name: string): Format | null {
  const found = /\.([a-z]+)$/.exec(name);
  return found === null ? null : (EXTENSIONS[found[1] as string] ?? null);
}

export function formatNamed(name: string, known: readonly Format[]): Format {
  const found = known.find((each) => each === name);
  if (found === undefined) {
    throw new Usage(`unknown format "${name}"${suggestion(name, known)}`);
  }
  return found;
}

export function readTable(text: string, format: Format, header: boolean): Table {
  switch (format) {
    case 'csv':
      return fromRecords(csvRecords(text), header);
    case 'tsv':
      return fromRecords(tsvRecords(text), header);
    case 'json':
      return fromObjects(jsonItems(text));
    case 'jsonl':
      return fromObjects(jsonLines(text));
    default:
      throw new Usage(`the format ${format} can only be written`);
  }
}

interface Records {
  readonly records: string[][];
  /** The line on which each record starts. */
  readonly lines: number[];
}

/** Cells may stand in quotes, and then hold commas, quotes (doubled) and ends of lines. */
function csvRecords(text: string): Records {
  const records: string[][] = [];
  const lines: number[] = [];
  let line = 1;
  let at = 0;
  while (at < text.length) {
    const record: string[] = [];
    lines.push(line);
    for (;;) {
      let value = '';
      if (text[at] === '"') {
        const start = line;
        at += 1;
        for (;;) {
          const letter = text[at];
          if (letter === undefined) {
            throw new Problem(`line ${start}: a quote is not closed`);
          }
          at += 1;
          if (letter === '"') {
            if (text[at] !== '"') {
              break;
            }
            at += 1;
          }
          if (letter === '\n') {
            line += 1;
          }
          value += letter;
        }
        const next = text[at];
        if (next !== undefined && next !== ',' && next !== '\n' && next !== '\r') {
          throw new Problem(`line ${line}: text after a closing quote`);
        }
      } else {
        while (at < text.length && text[at] !== ',' && text[at] !== '\n' && text[at] !== '\r') {
          value += text[at];
          at += 1;
        }
      }
      record.push(value);
      if (text[at] !== ',') {
        break;
      }
      at += 1;
    }
    if (text[at] === '\r') {
      at += 1;
    }
    if (text[at] === '\n') {
      at += 1;
    }
    line += 1;
    records.push(record);
  }
  return { records, lines };
}

/** Tabs, ends of lines and backslashes in cells are written \t, \n and \\. */
function tsvRecords(text: string): Records {
  const lines = text.split('\n');
  if (lines[lines.length - 1] === '') {
    lines.pop();
  }
  const records = lines.map((line) =>
    line
      .replace(/\r$/, '')
      .split('\t')
      .map((cell) => cell.replace(/\\([tn\\])/g, (_, code: string) => (code === 't' ? '\t' : code === 'n' ? '\n' : '\\'))),
  );
  return { records, lines: lines.map((_, index) => index + 1) };
}

function fromRecords({ records, lines }: Records, header: boolean): Table {
  const first = records[0];
  if (first === undefined) {
    throw new Problem('there is no table: the input is empty');
  }
  const columns = header ? first : first.map((_, index) => `c${index + 1}`);
  const rows: Value[][] = [];
  for (let i = header ? 1 : 0; i < records.length; i += 1) {
    const record = records[i] as string[];
    if (record.length === 1 && record[0] === '' && columns.length > 1) {
      continue; // an empty line
    }
    if (record.length !== columns.length) {
      const cells = `${record.length} ${record.length === 1 ? 'cell' : 'cells'}`;
      throw new Problem(`line ${lines[i]}: ${cells}, but there are ${columns.length} columns`);
    }
    rows.push(record.map(fromText));
  }
  return makeTable(columns, rows);
}

function jsonItems(text: string): Map<string, Json>[] {
  const whole = parseJson(text);
  if (!Array.isArray(whole)) {
    throw new Problem('the JSON is not a list of objects');
  }
  return whole.map((item, index) => asObject(item, `item ${index + 1}`));
}

function jsonLines(text: string): Map<string, Json>[] {
  const items: Map<string, Json>[] = [];
  text.split('\n').forEach((line, index) => {
    if (/^[ \t\r]*$/.test(line)) {
      return;
    }
    let value: Json;
    try {
      value = parseJson(line);
    } catch (error) {
      if (error instanceof Problem) {
        throw new Problem(`line ${index + 1}: ${error.message}`);
      }
      throw error;
    }
    items.push(asObject(value, `line ${index + 1}`));
  });
  return items;
}

function asObject(value: Json, where: string): Map<string, Json> {
  if (!(value instanceof Map)) {
    throw new Problem(`${where}: not an object`);
  }
  return value;
}

/** Columns in the order in which they come up first; what is missing is empty. */
function fromObjects(items: readonly Map<string, Json>[]): Table {
  const columns = [...new Set(items.flatMap((item) => [...item.keys()]))];
  const rows = items.map((item) => columns.map((name) => fromJson(item.get(name) ?? null)));
  return makeTable(columns, rows);
}

function fromJson(value: Json): Value {
  if (value instanceof Map || Array.isArray(value)) {
    return writeJson(value);
  }
  return value === '' ? null : value;
}

export function writeTable(table: Table, format: Format, header: boolean): string {
  switch (format) {
    case 'csv':
      return lines(table, header, (cells) => cells.map(csvCell).join(','));
    case 'tsv':
      return lines(table, header, (cells) => cells.map(tsvCell).join('\t'));
    case 'json': {
      const items = table.rows.map((row) => '  ' + jsonObject(table, row));
      return items.length === 0 ? '[]\n' : `[\n${items.join(',\n')}\n]\n`;
    }
    case 'jsonl':
      return table.rows.map((row) => jsonObject(table, row) + '\n').join('');
    case 'md':
      return grid(table, header, '| ', ' | ', ' |', true);
    case 'table':
      return grid(table, header, '', '  ', '', false);
  }
}

function lines(table: Table, header: boolean, write: (cells: readonly string[]) => string): string {
  const all = table.rows.map((row) => row.map(toText));
  return (header ? [[...table.columns], ...all] : all).map((cells) => write(cells) + '\n').join('');
}

function csvCell(text: string): string {
  return /[",\r\n]/.test(text) ? `"${text.replace(/"/g, '""')}"` : text;
}

function tsvCell(text: string): string {
  return text.replace(/\\/g, '\\\\').replace(/\t/g, '\\t').replace(/\n/g, '\\n');
}

function jsonObject(table: Table, row: readonly Value[]): string {
  const fields = table.columns.map((name, index) => {
    const value = row[index] ?? null;
    return `${quoteJson(name)}:${typeof value === 'string' ? quoteJson(value) : String(value)}`;
  });
  return `{${fields.join(',')}}`;
}

/** Columns of equal width; numbers stand at the right where a column has nothing else. */
function grid(
  table: Table,
  header: boolean,
  before: string,
  between: string,
  after: string,
  markdown: boolean,
): string {
  const show = (text: string): string => {
    const line = text.replace(/\r?\n/g, ' ');
    return markdown ? line.replace(/\|/g, '\\|') : line;
  };
  const numeric = table.columns.map((_, index) => {
    const kinds = columnValues(table, index).map(kindOf);
    return kinds.includes('number') && kinds.every((kind) => kind === 'number' || kind === 'empty');
  });
  const cells = table.rows.map((row) => row.map((value) => show(toText(value))));
  const names = table.columns.map(show);
  const widths = names.map((name, index) =>
    Math.max(
      markdown ? 3 : 1,
      header || markdown ? length(name) : 0,
      ...cells.map((row) => length(row[index] as string)),
    ),
  );
  const write = (row: readonly string[]): string => {
    const padded = row.map((text, index) =>
      numeric[index] ? padStart(text, widths[index] as number) : padEnd(text, widths[index] as number),
    );
    return (before + padded.join(between) + after).replace(/ +$/, '') + '\n';
  };
  let out = header || markdown ? write(names) : '';
  if (markdown) {
    const rules = widths.map((width, index) => '-'.repeat(width - 1) + (numeric[index] ? ':' : '-'));
    out += before + rules.join(between) + after + '\n';
  } else if (header) {
    out += widths.map((width) => '-'.repeat(width)).join(between) + '\n';
  }
  return out + cells.map(write).join('');
}

/** The name of what a column holds: one kind, mixed, or empty. */
export function columnKind(values: readonly Value[]): string {
  const kinds = new Set(values.filter((value) => value !== null).map(kindOf));
  if (kinds.size === 0) {
    return 'empty';
  }
  if (kinds.size > 1) {
    return 'mixed';
  }
  const [kind] = kinds;
  const whole = kind === 'number' && values.every((value) => value === null || (value as Decimal).isWhole);
  return whole ? 'whole' : (kind as string);
}
