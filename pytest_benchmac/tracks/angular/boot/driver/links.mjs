// Where links lead by their addresses.

import { cut } from './snapshot.mjs';

const LINKS = new Set(['a', 'area']);
// Schemes by which somebody is written to or called; `links.py` has the same.
const REACHED = new Set(['mailto:', 'tel:', 'sms:', 'callto:', 'facetime:', 'sip:', 'sips:', 'whatsapp:', 'xmpp:']);
const MAIL = 'mailto:';
const COPIES = new Set(['to', 'cc', 'bcc']);

function decoded(text) {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

/** Who is reached by an address: without what is written to them, and however numbers are spaced. */
function reached({ protocol, pathname, searchParams }) {
  const copies = [...searchParams].filter(([name]) => COPIES.has(name.toLowerCase())).map(([, value]) => value);
  const all = [decoded(pathname), ...copies].map((each) => each.trim().toLowerCase()).filter(Boolean);
  return protocol + all.map((each) => (protocol === MAIL ? each : each.replace(/[\s().-]+/g, ''))).join(',');
}

/**
 * Where a link leads: a path of the application, another host and what follows it, or somebody to be reached;
 * empty for anything else. Undefined for what is no link.
 */
export function leadsTo(page, index, visit) {
  const attributes = LINKS.has(page.tag(index)) ? page.attributes(index) : {};
  const href = attributes.href ?? attributes['xlink:href'];
  if (href === undefined || !URL.canParse(href, visit.page.url())) {
    return undefined;
  }
  const url = new URL(href, visit.page.url());
  if (REACHED.has(url.protocol)) {
    return cut(reached(url));
  }
  const elsewhere = () => url.host && `${url.host}${url.pathname}${url.search}${url.hash}`;
  return cut(visit.inside(href) ?? elsewhere());
}

/** Where those links of a page lead that nothing else tells: without a name, say. Each once. */
export function otherLinks(page, told, visit) {
  const found = new Set();
  for (let index = 0; index < page.nodes.parentIndex.length; index += 1) {
    found.add(told.has(index) ? undefined : leadsTo(page, index, visit));
  }
  found.delete(undefined);
  return [...found].map((leads) => ['', leads]);
}
