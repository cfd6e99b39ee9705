/** Texts by characters (code points), the same in every locale. */

export function length(text: string): number {
  let count = 0;
  for (const _ of text) {
    count += 1;
  }
  return count;
}

export function padEnd(text: string, width: number): string {
  return text + ' '.repeat(Math.max(0, width - length(text)));
}

export function padStart(text: string, width: number): string {
  return ' '.repeat(Math.max(0, width - length(text))) + text;
}

/** By code points, so that the order is the one of the UTF-8 bytes. */
export function compareText(a: string, b: string): number {
  const left = Array.from(a);
  const right = Array.from(b);
  for (let i = 0; i < left.length && i < right.length; i += 1) {
    const difference = (left[i] as string).codePointAt(0)! - (right[i] as string).codePointAt(0)!;
    if (difference !== 0) {
      return difference < 0 ? -1 : 1;
    }
  }
  return Math.sign(left.length - right.length);
}

/** Only A to Z change; other alphabets have rules that differ by language. */
export function lower(text: string): string {
  return text.replace(/[A-Z]/g, (letter) => String.fromCharCode(letter.charCodeAt(0) + 32));
}

export function upper(text: string): string {
  return text.replace(/[a-z]/g, (letter) => String.fromCharCode(letter.charCodeAt(0) - 32));
}

export function trim(text: string): string {
  return text.replace(/^[ \t\r\n]+/, '').replace(/[ \t\r\n]+$/, '');
}

/** With % for any text and _ for any character. */
export function like(text: string, pattern: string): boolean {
  const subject = Array.from(text);
  const parts = Array.from(pattern);
  let reached = new Set<number>([0]);
  for (const part of parts) {
    const next = new Set<number>();
    for (const at of reached) {
      if (part === '%') {
        for (let i = at; i <= subject.length; i += 1) {
          next.add(i);
        }
      } else if (at < subject.length && (part === '_' || part === subject[at])) {
        next.add(at + 1);
      }
    }
    reached = next;
  }
  return reached.has(subject.length);
}

/** The number of single characters to change, add or drop. */
export function distance(a: string, b: string): number {
  const left = Array.from(a);
  const right = Array.from(b);
  let row = Array.from({ length: right.length + 1 }, (_, index) => index);
  left.forEach((letter, i) => {
    const next = [i + 1];
    right.forEach((other, j) => {
      const changed = (row[j] as number) + (letter === other ? 0 : 1);
      next.push(Math.min(changed, (row[j + 1] as number) + 1, (next[j] as number) + 1));
    });
    row = next;
  });
  return row[right.length] as number;
}

/** A hint such as `; did you mean "sort"?`, or nothing. */
export function suggestion(word: string, known: readonly string[]): string {
  let best: string | null = null;
  let least = 3;
  for (const each of known) {
    const far = distance(word, each);
    if (far < least && far < length(each)) {
      best = each;
      least = far;
    }
  }
  return best === null ? '' : `; did you mean "${best}"?`;
}
