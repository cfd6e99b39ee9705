// What the browser's protocol tells of a document at one moment (DOMSnapshot): its elements, what they are in,
// and their styles.

export const NAME = 200;

export const FIELDS = new Set(['input', 'textarea', 'select']);

// What is clicked for something else than to mark it.
const USED = new Set(['a', 'button', 'label', 'input', 'select', 'option', 'textarea', 'summary', 'svg']);

export const collapsed = (text) => String(text ?? '').replace(/\s+/g, ' ').trim();
export const cut = (text) => text.slice(0, NAME);

export class Snapshot {
  /**
   * @param snapshot what `DOMSnapshot.captureSnapshot` tells
   * @param properties those of styles that it was asked for
   */
  constructor({ documents, strings }, properties) {
    const { nodes, layout } = documents[0];
    this.properties = properties;
    this.nodes = nodes;
    this.strings = strings;
    this.indexOf = new Map(nodes.backendNodeId.map((id, index) => [id, index]));
    this.clickable = new Set(nodes.isClickable?.index ?? []);
    this.shown = new Set(
      layout.nodeIndex.filter((_, at) => layout.bounds[at][2] > 0 && layout.bounds[at][3] > 0),
    );
    this.layout = layout;
    this.placeOf = new Map(layout.nodeIndex.map((index, at) => [index, at]));
    this.children = new Map();
    /** Ids that labels name. */
    this.labelled = new Set(
      nodes.nodeName.flatMap((_, index) => (this.tag(index) === 'label' ? [this.attributes(index).for] : [])),
    );
    nodes.parentIndex.forEach((parent, index) => {
      const beside = this.children.get(parent);
      if (beside) {
        beside.push(index);
      } else {
        this.children.set(parent, [index]);
      }
    });
  }

  tag(index) {
    return (this.strings[this.nodes.nodeName[index]] ?? '').toLowerCase();
  }

  /** Is an element there to be clicked? Some listen to all of a page. */
  isUsed(index) {
    const tag = this.tag(index);
    return USED.has(tag) || (this.clickable.has(index) && !['html', 'body', '#document'].includes(tag));
  }

  /** Has a field a label: one that names it, or one around it that names no other? */
  isLabelled(index) {
    const { id } = this.attributes(index);
    const around = [...this.around(index)].find((at) => this.tag(at) === 'label');
    const named = id !== undefined && this.labelled.has(id);
    return named || (around !== undefined && this.attributes(around).for === undefined);
  }

  attributes(index) {
    const told = this.nodes.attributes[index] ?? [];
    const found = {};
    for (let at = 0; at + 1 < told.length; at += 2) {
      found[this.strings[told[at]]] = this.strings[told[at + 1]] ?? '';
    }
    return found;
  }

  /** Values of an element's computed styles, in the order of `properties`; undefined where it has no place. */
  styles(index) {
    return this.layout.styles[this.placeOf.get(index)]?.map((value) => this.strings[value]);
  }

  /** The indexes of the elements around a node, the nearest first. */
  *around(index) {
    for (let at = this.nodes.parentIndex[index]; at >= 0; at = this.nodes.parentIndex[at]) {
      yield at;
    }
  }

  /** The element of the component that a node is in: the nearest whose name has a hyphen. */
  component(index) {
    for (const at of this.around(index)) {
      const tag = this.tag(at);
      if (tag.includes('-')) {
        return cut(tag);
      }
    }
    return '';
  }

  /** Where in its component's template an element stands, whatever list it is repeated in. */
  signature(index) {
    const tags = [this.tag(index)];
    for (const at of this.around(index)) {
      tags.push(this.tag(at));
      if (tags.at(-1).includes('-')) {
        break;
      }
    }
    return tags.join('<');
  }

  text(index) {
    const parts = [];
    const pending = [index];
    while (pending.length && parts.length < 20) {
      const at = pending.pop();
      if (this.tag(at) === '#text') {
        parts.push(this.strings[this.nodes.nodeValue[at]] ?? '');
      }
      pending.push(...[...(this.children.get(at) ?? [])].reverse());
    }
    return cut(collapsed(parts.join(' ')));
  }

  /** Everything below an element that has one of the tags, in the document's order. */
  below(index, tags) {
    const found = [];
    const pending = [index];
    while (pending.length) {
      const at = pending.pop();
      if (at !== index && tags.has(this.tag(at))) {
        found.push(at);
      }
      pending.push(...[...(this.children.get(at) ?? [])].reverse());
    }
    return found;
  }
}
