// Chance that nobody can foresee, and that repeats.

import { createHmac } from 'node:crypto';

const ACCENTED = { a: 'ä', e: 'é', i: 'í', o: 'ø', u: 'ü' };

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

  /** Two words and a number, with what people write: capitals, accents, figures and a full stop. */
  sentence() {
    const first = this.word();
    const accented = this.word().replace(/[aeiou]/, (each) => ACCENTED[each]);
    return `${first[0].toUpperCase()}${first.slice(1)} ${accented} ${10 + this.below(90)}.`;
  }

  word(length = 4 + this.below(5)) {
    const syllables = ['bdfgklmnprstvz', 'aeiou'];
    return Array.from({ length }, (_, index) => this.one(syllables[index % 2])).join('');
  }
}
