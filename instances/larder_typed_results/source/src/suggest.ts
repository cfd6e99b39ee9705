/** Levenshtein's distance: the fewest letters to insert, remove or change. */
export function distance(a: string, b: string): number {
  let row = Array.from({ length: b.length + 1 }, (_, index) => index);
  for (let i = 1; i <= a.length; i++) {
    const next = [i];
    for (let j = 1; j <= b.length; j++) {
      const change = row[j - 1]! + (a[i - 1] === b[j - 1] ? 0 : 1);
      next.push(Math.min(change, row[j]! + 1, next[j - 1]! + 1));
    }
    row = next;
  }
  return row[b.length]!;
}

/** Up to three names close to what was asked for, the closest first. */
export function similar(wanted: string, names: string[]): string[] {
  const limit = Math.max(2, Math.floor(wanted.length / 3));
  return names
    .map((name) => ({ name, far: name.includes(wanted) ? 1 : distance(wanted, name) }))
    .filter((entry) => entry.far <= limit)
    .sort((one, other) => one.far - other.far || (one.name < other.name ? -1 : 1))
    .slice(0, 3)
    .map((entry) => entry.name);
}
