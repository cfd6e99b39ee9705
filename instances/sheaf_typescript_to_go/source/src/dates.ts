/** Days of the Gregorian calendar, counted from 1970-01-01. */

export function parseDay(text: string): number | null {
  const found = /^([0-9]{4})-([0-9]{2})-([0-9]{2})$/.exec(text);
  if (found === null) {
    return null;
  }
  const [year, month, day] = [Number(found[1]), Number(found[2]), Number(found[3])];
  if (month < 1 || month > 12 || day < 1 || day > daysOfMonth(year, month)) {
    return null;
  }
  return toDays(year, month, day);
}

export function daysOfMonth(year: number, month: number): number {
  const leap = (year % 4 === 0 && year % 100 !== 0) || year % 400 === 0;
  return [31, leap ? 29 : 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31][month - 1] as number;
}

/** Counts in years that start in March, so that a leap day comes last. */
function toDays(year: number, month: number, day: number): number {
  const y = month <= 2 ? year - 1 : year;
  const m = month <= 2 ? month + 9 : month - 3;
  const leaps = Math.floor(y / 4) - Math.floor(y / 100) + Math.floor(y / 400);
  return y * 365 + leaps + Math.floor((m * 153 + 2) / 5) + day - 1 - 719468;
}

export interface Day {
  readonly year: number;
  readonly month: number;
  readonly day: number;
}

export function fromDays(count: number): Day {
  const z = count + 719468;
  const era = Math.floor(z / 146097);
  const ofEra = z - era * 146097;
  const yearOfEra = Math.floor(
    (ofEra - Math.floor(ofEra / 1460) + Math.floor(ofEra / 36524) - Math.floor(ofEra / 146096)) / 365,
  );
  const ofYear = ofEra - (365 * yearOfEra + Math.floor(yearOfEra / 4) - Math.floor(yearOfEra / 100));
  const m = Math.floor((5 * ofYear + 2) / 153);
  const month = m < 10 ? m + 3 : m - 9;
  return {
    year: yearOfEra + era * 400 + (month <= 2 ? 1 : 0),
    month,
    day: ofYear - Math.floor((153 * m + 2) / 5) + 1,
  };
}

export function showDay({ year, month, day }: Day): string {
  const pad = (value: number, width: number): string => String(value).padStart(width, '0');
  return `${pad(year, 4)}-${pad(month, 2)}-${pad(day, 2)}`;
}

/** Monday is 1, Sunday is 7. */
export function weekday(count: number): number {
  return (((count + 3) % 7) + 7) % 7 + 1;
}

/** The week that has the year's first Thursday is week 1. */
export function isoWeek(count: number): string {
  const thursday = count + 4 - weekday(count);
  const { year } = fromDays(thursday);
  const week = Math.floor((thursday - toDays(year, 1, 1)) / 7) + 1;
  return `${String(year).padStart(4, '0')}-W${String(week).padStart(2, '0')}`;
}

/** Months later; the day is the last one where a month has no such day. */
export function addMonths(count: number, months: number): number {
  const { year, month, day } = fromDays(count);
  const index = year * 12 + month - 1 + months;
  const newYear = Math.floor(index / 12);
  const newMonth = index - newYear * 12 + 1;
  return toDays(newYear, newMonth, Math.min(day, daysOfMonth(newYear, newMonth)));
}
