// Other ways to look at a page than those of declared pages: in print, with things that move, in other
// colours, in larger letters.

import { within } from './common.mjs';

// What every page is shown with, but for these.
const USUAL = { media: null, forcedColors: null, contrast: null, reducedMotion: 'reduce' };

/** These ways, in words. */
export const MEDIA = {
  'in print': { media: 'print' },
  'in colours of the system': { forcedColors: 'active' },
  'in strong colours': { contrast: 'more' },
  'with things that move': { reducedMotion: 'no-preference' },
};
/** Those that pictures are taken in. */
export const PICTURED_IN = ['in print', 'in strong colours', 'with things that move'];

// Sizes of letters, in CSS pixels, where a page asks for none: what browsers have, and people who see
// little set them to. That other letters are larger at all is more than rounding.
const LETTERS = { standard: 16, fixed: 13 };
const LARGER = { standard: 24, fixed: 20 };
const LARGER_BY = 1.1;

/**
 * Runs in the page: how many texts are there for somebody to read (`found`), the sum of their letters' sizes, and
 * whether all that moves does so by time (`timed`).
 */
export function readable() {
  const texts = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  let [found, letters] = [0, 0];
  while (texts.nextNode()) {
    const { data, parentElement } = texts.currentNode;
    const shown = { opacityProperty: true, visibilityProperty: true };
    if (data.trim() && parentElement.checkVisibility(shown)) {
      found += 1;
      letters += Number.parseFloat(getComputedStyle(parentElement).fontSize);
    }
  }
  // Others follow how far something was moved. Scripts need no style for that.
  const usual = (value = '') => /^(auto|none)?(, (auto|none))*$/.test(value);
  const byTime = ({ animationTimeline, animationTrigger, containerType = '' }) =>
    usual(animationTimeline) && usual(animationTrigger) && !containerType.includes('scroll-state');
  const timed =
    [...document.querySelectorAll('*')].every((each) => byTime(getComputedStyle(each))) &&
    document.getAnimations().every(({ timeline }) => !timeline || timeline instanceof DocumentTimeline);
  return { found, letters, timed };
}

/** Do something while a page is looked at in another way, by the name of that. */
export async function during(name, { page, plan }, act) {
  const look = (media) => within(page.emulateMedia(media), plan.answer_ms);
  await look({ ...USUAL, ...MEDIA[name] });
  try {
    return await act();
  } finally {
    await look(USUAL);
  }
}

/** What holds of a page's texts in other ways to look at it: half of them can be read, and letters grow. */
export async function readableIn(visit) {
  const { asked } = visit;
  const told = [];
  const { found, letters } = await asked.call(readable);
  for (const name of Object.keys(MEDIA)) {
    const there = await during(name, visit, () => asked.call(readable));
    if (there.found >= found / 2) {
      told.push(`${name} the texts can be read`);
    }
    if (there.timed) {
      told.push(`${name} all that moves follows the time`);
    }
  }
  await asked.send('Page.setFontSizes', { fontSizes: LARGER });
  const large = await asked.call(readable);
  await asked.send('Page.setFontSizes', { fontSizes: LETTERS });
  if (large.letters > LARGER_BY * letters) {
    told.push('letters are larger where the browser is set to larger ones');
  }
  return told;
}
