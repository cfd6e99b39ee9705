// What a browser says that it is. Browsers of other makers, and older ones, as far as a page is told by name
// and by what is missing: what Chromium alone has, or has got since, is taken away before the page's own
// scripts. `engines.json` has it, from the data that MDN publishes (`scripts/engines.py`).

import { readFileSync } from 'node:fs';

import { readingWithout, sheetsWithout } from './sheets.mjs';

const { older: OLDER_MAJOR, missing } = JSON.parse(readFileSync(new URL('engines.json', import.meta.url), 'utf8'));

// What no other maker has, and MDN does not tell.
const OWN = { '': 'chrome webkitRequestFileSystem' };

/** Runs in every document before its own scripts: names by their owner, those of the window by none. */
function without(missing) {
  const { Reflect, Object } = globalThis;
  for (const [owner, names] of Object.entries(missing).reverse()) {
    const of = owner === '' || owner === 'Window' ? globalThis : globalThis[owner];
    for (const name of names.split(' ')) {
      const { prototype } = Object(of);
      Reflect.deleteProperty(prototype && Object.hasOwn(prototype, name) ? prototype : Object(of), name);
    }
  }
}

const scripts = new Map([
  ['own', OWN],
  ...Object.entries(missing).map(([of, { scripts: names }]) => [of, names]),
].map(([of, names]) => [of, `(${without})(${JSON.stringify(names)})`]));

/** All that is ever run so: none of it is the page's. */
export const TAKING_AWAY = new Set(scripts.values());

/**
 * Have the documents of a visit miss what its browser is not to have.
 *
 * @returns what makes of a style sheet what such a browser reads: see `readBy`
 */
export async function takeAway({ asked, plan: { maker, older } }) {
  const lists = [...(maker ? [maker] : []), ...(older ? ['older'] : [])];
  const own = [...(maker ? ['own'] : []), ...lists].map((of) => ({ source: scripts.get(of) }));
  const styles = lists.map((of) => missing[of].styles);
  // In a world of the harness's own.
  const sheets = styles.length ? [{ source: sheetsWithout(styles), worldName: 'sheets' }] : [];
  for (const each of [...own, ...sheets]) {
    await asked.send('Page.addScriptToEvaluateOnNewDocument', each);
  }
  return styles.length ? readingWithout(styles) : null;
}

/**
 * An older engine, as Chrome had it in February 2025: without what was added to the language since, as far
 * as V8 can be told so. Angular supports browsers for longer (angular.dev/reference/versions).
 */
export const OLDER = {
  major: OLDER_MAJOR,
  flags: [
    ...['js-sum-precise', 'js-upsert', 'js-iterator-sequencing', 'js-iterator-join', 'js-iterator-includes'],
    ...['js-base-64', 'js-float16array', 'js-regexp-escape', 'js-error-iserror', 'harmony-temporal'],
    ...['js-explicit-resource-management', 'js-joint-iteration', 'js-immutable-arraybuffer', 'js-atomics-pause'],
  ].map((name) => `--no-${name}`),
};

const FIREFOX = '143.0';

/** What browsers of other makers say that they are. */
const MAKERS = {
  firefox: ({ system, platform }) => ({
    userAgent: `Mozilla/5.0 (${system}; rv:${FIREFOX}) Gecko/20100101 Firefox/${FIREFOX}`,
    platform,
  }),
  safari: () => ({
    userAgent:
      'Mozilla/5.0 (iPhone; CPU iPhone OS 18_6 like Mac OS X) AppleWebKit/605.1.15 ' +
      '(KHTML, like Gecko) Version/18.6 Mobile/15E148 Safari/604.1',
    platform: 'iPhone',
  }),
};

// What browsers say of the system that they run on.
const SYSTEMS = {
  Linux: { system: 'X11; Linux x86_64', platform: 'Linux x86_64' },
  Windows: { system: 'Windows NT 10.0; Win64; x64', platform: 'Win32' },
  macOS: { system: 'Macintosh; Intel Mac OS X 10_15_7', platform: 'MacIntel' },
  Android: { system: 'Linux; Android 10; K', platform: 'Linux armv81' },
};

/** What the browser of a visit says that it is: parameters of `Emulation.setUserAgentOverride`. */
export function agentOf({ browser, mobile, plan }) {
  const [newest] = browser.version().split('.');
  const major = plan.older ? OLDER.major : newest;
  const { system, platform } = SYSTEMS[plan.system];
  const acceptLanguage = [plan.locale, ...plan.languages].join(',');
  if (plan.maker) {
    return { ...MAKERS[plan.maker]({ system, platform }), acceptLanguage };
  }
  const userAgent =
    `Mozilla/5.0 (${system}) AppleWebKit/537.36 (KHTML, like Gecko) ` +
    `Chrome/${major}.0.0.0 ${mobile ? 'Mobile ' : ''}Safari/537.36`;
  const brands = ['Chromium', 'Not A;Brand'].map((brand) => ({ brand, version: major }));
  const userAgentMetadata = {
    brands,
    platform: plan.system,
    platformVersion: '',
    architecture: mobile ? '' : 'x86',
    model: '',
    mobile,
  };
  return { userAgent, acceptLanguage, platform, userAgentMetadata };
}
