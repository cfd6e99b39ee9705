import { Decimal } from './decimal.js';
import { Problem } from './errors.js';

export type Json = null | boolean | Decimal | string | Json[] | Map<string, Json>;

const MOST_EXPONENT = 50;
const MOST_DEPTH = 50;
const ESCAPES: Record<string, string> = {
  '"': '"',
  '\\': '\\',
  '/': '/',
  b: '\b',
  f: '\f',
  n: '\n',
  r: '\r',
  t: '\t',
};

/** Reads JSON with exact numbers; of fields with one name the last counts. */
export function parseJson(text: string): Json {
  return new Reader(text).whole();
}

export function quoteJson(text: string): string {
  let out = '"';
  for (const letter of text) {
    const code = letter.codePointAt(0) as number;
    if (letter === '"' || letter === '\\') {
      out += '\\' + letter;
    } else if (letter === '\n') {
      out += '\\n';
    } else if (letter === '\t') {
      out += '\\t';
    } else if (letter === '\r') {
      out += '\\r';
    } else if (code < 32) {
      out += '\\u' + code.toString(16).padStart(4, '0');
    } else {
      out += letter;
    }
  }
  return out + '"';
}

export function writeJson(value: Json): string {
  if (value === null || typeof value === 'boolean' || value instanceof Decimal) {
    return String(value);
  }
  if (typeof value === 'string') {
    return quoteJson(value);
  }
  if (Array.isArray(value)) {
    return `[${value.map(writeJson).join(',')}]`;
  }
  return `{${[...value].map(([name, each]) => `${quoteJson(name)}:${writeJson(each)}`).join(',')}}`;
}

class Reader {
  private at = 0;
  private depth = 0;
  private readonly letters: string[];

  constructor(text: string) {
    this.letters = Array.from(text);
  }

  whole(): Json {
    this.space();
    const value = this.value();
    this.space();
    if (this.at < this.letters.length) {
      throw this.wrong();
    }
    return value;
  }

  private wrong(): Problem {
    const letter = this.letters[this.at];
    const what = letter === undefined ? 'it ends too early' : `${quoteJson(letter)} is not expected`;
    return new Problem(`no valid JSON: ${what} at character ${this.at + 1}`);
  }

  private space(): void {
    while (this.at < this.letters.length && ' \t\r\n'.includes(this.letters[this.at] as string)) {
      this.at += 1;
    }
  }

  private take(letter: string): boolean {
    if (this.letters[this.at] !== letter) {
      return false;
    }
    this.at += 1;
    return true;
  }

  private expect(word: string): void {
    for (const letter of word) {
      if (!this.take(letter)) {
        throw this.wrong();
      }
    }
  }

  private value(): Json {
    switch (this.letters[this.at]) {
      case '{':
        return this.object();
      case '[':
        return this.list();
      case '"':
        return this.string();
      case 't':
        this.expect('true');
        return true;
      case 'f':
        this.expect('false');
        return false;
      case 'n':
        this.expect('null');
        return null;
      default:
        return this.number();
    }
  }

  private enter(): void {
    this.depth += 1;
    if (this.depth > MOST_DEPTH) {
      throw new Problem(`no valid JSON: it is deeper than ${MOST_DEPTH} levels`);
    }
    this.at += 1;
    this.space();
  }

  private object(): Map<string, Json> {
    this.enter();
    const fields = new Map<string, Json>();
    if (!this.take('}')) {
      do {
        this.space();
        const name = this.string();
        this.space();
        this.expect(':');
        this.space();
        fields.set(name, this.value());
        this.space();
      } while (this.take(','));
      this.expect('}');
    }
    this.depth -= 1;
    return fields;
  }

  private list(): Json[] {
    this.enter();
    const values: Json[] = [];
    if (!this.take(']')) {
      do {
        this.space();
        values.push(this.value());
        this.space();
      } while (this.take(','));
      this.expect(']');
    }
    this.depth -= 1;
    return values;
  }

  private string(): string {
    this.expect('"');
    let out = '';
    for (;;) {
      const letter = this.letters[this.at];
      if (letter === undefined || letter < ' ') {
        throw this.wrong();
      }
      this.at += 1;
      if (letter === '"') {
        return out;
      }
      out += letter === '\\' ? this.escape() : letter;
    }
  }

  private escape(): string {
    const letter = this.letters[this.at];
    if (letter === 'u') {
      this.at += 1;
      return this.unicode();
    }
    const plain = letter === undefined ? undefined : ESCAPES[letter];
    if (plain === undefined) {
      throw this.wrong();
    }
    this.at += 1;
    return plain;
  }

  /** Two halves make one character; a half alone becomes the replacement character. */
  private unicode(): string {
    const code = this.hex();
    if (code < 0xd800 || code > 0xdfff) {
      return String.fromCharCode(code);
    }
    const start = this.at;
    if (code < 0xdc00 && this.take('\\') && this.take('u')) {
      const low = this.hex();
      if (low >= 0xdc00 && low <= 0xdfff) {
        return String.fromCharCode(code, low);
      }
    }
    this.at = start;
    return '\ufffd';
  }

  private hex(): number {
    let code = 0;
    for (let i = 0; i < 4; i += 1) {
      const digit = '0123456789abcdef'.indexOf((this.letters[this.at] ?? '-').toLowerCase());
      if (digit < 0) {
        throw this.wrong();
      }
      code = code * 16 + digit;
      this.at += 1;
    }
    return code;
  }

  private digits(): string {
    let found = '';
    while (/^[0-9]$/.test(this.letters[this.at] ?? '')) {
      found += this.letters[this.at];
      this.at += 1;
    }
    if (found === '') {
      throw this.wrong();
    }
    return found;
  }

  private number(): Decimal {
    const sign = this.take('-') ? '-' : '';
    const start = this.at;
    const whole = this.digits();
    if (whole.length > 1 && whole.startsWith('0')) {
      this.at = start + 1;
      throw this.wrong();
    }
    const fraction = this.take('.') ? this.digits() : '';
    let exponent = 0;
    if (this.take('e') || this.take('E')) {
      const negative = !this.take('+') && this.take('-');
      const digits = this.digits();
      exponent = digits.length > 4 ? 9999 : Number(digits);
      if (exponent > MOST_EXPONENT) {
        throw new Problem(`a number in JSON has an exponent beyond ${MOST_EXPONENT}`);
      }
      exponent = negative ? -exponent : exponent;
    }
    const digits = BigInt(sign + whole + fraction);
    const places = fraction.length - exponent;
    return places >= 0
      ? new Decimal(digits, places)
      : new Decimal(digits * 10n ** BigInt(-places), 0);
  }
}
