// Input as a person gives it: a pointer that moves and is pressed for a while, a finger, and keys. All of it
// is the browser's own, so that no page can tell it from a visitor's by its events.

import { clipboard, once, pause } from './common.mjs';
import { CONTROL, Keyboard, PRESS_MS } from './keyboard.mjs';
import { AFTER_TREE_MS } from './page.mjs';

// A pointer comes in so many moves, at least, and more by chance.
const MOVES = 4;
const MOVE_MS = 20;
// In real time: browsers tell by that how fast a finger was.
const RESTS_MS = 120;
// So long after something was copied it is looked at.
const COPIED_MS = 500;
// How far the wheel is turned, in CSS pixels.
const WHEEL = 240;
// So long, by its own clock, a page is read where it was scrolled to.
const READS_MS = 3_000;
const WHEEL_TRIES = 4;
const WHEEL_LOOKS = 8;
// In real time: each look comes so much later than the one before.
const LOOK_LATER_MS = 10;
// Fingers are between so broad and twice as broad: CSS pixels from the middle.
const BROAD = 8;
// How far one move of what begins to be dragged goes, in CSS pixels to the right and down.
const DRAGGED = 3;
// So long, in real time, the browser takes to tell that something is dragged.
const DRAG_MS = 2_000;
const LEFT = { button: 'left', clickCount: 1 };
const BUTTONS = { left: 1, right: 2, middle: 4 };

/** Runs in the page: how far what fills the window is scrolled, and is it much longer than it shows? */
function scrolled(x, y) {
  let top = 0;
  let longer = false;
  const root = document.scrollingElement;
  for (let at = document.elementFromPoint(x, y) ?? root; at; at = at === root ? null : (at.parentElement ?? root)) {
    top += at.scrollTop;
    longer ||= at.clientHeight >= innerHeight / 2 && at.scrollHeight > 1.2 * at.clientHeight;
  }
  return { top, longer };
}

const bare = (text) => text.replace(/\s+/g, '');

/** Runs in the page, in a world of the harness's own: look out for a click. */
function expectClick() {
  const tapped = { clicked: false };
  globalThis.tapped = tapped;
  const seen = () => {
    tapped.clicked = true;
  };
  addEventListener('click', seen, { capture: true, once: true });
}

/** Was there one? A page that was left meanwhile had one. */
const wasClicked = () => globalThis.tapped?.clicked ?? true;

/** Runs in the page, there too: look out for what the page leaves to the browser, which does nothing then. */
function expectOtherClicks() {
  const left = [];
  globalThis.left = left;
  const leads = new Map([...document.querySelectorAll('a')].map((link) => [link, link.href]));
  const seen = (event) => {
    const link = event.target.closest?.('a');
    if (!event.defaultPrevented && leads.get(link) === link?.href) {
      left.push(event.type);
    }
    // What the browser would open is in no walk.
    event.preventDefault();
  };
  globalThis.ends = ['click', 'auxclick', 'contextmenu'].map((kind) => {
    addEventListener(kind, seen);
    return () => removeEventListener(kind, seen);
  });
}

/** Runs on an element: where its first line of text begins and ends, in the window; undefined without one. */
function lineOf() {
  this.scrollIntoViewIfNeeded();
  const range = document.createRange();
  range.selectNodeContents(this);
  const line = [...range.getClientRects()].find((each) => each.width > 20 && each.height > 0);
  if (!line) {
    return undefined;
  }
  const y = line.y + line.height / 2;
  const ends = [line.left + 2, line.right - 2];
  return ends.every((x) => this.contains(document.elementFromPoint(x, y))) ? [...ends, y] : undefined;
}

/** What is selected, and then nothing. */
const selected = () => String(getSelection());
const unselect = () => getSelection().empty();

/** Which were there? */
function otherClicks() {
  globalThis.ends?.forEach((end) => end());
  return globalThis.left ?? [];
}

export class Person extends Keyboard {
  /**
   * @param asked questions to the page
   * @param clock its time
   * @param chance what movements are drawn from: the same for both applications
   * @param elsewhere another window, which shares the clipboard
   */
  constructor(asked, clock, chance, elsewhere) {
    super(asked, clock, chance);
    Object.assign(this, { elsewhere, at: { x: 0, y: 0 }, taps: false });
    /** How broad the finger is, in CSS pixels to each side, and how hard it touches, of 1. */
    this.finger = {
      radiusX: BROAD + chance.below(BROAD),
      radiusY: BROAD + chance.below(BROAD),
      force: (1 + chance.below(9)) / 10,
    };
  }

  /** From now on there is a screen that is touched, and no pointer. */
  async takeTouchScreen() {
    await this.input('Emulation.setTouchEmulationEnabled', { enabled: true, maxTouchPoints: 1 });
    this.taps = true;
  }

  /** The middle of an element or a text, which is in the window then. */
  async middleOf({ backendNodeId }) {
    await this.asked.send('DOM.scrollIntoViewIfNeeded', { backendNodeId });
    const { quads } = await this.asked.send('DOM.getContentQuads', { backendNodeId });
    const [x0, y0, , , x1, y1] = quads[0];
    return [(x0 + x1) / 2, (y0 + y1) / 2];
  }

  /** Click a place, or touch it: of a touch, see `tap`. */
  async click(place) {
    if (this.taps) {
      return this.tap(place);
    }
    await this.moveTo(place);
    await this.hold('left');
    return undefined;
  }

  /** Move the pointer to a place. */
  async moveTo([x, y]) {
    const moves = MOVES + this.chance.below(MOVES);
    const from = this.at;
    for (let move = 1; move <= moves; move += 1) {
      const share = move / moves;
      this.at = { x: from.x + (x - from.x) * share, y: from.y + (y - from.y) * share };
      await this.soon('Input.dispatchMouseEvent', { ...this.at, type: 'mouseMoved' }, MOVE_MS);
    }
    this.at = { x, y };
  }

  /** Press a button of the pointer, where it is, and let it go. */
  async hold(button, more = {}) {
    const event = { ...this.at, button, clickCount: 1, ...more };
    const buttons = BUTTONS[button];
    await this.input('Input.dispatchMouseEvent', { ...event, type: 'mousePressed', buttons });
    await this.wait();
    await this.input('Input.dispatchMouseEvent', { ...event, type: 'mouseReleased' });
  }

  /**
   * Click the place where the pointer is as who wants a link in another window, or a menu: by the
   * wheel's button, with a key held, or by the other button. Which of these does the page leave to the
   * browser?
   */
  async clickOtherwise() {
    await this.asked.call(expectOtherClicks);
    await this.hold('middle');
    await this.holding(CONTROL, () => this.hold('left', CONTROL));
    await this.hold('right');
    return this.asked.call(otherClicks);
  }

  /** Press the pointer where it is, and move it so far, in CSS pixels, some times: the answers to come. */
  async pressAndMove(right, down) {
    const { x, y } = this.at;
    await this.input('Input.dispatchMouseEvent', { x, y, ...LEFT, type: 'mousePressed', buttons: 1 });
    const answers = [];
    for (let move = 1; move <= MOVES; move += 1) {
      this.at = { x: x + right * move, y: y + down * move };
      const moved = { ...this.at, ...LEFT, type: 'mouseMoved', buttons: 1 };
      await this.soon('Input.dispatchMouseEvent', moved, MOVE_MS, answers);
    }
    return answers;
  }

  /** Let the pointer go where it is. */
  letGo() {
    return this.input('Input.dispatchMouseEvent', { ...this.at, ...LEFT, type: 'mouseReleased' });
  }

  /** Drag what is where the pointer is to a place, and let it go there. */
  async dragTo([x, y]) {
    await this.asked.send('Input.setInterceptDrags', { enabled: true });
    try {
      const begun = once(this.asked.cdp, 'Input.dragIntercepted', DRAG_MS);
      begun.catch(() => {});
      const answers = await this.pressAndMove(DRAGGED, DRAGGED);
      const { data } = await begun;
      for (const type of ['dragEnter', 'dragOver', 'drop']) {
        await this.soon('Input.dispatchDragEvent', { type, x, y, data }, MOVE_MS, answers);
      }
      await this.taken(answers);
      this.at = { x, y };
    } finally {
      await this.asked.send('Input.setInterceptDrags', { enabled: false });
      await this.letGo();
    }
  }

  /** Copy all of the page: can what was selected be pasted elsewhere a little later? */
  copies() {
    return clipboard.during(async () => {
      await this.selectAll();
      const wanted = bare(await this.asked.call(selected));
      await this.press('c', { ...CONTROL, commands: ['copy'] });
      await this.clock.advance(COPIED_MS);
      const copied = await this.elsewhere.gets((text) => bare(text) === wanted);
      await this.asked.call(unselect);
      return copied;
    });
  }

  /** Press the pointer where a line of text begins, and let it go where it ends: is some of it selected? */
  async marks(node) {
    const line = await this.asked.call(lineOf, node);
    if (!line) {
      return false;
    }
    const [x, end, y] = line;
    await this.moveTo([x, y]);
    await this.taken(await this.pressAndMove((end - x) / MOVES, 0));
    await this.letGo();
    const marked = await this.asked.call(selected);
    await this.asked.call(unselect);
    return marked.length > 0;
  }

  /** Click the place where the pointer is, so often, as fast as the page takes it. */
  async clickAgain(times) {
    const clicks = Array.from({ length: times }, (_, before) => {
      // As browsers count them: the second one makes a double click.
      const button = { ...this.at, button: 'left', clickCount: before + 2 };
      return [
        this.asked.send('Input.dispatchMouseEvent', { ...button, type: 'mousePressed', buttons: 1 }),
        this.asked.send('Input.dispatchMouseEvent', { ...button, type: 'mouseReleased' }),
      ];
    });
    await this.clock.during(Promise.all(clicks.flat()));
  }

  /** Touch a place: does the browser make a click of it? */
  async tap([x, y]) {
    await this.asked.call(expectClick);
    const touchPoints = [{ x, y, ...this.finger }];
    await this.input('Input.dispatchTouchEvent', { type: 'touchStart', touchPoints });
    await this.wait();
    await this.input('Input.dispatchTouchEvent', { type: 'touchEnd', touchPoints: [] });
    // The browser makes a click of it a little later.
    await this.wait();
    return this.asked.call(wasClicked);
  }

  /** Input that is answered with a frame to come: `answers` gets that, and nothing waits for it. */
  async soon(method, parameters, ms, answers = []) {
    const answer = this.asked.send(method, parameters);
    answer.catch(() => {});
    answers.push(answer);
    await this.clock.advance(ms);
  }

  /** Wait until the page has taken all of a turn: what moves it later moves it under the next click. */
  taken(answers) {
    return this.clock.during(Promise.allSettled(answers));
  }

  async wheel(at, deltaY) {
    const turned = { ...at, type: 'mouseWheel', deltaX: 0, deltaY };
    const answers = [];
    await this.soon('Input.dispatchMouseEvent', turned, PRESS_MS, answers);
    await this.taken(answers);
  }

  /** Touch a place and move the finger, so that what is below it moves by so much. */
  async drag({ x, y }, deltaY) {
    const answers = [];
    const touch = (type, ...places) => {
      const touchPoints = places.map((place) => ({ ...place, ...this.finger }));
      return this.soon('Input.dispatchTouchEvent', { type, touchPoints }, MOVE_MS, answers);
    };
    await touch('touchStart', { x, y });
    for (let move = 1; move <= MOVES; move += 1) {
      await touch('touchMove', { x, y: y - (deltaY * move) / MOVES });
    }
    // The finger rests, so that nothing goes on by itself.
    await pause(RESTS_MS);
    await touch('touchMove', { x, y: y - deltaY });
    await touch('touchEnd');
    await this.taken(answers);
  }

  /** Does a key move what fills the window, where the page itself has the focus? `null` where all of it is shown. */
  async keysScroll(viewport) {
    const { top, longer } = await this.scrolledTo(viewport);
    if (!longer) {
      return null;
    }
    await this.press('PageDown');
    const moved = await this.looksFor(viewport, (now) => now > top);
    await this.press('Home');
    await this.looksFor(viewport, (now) => now <= top);
    return moved;
  }

  /** How far what fills a window of this size is scrolled, and is it longer than that? */
  scrolledTo([width, height]) {
    return this.asked.call(scrolled, undefined, Math.round(width / 2), Math.round(height / 2));
  }

  /** Wait until it is scrolled so, for frames that come late: a slow machine holds no page. */
  async looksFor(viewport, isDone) {
    for (let looks = 0; looks < WHEEL_LOOKS; looks += 1) {
      if (isDone((await this.scrolledTo(viewport)).top)) {
        return true;
      }
      await this.clock.advance(PRESS_MS);
      await pause(looks * LOOK_LATER_MS);
    }
    return false;
  }

  /** Does the wheel, or a finger, move what fills a window of this size? `null` where all of it is shown. */
  async scrolls(viewport) {
    const [x, y] = viewport.map((each) => Math.round(each / 2));
    const turn = async (deltaY, isDone) => {
      await (this.taps ? this.drag({ x, y }, deltaY) : this.wheel({ x, y }, deltaY));
      return this.looksFor(viewport, isDone);
    };
    const { top, longer } = await this.scrolledTo(viewport);
    if (!longer) {
      return null;
    }
    if (this.taps) {
      // A finger moves nothing before a frame is shown.
      await this.clock.advance(AFTER_TREE_MS);
    }
    // It may be at its end already: the other way then.
    let moved = false;
    for (let turns = 0; !moved && turns < WHEEL_TRIES; turns += 1) {
      moved = await turn(turns % 2 ? -WHEEL : WHEEL, (now) => now !== top);
    }
    if (moved) {
      await this.clock.advance(READS_MS);
    }
    const now = (await this.scrolledTo(viewport)).top;
    moved &&= now !== top;
    if (now > top) {
      // A finger moves a page by less than it moves itself; no page goes beyond its start.
      await turn(top - now - WHEEL / 4, (then) => then <= top);
    } else if (now < top) {
      await turn(top - now, (then) => then >= top);
    }
    return moved;
  }

  /** Is an element still there? */
  finds(node) {
    return this.asked
      .call(function connected() {
        return this.isConnected;
      }, node)
      .catch(() => false);
  }

}
