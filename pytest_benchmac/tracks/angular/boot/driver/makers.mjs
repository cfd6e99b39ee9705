// Browsers of other makers, as far as a page is told by name and by what is missing: what Chromium alone has
// is taken away before the page's own scripts. What they draw otherwise is not here.

// What neither Firefox nor Safari has.
const OF_NAVIGATOR = [
  ...['userAgentData', 'connection', 'deviceMemory', 'getBattery', 'usb', 'bluetooth', 'serial', 'hid'],
  ...['keyboard', 'ink', 'virtualKeyboard', 'windowControlsOverlay', 'getInstalledRelatedApps', 'presentation'],
];
const OF_WINDOW = [
  ...['chrome', 'showOpenFilePicker', 'showSaveFilePicker', 'showDirectoryPicker', 'queryLocalFonts'],
  ...['getScreenDetails', 'launchQueue', 'EyeDropper', 'documentPictureInPicture', 'webkitRequestFileSystem'],
];

// What not all browsers have had for two and a half years (web.dev/baseline: newly, not widely, available), by
// what has it: the browsers that Angular supports (angular.dev/reference/versions) may lack it.
const RECENT = {
  globalThis: ['Temporal', 'Float16Array', 'URLPattern', 'Iterator'],
  Array: ['fromAsync'],
  Error: ['isError'],
  'Iterator.prototype': ['drop', 'every', 'filter', 'find', 'flatMap', 'forEach', 'map', 'reduce', 'some', 'take', 'toArray'],
  JSON: ['rawJSON', 'isRawJSON'],
  Map: ['groupBy'],
  'Map.prototype': ['getOrInsert', 'getOrInsertComputed'],
  Math: ['f16round', 'sumPrecise'],
  Object: ['groupBy'],
  Promise: ['try', 'withResolvers'],
  RegExp: ['escape'],
  'Set.prototype': [
    ...['difference', 'intersection', 'isDisjointFrom', 'isSubsetOf', 'isSupersetOf', 'symmetricDifference', 'union'],
  ],
  URL: ['parse'],
  Uint8Array: ['fromBase64', 'fromHex'],
  'Uint8Array.prototype': ['setFromBase64', 'setFromHex', 'toBase64', 'toHex'],
};

/** Runs in every document before its own scripts. */
function without(ofNavigator, ofWindow, recent) {
  ofNavigator.forEach((name) => delete Navigator.prototype[name]);
  ofWindow.forEach((name) => delete globalThis[name]);
  // What is called `Iterator` has to be found before it is gone.
  const owners = Object.entries(recent).map(([owner, names]) => [
    owner === 'globalThis' ? globalThis : owner.split('.').reduce((found, name) => found?.[name], globalThis),
    names,
  ]);
  for (const [owner, names] of owners) {
    names.forEach((name) => owner && delete owner[name]);
  }
}

/** What is run in a document that must not have what Chromium alone has, or what is new. */
export const WITHOUT = `(${without})(${[OF_NAVIGATOR, OF_WINDOW, RECENT].map((each) => JSON.stringify(each)).join(', ')})`;

const FIREFOX = '143.0';

/** What browsers of other makers say that they are, by the kind of visit: see `Visit.agent`. */
export const MAKERS = {
  computer: ({ system, platform }) => ({
    userAgent: `Mozilla/5.0 (${system}; rv:${FIREFOX}) Gecko/20100101 Firefox/${FIREFOX}`,
    platform,
  }),
  telephone: () => ({
    userAgent:
      'Mozilla/5.0 (iPhone; CPU iPhone OS 18_6 like Mac OS X) AppleWebKit/605.1.15 ' +
      '(KHTML, like Gecko) Version/18.6 Mobile/15E148 Safari/604.1',
    platform: 'iPhone',
  }),
};
