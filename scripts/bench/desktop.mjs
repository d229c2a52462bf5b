// The desktop app and a bare Electron tray app, on a screen and a bus that nobody else is on.
import { spawn } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { testRuntime } from '../electron-runtime.mjs';
import { API_KEY } from './host.mjs';
import { loadForTests } from './simulators.mjs';
import { showTray } from './tray-host.mjs';

const path = (relative) => fileURLToPath(new URL(relative, import.meta.url));
const APP = process.env['XAGENT_BENCH_APP'] ?? path('../..');
const READY_MS = 120_000;
const STOP_MS = 15_000;

/** What a figure's desktop runs need; `undefined` where there is no Electron for tests. */
export async function openDesktop(folder) {
  const electron = process.env['XAGENT_BENCH_ELECTRON'] ?? (await testRuntime());
  if (electron === undefined) return undefined;
  const { PrivateSession, Screen } = await loadForTests('support/desktop/private-session.ts', folder);
  const screen = await Screen.start();
  const session = await PrivateSession.start(screen, 'absent');
  const tray = await showTray(session.env.DBUS_SESSION_BUS_ADDRESS);
  const start = (args, env) => startApp(electron, args, { ...session.env, ...env });
  return {
    product: () => start([APP, '--hidden', '--ready-json', ...installation(join(folder, 'product'))], {}),
    baseline: () =>
      start([path('bare/electron-app')], {
        BARE_APP_DATA: join(folder, 'bare'),
        BARE_APP_ICON: path('../../assets/icons/tray/on-light-ok-22.png'),
      }),
    async close() {
      tray.close();
      await session.end();
      screen.stop();
    },
  };
}

function installation(folder) {
  mkdirSync(folder, { recursive: true });
  const file = join(folder, 'config.json');
  // No keychain in this session; the key is known, so that nothing waits for one.
  writeFileSync(file, JSON.stringify({ server: { port: 0, apiKey: API_KEY }, log: { level: 'warn' } }));
  return ['--config', file, '--data-dir', join(folder, 'data')];
}

/** Starts an app; ready once its icon is in the tray and its server answers. */
async function startApp(electron, args, env) {
  const began = performance.now();
  const child = spawn(electron, ['--require', path('desktop-probe.cjs'), ...args], {
    stdio: ['ignore', 'pipe', 'ignore'],
    env: { ...env, ELECTRON_DISABLE_SANDBOX: '1' },
  });
  const exited = new Promise((resolve) => child.once('exit', resolve));
  const seen = [];
  const waiting = [];
  createInterface({ input: child.stdout }).on('line', (line) => {
    if (!line.startsWith('{')) return;
    seen.push(JSON.parse(line));
    for (const look of [...waiting]) look();
  });
  const fact = (wanted) =>
    new Promise((resolve, reject) => {
      const late = setTimeout(() => reject(new Error('an app did not do in time what was waited for')), READY_MS);
      const look = () => {
        const found = seen.findIndex(wanted);
        if (found < 0) return;
        clearTimeout(late);
        waiting.splice(waiting.indexOf(look), 1);
        resolve(seen.splice(found, 1)[0]);
      };
      waiting.push(look);
      void exited.then((code) => reject(new Error(`an app ended (${code})`)));
      look();
    });
  try {
    const isReady = fact((each) => each.event === 'ready');
    const [{ url }] = await Promise.all([isReady, fact((each) => each.probe === 'tray')]);
    const health = await fetch(`${url}/local/health`, { headers: { authorization: `Bearer ${API_KEY}` } });
    if (health.status !== 200) throw new Error(`the health check was answered ${health.status}`);
  } catch (error) {
    child.kill('SIGKILL');
    throw error;
  }
  return {
    pid: child.pid,
    readyMs: performance.now() - began,
    /** A click on the icon. @returns ms until the window is shown and its page loaded; it is closed again */
    async openWindow() {
      child.kill('SIGUSR2');
      return (await fact((each) => each.probe === 'window')).ms;
    },
    async stop() {
      const late = setTimeout(() => child.kill('SIGKILL'), STOP_MS);
      child.kill('SIGTERM');
      await exited;
      clearTimeout(late);
    },
  };
}
