// Chance that nobody can foresee, and that repeats.

import { createHmac } from 'node:crypto';
import { readFileSync } from 'node:fs';

const ACCENTED = { a: 'ä', e: 'é', i: 'í', o: 'ø', u: 'ü' };
// What letters are in other scripts; answers of back ends have words of the same (`variation.py`).
const { english, scripts } = JSON.parse(readFileSync(new URL('letters.json', import.meta.url), 'utf8'));
const SCRIPTS = Object.values(scripts).map((letters) =>
  Object.fromEntries([...letters].map((letter, at) => [english[at], letter])),
);
// Of so many sentences one has a word of another script.
const SCRIPT_ONE_IN = 4;

/** Chance that repeats: numbers drawn from a key by HMAC-SHA256 in counter mode. */
export class Chance {
  constructor(key, name) {
    this.key = `${key}/${name}`;
    this.drawn = 0;
  }

  /** A whole number in [0, bound). */
  below(bound) {
    const digest = createHmac('sha256', this.key).update(String(this.drawn++)).digest();
    return digest.readUIntBE(0, 6) % bound;
  }

  one(list) {
    return list[this.below(list.length)];
  }

  shuffled(list) {
    const left = [...list];
    return list.map(() => left.splice(this.below(left.length), 1)[0]);
  }

  /** Two words and a number, with what people write: capitals, accents, other scripts, figures and a full stop. */
  sentence() {
    const first = this.word();
    const letters = this.below(SCRIPT_ONE_IN) ? ACCENTED : this.one(SCRIPTS);
    const second = this.word().replace(/./g, (each) => letters[each] ?? each);
    return `${first[0].toUpperCase()}${first.slice(1)} ${second} ${10 + this.below(90)}.`;
  }

  word(length = 4 + this.below(5)) {
    const syllables = ['bdfgklmnprstvz', 'aeiou'];
    return Array.from({ length }, (_, index) => this.one(syllables[index % 2])).join('');
  }
}
