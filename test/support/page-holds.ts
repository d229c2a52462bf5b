import type { Page } from 'playwright-core';

/** Runs in the page. Pages of a scheme of their own may not even ask for cookies. */
const COLLECT = `(async () => {
  const read = (request) => new Promise((resolve, reject) => {
    request.onsuccess = () => resolve(request.result);
    request.onerror = () => reject(new Error('a database can not be read'));
  });
  const databases = [];
  for (const { name } of await indexedDB.databases()) {
    const database = await read(indexedDB.open(name));
    for (const store of database.objectStoreNames) {
      databases.push(name, store, await read(database.transaction(store).objectStore(store).getAll()));
    }
    database.close();
  }
  const cookies = location.protocol.startsWith('http') ? document.cookie : '';
  return [
    document.documentElement.outerHTML,
    ...[...document.querySelectorAll('input, textarea, select')].map(({ value }) => value),
    JSON.stringify([{ ...localStorage }, { ...sessionStorage }, databases, cookies, location.href, history.state]),
  ].join('\\n');
})()`;

/**
 * All that a page holds where somebody could find it later: its markup with the attributes that scripts gave it, what stands in its
 * fields, its storages and databases, the cookies it can read, its address and the state of its history.
 */
export function holdsOf(page: Page): Promise<string> {
  return page.evaluate<string>(COLLECT);
}
