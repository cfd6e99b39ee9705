const IRREGULAR: Record<string, string> = {
  leaves: 'leaf',
  loaves: 'loaf',
  halves: 'half',
  couscous: 'couscous',
  molasses: 'molasses',
  hummus: 'hummus',
  asparagus: 'asparagus',
};

/** "Leek & Potato Soup" becomes "leek-potato-soup". */
export function slug(title: string): string {
  return title
    .toLowerCase()
    .normalize('NFD')
    .replace(/[\u0300-\u036f]/g, '')
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^-+|-+$/g, '');
}

/** The form in which names of ingredients are compared: lower case, last word in the singular. */
export function normalise(name: string): string {
  const words = name.trim().toLowerCase().split(/\s+/);
  words.push(singular(words.pop() ?? ''));
  return words.join(' ');
}

function singular(word: string): string {
  const irregular = IRREGULAR[word];
  if (irregular !== undefined) {
    return irregular;
  }
  if (word.endsWith('ies') && word.length > 4) {
    return `${word.slice(0, -3)}y`;
  }
  if (/(oes|shes|ches|xes|sses)$/.test(word)) {
    return word.slice(0, -2);
  }
  if (word.endsWith('s') && !word.endsWith('ss') && word.length > 3) {
    return word.slice(0, -1);
  }
  return word;
}
