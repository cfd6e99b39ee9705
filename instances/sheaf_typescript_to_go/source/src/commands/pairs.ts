import { type Command, required, tableResult, textResult } from '../command.js';
import { Problem, Usage } from '../errors.js';
import { cell, indexOf, makeTable, nameList, type Table } from '../table.js';
import { keyOf, same, toText, type Value } from '../value.js';

const KINDS = ['inner', 'left', 'full', 'semi', 'anti'];

interface Matching {
  readonly left: number[];
  readonly right: number[];
}

/** LEFT=RIGHT,... or the names that both have. */
function matching(text: string, left: Table, right: Table): Matching {
  const pairs = nameList(text).map((word) => {
    const equals = word.indexOf('=');
    return equals < 0 ? [word, word] : [word.slice(0, equals), word.slice(equals + 1)];
  });
  return {
    left: pairs.map(([name]) => indexOf(left, name as string)),
    right: pairs.map(([, name]) => indexOf(right, name as string)),
  };
}

function keyAt(row: readonly Value[], indexes: readonly number[]): string | null {
  const values = indexes.map((index) => cell(row, index));
  return values.includes(null) ? null : keyOf(values);
}

export const join: Command = {
  name: 'join',
  usage: `join OTHER [FILE] --on COLUMN[=COLUMN],... [--kind ${KINDS.join('|')}] [--prefix TEXT]`,
  summary: 'Puts rows of another table beside those with an equal key',
  options: { on: 'value', kind: 'value', prefix: 'value' },
  words: 1,
  run: ({ args, table, load }) => {
    const kind = args.values.get('kind') ?? 'inner';
    if (!KINDS.includes(kind)) {
      throw new Usage(`--kind must be one of ${KINDS.join(', ')}, not "${kind}"`);
    }
    const other = load(args.words[0] as string);
    const on = matching(required(args, 'on'), table, other);
    const found = new Map<string, number[]>();
    other.rows.forEach((row, index) => {
      const key = keyAt(row, on.right);
      if (key !== null) {
        found.set(key, [...(found.get(key) ?? []), index]);
      }
    });
    const partners = table.rows.map((row) => {
      const key = keyAt(row, on.left);
      return key === null ? [] : (found.get(key) ?? []);
    });
    if (kind === 'semi' || kind === 'anti') {
      const rows = table.rows.filter((_, index) => partners[index]!.length > 0 === (kind === 'semi'));
      return tableResult({ columns: table.columns, rows });
    }
    const added = other.columns.map((_, index) => index).filter((index) => !on.right.includes(index));
    const prefix = args.values.get('prefix') ?? '';
    const names = added.map((index) => {
      const name = other.columns[index] as string;
      return table.columns.includes(name) ? prefix + name : name;
    });
    const rows: Value[][] = [];
    const used = new Set<number>();
    table.rows.forEach((row, index) => {
      for (const partner of partners[index]!) {
        used.add(partner);
        rows.push([...row, ...added.map((each) => cell(other.rows[partner] ?? [], each))]);
      }
      if (partners[index]!.length === 0 && kind !== 'inner') {
        rows.push([...row, ...added.map(() => null)]);
      }
    });
    if (kind === 'full') {
      other.rows.forEach((row, index) => {
        if (!used.has(index)) {
          const left: Value[] = table.columns.map((_, column) => {
            const at = on.left.indexOf(column);
            return at < 0 ? null : cell(row, on.right[at] as number);
          });
          rows.push([...left, ...added.map((each) => cell(row, each))]);
        }
      });
    }
    return tableResult(makeTable([...table.columns, ...names], rows));
  },
};

export const diff: Command = {
  name: 'diff',
  usage: 'diff OLD [FILE] --key COLUMN,... [--ignore COLUMN,...] [--summary]',
  summary: 'Tells what changed since an older table; exits with 1 if anything did',
  options: { key: 'value', ignore: 'value', summary: 'flag' },
  words: 1,
  run: ({ args, table, load }) => {
    const old = load(args.words[0] as string);
    const names = nameList(required(args, 'key'));
    const before = byKey(old, names, 'old');
    const after = byKey(table, names, 'new');
    const ignored = new Set(nameListOr(args.values.get('ignore')));
    const shared = table.columns.filter((name) => old.columns.includes(name) && !ignored.has(name));
    const lines: string[] = [];
    const gone = old.columns.filter((name) => !table.columns.includes(name) && !ignored.has(name));
    const fresh = table.columns.filter((name) => !old.columns.includes(name) && !ignored.has(name));
    lines.push(...gone.map((name) => `- column ${name}`), ...fresh.map((name) => `+ column ${name}`));
    const counts = { added: 0, removed: 0, changed: 0, same: 0 };
    for (const [key, row] of before) {
      if (!after.has(key)) {
        counts.removed += 1;
        lines.push(`- ${label(old, names, row)}`);
      }
    }
    for (const [key, row] of after) {
      const oldRow = before.get(key);
      if (oldRow === undefined) {
        counts.added += 1;
        lines.push(`+ ${label(table, names, row)}`);
        continue;
      }
      const changes = shared.flatMap((name) => {
        const [from, to] = [cell(oldRow, indexOf(old, name)), cell(row, indexOf(table, name))];
        return same(from, to) ? [] : [`${name}: ${shown(from)} -> ${shown(to)}`];
      });
      if (changes.length === 0) {
        counts.same += 1;
      } else {
        counts.changed += 1;
        lines.push(`~ ${label(table, names, row)}: ${changes.join('; ')}`);
      }
    }
    const differs = lines.length > 0;
    const closing = `${counts.added} added, ${counts.removed} removed, ${counts.changed} changed, ${counts.same} same`;
    const out = args.flags.has('summary') ? [closing] : [...lines, closing];
    return textResult(out.join('\n') + '\n', differs ? 1 : 0);
  },
};

function nameListOr(text: string | undefined): string[] {
  return text === undefined ? [] : nameList(text);
}

function byKey(table: Table, names: readonly string[], which: string): Map<string, readonly Value[]> {
  const indexes = names.map((name) => indexOf(table, name));
  const found = new Map<string, readonly Value[]>();
  table.rows.forEach((row, index) => {
    const key = keyOf(indexes.map((each) => cell(row, each)));
    if (found.has(key)) {
      throw new Problem(`the ${which} table has ${label(table, names, row)} twice, again in row ${index + 1}`);
    }
    found.set(key, row);
  });
  return found;
}

function label(table: Table, names: readonly string[], row: readonly Value[]): string {
  return names.map((name) => `${name}=${toText(cell(row, indexOf(table, name)))}`).join(' ');
}

function shown(value: Value): string {
  return value === null ? '(empty)' : toText(value);
}
