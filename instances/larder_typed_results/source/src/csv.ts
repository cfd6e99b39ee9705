import { LineError } from './errors.js';

/**
 * Rows of a CSV file with a header, as objects by column name. Each has `line`, where it starts.
 * Fields may be quoted; a quote inside is doubled. Empty lines are left out.
 */
export function parseCsv(text: string, file: string, columns: string[]): any[] {
  const rows = splitRows(text, file).filter((row) => row.fields.some((field) => field !== ''));
  const header = rows.shift();
  if (header === undefined) {
    throw new LineError(file, 1, `expected the columns ${columns.join(', ')}`);
  }
  const names = header.fields.map((field) => field.toLowerCase());
  for (const column of columns) {
    if (!names.includes(column)) {
      throw new LineError(file, header.line, `the column "${column}" is missing`);
    }
  }
  return rows.map((row) => {
    if (row.fields.length !== names.length) {
      throw new LineError(
        file,
        row.line,
        `expected ${names.length} fields, found ${row.fields.length}`,
      );
    }
    const record: any = { line: row.line };
    names.forEach((name, index) => {
      record[name] = row.fields[index];
    });
    return record;
  });
}

interface Row {
  line: number;
  fields: string[];
}

function splitRows(text: string, file: string): Row[] {
  const rows: Row[] = [];
  let row: Row = { line: 1, fields: [] };
  let field = '';
  let quoted = false;
  let line = 1;
  const endField = () => {
    row.fields.push(field.trim());
    field = '';
  };
  for (let index = 0; index < text.length; index++) {
    const char = text[index]!;
    if (quoted) {
      if (char === '"' && text[index + 1] === '"') {
        field += '"';
        index++;
      } else if (char === '"') {
        quoted = false;
      } else {
        field += char;
        line += char === '\n' ? 1 : 0;
      }
    } else if (char === '"' && field.trim() === '') {
      field = '';
      quoted = true;
    } else if (char === ',') {
      endField();
    } else if (char === '\n') {
      endField();
      rows.push(row);
      line++;
      row = { line, fields: [] };
    } else if (char !== '\r') {
      field += char;
    }
  }
  if (quoted) {
    throw new LineError(file, row.line, 'a quoted field is never closed');
  }
  endField();
  rows.push(row);
  return rows;
}

/** One row as text; fields are quoted where they have to be. */
export function formatRow(fields: Array<string | number>): string {
  return fields
    .map((field) => String(field))
    .map((field) => (/[",\n]/.test(field) ? `"${field.replaceAll('"', '""')}"` : field))
    .join(',');
}
