import type { App, OnBeforeRequestListenerDetails, Session, WebContents } from 'electron';
import { isPageUrl } from './page-address.js';

/** Only what the page itself is made of may be loaded: nothing comes from the network, whatever slipped into the page. */
const LOADABLE = /^(data|blob|devtools):/;

/**
 * Every page of this program, however it came to be, stays on our own scheme, opens no window and holds no web view.
 * @param openLink opens an address in the person's browser, or not
 */
export function guardPages(app: App, openLink: (url: string) => void): void {
  app.on('web-contents-created', (_event, contents) => guardContents(contents, openLink));
}

function guardContents(contents: WebContents, openLink: (url: string) => void): void {
  const stay = (event: { preventDefault(): void }, url: string): void => {
    if (!isPageUrl(url)) event.preventDefault();
  };
  contents.on('will-navigate', (event) => stay(event, event.url));
  contents.on('will-redirect', (event) => stay(event, event.url));
  contents.on('will-frame-navigate', (event) => stay(event, event.url));
  contents.on('will-attach-webview', (event) => event.preventDefault());
  contents.setWindowOpenHandler(({ url }) => {
    openLink(url);
    return { action: 'deny' };
  });
}

/**
 * Nothing of the machine is offered to a page: no camera, no clipboard, no notification of its own.
 * @param passing hears of every request of the page
 */
export function guardSession(session: Session, passing: (details: OnBeforeRequestListenerDetails) => void): void {
  session.setPermissionRequestHandler((_contents, _permission, answer) => answer(false));
  session.setPermissionCheckHandler(() => false);
  session.setDevicePermissionHandler(() => false);
  session.webRequest.onBeforeRequest((details, answer) => {
    const isOurs = isPageUrl(details.url);
    if (isOurs) passing(details);
    answer({ cancel: !isOurs && !LOADABLE.test(details.url) });
  });
  session.on('will-download', (event, item) => {
    if (!isPageUrl(item.getURL()) && !item.getURL().startsWith('blob:')) event.preventDefault();
  });
}
