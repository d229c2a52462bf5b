import { createRequire } from 'node:module';
import type * as Keytar from 'keytar';
import { keychainFault } from './keychain-faults.js';
import { isKeychainRequest, type KeychainReply, type KeychainRequest } from './keychain-messages.js';

/**
 * The process that talks to the OS keychain. The native call can hang for ever (a prompt nobody answers) and then no process
 * that made it can exit any more, so this one is made to be killed. Entry point of its own bundle.
 */

/** What the items are filed under in the keychain; people see it there. */
const SERVICE = 'xagent-connector-desktop';

/** Any text: what counts is whether it can be stored. */
const PROBE_VALUE = 'probe';

type Keychain = Pick<typeof Keytar, 'getPassword' | 'setPassword' | 'deletePassword'>;

let loaded: Keychain | undefined;

/** Loaded on first use, so that a missing system library is an answer and not a crash. */
function keychain(): Keychain {
  if (!loaded) {
    const module: unknown = createRequire(__filename)('keytar');
    if (!isKeychain(module)) throw new Error('Failed to load keytar native addon');
    loaded = module;
  }
  return loaded;
}

function isKeychain(module: unknown): module is Keychain {
  return typeof module === 'object' && module !== null && 'setPassword' in module && 'deletePassword' in module;
}

/**
 * Whether the keychain stores anything at all. A locked Secret Service answers "no such item" to reads of items it has, so
 * that only a write tells; listing what is there would crash the process.
 */
async function probe(account: string): Promise<void> {
  const { setPassword, deletePassword } = keychain();
  await setPassword(SERVICE, account, PROBE_VALUE);
  await deletePassword(SERVICE, account);
}

async function perform(request: KeychainRequest): Promise<string | null> {
  const { getPassword, setPassword, deletePassword } = keychain();
  switch (request.call) {
    case 'probe':
      await probe(request.account);
      return null;
    case 'get': {
      const value = await getPassword(SERVICE, request.account);
      if (value === null) await probe(request.probeAccount);
      return value;
    }
    case 'set':
      await setPassword(SERVICE, request.account, request.value);
      return null;
    case 'delete':
      if (!(await deletePassword(SERVICE, request.account))) await probe(request.probeAccount);
      return null;
  }
}

async function answer(request: KeychainRequest): Promise<KeychainReply> {
  try {
    return { id: request.id, ok: true, value: await perform(request) };
  } catch (error) {
    return { id: request.id, ok: false, ...keychainFault(error) };
  }
}

/** Electron's `utilityProcess` gives its child this instead of `process.send`. */
interface ParentPort {
  on(event: 'message', listener: (event: { data: unknown }) => void): void;
  postMessage(message: unknown): void;
}

function parentPort(): ParentPort | undefined {
  const port: unknown = Reflect.get(process, 'parentPort');
  return isParentPort(port) ? port : undefined;
}

function isParentPort(port: unknown): port is ParentPort {
  return typeof port === 'object' && port !== null && 'postMessage' in port && typeof port.postMessage === 'function';
}

/** One at a time and in order, so that of two writes of one name the later one stays. */
let turn: Promise<void> = Promise.resolve();

function take(message: unknown, reply: (message: KeychainReply) => void): void {
  if (!isKeychainRequest(message)) return;
  turn = turn.then(async () => reply(await answer(message)));
}

const port = parentPort();
if (port) {
  port.on('message', ({ data }) => take(data, (reply) => port.postMessage(reply)));
} else {
  process.on('message', (message) => take(message, (reply) => process.send?.(reply)));
  // The parent is gone. `process.exit` would wait for the hanging call.
  process.on('disconnect', () => process.kill(process.pid, 'SIGKILL'));
}
