import { Decimal } from './decimal.js';
import { quoteJson } from './json.js';
import { type Token, tokens, wrong } from './lexer.js';
import { lower } from './text.js';
import type { Value } from './value.js';

export type Node =
  | { readonly kind: 'literal'; readonly value: Value }
  | { readonly kind: 'column'; readonly name: string }
  | { readonly kind: 'negate' | 'not'; readonly of: Node }
  | { readonly kind: 'binary'; readonly symbol: string; readonly left: Node; readonly right: Node }
  | { readonly kind: 'in'; readonly of: Node; readonly list: readonly Node[] }
  | { readonly kind: 'empty'; readonly of: Node }
  | { readonly kind: 'call'; readonly name: string; readonly args: readonly Node[]; readonly at: number };

export interface Aggregate {
  readonly name: string;
  readonly of: Node | null;
  readonly column: string;
  readonly at: number;
}

const WORDS = ['and', 'or', 'not', 'in', 'like', 'is', 'null', 'true', 'false', 'as'];
const COMPARISONS = ['=', '==', '!=', '<>', '<', '<=', '>', '>='];
const MOST_DEPTH = 60;

/** An expression, whole. */
export function parseExpression(text: string): Node {
  const parser = new Parser(text);
  const node = parser.expression();
  parser.finish();
  return node;
}

/** NAME = EXPRESSION */
export function parseAssignment(text: string): { name: string; node: Node } {
  const parser = new Parser(text);
  const name = parser.columnName();
  parser.expect('=');
  const node = parser.expression();
  parser.finish();
  return { name, node };
}

/** NAME(EXPRESSION) as COLUMN, and more of them after commas */
export function parseAggregates(text: string): Aggregate[] {
  const parser = new Parser(text);
  const found = [parser.aggregate()];
  while (parser.take(',')) {
    found.push(parser.aggregate());
  }
  parser.finish();
  return found;
}

class Parser {
  private readonly letters: string[];
  private readonly tokens: Token[];
  private at = 0;
  private depth = 0;

  constructor(text: string) {
    this.letters = Array.from(text);
    this.tokens = tokens(text);
  }

  private get token(): Token {
    return this.tokens[this.at] as Token;
  }

  take(symbol: string): boolean {
    if (this.token.kind !== 'symbol' || this.token.text !== symbol) {
      return false;
    }
    this.at += 1;
    return true;
  }

  private takeWord(word: string): boolean {
    if (this.token.kind !== 'name' || lower(this.token.text) !== word) {
      return false;
    }
    this.at += 1;
    return true;
  }

  expect(symbol: string): void {
    if (!this.take(symbol)) {
      throw this.unexpected(`${quoteJson(symbol)} is missing`);
    }
  }

  finish(): void {
    if (this.token.kind !== 'end') {
      throw this.unexpected('the end is expected');
    }
  }

  private unexpected(message: string): Error {
    const { kind, text, start } = this.token;
    const before = kind === 'end' ? 'at the end' : `before ${quoteJson(text)}`;
    return wrong(start, `${message} ${before}`);
  }

  columnName(): string {
    const { kind, text } = this.token;
    if (kind !== 'column' && (kind !== 'name' || WORDS.includes(lower(text)))) {
      throw this.unexpected('the name of a column is missing');
    }
    this.at += 1;
    return text;
  }

  aggregate(): Aggregate {
    const { start, kind, text } = this.token;
    if (kind !== 'name') {
      throw this.unexpected('an aggregate such as sum(price) is missing');
    }
    this.at += 1;
    this.expect('(');
    const of = this.take(')') ? null : this.expression();
    if (of !== null) {
      this.expect(')');
    }
    const end = (this.tokens[this.at - 1] as Token).end;
    const column = this.takeWord('as') ? this.columnName() : this.letters.slice(start, end).join('');
    return { name: lower(text), of, column, at: start };
  }

  expression(): Node {
    this.depth += 1;
    if (this.depth > MOST_DEPTH) {
      throw this.unexpected('too many parentheses');
    }
    let left = this.conjunction();
    while (this.takeWord('or')) {
      left = { kind: 'binary', symbol: 'or', left, right: this.conjunction() };
    }
    this.depth -= 1;
    return left;
  }

  private conjunction(): Node {
    let left = this.negation();
    while (this.takeWord('and')) {
      left = { kind: 'binary', symbol: 'and', left, right: this.negation() };
    }
    return left;
  }

  private negation(): Node {
    let count = 0;
    while (this.takeWord('not')) {
      count += 1;
    }
    let node = this.comparison();
    for (; count > 0; count -= 1) {
      node = { kind: 'not', of: node };
    }
    return node;
  }

  /** Comparisons are not chained: a < b < c is an error. */
  private comparison(): Node {
    const left = this.joined();
    if (this.takeWord('is')) {
      const negated = this.takeWord('not');
      if (!this.takeWord('null')) {
        throw this.unexpected('"null" is missing');
      }
      const node: Node = { kind: 'empty', of: left };
      return negated ? { kind: 'not', of: node } : node;
    }
    const negated = this.takeWord('not');
    if (this.takeWord('in')) {
      this.expect('(');
      const list = [this.expression()];
      while (this.take(',')) {
        list.push(this.expression());
      }
      this.expect(')');
      const node: Node = { kind: 'in', of: left, list };
      return negated ? { kind: 'not', of: node } : node;
    }
    if (this.takeWord('like')) {
      const node: Node = { kind: 'binary', symbol: 'like', left, right: this.joined() };
      return negated ? { kind: 'not', of: node } : node;
    }
    if (negated) {
      throw this.unexpected('"in" or "like" is missing');
    }
    const symbol = COMPARISONS.find((each) => this.take(each));
    if (symbol === undefined) {
      return left;
    }
    const plain = symbol === '==' ? '=' : symbol === '<>' ? '!=' : symbol;
    return { kind: 'binary', symbol: plain, left, right: this.joined() };
  }

  private joined(): Node {
    return this.chain(['||'], () => this.chain(['+', '-'], () => this.chain(['*', '/', '%'], () => this.factor())));
  }

  private chain(symbols: readonly string[], part: () => Node): Node {
    let left = part();
    for (;;) {
      const symbol = symbols.find((each) => this.take(each));
      if (symbol === undefined) {
        return left;
      }
      left = { kind: 'binary', symbol, left, right: part() };
    }
  }

  private factor(): Node {
    let count = 0;
    while (this.take('-')) {
      count += 1;
    }
    let node = this.primary();
    for (; count > 0; count -= 1) {
      node = { kind: 'negate', of: node };
    }
    return node;
  }

  private primary(): Node {
    const { kind, text, start } = this.token;
    if (this.take('(')) {
      const node = this.expression();
      this.expect(')');
      return node;
    }
    if (kind === 'number') {
      const value = Decimal.parse(text);
      if (value === null) {
        throw wrong(start, `${quoteJson(text)} is no number`);
      }
      this.at += 1;
      return { kind: 'literal', value };
    }
    if (kind === 'string') {
      this.at += 1;
      return { kind: 'literal', value: text === '' ? null : text };
    }
    if (kind === 'name') {
      const word = lower(text);
      if (word === 'null' || word === 'true' || word === 'false') {
        this.at += 1;
        return { kind: 'literal', value: word === 'null' ? null : word === 'true' };
      }
      const next = this.tokens[this.at + 1] as Token;
      if (next.kind === 'symbol' && next.text === '(' && !WORDS.includes(word)) {
        this.at += 2;
        return { kind: 'call', name: word, args: this.args(), at: start };
      }
    }
    if (kind === 'symbol' || kind === 'end') {
      throw this.unexpected('a value is missing');
    }
    return { kind: 'column', name: this.columnName() };
  }

  private args(): Node[] {
    const found: Node[] = [];
    if (this.take(')')) {
      return found;
    }
    do {
      found.push(this.expression());
    } while (this.take(','));
    this.expect(')');
    return found;
  }
}
