import { DataError } from './errors.js';
import { normalise } from './names.js';

/** What larder.json may set, with what holds where it does not. */
export const DEFAULTS = {
  currency: 'EUR',
  width: 80,
  slots: ['breakfast', 'lunch', 'dinner'],
  aisles: {} as Record<string, string[]>,
  staples: [] as string[],
};

export function loadConfig(files: any): any {
  const text = files.readOptional('larder.json');
  if (text === null) {
    return { ...DEFAULTS };
  }
  let data: any;
  try {
    data = JSON.parse(text);
  } catch {
    throw new DataError('larder.json', '', 'not valid JSON');
  }
  if (typeof data !== 'object' || data === null || Array.isArray(data)) {
    throw new DataError('larder.json', '', 'expected an object');
  }
  for (const key of Object.keys(data)) {
    if (!(key in DEFAULTS)) {
      throw new DataError('larder.json', key, 'unknown setting');
    }
  }
  const config: any = { ...DEFAULTS, ...data };
  if (typeof config.currency !== 'string' || !/^[A-Z]{3}$/.test(config.currency)) {
    throw new DataError('larder.json', 'currency', 'expected three capital letters');
  }
  if (!Number.isInteger(config.width) || config.width < 40) {
    throw new DataError('larder.json', 'width', 'expected a whole number from 40 on');
  }
  if (!isListOfNames(config.slots) || config.slots.length === 0) {
    throw new DataError('larder.json', 'slots', 'expected a list of names');
  }
  if (!isListOfNames(config.staples)) {
    throw new DataError('larder.json', 'staples', 'expected a list of names');
  }
  if (typeof config.aisles !== 'object' || config.aisles === null || Array.isArray(config.aisles)) {
    throw new DataError('larder.json', 'aisles', 'expected an object');
  }
  for (const [aisle, names] of Object.entries(config.aisles)) {
    if (!isListOfNames(names)) {
      throw new DataError('larder.json', `aisles.${aisle}`, 'expected a list of names');
    }
  }
  return config;
}

/** The aisle of the shop where an ingredient stands. */
export function aisleOf(config: any, name: string): string {
  for (const [aisle, names] of Object.entries(config.aisles as Record<string, string[]>)) {
    if (names.some((entry) => normalise(entry) === normalise(name))) {
      return aisle;
    }
  }
  return 'other';
}

function isListOfNames(value: any): boolean {
  return Array.isArray(value) && value.every((entry) => typeof entry === 'string' && entry !== '');
}
