import { Notification, type NativeImage } from 'electron';
import type { Clock, Timer } from '../base/clock.js';
import type { Place, Preferences } from '../bridge/index.js';
import type { Host } from '../host/index.js';
import { nextAbsenceMs, NoticeWatch, type Notice } from './notices.js';
import { networkName, type Say } from './words/index.js';

/** Of a message's text in a notification, when the person wants it there; characters. */
const TEXT_SHOWN = 80;

export interface NotifierParts {
  readonly clock: Clock;
  readonly icon: NativeImage | undefined;
  say(): Say;
  preferences(): Preferences;
  host(): Host | undefined;
  open(place: Place): void;
}

/** Tells the person of the three things that can't wait until they look, each once. */
export class Notifier {
  readonly #parts: NotifierParts;
  readonly #watch = new NoticeWatch();
  /** A notification that nothing refers to is collected, and its click with it. */
  readonly #shown = new Set<Notification>();
  #due: Timer | undefined;

  constructor(parts: NotifierParts) {
    this.#parts = parts;
  }

  /** The host's snapshot may have changed. */
  look(): void {
    const host = this.#parts.host();
    if (host === undefined) return;
    const snapshot = host.snapshot();
    for (const notice of this.#watch.next(snapshot, this.#parts.preferences())) void this.#tell(notice, host);
    this.#due?.cancel();
    const ms = nextAbsenceMs(snapshot);
    this.#due = ms === undefined ? undefined : this.#parts.clock.after(ms + 1, () => this.look());
  }

  /**
   * Shows one notification. @param failed called when the desktop shows none
   */
  show(title: string, body: string, place: Place | undefined, failed: () => void = () => undefined): void {
    if (!Notification.isSupported()) {
      failed();
      return;
    }
    const icon = this.#parts.icon;
    const notification = new Notification({ title, body, silent: false, ...(icon === undefined ? {} : { icon }) });
    const forget = (): void => void this.#shown.delete(notification);
    notification.on('click', () => {
      forget();
      if (place !== undefined) this.#parts.open(place);
    });
    notification.on('close', forget);
    notification.on('failed', () => {
      forget();
      failed();
    });
    this.#shown.add(notification);
    notification.show();
  }

  stop(): void {
    this.#due?.cancel();
    for (const notification of this.#shown) notification.close();
  }

  async #tell(notice: Notice, host: Host): Promise<void> {
    const say = this.#parts.say();
    switch (notice.kind) {
      case 'sign_in': {
        const network = networkName(say, notice.connector, notice.label);
        this.show(say('note.sign_in', { network }), say('note.sign_in.body'), notice.place);
        return;
      }
      case 'expired': {
        const network = networkName(say, notice.connector, notice.label);
        const text = this.#parts.preferences().notificationText ? await expiredText(host, notice.accountId) : undefined;
        this.show(say('note.expired', { network }), text ?? say('note.expired.body'), notice.place);
        return;
      }
      case 'agent_away':
        this.show(say('note.agent_away'), say('note.agent_away.body'), notice.place);
    }
  }
}

/** The beginning of the message that expired last; undefined when it is not known any more. */
async function expiredText(host: Host, accountId: string): Promise<string | undefined> {
  try {
    const { messages } = await host.execute('ended', { accountId });
    // The newest comes first.
    const last = messages.find(({ outcome }) => outcome === 'expired');
    return last === undefined || last.preview === '' ? undefined : asText(last.preview.slice(0, TEXT_SHOWN));
  } catch {
    return undefined;
  }
}

/** Desktops of Linux take tags in a notification's body for markup, pictures and links too; none begins with another sign. */
function asText(preview: string): string {
  return preview.replaceAll('<', '‹');
}
