import { UnitError } from '../errors.js';

/** Money is whole cents. */
export function parseMoney(text: string): number {
  const match = /^(\d+)(?:\.(\d{1,2}))?$/.exec(text.trim());
  if (match === null) {
    throw new UnitError(`expected an amount such as 2.49, got "${text}"`);
  }
  return Number(match[1]) * 100 + Number((match[2] ?? '').padEnd(2, '0'));
}

export function formatMoney(cents: number, currency: string): string {
  const whole = Math.trunc(cents / 100);
  const rest = String(cents % 100).padStart(2, '0');
  return `${whole}.${rest} ${currency}`;
}
