export type Align = 'left' | 'right';

/** Columns padded to their widest cell, two spaces apart, no spaces at the end of a line. */
export function table(rows: string[][], align: Align[] = []): string[] {
  const widths: number[] = [];
  for (const row of rows) {
    row.forEach((cell, column) => {
      widths[column] = Math.max(widths[column] ?? 0, [...cell].length);
    });
  }
  return rows.map((row) =>
    row
      .map((cell, column) => pad(cell, widths[column]!, align[column] ?? 'left'))
      .join('  ')
      .trimEnd(),
  );
}

/** The same with a header and a rule under it. */
export function tableWithHeader(header: string[], rows: string[][], align: Align[] = []): string[] {
  const [head, ...body] = table([header, ...rows], align);
  const width = Math.max(...[head!, ...body].map((line) => [...line].length));
  return [head!, '-'.repeat(width), ...body];
}

function pad(cell: string, width: number, align: Align): string {
  const space = ' '.repeat(width - [...cell].length);
  return align === 'right' ? space + cell : cell + space;
}
