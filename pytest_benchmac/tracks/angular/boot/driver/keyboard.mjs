// Keys as a person presses them: one after the other, with slips, capitals and words that are composed.

// How long a button or key is pressed, at least, and how much longer by chance.
export const PRESS_MS = 40;
const LONGER_MS = 80;
// So many letters of a text are typed one after the other; the next ones are, all at once.
const SLOW_LETTERS = 3;
// What is longer is inserted from there on.
const TYPED_LETTERS = 24;
// Of so many texts one has a word that is composed: the first one, and each so many later.
const COMPOSED_ONE_IN = 2;
const SECOND_WORD = /^(\p{L}+ )(\p{L}{3,})(.*)$/su;
const CODES = {
  ...{ Backspace: 8, Tab: 9, Enter: 13, ' ': 32, PageUp: 33, PageDown: 34, End: 35, Home: 36 },
  ...{ Escape: 27, ArrowLeft: 37, ArrowUp: 38, ArrowRight: 39, ArrowDown: 40, Delete: 46, 1: 49, 2: 50 },
  ...{ a: 65, c: 67, v: 86, x: 88, z: 90 },
};
// What comes with the shift key held, on most keyboards.
const SHIFTED = /^[\p{Lu}!?"<>:()&+_]$/u;
export const CONTROL = { modifiers: 2 };
const SHIFT = { modifiers: 8 };
// What is held down for that.
const HELD = {
  2: { key: 'Control', code: 'ControlLeft', windowsVirtualKeyCode: 17 },
  8: { key: 'Shift', code: 'ShiftLeft', windowsVirtualKeyCode: 16 },
};
// Keys by what they type, where that does not name them; other letters have one of another keyboard.
const KEYS = { ' ': 'Space', '.': 'Period', ',': 'Comma', '-': 'Minus', '/': 'Slash' };
const OTHER_KEY = 'Quote';
const TEXTS = { Enter: '\r', ' ': ' ', 1: '1', 2: '2' };

/** The key that types a letter, as keyboards in English have them. */
function codeOf(letter) {
  const upper = letter.toUpperCase();
  if (/^[A-Z]$/.test(upper)) {
    return `Key${upper}`;
  }
  return /^\d$/.test(letter) ? `Digit${letter}` : (KEYS[letter] ?? OTHER_KEY);
}

/** What begins and ends holding a key down; nothing where none is held. */
function holds({ modifiers }) {
  const key = HELD[modifiers];
  const down = { ...key, modifiers, type: 'rawKeyDown' };
  return key ? [[down], [{ ...key, type: 'keyUp' }]] : [[], []];
}

export class Keyboard {
  /**
   * @param asked questions to the page
   * @param clock its time
   * @param chance what times are drawn from: the same for both applications
   */
  constructor(asked, clock, chance) {
    Object.assign(this, { asked, clock, chance });
    /** How many texts of several words were entered. */
    this.texts = 0;
  }

  /** Input that is answered once the page has taken it: time goes on meanwhile, if it has to. */
  input(method, parameters) {
    return this.clock.during(this.asked.send(method, parameters));
  }

  wait() {
    return this.clock.advance(PRESS_MS + this.chance.below(LONGER_MS));
  }

  /** Press a key by its name, with another one held where `more` has modifiers. */
  press(key, more = {}) {
    const code = key.length === 1 ? codeOf(key) : key;
    const event = { key, code, windowsVirtualKeyCode: CODES[key], ...more };
    const text = TEXTS[key] ? { text: TEXTS[key] } : {};
    return this.holding(more, async () => {
      await this.input('Input.dispatchKeyEvent', { ...event, ...text, type: 'keyDown' });
      await this.wait();
      await this.input('Input.dispatchKeyEvent', { ...event, type: 'keyUp' });
    });
  }

  /** Do something while a key is held down, if one is. */
  async holding(held, act) {
    const [down, up] = holds(held);
    for (const each of down) {
      await this.input('Input.dispatchKeyEvent', each);
    }
    await act();
    for (const each of up) {
      await this.input('Input.dispatchKeyEvent', each);
    }
  }

  /**
   * Type a text in the field that has the focus, instead of what is selected. The second word of the
   * first text, and of every other, is composed: see `compose`.
   */
  async type(text) {
    const [, before, word, after] = SECOND_WORD.exec(text) ?? [];
    this.texts += word ? 1 : 0;
    if (!word || this.texts % COMPOSED_ONE_IN !== 1) {
      await this.typeKeys(text);
      return;
    }
    await this.typeKeys(before);
    await this.compose(word);
    await this.typeKeys(after);
  }

  /** Type by keys; the first letter by a slip twice. */
  async typeKeys(text) {
    const letters = [.../^[^\p{C}]*/u.exec(text)[0]].slice(0, TYPED_LETTERS);
    const typed = [];
    for (const [at, letter] of letters.entries()) {
      // Of other letters, the code is that of another key.
      const code = /^[a-z0-9 ]$/i.test(letter) ? letter.toUpperCase().codePointAt(0) : 0;
      const held = SHIFTED.test(letter) ? SHIFT : {};
      const event = { key: letter, code: codeOf(letter), windowsVirtualKeyCode: code, ...held };
      const down = { ...event, type: 'keyDown', text: letter, unmodifiedText: letter };
      const up = { ...event, type: 'keyUp' };
      if (at < SLOW_LETTERS) {
        await this.holding(held, async () => {
          await this.input('Input.dispatchKeyEvent', down);
          await this.wait();
          await this.input('Input.dispatchKeyEvent', up);
        });
        if (at === 0) {
          await this.slip(down, up, held);
        }
      } else {
        const [first, last] = holds(held);
        const all = [...first, down, up, ...last];
        typed.push(...all.map((each) => this.asked.send('Input.dispatchKeyEvent', each)));
      }
    }
    await this.clock.during(Promise.all(typed));
    const rest = text.slice(letters.join('').length);
    if (rest) {
      await this.input('Input.insertText', { text: rest });
    }
  }

  /** Enter a word as input methods and keyboards of telephones do: it grows, and is taken over. */
  async compose(word) {
    for (let length = 1; length <= SLOW_LETTERS; length += 1) {
      const at = { selectionStart: length, selectionEnd: length };
      await this.input('Input.imeSetComposition', { text: word.slice(0, length), ...at });
      await this.wait();
    }
    await this.input('Input.insertText', { text: word });
  }

  /** Press a key once more, and take back what that made. */
  async slip(down, up, held) {
    await this.holding(held, async () => {
      await this.input('Input.dispatchKeyEvent', down);
      await this.input('Input.dispatchKeyEvent', up);
    });
    await this.press('Backspace');
  }

  /** Does the tab key lead back to an element that has the focus? */
  async tabsTo(node) {
    await this.press('Tab', SHIFT);
    await this.press('Tab');
    return this.hasFocus(node);
  }

  selectAll() {
    return this.press('a', { ...CONTROL, commands: ['selectAll'] });
  }

  /** Has an element the focus? */
  hasFocus(node) {
    return this.asked.call(function focused() {
      return this.getRootNode().activeElement === this;
    }, node);
  }
}
