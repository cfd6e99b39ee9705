// What is done in fields: entering, choosing, mending, and what is in them then.

import { clipboard } from './common.mjs';
import { CONTROL } from './keyboard.mjs';

/** Runs on a choice: where to start from, and the key that leads from there to an option. */
function startOfChoice(value) {
  const label = (each) => each.label.replace(/\s+/g, ' ').trim();
  const usable = [...this.options].filter((each) => !each.matches(':disabled'));
  const at = usable.findIndex((each) => each.value === value || label(each) === value);
  const [before, after] = [usable[at - 1], usable[at + 1]];
  if (at < 0) {
    throw new Error(`has no option ${value}`);
  }
  if (this.multiple || this.size > 1 || !(before ?? after)) {
    usable[at].selected = true;
    this.dispatchEvent(new Event('input', { bubbles: true, composed: true }));
    this.dispatchEvent(new Event('change', { bubbles: true }));
    return [];
  }
  (before ?? after).selected = true;
  this.focus();
  return [before ? 'ArrowDown' : 'ArrowUp'];
}

/** Runs on a field that cannot be typed into by letters alone; which keys make it tell its value. */
function startOfValue(value) {
  this.value = value;
  if (['date', 'time'].includes(this.type)) {
    this.focus();
    return ['ArrowUp', 'ArrowDown'];
  }
  this.dispatchEvent(new Event('input', { bubbles: true, composed: true }));
  this.dispatchEvent(new Event('change', { bubbles: true }));
  return [];
}

/** Runs on a field: what is entered there, in words. */
function entered() {
  const ticked = ['checkbox', 'radio'].includes(this.type) ? String(this.checked) : undefined;
  return ticked ?? this.selectedOptions?.[0]?.label.trim() ?? this.value ?? null;
}

/** Runs on a choice: is its list open? */
function isOpen() {
  return this.matches(':open');
}

export class Fields {
  /**
   * @param person whose hands they are
   * @param asked questions to the page
   */
  constructor(person, asked) {
    Object.assign(this, { person, asked });
  }

  /** What is entered in a field, in words; `null` where it is no field of HTML. */
  entered(node) {
    return this.asked.call(entered, node);
  }

  /**
   * Cut the text of a field that has the focus, paste another one, and then what was cut: do all do
   * what they should?
   */
  pastes(node) {
    const { elsewhere } = this.person;
    const paste = async (text) => {
      await elsewhere.copies(text);
      await this.person.selectAll();
      await this.person.press('v', { ...CONTROL, commands: ['paste'] });
      return (await this.entered(node)) === text;
    };
    return clipboard.during(async () => {
      const before = await this.entered(node);
      await this.person.selectAll();
      await this.person.press('x', { ...CONTROL, commands: ['cut'] });
      const cut = (await this.entered(node)) === '' && (await elsewhere.gets((text) => text === before));
      const took = await paste([...before].reverse().join(''));
      const again = await paste(before);
      if (!again) {
        await this.person.selectAll();
        await this.person.input('Input.insertText', { text: before });
      }
      return before !== '' && cut && took && again;
    });
  }

  /**
   * Mend a text in a field that has the focus, as who has made a slip at its beginning and one at its
   * end: do keys take one letter away, and does undoing bring it back?
   */
  async mends(node) {
    const before = await this.entered(node);
    const length = async () => (await this.entered(node)).length;
    let mended = before !== '';
    for (const keys of [['Home'], ['End', 'ArrowLeft']]) {
      for (const key of [...keys, 'Delete']) {
        await this.person.press(key);
      }
      mended &&= (await length()) === before.length - 1;
      await this.person.press('z', { ...CONTROL, commands: ['undo'] });
      mended &&= (await this.entered(node)) === before;
    }
    if ((await this.entered(node)) !== before) {
      await this.person.selectAll();
      await this.person.input('Input.insertText', { text: before });
    }
    return mended;
  }

  /** Type figures in a date or a time that has the focus: do they change it? */
  async takesFigures(node) {
    const before = await this.entered(node);
    await this.person.press('1');
    if ((await this.entered(node)) === before) {
      await this.person.press('2');
    }
    return (await this.entered(node)) !== before;
  }

  /** Choose an option by its value or label. */
  choose(node, value) {
    return this.keys(startOfChoice, node, value);
  }

  /** Choose one in the list that a click at a place opens: does it open? Without it, by keys alone. */
  async chooseInList(node, value, place) {
    const keys = await this.asked.call(startOfChoice, node, value);
    if (!keys.length) {
      // It has been made: in a list that is always open, a click would make another one.
      return false;
    }
    await this.person.click(place);
    const opens = await this.asked.call(isOpen, node);
    for (const key of opens ? [...keys, 'Enter'] : keys) {
      await this.person.press(key);
    }
    return opens;
  }

  /** Set a date, a time, a colour or the like. */
  set(node, value) {
    return this.keys(startOfValue, node, value);
  }

  async keys(start, node, value) {
    for (const key of await this.asked.call(start, node, value)) {
      await this.person.press(key);
    }
  }
}
