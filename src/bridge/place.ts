/**
 * Where in the window someone is sent: by the tray, by a notification, by a link. It stands behind the `#` of the window's
 * address, so that the same link works in a browser.
 */
export type Place =
  | { readonly view: 'accounts' | 'agent' | 'chat' | 'settings' }
  /** Signing in to one network. */
  | { readonly view: 'connect'; readonly connector: string }
  /** What waits, and what ended, of one account. */
  | { readonly view: 'messages'; readonly accountId: string | undefined };

/** `#/connect/telegram` */
export function placeHash(place: Place): string {
  switch (place.view) {
    case 'connect':
      return `#/connect/${encodeURIComponent(place.connector)}`;
    case 'messages':
      return place.accountId === undefined ? '#/messages' : `#/messages/${encodeURIComponent(place.accountId)}`;
    default:
      return `#/${place.view}`;
  }
}
