// What hands do on a page only because it listens for it: a pointer that rests on what is not clicked, a double
// click, keys beside text. Which elements listen the browser tells (DOMDebugger), of the base; the same is then done
// elsewhere, at the same text or picture. And what a button copies, where something of the base does.

import { clipboard } from './common.mjs';
import { look } from './elements.mjs';
import { FIELDS, cut } from './snapshot.mjs';

/** What is done, by the type of event that is listened for. */
const HANDS = {
  dblclick: 'double click',
  dragstart: 'drag',
  keydown: 'keys',
  keyup: 'keys',
  mouseenter: 'pointer',
  mouseover: 'pointer',
  pointerenter: 'pointer',
  pointerover: 'pointer',
};
// Listeners of these hear of everything; only keys are meant for them.
const PAGE = new Set(['#document', 'html', 'body']);
// So much, at most, is done in one step, and on all steps of a walk.
const AT_ONCE = 4;
const ON_A_WALK = 8;
// Keys that lead through what is no text, and out of it.
const KEYS = ['ArrowRight', 'ArrowLeft', 'ArrowDown', 'ArrowUp', 'Escape'];

// How an application copies a text by itself, as its scripts say it.
const COPIES = ['writeText', 'execCommand'];
// What is copied before, elsewhere, so that it is seen whether anything is.
const NOTHING = 'nothing was copied';

/** Runs on a node: give the focus to what takes it, in which it is. */
function focusAround() {
  let at = this.nodeType === Node.ELEMENT_NODE ? this : this.parentElement;
  while (at && at.tabIndex < 0 && !at.hasAttribute('tabindex')) {
    at = at.parentElement;
  }
  at?.focus();
}

/** What is to be done with hands on the pages of one walk: nothing twice. */
export class Listened {
  /**
   * @param chance what is chosen by, of elements that are alike
   * @param site the application
   */
  constructor(chance, site) {
    this.chance = chance;
    this.copies = COPIES.some((each) => site.mentions(each));
    this.done = new Set();
  }

  /** May what is clicked in a step copy something? Only in an application that has code for it. */
  mayCopy({ kind, click }) {
    return this.copies && kind === 'click' && click.path === null;
  }

  /**
   * What to do on the page as it is: `hand`, `at` what, undefined for the page as a whole, and `to` where, of what is
   * dragged: as `target` of places.
   *
   * @param after the kind of step that has led to it: something else may be there to be closed by a key
   */
  async choose(visit, after) {
    const left = ON_A_WALK - this.done.size;
    if (left <= 0 || visit.person.taps) {
      return [];
    }
    const { page, places } = await look(visit);
    const kinds = new Map();
    const heard = await listeners(visit);
    for (const { type, backendNodeId } of heard) {
      const index = page.indexOf.get(backendNodeId);
      const whole = index === undefined || PAGE.has(page.tag(index));
      const hand = handOf(page, index, whole, type);
      const kind = hand && `${hand} ${whole ? after : page.signature(index)}`;
      if (!hand || this.done.has(kind)) {
        continue;
      }
      const at = whole ? undefined : placeIn(page, index, places);
      const to = hand === 'drag' ? this.dropsOf(page, index, places, heard) : undefined;
      if ((whole || at) && (hand !== 'drag' || to)) {
        kinds.set(kind, [...(kinds.get(kind) ?? []), { hand, at, to }]);
      }
    }
    const chosen = this.chance.shuffled([...kinds.keys()].sort()).slice(0, Math.min(AT_ONCE, left));
    return chosen.map((kind) => {
      this.done.add(kind);
      return this.chance.one(kinds.get(kind));
    });
  }

  /** Where what is dragged can be dropped: not in what it is in already, if there is something else. */
  dropsOf(page, index, places, heard) {
    const around = new Set(page.around(index));
    const takers = heard.filter(({ type }) => type === 'drop').map((each) => page.indexOf.get(each.backendNodeId));
    const found = takers.flatMap((at) => {
      const place = at === undefined || PAGE.has(page.tag(at)) ? undefined : placeIn(page, at, places);
      return place ? [{ place, apart: !around.has(at) }] : [];
    });
    const apart = found.filter((each) => each.apart);
    const possible = apart.length ? apart : found;
    return possible.length ? this.chance.one(possible).place : undefined;
  }
}

/** What hands do at an element for a type of event that it listens for; undefined where nothing is done. */
function handOf(page, index, whole, type) {
  if (!whole && page.tag(index) === 'input' && page.attributes(index).type === 'file') {
    return type === 'change' || type === 'input' ? 'file' : undefined;
  }
  const hand = HANDS[type];
  const meant = whole ? hand === 'keys' : !FIELDS.has(page.tag(index));
  return meant ? hand : undefined;
}

/** Do something that may copy a text by itself: which one, if it does. */
export function copiedBy({ person }, act) {
  return clipboard.during(async () => {
    await person.elsewhere.copies(NOTHING);
    await act();
    let copied;
    const isOther = (text) => {
      copied = text;
      return text !== NOTHING;
    };
    return (await person.elsewhere.gets(isOther)) ? copied : undefined;
  });
}

/** All listeners of a page's document and its elements: types, and of which node. */
async function listeners({ asked }) {
  const told = await asked.inside(({ objectId }) =>
    asked.send('DOMDebugger.getEventListeners', { objectId, depth: -1, pierce: true }),
  );
  return told.listeners;
}

/** The first text or picture within an element, as `look` has it; undefined where there is none. */
function placeIn(page, index, places) {
  return places.find((each) => each.index === index || [...page.around(each.index)].includes(index))?.target;
}

/**
 * Do with hands what is to be done, one after the other; what comes of it, in words.
 *
 * Where that leads to another page, the way back is taken.
 */
export async function useHands(visit, chosen) {
  const worked = [];
  for (const { hand, at, to } of chosen) {
    const { places } = await look(visit);
    const [place, end] = [at, to].map((target) => target && placeOf(places, target));
    if ((at && !place) || (to && !end)) {
      continue;
    }
    const where = at ? ` at ${at.role} ${at.name}` : '';
    for (const { told, act } of waysOf(visit, hand, place, end)) {
      const [path, before] = [visit.path(), await shown(visit)];
      const { x, y } = visit.person.at;
      // What cannot be done does nothing.
      await act().catch(() => {});
      await visit.settle();
      if (visit.path() !== path) {
        worked.push(cut(`${told}${where} leads to ${visit.path()}`));
        await visit.turn(-1).catch(() => visit.load(path));
        await visit.settle();
        break;
      }
      if ((await shown(visit)) !== before) {
        worked.push(cut(`${told}${where} does something`));
      }
      // What moves later moves beneath no pointer that was not there.
      await (hand !== 'keys' && visit.person.moveTo([x, y]));
    }
  }
  return worked;
}

/** The place that has this role and name, and comes at this place of those that have; undefined without one. */
function placeOf(places, { role, name, nth }) {
  return places.find(({ target }) => target.role === role && target.name === name && target.nth === nth);
}

/** A document's elements and texts, without figures: clocks go on. */
const shown = async ({ asked }) => (await asked.html()).replace(/\d+/g, '');

/** How a hand is used: what that is called, and how to do it. */
function waysOf(visit, hand, place, end) {
  const { asked, person } = visit;
  if (hand === 'keys') {
    return KEYS.map((key) => ({
      told: `the key ${key}`,
      act: async () => {
        // What a key has led to has the focus for the next one.
        await (place && key === KEYS[0] && asked.call(focusAround, place));
        await person.press(key);
      },
    }));
  }
  const point = async () => person.moveTo(await person.middleOf(place));
  const twice = async () => {
    await point();
    await person.hold('left');
    await person.clickAgain(1);
  };
  const drag = async () => {
    await point();
    await person.dragTo(await person.middleOf(end));
  };
  const file = () => asked.send('DOM.setFileInputFiles', { files: [visit.plan.file], backendNodeId: place.backendNodeId });
  const acts = { pointer: point, 'double click': twice, drag, file };
  return [{ told: `a ${hand}`, act: acts[hand] }];
}
