import { contextBridge, ipcRenderer } from 'electron';
import type { WindowApi } from '../bridge/index.js';
import { CHANNELS } from './channels.js';

/**
 * All that the page can reach of this program. Functions only: neither `ipcRenderer` nor an event object of its own gets through,
 * so that the page can't listen to, or send on, anything else. Runs sandboxed; a bundle of its own.
 */
const api: WindowApi = {
  call: (command, params) => ipcRenderer.invoke(CHANNELS.call, command, params),
  shell: (command, params) => ipcRenderer.invoke(CHANNELS.shell, command, params),
  state: () => ipcRenderer.invoke(CHANNELS.state),
  onState(fn) {
    const listener = (_event: unknown, state: Parameters<typeof fn>[0]): void => fn(state);
    ipcRenderer.on(CHANNELS.stateChanged, listener);
    return () => void ipcRenderer.removeListener(CHANNELS.stateChanged, listener);
  },
};

contextBridge.exposeInMainWorld('xagentConnector', api);
