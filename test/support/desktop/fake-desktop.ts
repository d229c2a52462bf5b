import dbus from 'dbus-next';
import { Journal } from '../deadline.js';

const { Interface, ACCESS_READ } = dbus.interface;

const ITEM = 'org.kde.StatusNotifierItem';
const MENU = 'com.canonical.dbusmenu';

/** A notification as a desktop got it. */
export interface Shown {
  readonly id: number;
  readonly title: string;
  readonly body: string;
}

/** The registry of tray icons on the session bus (freedesktop.org, StatusNotifierItem). */
class Watcher extends Interface {
  readonly items = new Journal<string>();

  constructor() {
    super('org.kde.StatusNotifierWatcher');
  }

  RegisterStatusNotifierItem(service: string): void {
    this.items.push(service);
  }

  RegisterStatusNotifierHost(_service: string): void {}

  get RegisteredStatusNotifierItems(): string[] {
    return this.items.entries;
  }

  readonly IsStatusNotifierHostRegistered = true;
  readonly ProtocolVersion = 0;
}
Watcher.configureMembers({
  properties: {
    RegisteredStatusNotifierItems: { signature: 'as', access: ACCESS_READ },
    IsStatusNotifierHostRegistered: { signature: 'b', access: ACCESS_READ },
    ProtocolVersion: { signature: 'i', access: ACCESS_READ },
  },
  methods: {
    RegisterStatusNotifierItem: { inSignature: 's', outSignature: '' },
    RegisterStatusNotifierHost: { inSignature: 's', outSignature: '' },
  },
});

/** The notification service of a desktop (freedesktop.org, Desktop Notifications). */
class Notifications extends Interface {
  readonly shown = new Journal<Shown>();

  constructor() {
    super('org.freedesktop.Notifications');
  }

  GetCapabilities(): string[] {
    return ['body', 'actions'];
  }

  GetServerInformation(): string[] {
    return ['test', 'test', '1', '1.2'];
  }

  Notify(_app: string, _replaces: number, _icon: string, title: string, body: string): number {
    const id = this.shown.entries.length + 1;
    this.shown.push({ id, title, body });
    return id;
  }

  CloseNotification(_id: number): void {}

  ActionInvoked(id: number, action: string): [number, string] {
    return [id, action];
  }
}
Notifications.configureMembers({
  methods: {
    GetCapabilities: { inSignature: '', outSignature: 'as' },
    GetServerInformation: { inSignature: '', outSignature: 'ssss' },
    Notify: { inSignature: 'susssasa{sv}i', outSignature: 'u' },
    CloseNotification: { inSignature: 'u', outSignature: '' },
  },
  signals: { ActionInvoked: { signature: 'us' } },
});

/** One entry of the tray's menu, as the bus tells it. */
export interface TrayEntry {
  readonly id: number;
  readonly label: string;
  readonly enabled: boolean;
  readonly children: readonly TrayEntry[];
}

/** What a desktop offers programs beside its screen: a place for tray icons and a notification service. */
export class FakeDesktop {
  readonly #bus: dbus.MessageBus;
  readonly #watcher = new Watcher();
  readonly notifications = new Notifications();

  private constructor(address: string) {
    this.#bus = dbus.sessionBus({ busAddress: address });
  }

  static async start(env: Readonly<Record<string, string>>): Promise<FakeDesktop> {
    const desktop = new FakeDesktop(env['DBUS_SESSION_BUS_ADDRESS'] ?? '');
    desktop.#bus.export('/org/freedesktop/Notifications', desktop.notifications);
    await desktop.#bus.requestName('org.freedesktop.Notifications', 0);
    return desktop;
  }

  /** From now on there is a tray. */
  async showTray(): Promise<void> {
    this.#bus.export('/StatusNotifierWatcher', this.#watcher);
    await this.#bus.requestName('org.kde.StatusNotifierWatcher', 0);
  }

  /** The bus name of the newest icon. */
  async item(): Promise<string> {
    await this.#watcher.items.next(() => true, 'a tray icon');
    return this.#watcher.items.entries.at(-1) ?? '';
  }

  async tooltip(): Promise<string> {
    const [property] = await this.#call('/StatusNotifierItem', 'org.freedesktop.DBus.Properties', 'Get', 'ss', [
      ITEM,
      'ToolTip',
    ]);
    const [, , title] = (property as dbus.Variant<[string, unknown, string, string]>).value;
    return title;
  }

  /** The icon's pixels, so that two states can be told apart. */
  async pixels(): Promise<string> {
    const [property] = await this.#call('/StatusNotifierItem', 'org.freedesktop.DBus.Properties', 'Get', 'ss', [
      ITEM,
      'IconPixmap',
    ]);
    const [first] = (property as dbus.Variant<[number, number, Buffer][]>).value;
    return Buffer.from(first?.[2] ?? []).toString('base64');
  }

  async click(): Promise<void> {
    await this.#call('/StatusNotifierItem', ITEM, 'Activate', 'ii', [0, 0]);
  }

  async menu(): Promise<readonly TrayEntry[]> {
    const [, layout] = await this.#call('/com/canonical/dbusmenu', MENU, 'GetLayout', 'iias', [0, -1, []]);
    return entryOf(layout as Layout).children;
  }

  /** Clicks the entry that is reached through these labels, from the top of the menu on. */
  async choose(...labels: readonly string[]): Promise<void> {
    const entry = labels.reduce<TrayEntry | undefined>(
      (parent, label) => parent?.children.find((child) => child.label === label),
      { id: 0, label: '', enabled: true, children: await this.menu() },
    );
    if (entry === undefined) throw new Error(`the tray's menu has no ${labels.join(' ▸ ')}`);
    const now = Math.floor(Date.now() / 1000);
    await this.#call('/com/canonical/dbusmenu', MENU, 'Event', 'isvu', [
      entry.id,
      'clicked',
      new dbus.Variant('s', ''),
      now,
    ]);
  }

  /** The person clicks a notification. */
  clickNotification(id: number): void {
    this.notifications.ActionInvoked(id, 'default');
  }

  stop(): void {
    this.#bus.disconnect();
  }

  async #call(path: string, iface: string, member: string, signature: string, body: unknown[]): Promise<unknown[]> {
    const [destination] = (await this.item()).split('/');
    const message = new dbus.Message({
      destination: destination ?? '',
      path,
      interface: iface,
      member,
      signature,
      body,
    });
    const answer = await this.#bus.call(message);
    const answered: unknown[] = answer?.body ?? [];
    return answered;
  }
}

type Layout = readonly [number, Readonly<Record<string, dbus.Variant>>, readonly dbus.Variant<Layout>[]];

function entryOf([id, properties, children]: Layout): TrayEntry {
  return {
    id,
    label: String(properties['label']?.value ?? ''),
    enabled: properties['enabled']?.value !== false,
    children: children.map((child) => entryOf(child.value)),
  };
}
