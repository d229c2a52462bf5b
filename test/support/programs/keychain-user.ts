import fs from 'node:fs';
import { forkWorker, openSecretStore, SecretStoreError, type SecretStore } from '../../../src/store/secrets/index.js';

/** One thing to do with a secret store; the answers are printed as one JSON array. */
export type KeychainStep =
  | { do: 'open'; dataDir: string; deadlineMs?: number }
  | { do: 'probe' }
  | { do: 'get'; name: string }
  | { do: 'set'; name: string; value: string }
  | { do: 'delete'; name: string }
  /** From now on, for workers that are started: which bus they find. */
  | { do: 'bus'; address: string }
  /** What anyone on the machine could read of the running worker: its arguments and variables. */
  | { do: 'look at worker' };

/** The Node processes that this one has started and that still run. */
function children(): string[] {
  const own = fs.readFileSync(`/proc/self/task/${process.pid}/children`, 'utf8');
  return own.split(' ').filter((pid) => pid !== '');
}

async function main(worker: string, steps: KeychainStep[]): Promise<void> {
  const answers: unknown[] = [];
  const opened: SecretStore[] = [];
  const current = (): SecretStore => opened[opened.length - 1] ?? fail('no store is open');
  for (const step of steps) answers.push(await perform(step).catch(describeRefusal));
  process.stdout.write(`${JSON.stringify(answers)}\n`);
  // On purpose nothing is closed: a worker that hangs must not keep this process from ending.

  async function perform(step: KeychainStep): Promise<unknown> {
    switch (step.do) {
      case 'open': {
        const { dataDir, deadlineMs } = step;
        opened.push(openSecretStore({ kind: 'keychain', dataDir, deadlineMs, spawnWorker: forkWorker(worker) }));
        return 'opened';
      }
      case 'probe':
        return current().probe();
      case 'get':
        return (await current().get(step.name)) ?? 'nothing';
      case 'set':
        await current().set(step.name, step.value);
        return 'done';
      case 'delete':
        await current().delete(step.name);
        return 'done';
      case 'bus':
        process.env['DBUS_SESSION_BUS_ADDRESS'] = step.address;
        return 'done';
      case 'look at worker':
        return children().map((pid) =>
          ['cmdline', 'environ'].map((what) => fs.readFileSync(`/proc/${pid}/${what}`, 'utf8')).join(),
        );
    }
  }
}

function describeRefusal(error: unknown): unknown {
  return error instanceof SecretStoreError ? `${error.state}: ${error.code}` : String(error);
}

function fail(message: string): never {
  throw new Error(message);
}

const steps: KeychainStep[] = JSON.parse(fs.readFileSync(0, 'utf8'));
void main(process.argv[2] ?? '', steps);
