// What a page shows, asked of the browser by its own protocol, not of scripts in the page, which the
// page could have replaced.

import { cut, within } from './common.mjs';
import { SNAPSHOT, fieldsOf, textsOf } from './sight.mjs';

// So late, at most, by its own clock, a page shows its next frame that was asked for its accessibility
// tree.
export const AFTER_TREE_MS = 5_000;
const DOCUMENT_TRIES = 10;
// What is said of a document that was replaced meanwhile.
const GONE = /context|Could not find (node|object)|not belong to the document/i;
const Node = { ELEMENT: 1, TEXT: 3 };

/**
 * Runs in the page: what it keeps, or says of itself, beside what it shows. Names and values: its title, how it is
 * printed, where it comes back to, what is in its stores, cookies and its window's name, and how that looks which
 * no picture shows, such as what is marked or found.
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
  const sheets = [...document.styleSheets, ...document.adoptedStyleSheets].flatMap(rules);
  told.push(['paper', [...new Set(sheets.flatMap(pages))].sort().join(' ')]);
  const pictured = /^(before|after|first-line|first-letter|marker|placeholder|file-selector-button|cue|part|slotted|-(?!webkit-scrollbar))/;
  const unseen = new Map();
  const first = (selector) => {
    try {
      return document.querySelector(selector || '*');
    } catch {
      // A part of one, or one within another rule.
      return null;
    }
  };
  const lookAt = (rule) => {
    for (const selector of (rule.selectorText ?? '').split(',')) {
      const [, of, name] = /^(.*?)::([\w-]+)/.exec(selector.trim()) ?? [];
      const element = name && !pictured.test(name) ? first(of) : null;
      for (const property of element ? rule.style : []) {
        if (!property.startsWith('--')) {
          const at = `::${name} ${property}`;
          const value = getComputedStyle(element, `::${name}`).getPropertyValue(property);
          unseen.set(at, (unseen.get(at) ?? new Set()).add(value));
        }
      }
    }
    rules(rule).forEach(lookAt);
  };
  sheets.forEach(lookAt);
  told.push(['scroll restoration', history.scrollRestoration], ['name of the window', globalThis.name]);
  for (const [where, store] of Object.entries({ localStorage, sessionStorage })) {
    told.push(...Object.keys(store).sort().map((name) => [`${where} ${name}`, store.getItem(name) ?? '']));
  }
  for (const cookie of document.cookie.split('; ').filter(Boolean).sort()) {
    const [name, ...value] = cookie.split('=');
    told.push([`cookie ${name}`, value.join('=')]);
  }
  told.push(...[...unseen].sort().map(([at, values]) => [at, [...values].sort().join('; ')]));
  return told;
}

/** Has the first element of a selector content, and an attribute? */
function hasContent(selector, attribute) {
  const root = document.querySelector(selector);
  return Boolean(root?.hasChildNodes() && root.hasAttribute(attribute));
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
}
