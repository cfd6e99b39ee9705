import { UnitError } from '../errors.js';

/** Minutes from "45 min", "1 h", "1 h 30 min". */
export function parseDuration(text: string): number {
  const match = /^(?:(\d+)\s*h)?\s*(?:(\d+)\s*min)?$/.exec(text.trim());
  if (match === null || (match[1] === undefined && match[2] === undefined)) {
    throw new UnitError(`"${text}" is not a time such as 1 h 30 min`);
  }
  return Number(match[1] ?? 0) * 60 + Number(match[2] ?? 0);
}

export function formatDuration(minutes: number): string {
  const hours = Math.floor(minutes / 60);
  const rest = minutes % 60;
  if (hours === 0) {
    return `${rest} min`;
  }
  return rest === 0 ? `${hours} h` : `${hours} h ${rest} min`;
}
