// Pictures of a page, and what they are taken of: while it stands still, with its texts and without.

import { LATE_MS, inTime, pause } from './common.mjs';
import { Asked } from './page.mjs';
import { SNAPSHOT, looksOf } from './sight.mjs';

const PICTURE_TRIES = 5;
// So many links, at most, are pictured as followed.
const FOLLOWED = 500;
// So many CSS pixels around an element belong to how it looks.
const AROUND = 8;

/**
 * Before pictures: fonts are there, and animations at their end, if that comes soon, or where they are.
 *
 * @param isAsItIs are all of them where they are?
 */
async function hold(isAsItIs) {
  await document.fonts.ready;
  globalThis.paused = [];
  // Nobody waits longer for an end, in milliseconds.
  const soon = 5_000;
  const pause = (each) => {
    each.pause();
    globalThis.paused.push(each);
  };
  for (const each of document.getAnimations()) {
    if (isAsItIs && each.playState === 'running') {
      pause(each);
    } else if (!isAsItIs && each.effect.getComputedTiming().endTime - each.currentTime <= soon) {
      try {
        each.finish();
      } catch {
        // It is at a rate of 0.
        pause(each);
      }
    } else if (!isAsItIs) {
      pause(each);
    }
  }
  globalThis.sheets = [];
}

/**
 * Before a picture without any text, and without what fields are drawn by. The page could find the
 * sheet: in the other picture it is not there yet.
 */
function hide() {
  const sheet = new CSSStyleSheet();
  sheet.replaceSync(
    '* { caret-color: transparent !important; transition: none !important; } ' +
      '*, ::before, ::after, ::placeholder { -webkit-text-fill-color: transparent !important; ' +
      '-webkit-text-stroke-color: transparent !important; text-shadow: none !important; ' +
      'text-decoration-color: transparent !important; text-emphasis-color: transparent !important; } ' +
      // Their lines alone: what is behind their texts stays.
      'input, select, textarea { border-color: transparent !important; outline: none !important; ' +
      'box-shadow: none !important; }',
  );
  document.adoptedStyleSheets = [...document.adoptedStyleSheets, sheet];
  globalThis.sheets.push(sheet);
}

/** Before pictures of a field: without its caret. */
function hideCaret() {
  const sheet = new CSSStyleSheet();
  sheet.replaceSync('* { caret-color: transparent !important; }');
  document.adoptedStyleSheets = [...document.adoptedStyleSheets, sheet];
  globalThis.sheets.push(sheet);
}

/** Before the two once more. */
function unhide() {
  const sheet = globalThis.sheets.pop();
  document.adoptedStyleSheets = document.adoptedStyleSheets.filter((each) => each !== sheet);
}

/** Before what elements look like by the browser's own style sheet alone. */
function strip() {
  const others = [...document.styleSheets].filter((each) => !each.disabled);
  others.forEach((each) => (each.disabled = true));
  const adopted = document.adoptedStyleSheets;
  document.adoptedStyleSheets = globalThis.sheets;
  globalThis.stripped = { others, adopted };
}

/** After that, if it came to it. */
function dress() {
  if (!globalThis.stripped) {
    return;
  }
  const { others, adopted } = globalThis.stripped;
  others.forEach((each) => (each.disabled = false));
  document.adoptedStyleSheets = adopted;
  delete globalThis.stripped;
}

/** After them: nothing is left that the page could find. */
function release() {
  for (const each of globalThis.paused) {
    each.play();
  }
  for (const sheet of globalThis.sheets.reverse()) {
    document.adoptedStyleSheets = document.adoptedStyleSheets.filter((each) => each !== sheet);
    // Texts have their colours again while nothing moves: no transition begins.
    document.body?.getBoundingClientRect();
  }
}

/** Until a frame has been made of what the page has now: the second one to come shows it. */
function drawn() {
  return new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(() => done())));
}

/** A page that can be asked, and pictured. */
export class Pictured extends Asked {
  /**
   * A picture of the page, one without its texts, and the looks that its style sheets make.
   *
   * @param isAsItIs are animations where they have come to, and not at their end?
   */
  async screenshots(isAsItIs = false) {
    await this.clock.during(this.call(hold, undefined, isAsItIs));
    try {
      let { picture, textless } = await this.pair();
      // The same picture twice: the page has no text that is seen, or a frame was late.
      for (let tries = 1; tries < PICTURE_TRIES && picture.equals(textless); tries += 1) {
        await this.call(unhide);
        await pause(tries * LATE_MS);
        ({ picture, textless } = await this.pair());
      }
      const looks = await this.looks();
      await this.call(strip);
      const own = new Set(await this.looks());
      return { picture, textless, looks: looks.filter((each) => !own.has(each)) };
    } finally {
      // A picture that took too long leaves nothing behind either.
      await this.call(dress);
      await this.call(release);
    }
  }

  /** A picture of the page, or of a part of it, and one without its texts, which stay hidden. */
  async pair(part) {
    const take = () => (part ? this.pictureOf(part) : this.picture());
    const picture = await take();
    await this.call(hide);
    return { picture, textless: await take() };
  }

  /** Does an element look otherwise than on a picture of it? Frames may be late. */
  looksOtherwise(node, before) {
    return inTime(async () => !before.equals(await this.pictureAround(node)), PICTURE_TRIES);
  }

  /** Is the text in a field that has the focus seen? */
  async seesText({ backendNodeId }) {
    await this.send('DOM.scrollIntoViewIfNeeded', { backendNodeId });
    const [x, y, , , right, bottom] = (await this.send('DOM.getBoxModel', { backendNodeId })).model.content;
    const part = { x, y, width: right - x, height: bottom - y };
    if (part.width <= 0 || part.height <= 0) {
      return false;
    }
    await this.clock.during(this.call(hold));
    try {
      await this.call(hideCaret);
      return await inTime(async () => {
        const { picture, textless } = await this.pair(part);
        await this.call(unhide);
        return !picture.equals(textless);
      }, PICTURE_TRIES);
    } finally {
      await this.call(release);
    }
  }

  /** A picture of an element with what is drawn around it. */
  async pictureAround({ backendNodeId }) {
    await this.send('DOM.scrollIntoViewIfNeeded', { backendNodeId });
    const { model } = await this.send('DOM.getBoxModel', { backendNodeId });
    const [left, top, , , right, bottom] = model.border;
    const [x, y] = [left, top].map((each) => Math.max(0, each - AROUND));
    await this.clock.during(this.call(hold));
    try {
      return await this.pictureOf({ x, y, width: right + AROUND - x, height: bottom + AROUND - y });
    } finally {
      await this.call(release);
    }
  }

  /**
   * Do something while all links look as if they had been followed: a browser without a history never
   * shows that by itself.
   */
  async asFollowed(act) {
    await this.send('DOM.enable');
    await this.send('CSS.enable');
    try {
      const { root } = await this.send('DOM.getDocument', { depth: 0 });
      const selector = 'a[href]';
      const { nodeIds } = await this.send('DOM.querySelectorAll', { nodeId: root.nodeId, selector });
      const links = nodeIds.slice(0, FOLLOWED);
      const forced = { forcedPseudoClasses: ['visited'] };
      await Promise.all(links.map((nodeId) => this.send('CSS.forcePseudoState', { nodeId, ...forced })));
      return await act();
    } finally {
      await this.send('CSS.disable');
      await this.send('DOM.disable');
    }
  }

  async looks() {
    return looksOf(await this.send('DOMSnapshot.captureSnapshot', SNAPSHOT));
  }

  /** Wait until a frame has all that the page has by now. */
  drawn() {
    return this.clock.during(this.call(drawn));
  }

  async picture() {
    const { cssContentSize } = await this.send('Page.getLayoutMetrics');
    const [width, height] = this.plan.viewport;
    await this.drawn();
    // Where pixels are smaller there are more of them.
    const most = Math.floor(this.bounds.tall / this.plan.pixel_ratio);
    const tall = Math.max(height, Math.min(Math.ceil(cssContentSize.height), most));
    return this.capture({ x: 0, y: 0, width, height: tall }, tall > height);
  }

  /** A picture of a part of the window, in CSS pixels. */
  async pictureOf(part) {
    await this.drawn();
    return this.capture(part, false);
  }

  async capture(part, captureBeyondViewport) {
    const taken = await this.clock.during(
      this.send('Page.captureScreenshot', {
        format: 'png',
        clip: { ...part, scale: 1 },
        captureBeyondViewport,
        // Larger by a third, and made sooner.
        optimizeForSpeed: true,
      }),
    );
    return Buffer.from(taken.data, 'base64');
  }
}
