import { isDay } from './dates.js';
import { LineError } from './errors.js';

const FILE = 'journal.jsonl';

/** What was cooked, one JSON object per line, oldest first. */
export function loadJournal(files: any): any[] {
  const text = files.readOptional(FILE);
  if (text === null) {
    return [];
  }
  const entries: any[] = [];
  text.split('\n').forEach((line: string, index: number) => {
    if (line.trim() === '') {
      return;
    }
    let entry: any;
    try {
      entry = JSON.parse(line);
    } catch {
      throw new LineError(FILE, index + 1, 'not valid JSON');
    }
    if (!isDay(entry?.date)) {
      throw new LineError(FILE, index + 1, 'date: expected a day such as 2024-03-04');
    }
    if (typeof entry.recipe !== 'string') {
      throw new LineError(FILE, index + 1, 'recipe: expected a text');
    }
    if (!Number.isInteger(entry.serves) || entry.serves < 1) {
      throw new LineError(FILE, index + 1, 'serves: expected a whole number from 1 on');
    }
    entries.push({ date: entry.date, recipe: entry.recipe, serves: entry.serves });
  });
  return entries;
}

export function appendJournal(files: any, entry: any): void {
  files.append(FILE, `${JSON.stringify(entry)}\n`);
}

/** How often each recipe was cooked and when last; the most frequent first. */
export function frequencies(entries: any[]): any[] {
  const byRecipe = new Map<string, any>();
  for (const entry of entries) {
    const known = byRecipe.get(entry.recipe) ?? { recipe: entry.recipe, times: 0, last: '' };
    known.times += 1;
    known.last = entry.date > known.last ? entry.date : known.last;
    byRecipe.set(entry.recipe, known);
  }
  return [...byRecipe.values()].sort(
    (one, other) => other.times - one.times || (one.recipe < other.recipe ? -1 : 1),
  );
}
