import { Problem } from './errors.js';

/** Places that a quotient keeps at most. */
const QUOTIENT_PLACES = 12;
const MOST_DIGITS = 120;

/** An exact decimal number: digits / 10 ** places. Its places are kept, so 1.50 stays 1.50. */
export class Decimal {
  static readonly ZERO = new Decimal(0n, 0);
  static readonly ONE = new Decimal(1n, 0);

  constructor(
    readonly digits: bigint,
    readonly places: number,
  ) {}

  static of(value: number): Decimal {
    return new Decimal(BigInt(value), 0);
  }

  /** What looks like a number in a cell: no sign but minus, no leading zeros, no exponent. */
  static parse(text: string): Decimal | null {
    const found = /^(-?)(0|[1-9][0-9]*)(?:\.([0-9]+))?$/.exec(text);
    if (found === null || text.length > MOST_DIGITS) {
      return null;
    }
    const fraction = found[3] ?? '';
    const digits = BigInt((found[2] as string) + fraction);
    return new Decimal(found[1] === '-' ? -digits : digits, fraction.length);
  }

  get sign(): number {
    return this.digits < 0n ? -1 : this.digits > 0n ? 1 : 0;
  }

  get isWhole(): boolean {
    return this.digits % 10n ** BigInt(this.places) === 0n;
  }

  private widened(places: number): bigint {
    return this.digits * 10n ** BigInt(places - this.places);
  }

  plus(other: Decimal): Decimal {
    const places = Math.max(this.places, other.places);
    return bounded(new Decimal(this.widened(places) + other.widened(places), places));
  }

  minus(other: Decimal): Decimal {
    return this.plus(other.negated());
  }

  times(other: Decimal): Decimal {
    return bounded(new Decimal(this.digits * other.digits, this.places + other.places));
  }

  /** To twelve places, half to even; zeros at the end are dropped. */
  over(other: Decimal): Decimal {
    if (other.sign === 0) {
      throw new Problem('division by zero');
    }
    const shift = QUOTIENT_PLACES + other.places - this.places;
    let above = this.digits;
    let below = other.digits;
    if (shift >= 0) {
      above *= 10n ** BigInt(shift);
    } else {
      below *= 10n ** BigInt(-shift);
    }
    return new Decimal(divideHalfEven(above, below), QUOTIENT_PLACES).stripped();
  }

  /** What a whole quotient leaves; it has the sign of the dividend. */
  modulo(other: Decimal): Decimal {
    if (other.sign === 0) {
      throw new Problem('division by zero');
    }
    const places = Math.max(this.places, other.places);
    return new Decimal(this.widened(places) % other.widened(places), places);
  }

  negated(): Decimal {
    return new Decimal(-this.digits, this.places);
  }

  abs(): Decimal {
    return this.digits < 0n ? this.negated() : this;
  }

  /** Half away from zero; places that are missing are filled with zeros. */
  rounded(places: number): Decimal {
    if (places >= this.places) {
      return new Decimal(this.widened(places), places);
    }
    const unit = 10n ** BigInt(this.places - places);
    const size = this.digits < 0n ? -this.digits : this.digits;
    const whole = (size * 2n + unit) / (unit * 2n);
    return new Decimal(this.digits < 0n ? -whole : whole, places);
  }

  floor(): Decimal {
    const unit = 10n ** BigInt(this.places);
    const whole = this.digits / unit;
    return new Decimal(this.digits < 0n && !this.isWhole ? whole - 1n : whole, 0);
  }

  ceil(): Decimal {
    return this.negated().floor().negated();
  }

  stripped(): Decimal {
    let { digits, places } = this;
    while (places > 0 && digits % 10n === 0n) {
      digits /= 10n;
      places -= 1;
    }
    return new Decimal(digits, places);
  }

  compare(other: Decimal): number {
    const places = Math.max(this.places, other.places);
    const left = this.widened(places);
    const right = other.widened(places);
    return left < right ? -1 : left > right ? 1 : 0;
  }

  /** Only for whole numbers that are known to be small. */
  toNumber(): number {
    return Number(this.digits / 10n ** BigInt(this.places));
  }

  toString(): string {
    const size = (this.digits < 0n ? -this.digits : this.digits).toString();
    const padded = size.padStart(this.places + 1, '0');
    const at = padded.length - this.places;
    const sign = this.digits < 0n ? '-' : '';
    return sign + padded.slice(0, at) + (this.places > 0 ? '.' + padded.slice(at) : '');
  }
}

function bounded(value: Decimal): Decimal {
  if (value.toString().length > MOST_DIGITS) {
    throw new Problem('a number has become too long');
  }
  return value;
}

function divideHalfEven(above: bigint, below: bigint): bigint {
  const negative = above < 0n !== below < 0n;
  const dividend = above < 0n ? -above : above;
  const divisor = below < 0n ? -below : below;
  let quotient = dividend / divisor;
  const twice = (dividend % divisor) * 2n;
  if (twice > divisor || (twice === divisor && quotient % 2n === 1n)) {
    quotient += 1n;
  }
  return negative ? -quotient : quotient;
}
