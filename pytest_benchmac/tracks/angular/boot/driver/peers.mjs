// Connections from one browser to another (WebRTC). No request of a page tells of them, and a page
// could make them in a frame that is gone at once. From the first one on its process has threads for
// them, as long as it lives.

import fs from 'node:fs';

const THREADS = /^WebRTC_/;

/** Has a page of a browser made a connection to another browser, or tried to? */
export async function connectsPeers(browser) {
  const session = await browser.newBrowserCDPSession();
  const { processInfo } = await session.send('SystemInfo.getProcessInfo');
  await session.detach();
  return processInfo.some(({ id }) => threadsOf(id).some((name) => THREADS.test(name)));
}

/** Names of the threads of a process; none where it has ended. */
function threadsOf(process) {
  try {
    const folder = `/proc/${process}/task`;
    return fs.readdirSync(folder).map((id) => fs.readFileSync(`${folder}/${id}/comm`, 'utf8'));
  } catch (error) {
    if (!['ENOENT', 'ESRCH'].includes(error.code)) {
      throw error;
    }
    return [];
  }
}
