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

/** Runs in every document before its own scripts. */
function without(ofNavigator, ofWindow) {
  ofNavigator.forEach((name) => delete Navigator.prototype[name]);
  ofWindow.forEach((name) => delete globalThis[name]);
}

/** What is run in a document that must not have what Chromium alone has. */
export const WITHOUT = `(${without})(${JSON.stringify(OF_NAVIGATOR)}, ${JSON.stringify(OF_WINDOW)})`;

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
