// What there is to elements beside what pages show: their attributes, and those of their computed styles that
// no picture shows. All of it is told, but for what is looked at otherwise: no list says what is.

import { readFileSync } from 'node:fs';

import { collapsed, cut } from './snapshot.mjs';

const { attributes } = JSON.parse(readFileSync(new URL('engines.json', import.meta.url), 'utf8'));

// Attributes that browsers give a meaning to: what others do, such as those by which frameworks mark elements,
// they do by style sheets and scripts.
const MEANT = new Set(attributes.split(' '));
const isMeant = (name) => MEANT.has(name) || name === 'role' || name.startsWith('aria-') || name.startsWith('on');
// Those that are looked at otherwise: as looks, states, pictures and places that links lead to; or that say how
// files are fetched.
const OTHERWISE = new Set([
  ...['class', 'style', 'id', 'for', 'href', 'src', 'value', 'checked', 'selected', 'disabled', 'open', 'width', 'height'],
  ...['srcset', 'sizes', 'loading', 'decoding', 'fetchpriority', 'nonce', 'integrity', 'crossorigin', 'xmlns'],
]);
// The same of documents alone.
const OF_DOCUMENTS = new Set(['lang', 'dir']);
// Those that name other elements: each build numbers these in its own way.
const NAMING = new Set([
  ...['aria-labelledby', 'aria-describedby', 'aria-controls', 'aria-owns', 'aria-activedescendant', 'aria-details'],
  ...['aria-flowto', 'aria-errormessage', 'list', 'form', 'headers', 'popovertarget', 'commandfor', 'usemap'],
]);
// Routers make whatever leads somewhere reachable, or do not yet: that is seen by the tab key.
const REACHABLE = 'tabindex: 0';
// Who hears a page hears nothing of such an element, nor of what can be used in it.
const HIDDEN = 'aria-hidden: true';
const USED = new Set(['button', 'input', 'select', 'textarea', 'summary']);
const WITH_LINKS = new Set([...USED, 'a']);
// Pictures that the framework's own directive has made since version 15, of what the application names once.
const FRAMEWORKS = new Set([
  ...['1x', '2x', '16w', '32w', '48w', '64w', '96w', '128w', '256w', '384w', '640w', '750w', '828w', '1080w'],
  ...['1200w', '1920w', '2048w', '3840w'],
]);

// Styles that pictures show on the machine that judges, or that only style libraries trim: colours, places, sizes
// and shapes, how letters are drawn, how things move. And second names of others, by the direction of writing.
const PICTURED = new RegExp(
  `^(?!animation-(timeline|range|trigger)|timeline-|view-timeline|trigger-|container-type)(-webkit-)?(${[
    ...['align', 'alignment', 'anchor', 'animation', 'appearance', 'aspect', 'backdrop', 'backface', 'background'],
    ...['baseline', 'block', 'border', 'bottom', 'box', 'buffered', 'caption', 'clear', 'clip', 'color', 'column'],
    ...['columns', 'contain', 'container', 'content', 'corner', 'counter', 'cx', 'cy', 'd', 'direction', 'display'],
    ...['dominant', 'empty', 'fill', 'filter', 'flex', 'float', 'flood', 'grid', 'height', 'hyphenate', 'hyphens'],
    ...['image', 'initial', 'inline', 'inset', 'interpolate', 'isolation', 'justify', 'left', 'letter', 'lighting'],
    ...['line', 'list', 'locale', 'margin', 'marker', 'mask', 'math', 'max', 'min', 'mix', 'object', 'offset', 'opacity', 'order'],
    ...['outline', 'overflow', 'overlay', 'padding', 'paint', 'perspective', 'position', 'quotes', 'r', 'right', 'rotate'],
    ...['row', 'rtl', 'ruby', 'rule', 'rx', 'ry', 'scale', 'shape', 'stop', 'stroke', 'tab', 'table', 'tap', 'timeline'],
    ...['top', 'transform', 'transition', 'translate', 'trigger', 'unicode', 'vector', 'vertical', 'view', 'visibility'],
    ...['white', 'width', 'will', 'word', 'writing', 'x', 'y', 'z', 'zoom'],
  ].join('|')})(-|$)|^(-webkit-)?(font|text)-(?!family|size-adjust|security)|-(block|inline)(-|$)`,
);
// What the colour of letters is told by: styles that are the same say no more than it does.
const COLOUR = 'color';
// What is called the component of elements that the application is in.
const AROUND = 'around the application';
const FONTS = 'font-family';
// Of what others are placed by, only that they follow how far it was moved.
const CONTAINER = 'container-type';

/** Runs in the page: names of all properties of computed styles, without those that the page itself has made. */
const allOf = () => [...getComputedStyle(document.documentElement)].filter((name) => !name.startsWith('--'));

const properties = new WeakMap();

/** Those properties of computed styles that are told, as the browser of a visit has them. */
export async function toldOf({ browser, asked }) {
  if (!properties.has(browser)) {
    const all = await asked.call(allOf);
    properties.set(browser, [...all.filter((name) => !PICTURED.test(name)), COLOUR]);
  }
  return properties.get(browser);
}

/** A font that is named twice is asked for once. */
const once = (fonts) => [...new Set(fonts.split(',').map((each) => each.trim()))].join(', ');

const told = (name, value) => cut(`style ${name} ${name === FONTS ? once(value) : value}`);

/** What of a list of pictures decides which one is taken: screens and widths that they are for, without their names. */
const descriptors = (srcset) => [...new Set(srcset.match(/(?<=\s)[-+\d.e]+[wxh](?=\s*(?:,|$))/gi) ?? [])].sort();

/** Which pictures an element has to choose from. */
function choices(page, index) {
  const { srcset, ...attributes } = page.attributes(index);
  const isFrameworks = 'ng-img' in attributes;
  const own = srcset === undefined ? [] : descriptors(srcset);
  const outer = page.nodes.parentIndex[index];
  const sources = page.tag(outer) === 'picture' ? page.below(outer, new Set(['source'])) : [];
  const others = sources.map((at) => page.attributes(at));
  return [
    ...(own.length && !(isFrameworks && own.every((each) => FRAMEWORKS.has(each))) ? [`srcset: ${own.join(', ')}`] : []),
    ...others.map(({ media = '', srcset: of = '' }) => `source: ${collapsed(`${media} ${descriptors(of).join(', ')}`)}`),
  ];
}

/** Can something in an element be used, or it itself? What is around components libraries hide, while dialogs are open. */
function isUsed(page, index) {
  const used = (at) => {
    const { href, type, disabled } = page.attributes(at);
    return page.tag(at) === 'a' ? href !== undefined : USED.has(page.tag(at)) && disabled === undefined && type !== 'hidden';
  };
  return page.component(index) !== '' && [index, ...page.below(index, WITH_LINKS)].some(used);
}

/** What an element says of itself by its attributes, in words. */
export function said(page, index) {
  const isDocument = page.tag(index) === 'html';
  return Object.entries(page.attributes(index))
    .filter(([name]) => isMeant(name) && !OTHERWISE.has(name) && !(isDocument && OF_DOCUMENTS.has(name)))
    .map(([name, value]) => (NAMING.has(name) ? name : `${name}: ${collapsed(value)}`))
    .filter((each) => each !== REACHABLE)
    .concat(page.tag(index) === 'img' ? choices(page, index) : [])
    .map((each) => (each.toLowerCase() === HIDDEN && isUsed(page, index) ? `${each} of what is used` : each))
    .map((each) => cut(`says ${each}`));
}

/** Those styles of an element that it does not have from what it is in, in words. */
function styled(page, index) {
  const { properties } = page;
  const values = page.styles(index);
  const outer = page.styles(page.nodes.parentIndex[index]) ?? [];
  const colour = values[properties.length - 1];
  const own = properties.slice(0, -1).filter((_, at) => values[at] !== outer[at] && values[at] !== colour);
  const all = own.map((name) => told(name, values[properties.indexOf(name)]));
  return all.filter((each) => !each.startsWith(`style ${CONTAINER} `) || each.includes('scroll-state'));
}

/**
 * Runs in the page: styles of what lists offer that are not those of their field. Browsers draw lists in windows
 * of their own, which are in no picture: all styles are told. Tag name and component are told with each.
 */
function offered() {
  const found = new Map();
  const all = [...document.querySelectorAll('option, optgroup')];
  const most = 12;
  for (const each of new Set([...all.slice(0, most), ...all.slice(-most)])) {
    const field = each.closest('select, datalist');
    const [own, outer] = [each, field].map((one) => one && getComputedStyle(one));
    let around = each.parentElement;
    while (around && !around.localName.includes('-')) {
      around = around.parentElement;
    }
    for (const name of outer ? own : []) {
      const value = own.getPropertyValue(name);
      // What follows the colour of letters says no more than it does.
      if (value !== outer.getPropertyValue(name) && (name === 'color' || value !== own.color)) {
        const told = [each.localName, around?.localName ?? '', name, value];
        found.set(told.join(' '), told);
      }
    }
  }
  return [...found.values()];
}

/** How lists are drawn that a page has: as hints. Asked once for each page and number of lists. */
async function lists(visit, page) {
  const fields = page.nodes.nodeName.filter((_, index) => page.tag(index) === 'select').length;
  const place = `${fields} ${visit.path()}`;
  visit.lists ??= new Map();
  if (fields && !visit.lists.has(place)) {
    visit.lists.set(place, await visit.asked.call(offered));
  }
  return (visit.lists.get(place) ?? []).map(([tag, component, name, value]) => [tag, cut(component), told(name, value)]);
}

/**
 * What there is to each kind of element that has a place, by tag and component: its attributes and styles, and
 * that it is there at all.
 */
export async function traitsOf(visit, page) {
  const found = new Map();
  const places = [...page.placeOf.keys()];
  const roots = places.filter((index) => visit.plan.version_attribute in page.attributes(index));
  const around = new Set(roots.flatMap((index) => [...page.around(index)]));
  for (const index of places) {
    const tag = page.tag(index);
    const isElement = !tag.startsWith('#');
    const kind = isElement ? [tag, around.has(index) ? AROUND : page.component(index)] : undefined;
    // What is drawn has no more to it than its picture.
    const isDrawn = isElement && [...page.around(index)].some((at) => page.tag(at) === 'svg');
    if (kind && !isDrawn) {
      for (const hint of ['there', ...said(page, index), ...styled(page, index)]) {
        found.set([...kind, hint].join('\n'), [...kind, hint]);
      }
    }
  }
  return [...found.values(), ...(await lists(visit, page))];
}
