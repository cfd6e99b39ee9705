// Chance that nobody can foresee, and that repeats.

import { createHmac } from 'node:crypto';

const PLAIN = 'abdefgiklmnoprstuvz';
const ACCENTED = [...'äbdéfgíklmnøprstüvz'];
// Cyrillic, Greek, Hebrew and Arabic, which are written from right to left, and Chinese.
const SCRIPTS = [
  'абдефгиклмнопрстувз',
  'αβδεφγικλμνοπρστυωζ',
  'אבדהפגיכלמנעקרסתושז',
  'ابدهفجيكلمنوقرسطثشز',
  '山水火土金日人大小中上下右天地風雨花鳥',
].map((letters) => [...letters]);
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
    const written = (word, letters) => word.replace(/./g, (each) => letters[PLAIN.indexOf(each)]);
    const second = written(this.word(), this.below(SCRIPT_ONE_IN) ? ACCENTED : this.one(SCRIPTS));
    return `${first[0].toUpperCase()}${first.slice(1)} ${second} ${10 + this.below(90)}.`;
  }

  word(length = 4 + this.below(5)) {
    const syllables = ['bdfgklmnprstvz', 'aeiou'];
    return Array.from({ length }, (_, index) => this.one(syllables[index % 2])).join('');
  }
}
