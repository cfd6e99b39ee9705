import { Problem, Usage } from './errors.js';
import { suggestion } from './text.js';
import type { Value } from './value.js';

export interface Table {
  readonly columns: readonly string[];
  readonly rows: readonly (readonly Value[])[];
}

/** @throws Problem if two columns have one name, or a name is empty */
export function makeTable(columns: readonly string[], rows: readonly (readonly Value[])[]): Table {
  const seen = new Set<string>();
  for (const name of columns) {
    if (name === '') {
      throw new Problem('a column has no name');
    }
    if (seen.has(name)) {
      throw new Problem(`there are two columns "${name}"`);
    }
    seen.add(name);
  }
  return { columns, rows };
}

/** The place of a column. */
export function indexOf(table: Table, name: string): number {
  const index = table.columns.indexOf(name);
  if (index < 0) {
    throw new Problem(`there is no column "${name}"${suggestion(name, table.columns)}`);
  }
  return index;
}

/** The cell of a row; rows are as long as the table is wide. */
export function cell(row: readonly Value[], index: number): Value {
  return row[index] ?? null;
}

export function columnValues(table: Table, index: number): Value[] {
  return table.rows.map((row) => cell(row, index));
}

/** Names that are separated by commas; a backslash before a comma makes it part of a name. */
export function nameList(text: string): string[] {
  const names = text
    .split(/(?<!\\),/)
    .map((name) => name.replace(/\\,/g, ',').replace(/^ +| +$/g, ''));
  if (names.some((name) => name === '')) {
    throw new Usage(`a name is missing in "${text}"`);
  }
  return names;
}
