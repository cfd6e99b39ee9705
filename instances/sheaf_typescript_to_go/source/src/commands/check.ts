import { splitWords } from '../args.js';
import { type Command, required, textResult } from '../command.js';
import { parseDay } from '../dates.js';
import { Decimal } from '../decimal.js';
import { Problem, Usage } from '../errors.js';
import { compile } from '../evaluate.js';
import { readText } from '../host.js';
import { parseExpression } from '../parser.js';
import { cell, columnValues, indexOf, nameList, type Table } from '../table.js';
import { length, like, suggestion } from '../text.js';
import { keyOf, kindOf, quoted, toText, type Value } from '../value.js';

interface Finding {
  readonly row: number;
  readonly column: string;
  readonly message: string;
}

type Rule = (table: Table) => Finding[];
type Test = (value: Value) => string | null;

const KINDS = ['number', 'whole', 'text', 'truth', 'day', 'any'];
const CLAUSES = ['required', 'min', 'max', 'oneof', 'like', 'length'];

export const check: Command = {
  name: 'check',
  usage: 'check --rules FILE [FILE] [--most N]',
  summary: 'Tells where a table breaks rules; exits with 1 if it does',
  options: { rules: 'value', most: 'value' },
  words: 0,
  run: ({ args, table }) => {
    const path = required(args, 'rules');
    const most = args.values.get('most') ?? '50';
    if (!/^[1-9][0-9]{0,5}$/.test(most)) {
      throw new Usage(`--most must be a whole number from 1 on, not "${most}"`);
    }
    const findings = readRules(readText(path), path).flatMap((rule) => rule(table));
    findings.sort((a, b) => a.row - b.row);
    const shown = findings.slice(0, Number(most)).map(({ row, column, message }) => {
      const where = row === 0 ? 'table' : `row ${row}`;
      return `${where}${column === '' ? '' : `, ${column}`}: ${message}`;
    });
    if (findings.length > shown.length) {
      shown.push(`... and ${findings.length - shown.length} more`);
    }
    const rows = `${table.rows.length} ${table.rows.length === 1 ? 'row' : 'rows'}`;
    const problems = `${findings.length} ${findings.length === 1 ? 'problem' : 'problems'}`;
    shown.push(`${rows}, ${problems}`);
    return textResult(shown.join('\n') + '\n', findings.length > 0 ? 1 : 0);
  },
};

function readRules(text: string, path: string): Rule[] {
  return text.split('\n').flatMap((line, index) => {
    try {
      const words = splitWords(line);
      return words.length === 0 ? [] : [readRule(words)];
    } catch (error) {
      if (error instanceof Usage) {
        throw new Usage(`${path}, line ${index + 1}: ${error.message}`);
      }
      throw error;
    }
  });
}

function readRule(words: readonly string[]): Rule {
  const [word, ...rest] = words as [string, ...string[]];
  switch (word) {
    case 'column':
      return columnRule(rest);
    case 'unique':
      return uniqueRule(only(rest, 'unique needs columns'));
    case 'columns':
      return columnsRule(nameList(only(rest, 'columns needs names')));
    case 'assert':
      return assertRule(rest);
    case 'rows':
      return rowsRule(rest);
    default:
      throw new Usage(`unknown rule "${word}"${suggestion(word, ['column', 'columns', 'unique', 'assert', 'rows'])}`);
  }
}

function only(words: readonly string[], message: string): string {
  if (words.length !== 1) {
    throw new Usage(message);
  }
  return words[0] as string;
}

/** column NAME KIND [required] [min N] [max N] [oneof A|B] [like PATTERN] [length MOST] */
function columnRule(words: readonly string[]): Rule {
  const [name, kind] = words;
  if (name === undefined || kind === undefined) {
    throw new Usage('column needs a name and a kind');
  }
  if (!KINDS.includes(kind)) {
    throw new Usage(`unknown kind "${kind}"${suggestion(kind, KINDS)}`);
  }
  const tests: Test[] = [(value) => (isKind(value, kind) ? null : `${quoted(value)} is no ${kind}`)];
  let needed = false;
  let at = 2;
  while (at < words.length) {
    const clause = words[at] as string;
    if (clause === 'required') {
      needed = true;
      at += 1;
      continue;
    }
    if (!CLAUSES.includes(clause)) {
      throw new Usage(`unknown clause "${clause}"${suggestion(clause, CLAUSES)}`);
    }
    const bound = words[at + 1];
    if (bound === undefined) {
      throw new Usage(`"${clause}" needs a value`);
    }
    tests.push(clauseTest(clause, bound));
    at += 2;
  }
  return (table) => {
    const index = table.columns.indexOf(name);
    if (index < 0) {
      return [{ row: 0, column: name, message: 'the column is missing' }];
    }
    return columnValues(table, index).flatMap((value, row) => {
      const at = { row: row + 1, column: name };
      if (value === null) {
        return needed ? [{ ...at, message: 'is empty' }] : [];
      }
      for (const test of tests) {
        const message = test(value);
        if (message !== null) {
          return [{ ...at, message }];
        }
      }
      return [];
    });
  };
}

function isKind(value: Value, kind: string): boolean {
  switch (kind) {
    case 'any':
      return true;
    case 'whole':
      return value instanceof Decimal && value.isWhole;
    case 'day':
      return typeof value === 'string' && parseDay(value) !== null;
    default:
      return kindOf(value) === kind;
  }
}

function clauseTest(clause: string, bound: string): Test {
  if (clause === 'oneof') {
    const allowed = bound.split('|');
    return (value) => (allowed.includes(toText(value)) ? null : `${quoted(value)} is none of ${allowed.join(', ')}`);
  }
  if (clause === 'like') {
    return (value) => (like(toText(value), bound) ? null : `${quoted(value)} is not like ${bound}`);
  }
  const number = Decimal.parse(bound);
  if (number === null) {
    throw new Usage(`"${clause}" needs a number, not "${bound}"`);
  }
  if (clause === 'length') {
    return (value) =>
      Decimal.of(length(toText(value))).compare(number) <= 0 ? null : `${quoted(value)} is longer than ${number}`;
  }
  return (value) => {
    if (!(value instanceof Decimal)) {
      return null;
    }
    const order = value.compare(number);
    if (clause === 'min') {
      return order < 0 ? `${value} is less than ${number}` : null;
    }
    return order > 0 ? `${value} is more than ${number}` : null;
  };
}

function uniqueRule(text: string): Rule {
  const names = nameList(text);
  return (table) => {
    const indexes = names.map((name) => indexOf(table, name));
    const first = new Map<string, number>();
    return table.rows.flatMap((row, index) => {
      const values = indexes.map((each) => cell(row, each));
      const key = keyOf(values);
      const earlier = first.get(key);
      if (earlier === undefined) {
        first.set(key, index + 1);
        return [];
      }
      const message = `${values.map(quoted).join(', ')} is in row ${earlier} already`;
      return [{ row: index + 1, column: names.join('+'), message }];
    });
  };
}

function columnsRule(names: readonly string[]): Rule {
  return (table) => {
    const found = table.columns.join(', ');
    const wanted = names.join(', ');
    return found === wanted ? [] : [{ row: 0, column: '', message: `the columns are ${found}, not ${wanted}` }];
  };
}

/** assert EXPRESSION [MESSAGE]: must not be false; what cannot be computed is a finding, too. */
function assertRule(words: readonly string[]): Rule {
  const [text, message] = words;
  if (text === undefined || words.length > 2) {
    throw new Usage('assert needs an expression, and may have a message');
  }
  const node = parseExpression(text);
  return (table) => {
    const formula = compile(node, table);
    return table.rows.flatMap((row, index) => {
      try {
        return formula(row) === false ? [{ row: index + 1, column: '', message: message ?? `not ${text}` }] : [];
      } catch (error) {
        if (error instanceof Problem) {
          return [{ row: index + 1, column: '', message: error.message }];
        }
        throw error;
      }
    });
  };
}

/** rows LEAST [MOST] */
function rowsRule(words: readonly string[]): Rule {
  const numbers = words.map((word) => (/^[0-9]{1,9}$/.test(word) ? Number(word) : -1));
  const [least, most] = numbers;
  if (least === undefined || numbers.length > 2 || numbers.includes(-1)) {
    throw new Usage('rows needs one or two whole numbers');
  }
  return (table) => {
    const size = table.rows.length;
    if (size < least) {
      return [{ row: 0, column: '', message: `${size} rows are fewer than ${least}` }];
    }
    if (most !== undefined && size > most) {
      return [{ row: 0, column: '', message: `${size} rows are more than ${most}` }];
    }
    return [];
  };
}
