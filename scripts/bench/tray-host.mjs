// A desktop that shows tray icons, as far as a program on its bus can tell.
import dbus from 'dbus-next';

const NAME = 'org.kde.StatusNotifierWatcher';

class Watcher extends dbus.interface.Interface {
  items = [];

  constructor() {
    super(NAME);
  }

  RegisterStatusNotifierItem(service) {
    this.items.push(service);
    this.StatusNotifierItemRegistered(service);
  }

  RegisterStatusNotifierHost() {}

  StatusNotifierItemRegistered(service) {
    return service;
  }

  get RegisteredStatusNotifierItems() {
    return this.items;
  }

  get IsStatusNotifierHostRegistered() {
    return true;
  }

  get ProtocolVersion() {
    return 0;
  }
}

const read = (signature) => ({ signature, access: dbus.interface.ACCESS_READ });
Watcher.configureMembers({
  properties: {
    RegisteredStatusNotifierItems: read('as'),
    IsStatusNotifierHostRegistered: read('b'),
    ProtocolVersion: read('i'),
  },
  methods: {
    RegisterStatusNotifierItem: { inSignature: 's', outSignature: '' },
    RegisterStatusNotifierHost: { inSignature: 's', outSignature: '' },
  },
  signals: { StatusNotifierItemRegistered: { signature: 's' } },
});

/** @param busAddress of the session */
export async function showTray(busAddress) {
  const bus = dbus.sessionBus({ busAddress });
  bus.export('/StatusNotifierWatcher', new Watcher());
  await bus.requestName(NAME);
  return { close: () => bus.disconnect() };
}
