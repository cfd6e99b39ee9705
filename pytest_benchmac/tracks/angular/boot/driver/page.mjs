// What a page shows, asked of the browser by its own protocol, not of scripts in the page, which the
// page could have replaced.

import { LATE_MS, cut, inTime, pause, within } from './common.mjs';
import { SNAPSHOT, fieldsOf, looksOf, textsOf } from './sight.mjs';

// So late, at most, by its own clock, a page shows its next frame that was asked for its accessibility
// tree.
export const AFTER_TREE_MS = 5_000;
const DOCUMENT_TRIES = 10;
const PICTURE_TRIES = 5;
// So many links, at most, are pictured as followed.
const FOLLOWED = 500;
// So many CSS pixels around an element belong to how it looks.
const AROUND = 8;
// What is said of a document that was replaced meanwhile.
const GONE = /context|Could not find (node|object)|not belong to the document/i;
const Node = { ELEMENT: 1, TEXT: 3 };

/**
 * Runs in the page: what it keeps, or says of itself, beside what it shows. Names and values: its title, how it is
 * printed, where it comes back to, and what is in its stores, cookies and its window's name.
 */
function kept() {
  const told = [['title', document.title.trim().replace(/\s+/g, ' ')]];
  const rules = (sheet) => {
    try {
      return [...sheet.cssRules];
    } catch {
      // Another site's, which nobody reads.
      return [];
    }
  };
  const pages = (rule) => (rule instanceof CSSPageRule ? [rule.cssText] : rules(rule).flatMap(pages));
  const sheets = [...document.styleSheets, ...document.adoptedStyleSheets];
  told.push(['paper', [...new Set(sheets.flatMap(rules).flatMap(pages))].sort().join(' ')]);
  told.push(['scroll restoration', history.scrollRestoration], ['name of the window', globalThis.name]);
  for (const [where, store] of Object.entries({ localStorage, sessionStorage })) {
    told.push(...Object.keys(store).sort().map((name) => [`${where} ${name}`, store.getItem(name) ?? '']));
  }
  for (const cookie of document.cookie.split('; ').filter(Boolean).sort()) {
    const [name, ...value] = cookie.split('=');
    told.push([`cookie ${name}`, value.join('=')]);
  }
  return told;
}

/** Has the first element of a selector content, and an attribute? */
function hasContent(selector, attribute) {
  const root = document.querySelector(selector);
  return Boolean(root?.hasChildNodes() && root.hasAttribute(attribute));
}

/**
 * Before pictures: fonts are there, and animations at their end, or where they are.
 *
 * @param isAsItIs are all of them where they are?
 */
async function hold(isAsItIs) {
  await document.fonts.ready;
  globalThis.paused = [];
  const pause = (each) => {
    each.pause();
    globalThis.paused.push(each);
  };
  for (const each of document.getAnimations()) {
    if (isAsItIs && each.playState === 'running') {
      pause(each);
    } else if (!isAsItIs) {
      try {
        each.finish();
      } catch {
        // It has no end.
        pause(each);
      }
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

const spaced = (text) => text.replace(/\s+/g, ' ').toLowerCase();

export class Asked {
  /** Questions to the page of a session of the browser's protocol. */
  constructor(cdp, clock, plan) {
    this.cdp = cdp;
    this.clock = clock;
    this.plan = plan;
    this.bounds = plan.bounds;
    /** The world of the document that is there: see `world`. */
    this.own = null;
  }

  send(method, parameters = {}) {
    return within(this.cdp.send(method, parameters), this.plan.answer_ms);
  }

  /** Ask again, some times, where an error tells that the document was replaced meanwhile. */
  async again(replaced, ask) {
    for (let tries = 1; ; tries += 1) {
      try {
        return await ask();
      } catch (error) {
        if (tries === DOCUMENT_TRIES || !replaced.test(error.message)) {
          throw error;
        }
      }
    }
  }

  html() {
    return this.inside(async ({ objectId }) => {
      const options = { objectId, includeShadowDOM: true };
      return (await this.send('DOM.getOuterHTML', options)).outerHTML;
    });
  }

  /** The document, and the texts of it that have a place: see `nodesOf` and `textsOf`. */
  async shown() {
    const snapshot = await this.send('DOMSnapshot.captureSnapshot', SNAPSHOT);
    return {
      nodes: this.nodesOf(snapshot),
      texts: textsOf(snapshot, this.bounds, this.plan.pixel_ratio),
      fields: fieldsOf(snapshot, this.bounds, this.plan.pixel_ratio),
    };
  }

  /** Elements and texts in the document's order: how deep, tag name, and attributes or text. */
  nodesOf({ documents, strings }) {
    const { parentIndex, nodeType, nodeName, nodeValue, attributes } = documents[0].nodes;
    const most = this.bounds.message;
    const found = [];
    const depths = [];
    for (let at = 0; at < nodeType.length && found.length < this.bounds.nodes; at += 1) {
      // The document itself is no element.
      depths.push(parentIndex[at] < 0 ? -1 : depths[parentIndex[at]] + 1);
      if (nodeType[at] === Node.TEXT) {
        found.push([depths[at], '#text', { '': cut(strings[nodeValue[at]], most) }]);
      } else if (nodeType[at] === Node.ELEMENT) {
        const named = {};
        for (let each = 0; each < attributes[at].length; each += 2) {
          const [name, value] = attributes[at].slice(each, each + 2).map((one) => strings[one]);
          named[cut(name, most)] = cut(value, most);
        }
        found.push([depths[at], cut(strings[nodeName[at]].toLowerCase(), most), named]);
      }
    }
    return found;
  }

  /** The node that a CSS selector finds first; undefined if there is none. */
  find(selector) {
    return this.again(/Could not find node/, async () => {
      const { root } = await this.send('DOM.getDocument', { depth: 0 });
      const { nodeId } = await this.send('DOM.querySelector', { nodeId: root.nodeId, selector });
      return nodeId ? (await this.send('DOM.describeNode', { nodeId })).node : undefined;
    });
  }

  /** Does the root have content, and the framework's mark? */
  rendered() {
    return this.call(hasContent, undefined, this.plan.root, this.plan.version_attribute);
  }

  /** Roles and names of the accessibility tree, in the order of the document. */
  async tree() {
    const { nodes } = await this.send('Accessibility.getFullAXTree');
    const byId = new Map(nodes.map((node) => [node.nodeId, node]));
    const found = [];
    const pending = nodes.filter((node) => !node.parentId).reverse();
    const visited = new Set();
    while (pending.length && found.length < this.bounds.nodes) {
      const node = pending.pop();
      if (visited.has(node.nodeId)) {
        continue;
      }
      visited.add(node.nodeId);
      const role = String(node.role?.value ?? 'none');
      if (!node.ignored && !['none', 'generic', 'InlineTextBox'].includes(role)) {
        found.push([cut(role, 100), cut(node.name?.value ?? '', this.bounds.message)]);
      }
      for (const id of [...(node.childIds ?? [])].reverse()) {
        if (byId.has(id)) {
          pending.push(byId.get(id));
        }
      }
    }
    return found;
  }

  /** Is a text shown, or nearly: for waiting only, since asking for the tree makes frames late. */
  async shows(text) {
    const all = await this.call(() => `${document.body.innerText} ${document.body.textContent}`);
    return spaced(all).includes(spaced(text));
  }

  /** The document has been replaced: what was in it cannot be asked any more. */
  left() {
    this.own = null;
  }

  /** A world of the harness's own in the page, in which the page has replaced nothing. */
  async world() {
    const { frameTree } = await this.send('Page.getFrameTree');
    const world = { frameId: frameTree.frame.id, worldName: 'own' };
    const { executionContextId } = await this.send('Page.createIsolatedWorld', world);
    const asked = { expression: 'document', contextId: executionContextId };
    const { objectId } = (await this.send('Runtime.evaluate', asked)).result;
    return { executionContextId, objectId };
  }

  /** Ask in that world, of the document as it is now. */
  inside(ask) {
    return this.again(GONE, async () => {
      try {
        this.own ??= await this.world();
        return await ask(this.own);
      } catch (error) {
        this.own = null;
        throw error;
      }
    });
  }

  /** Run a function there, on a node if one is given; its value. */
  async call(code, node, ...given) {
    const asked = {
      functionDeclaration: String(code),
      arguments: given.map((value) => ({ value })),
      awaitPromise: true,
      returnByValue: true,
    };
    const called = await this.inside(async ({ executionContextId }) => {
      if (!node) {
        return this.send('Runtime.callFunctionOn', { ...asked, executionContextId });
      }
      const { backendNodeId } = node;
      const { object } = await this.send('DOM.resolveNode', { backendNodeId, executionContextId });
      return this.send('Runtime.callFunctionOn', { ...asked, objectId: object.objectId });
    });
    if (called.exceptionDetails) {
      throw new Error(called.exceptionDetails.exception?.description ?? 'it cannot be asked');
    }
    return called.result.value;
  }

  title() {
    return this.call(() => document.title);
  }

  kept() {
    return this.call(kept);
  }

  /** The language that the document says it has. */
  language() {
    return this.call(() => document.documentElement.lang);
  }

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
