import { Decimal } from './decimal.js';
import { Problem } from './errors.js';
import { FUNCTIONS, LAZY } from './functions.js';
import { wrong } from './lexer.js';
import type { Node } from './parser.js';
import { cell, indexOf, type Table } from './table.js';
import { like, suggestion } from './text.js';
import { compareValues, kindOf, quoted, same, toText, type Value } from './value.js';

export type Row = readonly Value[];
export type Formula = (row: Row) => Value;

/** Looks columns and functions up once; what is returned computes one row after another. */
export function compile(node: Node, table: Table): Formula {
  switch (node.kind) {
    case 'literal':
      return () => node.value;
    case 'column': {
      const index = indexOf(table, node.name);
      return (row) => cell(row, index);
    }
    case 'not': {
      const of = compile(node.of, table);
      return (row) => {
        const value = truth('not', of(row));
        return value === null ? null : !value;
      };
    }
    case 'negate': {
      const of = compile(node.of, table);
      return (row) => {
        const value = of(row);
        return value === null ? null : needNumber('-', value).negated();
      };
    }
    case 'empty': {
      const of = compile(node.of, table);
      return (row) => of(row) === null;
    }
    case 'in': {
      const of = compile(node.of, table);
      const list = node.list.map((each) => compile(each, table));
      return (row) => member(
        of(row),
        list.map((each) => each(row)),
      );
    }
    case 'binary':
      return binary(node.symbol, compile(node.left, table), compile(node.right, table));
    case 'call':
      return call(node.name, node.args.map((each) => compile(each, table)), node.at);
  }
}

/** Runs a formula for every row; what goes wrong tells the number of the row. */
export function evaluate(formula: Formula, table: Table): Value[] {
  return table.rows.map((row, index) => inRow(index, () => formula(row)));
}

export function inRow<T>(index: number, work: () => T): T {
  try {
    return work();
  } catch (error) {
    if (error instanceof Problem) {
      throw new Problem(`row ${index + 1}: ${error.message}`);
    }
    throw error;
  }
}

function truth(word: string, value: Value): boolean | null {
  if (value !== null && typeof value !== 'boolean') {
    throw new Problem(`"${word}" needs true or false, not ${quoted(value)}`);
  }
  return value;
}

function needNumber(symbol: string, value: Value): Decimal {
  if (!(value instanceof Decimal)) {
    throw new Problem(`"${symbol}" needs numbers, not ${quoted(value)}`);
  }
  return value;
}

function member(value: Value, list: readonly Value[]): boolean | null {
  if (value === null) {
    return null;
  }
  if (list.some((each) => each !== null && same(each, value))) {
    return true;
  }
  return list.includes(null) ? null : false;
}

function binary(symbol: string, left: Formula, right: Formula): Formula {
  if (symbol === 'and' || symbol === 'or') {
    const decisive = symbol === 'or';
    return (row) => {
      const first = truth(symbol, left(row));
      if (first === decisive) {
        return decisive;
      }
      const second = truth(symbol, right(row));
      if (second === decisive) {
        return decisive;
      }
      return first === null || second === null ? null : !decisive;
    };
  }
  return (row) => {
    const a = left(row);
    const b = right(row);
    return a === null || b === null ? null : operate(symbol, a, b);
  };
}

function operate(symbol: string, a: Value, b: Value): Value {
  switch (symbol) {
    case '||':
      return toText(a) + toText(b);
    case 'like':
      return like(toText(a), toText(b));
    case '=':
      return same(a, b);
    case '!=':
      return !same(a, b);
    case '<':
    case '<=':
    case '>':
    case '>=':
      return ordered(symbol, a, b);
    default:
      return arithmetic(symbol, needNumber(symbol, a), needNumber(symbol, b));
  }
}

function ordered(symbol: string, a: Value, b: Value): boolean {
  if (kindOf(a) !== kindOf(b)) {
    throw new Problem(`cannot compare ${quoted(a)} with ${quoted(b)}`);
  }
  const order = compareValues(a, b);
  if (order === 0) {
    return symbol.length === 2;
  }
  return symbol.startsWith('<') ? order < 0 : order > 0;
}

function arithmetic(symbol: string, a: Decimal, b: Decimal): Decimal {
  switch (symbol) {
    case '+':
      return a.plus(b);
    case '-':
      return a.minus(b);
    case '*':
      return a.times(b);
    case '/':
      return a.over(b);
    default:
      return a.modulo(b);
  }
}

function call(name: string, args: readonly Formula[], at: number): Formula {
  const known = FUNCTIONS.get(name) ?? LAZY.get(name);
  if (known === undefined) {
    const names = [...FUNCTIONS.keys(), ...LAZY.keys()];
    throw wrong(at, `unknown function "${name}"${suggestion(name, names)}`);
  }
  if (args.length < known.least || args.length > known.most) {
    throw wrong(at, `${known.usage} cannot take ${args.length} ${args.length === 1 ? 'value' : 'values'}`);
  }
  if (name === 'if') {
    const [condition, yes, no] = args as [Formula, Formula, Formula];
    return (row) => (truth('if', condition(row)) === true ? yes(row) : no(row));
  }
  if (name === 'coalesce') {
    return (row) => {
      for (const each of args) {
        const value = each(row);
        if (value !== null) {
          return value;
        }
      }
      return null;
    };
  }
  const fn = FUNCTIONS.get(name)!;
  return (row) => {
    const values = args.map((each) => each(row));
    if (values.includes(null)) {
      return null;
    }
    const result = fn.call(values);
    return result === '' ? null : result;
  };
}
