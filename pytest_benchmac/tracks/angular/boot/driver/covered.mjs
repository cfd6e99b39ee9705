// Which elements of a page are covered by others, so that a click there meets something else: links beneath an open
// dialog, say.

import { FIELDS } from './snapshot.mjs';

/**
 * Runs in the page, on an element: is it covered wherever the page is scrolled to? Without one: is any link or button?
 *
 * What is covered, out of the window, or scrolled out of sight, is brought to the middle of the window to be clicked, as
 * far as the page can be scrolled: there, only what stays in its place covers it.
 */
function covered() {
  const isCovered = (element) => {
    const box = [...element.getClientRects()].find((each) => each.width * each.height > 0);
    if (!box) {
      return false;
    }
    const [x, y] = [box.x + box.width / 2, box.y + box.height / 2];
    const within = ({ left, top, right, bottom }) => x >= left && x < right && y >= top && y < bottom;
    let inSight = within({ left: 0, top: 0, right: innerWidth, bottom: innerHeight });
    for (let at = element.parentElement; inSight && at; at = at.parentElement) {
      inSight = getComputedStyle(at).overflow === 'visible' || within(at.getBoundingClientRect());
    }
    const fixedAt = (...place) => {
      const stays = (each) => each && (getComputedStyle(each).position === 'fixed' ? each : stays(each.parentElement));
      const fixed = stays(document.elementFromPoint(...place));
      return fixed && !fixed.contains(element) ? fixed : undefined;
    };
    const top = inSight && element.getRootNode().elementFromPoint(x, y);
    if (top && (top.contains(element) || element.contains(top))) {
      return false;
    }
    if (top && !fixedAt(x, y)) {
      // It moves along.
      return true;
    }
    const { scrollTop, scrollHeight } = document.scrollingElement;
    const moved = Math.min(Math.max(y - innerHeight / 2, -scrollTop), scrollHeight - innerHeight - scrollTop);
    return Boolean(fixedAt(Math.min(Math.max(x, 0), innerWidth - 1), inSight ? y - moved : innerHeight / 2));
  };
  return this?.nodeType === Node.ELEMENT_NODE
    ? isCovered(this)
    : [...document.querySelectorAll('a, button')].some(isCovered);
}

/** What a page offers without what is covered. Fields stay: what is entered there needs no click. */
export async function withoutCovered({ asked }, seen) {
  if (!(await asked.call(covered))) {
    return seen;
  }
  const actions = [];
  for (const action of seen.actions) {
    // What is gone meanwhile is not covered.
    if (FIELDS.has(action.tag) || !(await asked.call(covered, action).catch(() => false))) {
      actions.push(action);
    }
  }
  return { ...seen, actions };
}
