// What there is to read and to do on a page: elements by role and name, asked of the browser's own
// protocol (DOMSnapshot, Accessibility).

import { leadsTo, otherLinks } from './links.mjs';
import { FIELDS, Snapshot, collapsed, cut } from './snapshot.mjs';
import { said, toldOf, traitsOf } from './traits.mjs';

// Bounds; `walked.py` has the same.
const THINGS = 1_000;
const HINTED = 3_000;
const LIVE = 20;
const SOUNDS = 20;

const CLICKED = new Set(['link', 'button', 'tab', 'menuitem', 'DisclosureTriangle', 'clickable']);
const READ = new Set(['StaticText', 'heading', 'link', 'button', 'textbox', 'searchbox', 'combobox',
  'checkbox', 'radio', 'spinbutton', 'img', 'image', 'Date', 'InputTime']);

// Of what is told of an element to who has pages read out, all else but these is compared as well: they are
// compared otherwise, or say where the page is just now.
const TOLD_OTHERWISE = new Set(['focused', 'url', 'live', 'busy', 'root']);
const DOCUMENT = 'RootWebArea';
// Who reads a page out leaves all that is in such an element to the page.
const TAKES_OVER = 'application';
// So many letters, at least, has a line of text that is marked.
const LINE = 12;
const STATES = new Set(['checked', 'disabled', 'expanded', 'pressed', 'selected']);

/**
 * The page's elements: `things` to read, their `places`, and `actions` with what it takes to find them again.
 *
 * A page whose time stands does not change: it is looked at once.
 */
export async function look(visit) {
  const { clock, looked } = visit;
  if (looked?.clock !== clock || looked.elapsed !== clock.elapsed) {
    visit.looked = { clock, elapsed: clock.elapsed, seen: await lookNow(visit) };
  }
  return visit.looked.seen;
}

async function lookNow(visit) {
  const properties = await toldOf(visit);
  const [snapshot, { nodes: accessible }] = await Promise.all([
    visit.ask('DOMSnapshot.captureSnapshot', { computedStyles: properties }),
    visit.ask('Accessibility.getFullAXTree'),
  ]);
  const page = new Snapshot(snapshot, properties);
  const found = [];
  /** Components that tell who hears of what changes. */
  const live = new Set();
  /** Role, name and text of what is read out with other numbers than it shows. */
  const sounds = [];
  const byNode = new Map();
  /** Role and name of what has the focus; empty for the page itself. */
  let focus = '';
  for (const node of accessible) {
    const index = page.indexOf.get(node.backendDOMNodeId);
    if (node.ignored || index === undefined) {
      continue;
    }
    const role = String(node.role?.value ?? '');
    const name = cut(collapsed(node.name?.value));
    if (role === TAKES_OVER) {
      visit.noteError(`has who reads it out leave that to the page: ${page.tag(index)}`);
    }
    byNode.set(index, { role, name, node });
    if (role !== DOCUMENT && node.properties?.some((each) => each.name === 'focused' && each.value.value)) {
      focus = cut(`${role} ${name}`.trim());
    }
    if (figures(name).length && sounds.length < SOUNDS) {
      const shown = page.text(index);
      if (soundsOtherwise(name, shown)) {
        sounds.push([role, name, shown]);
      }
    }
    if (node.properties?.some((each) => each.name === 'live' && each.value.value !== 'off')) {
      live.add(page.component(index) || 'the page');
    }
    if (READ.has(role) && name && found.length < THINGS) {
      const thing = [page.component(index), role, name];
      const { backendDOMNodeId: backendNodeId } = node;
      const more = { state: stateOf(node), leads: leadsTo(page, index, visit), hints: hintsAt(page, index, node) };
      found.push({ index, backendNodeId, thing, ...more });
    }
  }
  // In the document's order.
  found.sort((one, other) => one.index - other.index);
  const things = found.map(({ thing }) => thing);
  const stateful = found.filter(({ state }) => state);
  const states = stateful.map(({ thing: [, role, name], state }) => [role, name, state]);
  const ofThings = found.flatMap(({ thing: [, role, name], hints }) => hints.map((hint) => [role, name, hint]));
  const hints = [...(await traitsOf(visit, page)), ...ofThings];
  const linking = found.filter(({ leads }) => leads !== undefined);
  const named = linking.map(({ thing: [, , name], leads }) => [name, leads]);
  const links = [...otherLinks(page, new Set(linking.map(({ index }) => index)), visit), ...named].slice(0, THINGS);
  return {
    ...{ page, things, states, links, sounds, focus },
    hints: hints.slice(0, HINTED),
    live: [...live].sort().slice(0, LIVE),
    places: placesOf(found),
    actions: actionsOf(page, byNode, visit),
  };
}

/** Counts what is alike: which of the same role and name is the one that is asked for, from 0 on? */
function counting() {
  const counted = new Map();
  return (role, name) => {
    const alike = `${role}|${name}`;
    const nth = counted.get(alike) ?? 0;
    counted.set(alike, nth + 1);
    return nth;
  };
}

/** Where things are, and what it takes to find them again. */
function placesOf(found) {
  const nthOf = counting();
  return found.map(({ index, backendNodeId, thing: [, role, name] }) => {
    const target = { role, name, nth: nthOf(role, name) };
    return { index, backendNodeId, target };
  });
}

const figures = (text) => text.match(/\d[\d.,:]*/g) ?? [];

/** Has an element a name whose numbers are all others than those that it shows? */
function soundsOtherwise(name, shown) {
  const [heard, seen] = [figures(name), figures(shown)];
  return heard.length > 0 && seen.length > 0 && !heard.some((each) => seen.includes(each));
}

/**
 * What is said of an element, or of the one that a text is in: by its attributes, and to who has it read out
 * beside its role and name. Of a field also whether it has a label to click.
 */
function hintsAt(page, index, node) {
  const [around] = page.around(index);
  const element = page.tag(index) === '#text' ? around : index;
  const labelled = FIELDS.has(page.tag(index)) && page.isLabelled(index);
  return [...said(page, element), ...(labelled ? ['a label'] : []), ...readOut(node)];
}

/** What who has an element read out is told beside its role, its name and its state. */
function readOut({ description, properties = [] }) {
  const told = properties.filter(({ name, value }) => {
    const plain = ['string', 'number', 'boolean'].includes(typeof value.value);
    return plain && ![false, 'false', ''].includes(value.value) && !STATES.has(name) && !TOLD_OTHERWISE.has(name);
  });
  const said = collapsed(description?.value);
  return [
    ...(said ? [cut(`read out: description ${said}`)] : []),
    ...told.map(({ name, value }) => cut(`read out: ${name} ${collapsed(value.value)}`)).sort(),
  ];
}

/** The element of a text that can be marked with a pointer: nothing is to be clicked there. */
export function lineToMark(page) {
  for (const index of page.shown) {
    const isText = page.tag(index) === '#text' && page.text(index).length >= LINE;
    const around = isText ? [...page.around(index)] : [];
    if (isText && !around.some((at) => page.isUsed(at))) {
      return { backendNodeId: page.nodes.backendNodeId[around[0]] };
    }
  }
  return undefined;
}

/** What can be seen of an element beside its name: what is entered, ticked, chosen or switched off. */
function stateOf({ value, properties = [] }) {
  const told = properties
    .filter((each) => STATES.has(each.name) && each.value.value !== false)
    .map((each) => `${each.name}: ${each.value.value}`)
    .sort();
  const entered = collapsed(value?.value);
  return cut([...told, ...(entered ? [`value: ${entered}`] : [])].join(', '));
}

/** Every element that can be clicked or filled, in the document's order. */
function actionsOf(page, byNode, visit) {
  const found = [];
  const nthOf = counting();
  const enclosing = new Set([...page.clickable].flatMap((index) => [...page.around(index)]));
  for (let index = 0; index < page.nodes.parentIndex.length; index += 1) {
    const tag = page.tag(index);
    const told = byNode.get(index);
    const field = FIELDS.has(tag);
    const role = field || (told && CLICKED.has(told.role)) ? told?.role : 'clickable';
    if (!role || !page.shown.has(index)) {
      continue;
    }
    if (role === 'clickable') {
      const outer = ['html', 'body', '#document', 'label', 'form', 'option'].includes(tag);
      if (outer || !page.clickable.has(index) || enclosing.has(index)) {
        continue;
      }
    }
    const off = told?.node.properties?.some((each) => each.name === 'disabled' && each.value.value);
    const attributes = page.attributes(index);
    const type = tag === 'input' ? (attributes.type ?? 'text').toLowerCase() : tag;
    if (type === 'file' || type === 'hidden' || 'readonly' in attributes) {
      continue;
    }
    const name = told?.name || page.text(index);
    found.push({
      index,
      backendNodeId: page.nodes.backendNodeId[index],
      tag,
      type,
      attributes,
      off: Boolean(off),
      form: [...page.around(index)].find((at) => page.tag(at) === 'form'),
      target: {
        role,
        name,
        nth: nthOf(role, name),
        // Of a link: where it leads, if it stays in the application; null elsewhere.
        path: tag === 'a' && attributes.href !== undefined ? visit.inside(attributes.href) : null,
        key: cut(attributes.formcontrolname ?? attributes.name ?? attributes.id ?? ''),
      },
      signature: page.signature(index),
      options: tag === 'select' ? optionsOf(page, index) : [],
    });
  }
  return found;
}

function optionsOf(page, index) {
  return page
    .below(index, new Set(['option']))
    .filter((at) => !('disabled' in page.attributes(at)))
    .map((at) => ({ label: page.text(at), value: page.attributes(at).value }));
}

const squeezed = (text) => text.toLowerCase().replace(/[^\p{L}\p{N}]+/gu, '');

/** The element that a step meant: exactly, or what a redesign made of it; undefined without one. */
export function found(actions, target) {
  const same = (test) => actions.filter((each) => test(each.target));
  const exact = same((each) => each.role === target.role && each.name === target.name);
  const isField = (each) => FIELDS.has(each.tag);
  return (
    exact[target.nth] ??
    exact.at(-1) ??
    (target.path ? same((each) => each.path === target.path)[0] : undefined) ??
    (target.key ? actions.find((each) => isField(each) && each.target.key === target.key) : undefined) ??
    (target.name ? same((each) => squeezed(each.name) === squeezed(target.name))[target.nth] : undefined)
  );
}
