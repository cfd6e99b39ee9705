// What a page executes: every script that the browser parses, and which template functions ran.
//
// Where a script comes from is the embedder's word (`embedderName`) and its source's, never what the
// script says of itself (`sourceURL`).

import { cut, digest, note } from './common.mjs';
import { TAKING_AWAY } from './makers.mjs';
import { ASKED, addListened } from './uses.mjs';

const SHOWN = 200;
const OWN = new Set(ASKED.map(digest));

export class Scripts {
  /**
   * @param asked questions to the page
   * @param bounds of the driver's answer
   */
  constructor(asked, bounds) {
    this.asked = asked;
    this.bounds = bounds;
    this.parsed = [];
    /** What the content security policy kept from running. */
    this.blocked = [];
    /** Names of files by script. */
    this.names = new Map();
    this.asked.cdp.on('Audits.issueAdded', ({ issue }) => {
      const details = issue.details.contentSecurityPolicyIssueDetails;
      if (details) {
        note(this.blocked, details, this.bounds.entries);
      }
    });
    this.asked.cdp.on('Debugger.scriptParsed', (script) => {
      // The harness's own questions are asked in worlds of their own, but for two, which do nothing.
      if (script.executionContextAuxData?.isDefault !== false && !OWN.has(script.hash)) {
        this.parsed.push(script);
      }
    });
  }

  /**
   * Nothing yet: files with the digests of their content, other scripts, template functions, and
   * what pages make use of.
   */
  static none() {
    const uses = { features: [], listened: [] };
    const made = { workers: 0, peers: false, frames: false };
    return { files: {}, foreign: [], templates: {}, more: 0, ...made, ...uses };
  }

  /** @param covers is it asked which functions ran? */
  async start(covers) {
    await this.asked.send('Audits.enable');
    await this.asked.send('Debugger.enable');
    await this.asked.send('Debugger.setSkipAllPauses', { skip: true });
    if (covers) {
      await this.asked.send('Profiler.enable');
      const coverage = { callCount: false, detailed: false };
      await this.asked.send('Profiler.startPreciseCoverage', coverage);
    }
  }

  /** Add what was executed since the last time. */
  async take(site, executed) {
    executed.more += await this.takeParsed(site, executed);
    const { result } = await this.asked.send('Profiler.takePreciseCoverage');
    for (const { scriptId, functions } of result) {
      const name = this.names.get(scriptId);
      const wanted = name === undefined ? undefined : site.templates.get(name);
      for (const { ranges } of wanted ? functions : []) {
        const [{ startOffset, count }] = ranges;
        if (count > 0 && wanted.has(startOffset)) {
          const seen = (executed.templates[name] ??= []);
          if (!seen.includes(startOffset)) {
            seen.push(startOffset);
          }
        }
      }
    }
  }

  /** The same without template functions, and what is listened to; how many scripts were not looked at. */
  async takeParsed(site, executed) {
    const parsed = this.parsed.splice(0);
    // So many are nobody's application: the rest is counted.
    let more = parsed.splice(this.bounds.entries).length;
    for (const { violatedDirective, contentSecurityPolicyViolationType, ...at } of this.blocked.splice(
      0,
    )) {
      const address = at.blockedURL ?? at.sourceCodeLocation?.url ?? '';
      const start = `${contentSecurityPolicyViolationType} of ${violatedDirective}`;
      this.tell(executed, { kind: 'blocked', sha256: digest(''), address, start }, site);
    }
    for (const script of parsed) {
      more += await this.add(script, site, executed);
    }
    // Last: a page that does not answer this has told its scripts.
    await addListened(this.asked, this.bounds, executed);
    return more;
  }

  /** Add a script; 1 when it is not there any more. */
  async add(script, site, executed) {
    const { scriptId, embedderName = '', scriptLanguage, hash } = script;
    const name = site.below(embedderName);
    const { sha256, textSha256 } = (name === undefined ? undefined : site.digests(name)) ?? {};
    // The browser's own digest of what it runs: most scripts need not be fetched to be known.
    if (textSha256 !== undefined && textSha256 === hash) {
      this.names.set(scriptId, name);
      executed.files[name] = sha256;
      return 0;
    }
    let source;
    if (scriptLanguage !== 'WebAssembly') {
      try {
        source = (await this.asked.send('Debugger.getScriptSource', { scriptId })).scriptSource;
      } catch {
        // Its page is gone already.
        return 1;
      }
    }
    // The harness's own: whoever runs the same gains nothing by it.
    if (TAKING_AWAY.has(source) || (source !== undefined && name !== undefined && site.inline.has(source))) {
      return 0;
    }
    const kind = kindOf(script, name);
    const start = cut(source ?? '', SHOWN);
    this.tell(executed, { kind, sha256: digest(source ?? ''), address: embedderName, start }, site);
    return 0;
  }

  tell(executed, { kind, sha256, address, start }, site) {
    const same = (each) => each.kind === kind && each.sha256 === sha256;
    if (!executed.foreign.some((each) => same(each) && (kind !== 'blocked' || each.start === start))) {
      const seen = { kind, sha256, address: cut(site.told(address), this.bounds.message), start };
      executed.more += executed.foreign.length < this.bounds.entries ? 0 : 1;
      note(executed.foreign, seen, this.bounds.entries);
    }
  }
}

function kindOf({ embedderName, scriptLanguage }, name) {
  if (scriptLanguage === 'WebAssembly') {
    return 'wasm';
  }
  const [, scheme] = /^(blob|data):/.exec(embedderName ?? '') ?? [];
  // Of a document, and not in what was served: added, or a handler.
  return scheme ?? (name !== undefined ? 'inline' : embedderName ? 'elsewhere' : 'eval');
}
