import { FakeDesktop } from './fake-desktop.js';
import { PrivateSession, Screen, type Keyring } from './private-session.js';

/** A screen with a session on it and what a desktop offers; ends with everything that it started. */
export class Desk {
  private constructor(
    readonly screen: Screen,
    readonly session: PrivateSession,
    readonly desktop: FakeDesktop,
  ) {}

  static async start(options: { readonly keyring: Keyring; readonly tray: boolean }): Promise<Desk> {
    const screen = await Screen.start();
    const session = await PrivateSession.start(screen, options.keyring);
    const desktop = await FakeDesktop.start(session.env);
    if (options.tray) await desktop.showTray();
    return new Desk(screen, session, desktop);
  }

  async end(): Promise<void> {
    this.desktop.stop();
    await this.session.end();
    this.screen.stop();
  }
}
