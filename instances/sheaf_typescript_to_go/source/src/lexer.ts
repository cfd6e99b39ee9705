import { Usage } from './errors.js';
import { quoteJson } from './json.js';

export type TokenKind = 'number' | 'string' | 'name' | 'column' | 'symbol' | 'end';

export interface Token {
  readonly kind: TokenKind;
  readonly text: string;
  /** Where it starts and ends, in characters from 0. */
  readonly start: number;
  readonly end: number;
}

const SYMBOLS = ['<=', '>=', '!=', '<>', '==', '||', '=', '<', '>', '+', '-', '*', '/', '%', '(', ')', ','];

export function tokens(text: string): Token[] {
  const letters = Array.from(text);
  const found: Token[] = [];
  let at = 0;
  const add = (kind: TokenKind, content: string, end: number): void => {
    found.push({ kind, text: content, start: at, end });
    at = end;
  };
  while (at < letters.length) {
    const letter = letters[at] as string;
    if (/^[ \t\r\n]$/.test(letter)) {
      at += 1;
    } else if (isDigit(letter)) {
      let end = at;
      while (isDigit(letters[end])) {
        end += 1;
      }
      if (letters[end] === '.' && isDigit(letters[end + 1])) {
        end += 1;
        while (isDigit(letters[end])) {
          end += 1;
        }
      }
      add('number', letters.slice(at, end).join(''), end);
    } else if (isNameStart(letter)) {
      let end = at;
      while (isNameStart(letters[end]) || isDigit(letters[end])) {
        end += 1;
      }
      add('name', letters.slice(at, end).join(''), end);
    } else if (letter === "'" || letter === '"' || letter === '`') {
      const [content, end] = quotedText(letters, at);
      add(letter === '`' ? 'column' : 'string', content, end);
    } else {
      const symbol = SYMBOLS.find((each) => letters.slice(at, at + each.length).join('') === each);
      if (symbol === undefined) {
        throw wrong(at, `${quoteJson(letter)} is not understood`);
      }
      add('symbol', symbol, at + symbol.length);
    }
  }
  add('end', '', at);
  return found;
}

export function wrong(at: number, message: string): Usage {
  return new Usage(`expression, character ${at + 1}: ${message}`);
}

/** A quote within quotes is doubled. */
function quotedText(letters: readonly string[], start: number): [string, number] {
  const quote = letters[start];
  let content = '';
  for (let at = start + 1; at < letters.length; at += 1) {
    if (letters[at] !== quote) {
      content += letters[at];
    } else if (letters[at + 1] === quote) {
      content += quote;
      at += 1;
    } else {
      return [content, at + 1];
    }
  }
  throw wrong(start, 'a quote is not closed');
}

function isDigit(letter: string | undefined): boolean {
  return letter !== undefined && letter >= '0' && letter <= '9' && letter.length === 1;
}

function isNameStart(letter: string | undefined): boolean {
  return letter !== undefined && (/^[A-Za-z_]$/.test(letter) || (letter.codePointAt(0) as number) > 127);
}
