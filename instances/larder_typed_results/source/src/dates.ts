import { UsageError } from './errors.js';

const DAY_MS = 24 * 60 * 60 * 1000;
const WEEKDAYS = ['Sun', 'Mon', 'Tue', 'Wed', 'Thu', 'Fri', 'Sat'];

/** Days are strings such as 2024-03-04: they sort and compare as they are. */
export function isDay(text: any): boolean {
  if (typeof text !== 'string' || !/^\d{4}-\d{2}-\d{2}$/.test(text)) {
    return false;
  }
  const time = Date.parse(`${text}T00:00:00Z`);
  return !Number.isNaN(time) && toDay(time) === text;
}

export function parseDay(text: string, where: string): string {
  if (!isDay(text)) {
    throw new UsageError(`${where}: "${text}" is not a day such as 2024-03-04`);
  }
  return text;
}

export function addDays(day: string, count: number): string {
  return toDay(Date.parse(`${day}T00:00:00Z`) + count * DAY_MS);
}

/** Whole days from one day to the other; negative if the other is earlier. */
export function daysBetween(from: string, to: string): number {
  return Math.round((Date.parse(`${to}T00:00:00Z`) - Date.parse(`${from}T00:00:00Z`)) / DAY_MS);
}

export function weekday(day: string): string {
  return WEEKDAYS[new Date(`${day}T00:00:00Z`).getUTCDay()]!;
}

function toDay(time: number): string {
  return new Date(time).toISOString().slice(0, 10);
}
