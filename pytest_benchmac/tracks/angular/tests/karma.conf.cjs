// The harness's Karma configuration, in place of whatever the project has.
//
// What is the project's: Karma, karma-jasmine, the framework's plugin, and the tests. Browser,
// reporter and every option are here, and the command line names them again, since options of a
// workspace's own (angular.json) would beat this file.
'use strict';

const { chromium } = require('./plan.json');
const { outcomes } = require('./report.cjs');

const project = process.cwd();
const own = (name) => require(require.resolve(name, { paths: [project] }));

function Browser(baseBrowserDecorator) {
  baseBrowserDecorator(this);
  this.name = 'Chromium';
  this.DEFAULT_CMD = { linux: chromium };
  this._getOptions = (url) => [
    `--user-data-dir=${this._tempDir}`,
    // What confines it is the sandbox that all of this runs in.
    '--no-sandbox',
    // Without a debugger it would leave as soon as the page is loaded.
    '--remote-debugging-port=0',
    '--disable-dev-shm-usage',
    '--disable-gpu',
    '--in-process-gpu',
    '--no-zygote',
    '--no-first-run',
    '--disable-background-timer-throttling',
    '--disable-renderer-backgrounding',
    '--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1',
    '--window-size=1280,800',
    '--lang=en-US',
    url,
  ];
}
Browser.$inject = ['baseBrowserDecorator'];

function Reporter(emitter) {
  const report = outcomes();
  report.told.browser_failed = false;
  this.adapters = [];
  this.onSpecComplete = (browser, spec) => {
    const outcome = spec.skipped
      ? 'skipped'
      : !spec.success
        ? 'failed'
        : spec.executedExpectationsCount === 0
          ? 'empty'
          : 'passed';
    const details = outcome === 'failed' ? spec.log.join('\n') : '';
    report.note([...spec.suite, spec.description], outcome, details);
  };
  this.onBrowserError = (browser, what) => report.error(what);
  this.onRunComplete = (browsers, results) =>
    report.write(!results.disconnected && !results.error);
  emitter.on('browser_process_failure', () => {
    report.told.browser_failed = true;
  });
}
Reporter.$inject = ['emitter'];

// Angular up to 19 has a plugin for Karma; what comes without it has to be found by its builder.
let framework = [];
try {
  framework = [own('@angular-devkit/build-angular/plugins/karma')];
} catch (missing) {
  if (missing.code !== 'MODULE_NOT_FOUND') throw missing;
}

module.exports = (config) =>
  config.set({
    basePath: project,
    frameworks: ['jasmine', ...framework.map(() => '@angular-devkit/build-angular')],
    plugins: [
      own('karma-jasmine'),
      ...framework,
      { 'launcher:Benchmac': ['type', Browser], 'reporter:benchmac': ['type', Reporter] },
    ],
    browsers: ['Benchmac'],
    reporters: ['benchmac'],
    // The order in which they are written: the same for every patch.
    client: { captureConsole: false, jasmine: { random: false } },
    hostname: '127.0.0.1',
    listenAddress: '127.0.0.1',
    singleRun: true,
    autoWatch: false,
    restartOnFileChange: false,
    colors: false,
    captureTimeout: 120000,
    browserNoActivityTimeout: 120000,
    browserDisconnectTimeout: 20000,
    browserDisconnectTolerance: 0,
  });
