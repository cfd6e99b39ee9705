// What a browser says that it is. Browsers of other makers, as far as a page is told by name and by what is
// missing: what Chromium alone has is taken away before the page's own scripts. What they draw otherwise is
// not here.

// What neither Firefox nor Safari has.
const OF_NAVIGATOR = [
  ...['userAgentData', 'connection', 'deviceMemory', 'getBattery', 'usb', 'bluetooth', 'serial', 'hid'],
  ...['keyboard', 'ink', 'virtualKeyboard', 'windowControlsOverlay', 'getInstalledRelatedApps', 'presentation'],
];
const OF_WINDOW = [
  ...['chrome', 'showOpenFilePicker', 'showSaveFilePicker', 'showDirectoryPicker', 'queryLocalFonts'],
  ...['getScreenDetails', 'launchQueue', 'EyeDropper', 'documentPictureInPicture', 'webkitRequestFileSystem'],
];

/** Runs in every document before its own scripts. */
function without(ofNavigator, ofWindow) {
  ofNavigator.forEach((name) => delete Navigator.prototype[name]);
  ofWindow.forEach((name) => delete globalThis[name]);
}

/** What is run in a document that must not have what Chromium alone has. */
export const WITHOUT = `(${without})(${JSON.stringify(OF_NAVIGATOR)}, ${JSON.stringify(OF_WINDOW)})`;

/**
 * An older engine, as Chrome had it in February 2025: without what was added to the language since, as far
 * as V8 can be told so. Angular supports browsers for longer (angular.dev/reference/versions).
 */
export const OLDER = {
  major: '133',
  flags: [
    ...['js-sum-precise', 'js-upsert', 'js-iterator-sequencing', 'js-iterator-join', 'js-iterator-includes'],
    ...['js-base-64', 'js-float16array', 'js-regexp-escape', 'js-error-iserror', 'harmony-temporal'],
    ...['js-explicit-resource-management', 'js-joint-iteration', 'js-immutable-arraybuffer', 'js-atomics-pause'],
  ].map((name) => `--no-${name}`),
};

const FIREFOX = '143.0';

/** What browsers of other makers say that they are, by the kind of visit. */
const MAKERS = {
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
